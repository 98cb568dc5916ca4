package carina

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"carina/balance"
	"carina/geometry"
	"carina/internal/atomicfile"
	"carina/internal/quantity"
	"carina/solver/airflow"
	"carina/solver/airflow/gpu"
	"carina/solver/airflow/opening"
	"carina/solver/cuda"
)

// CheckRanks refuses numbers of ranks that cannot be, before any work is done.
func (c *PartitionCase) CheckRanks() error {
	if c.Ranks < 1 {
		return fmt.Errorf("%d ranks cannot share the work: give --ranks a number of at least 1", c.Ranks)
	}
	return nil
}

// Partition decomposes a grid and gives every cuboid an owner, as the case says.
func (c *Case) Partition(g *geometry.Grid) (*balance.Partition, error) {
	return (&Voxels{Grid: g}).Partition(context.Background(), c, nil)
}

// partitionOptions are what the case says of the partition of a grid, for
// balance.Make.
func (c *Case) partitionOptions(g *geometry.Grid) (o balance.Options, err error) {
	cost, err := c.cost(g)
	if err != nil {
		return o, err
	}
	if o, err = c.Options(cost); err != nil {
		return o, err
	}
	return o, c.shareDevices(g, &o, thisMachine())
}

// Options are what the case says of a partition, for balance.Make, where cells cost what a
// physics says.
func (c *PartitionCase) Options(cost *balance.Cost) (balance.Options, error) {
	return balance.Options{
		Cost:  cost,
		Ranks: cmp.Or(c.Ranks, 1), Speeds: c.Speeds, DevicesPerHost: c.DevicesPerHost,
		Decompose: c.Decompose, Balance: c.Balance, CuboidsPerRank: c.CuboidsPerRank,
		MinSide: int32(c.MinSide), MaxSide: int32(c.MaxSide), Imbalance: c.Imbalance,
		Seed: c.Seed, Preset: c.Preset,
		Improve: c.Improve, KeepHeavy: c.KeepHeavy, TimeLimit: c.TimeLimit,
	}, c.check()
}

// check refuses what cannot be meant of a partition, whatever the grid.
func (c *PartitionCase) check() error {
	for _, side := range []int{c.MinSide, c.MaxSide} {
		if side < 0 || side > 1<<30 {
			return fmt.Errorf("cuboids cannot have sides of %d cells: give numbers from 1 to %d", side, 1<<30)
		}
	}
	if c.TimeLimit < 0 {
		return fmt.Errorf("the balancer cannot go on for %v: give --time-limit a positive time", c.TimeLimit)
	}
	if err := quantity.CheckImbalance(c.Imbalance, 1); err != nil {
		return err
	}
	if err := c.checkNames(); err != nil {
		return err
	}
	return c.refuseIdle()
}

// choice is a name that was chosen, and what refuses it if it is none to choose from.
type choice struct {
	name  string
	check func(string) error
}

