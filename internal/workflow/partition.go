package workflow

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"carina/balance"
	"carina/geometry"
)

// CheckRanks refuses numbers of ranks that cannot be, before any work is done.
func (c *Case) CheckRanks() error {
	if c.Ranks < 1 {
		return fmt.Errorf("%d ranks cannot share the work: give --ranks a number of at least 1", c.Ranks)
	}
	return nil
}

// Partition decomposes a grid and gives every cuboid an owner.
func (c *Case) Partition(ctx context.Context, g *Gridded, progress Progress) (*balance.Partition, error) {
	if c.MinSide < 0 || c.MaxSide < 0 || c.MinSide > 1<<30 || c.MaxSide > 1<<30 {
		return nil, fmt.Errorf("cuboids cannot have sides from %d to %d cells: give positive numbers", c.MinSide, c.MaxSide)
	}
	cost, err := c.cost()
	if err != nil {
		return nil, err
	}
	return balance.Make(ctx, g.Grid, balance.Options{
		Cost:  cost,
		Ranks: c.Ranks, Speeds: c.Speeds, DevicesPerHost: c.DevicesPerHost,
		Decompose: c.Decompose, Balance: c.Balance, CuboidsPerRank: c.CuboidsPerRank,
		MinSide: int32(c.MinSide), MaxSide: int32(c.MaxSide), Imbalance: c.Imbalance,
		Seed: c.Seed, Preset: c.Preset, Source: g.Source, Progress: progress,
	})
}

// cost returns the measured costs of the case's machine, nil for assumed ones.
func (c *Case) cost() (*balance.Cost, error) {
	if c.Machine == "" {
		return nil, nil
	}
	machine, err := balance.ReadMachine(c.Machine)
	if err != nil {
		return nil, err
	}
	cost, err := machine.Cost(balance.Sparse)
	return &cost, err
}

// WritePartition writes a partition file and makes sure that its grid file
// stands beside it, where ReadPartition looks for it: a grid that was made from
// a surface, or comes from another folder, is written there.
func (c *Case) WritePartition(path string, p *balance.Partition, g *Gridded) error {
	gridPath := c.Surface
	if !g.FromGridFile || !sameFolder(gridPath, path) {
		gridPath = GridBeside(path)
		if err := geometry.WriteGrid(gridPath, g.Grid); err != nil {
			return err
		}
	}
	var err error
	if p.Source, err = sourceOf(gridPath, ""); err != nil {
		return err
	}
	return p.WriteFile(path)
}

func sameFolder(a, b string) bool {
	first, err1 := filepath.Abs(filepath.Dir(a))
	second, err2 := filepath.Abs(filepath.Dir(b))
	return err1 == nil && err2 == nil && first == second
}

// GridBeside names the grid file of a partition file.
func GridBeside(path string) string {
	for _, suffix := range []string{".gz", ".json", ".part"} {
		path = strings.TrimSuffix(path, suffix)
	}
	return path + ".grid"
}

// ReadPartition reads a partition file and the grid that it names, which is
// looked for in the partition file's folder, and checks that they fit.
func ReadPartition(path string) (*balance.Partition, *geometry.Grid, error) {
	p, err := balance.ReadFile(path)
	if err != nil {
		return nil, nil, err
	}
	if p.Source.File == "" {
		return nil, nil, fmt.Errorf("%s names no grid file: make it with carina partition", path)
	}
	gridPath := filepath.Join(filepath.Dir(path), filepath.Base(p.Source.File))
	grid, err := geometry.ReadGrid(gridPath)
	if err != nil {
		return nil, nil, fmt.Errorf("the grid that %s belongs to: %w", path, err)
	}
	if err := p.Fits(grid); err != nil {
		return nil, nil, fmt.Errorf("%s does not belong to %s: %w", path, gridPath, err)
	}
	return p, grid, nil
}