func checkChoices(list []choice) error {
	for _, c := range list {
		if c.name != "" {
			if err := c.check(c.name); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkNames is CheckNames for what is said of a partition.
func (c *PartitionCase) checkNames() error {
	list := []choice{
		{c.Balance, func(name string) error { _, err := balance.NewBalancer(name); return err }},
		{c.Decompose, balance.CheckDecomposition},
		{c.Preset, balance.CheckPreset},
		{c.Exchange, oneOf("exchange", []cuda.Exchange{cuda.IPC, cuda.Host})},
	}
	if err := checkChoices(list); err != nil {
		return err
	}
	return c.checkDevices()
}

// CheckNames refuses names that are none of those to choose from, before any work
// is done for them.
func (c *Case) CheckNames() error {
	if err := c.checkNames(); err != nil {
		return err
	}
	if err := checkChoices([]choice{
		{c.Unit, func(name string) error { _, err := geometry.ParseUnit(name); return err }},
		{c.Axes, func(name string) error { _, err := geometry.ParseAxes(name); return err }},
		{c.Voxelizer, oneOf("voxelizer", geometry.Methods)},
		{c.Storage, oneOf("storage", []gpu.Storage{gpu.Single, gpu.Half})},
	}); err != nil {
		return err
	}
	s := c.method()
	if err := s.Validate(); err != nil {
		return err
	}
	for i := range c.Conditions {
		of := &c.Conditions[i]
		var err error
		if setIfGiven(&s.Profile, of.Profile); !slices.Contains(opening.Kinds, opening.Kind(of.Kind)) {
			err = of.checkKeys()
		} else {
			err = s.Validate()
		}
		if err != nil {
			return fmt.Errorf("condition of opening %s: %w", of.Opening, err)
		}
	}
	return nil
}

// oneOf refuses a name that is not in a list.
func oneOf[T ~string](what string, list []T) func(string) error {
	return func(name string) error { return quantity.CheckName(what, T(name), list) }
}

// refuseIdle refuses options that have no effect on the partition, beside those
// that package balance refuses.
func (c *PartitionCase) refuseIdle() error {
	base, _, _ := strings.Cut(c.Decompose, "+")
	counts := base == "regular" || base == "shrink" || strings.Contains(c.Decompose, "carve") || strings.Contains(c.Decompose, "recombine")
	if c.CuboidsPerRank > 0 && !counts {
		return errors.New("cuboids-per-rank is for the decompositions regular, shrink and carve and for +recombine: leave it out, or choose one of these")
	}
	if c.Seed != 0 && c.Balance != "" && c.Balance != "graph" {
		return fmt.Errorf("a seed is for the graph balancer: leave it out with %s", c.Balance)
	}
	return nil
}

// cost returns the measured costs of the case's machine, or assumed ones, for
// what the solver will store and send: populations in the case's precision, in
// the directions that the grid has links for.
func (c *Case) cost(g *geometry.Grid) (*balance.Cost, error) {
	precision := airflow.Single
	if c.Precision != "" {
		precision = airflow.Precision(c.Precision)
	}
	if !slices.Contains(airflow.Precisions, precision) {
		return nil, fmt.Errorf("unknown precision %q: use one of %s", c.Precision, quantity.Either(airflow.Precisions))
	}
	layout := balance.Sparse
	setIfGiven(&layout, c.Layout)
	cost := balance.DefaultCost(layout)
	if c.mayUse(GPU) {
		cost = balance.GPUCost()
	}
	cost.BytesPerPopulation = precision.Bytes()
	if c.Machine != "" {
		machine, err := balance.ReadMachine(c.Machine)
		if err != nil {
			return nil, err
		}
		if onlyKinds := len(machine.Kinds) > 0 && len(machine.Costs) == 0; !onlyKinds {
			if cost, err = machine.CostFor(layout, precision.Bytes()); err != nil {
				return nil, fmt.Errorf("%s: %w", c.Machine, err)
			}
		}
	}
	if g.Links.Directions > 0 {
		cost.Directions = g.Links.Directions
	}
	return &cost, nil
}

// WritePartition writes a partition file and the grid that it belongs to beside
// it, where ReadPartition and carina solve look for it.
func WritePartition(path string, p *balance.Partition, g *geometry.Grid) error {
	grid, err := writeGridBeside(path, g)
	if err != nil {
		return err
	}
	made := p.Source // of the surface, of this grid, or unknown
	if p.Source, err = balance.SourceOf(grid, ""); err != nil {
		return err
	}
	p.Source.Axes, made.Axes = made.Axes, geometry.UnknownAxes
	switch made.SHA256 {
	case "":
	case p.Source.SHA256:
		p.Source.Surface = made.Surface
	default:
		p.Source.Surface = &made
	}
	return p.WriteFile(path)
}

// writeGridBeside writes the grid of a partition file and returns its name.
// Where that name is taken by another grid, which another partition file may
// need, it is left alone and the new one is named after its contents.
func writeGridBeside(path string, g *geometry.Grid) (string, error) {
	name := balance.Stem(path) + ".grid"
	if _, err := os.Lstat(name); errors.Is(err, fs.ErrNotExist) {
		return name, geometry.WriteGrid(name, g)
	}
	hash := sha256.New()
	if err := geometry.EncodeGrid(hash, g); err != nil {
		return "", err
	}
	name, there, err := atomicfile.Beside(name, hex.EncodeToString(hash.Sum(nil)))
	if err != nil || there {
		return name, err
	}
	return name, geometry.WriteGrid(name, g)
}

// ReadPartition reads a partition file and the grid that it names, which is
// looked for in the partition file's folder, and checks that they fit.
func ReadPartition(path string) (*balance.Partition, *geometry.Grid, error) {
	p, err := balance.ReadFile(path)
	if err != nil {
		return nil, nil, err
	}
	if p.Source.File == "" {
		return nil, nil, fmt.Errorf("%s names no grid file: make it with carina partition, or in a program with carina.WritePartition", path)
	}
	gridPath := filepath.Join(filepath.Dir(path), filepath.Base(p.Source.File))
	grid, err := geometry.ReadGrid(gridPath)
	if err != nil {
		return nil, nil, fmt.Errorf("the grid that %s belongs to: %w", path, err)
	}
	if err := p.Fits(grid); err != nil {
		return nil, nil, fmt.Errorf("%s does not belong to %s: %w", path, gridPath, err)
	}
	source, err := balance.SourceOf(gridPath, "")
	if err != nil {
		return nil, nil, err
	}
	if p.Source.SHA256 != "" && p.Source.SHA256 != source.SHA256 {
		return nil, nil, fmt.Errorf("%s is not the file that %s was made from (their SHA-256 differ), although it holds the same cells: put the old file back, or partition the new one", gridPath, path)
	}
	return p, grid, nil
}
