package workflow

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"carina/balance"
	"carina/geometry"
	"carina/internal/quantity"

	"gonum.org/v1/gonum/spatial/r3"
)

// Progress hears the share done, 0 to 1, of a named stage.
type Progress func(stage string, done float64)

// Gridded is a voxel grid with what is known of its making.
type Gridded struct {
	Grid   *geometry.Grid
	Source balance.Source
	Report GridReport
	// FromGridFile tells that the grid was read and not made.
	FromGridFile bool
}

// LoadGrid reads the case's grid file, or reads and voxelizes its surface. It
// asks admit, which may be nil, whether so many fluid cells are possible, first
// with an estimate from the surface's volume, before any long work, and then
// with the number itself.
func (c *Case) LoadGrid(ctx context.Context, progress Progress, admit func(cells int64) error) (*Gridded, error) {
	if admit == nil {
		admit = func(int64) error { return nil }
	}
	g, err := c.loadGrid(ctx, progress, admit)
	if err != nil {
		return nil, err
	}
	return g, admit(g.Grid.Cells())
}

func (c *Case) loadGrid(ctx context.Context, progress Progress, admit func(cells int64) error) (*Gridded, error) {
	kind, err := KindOf(c.Surface)
	switch {
	case err != nil:
		return nil, err
	case kind == GridFile:
		return c.readGrid()
	case kind == SurfaceFile:
		return c.voxelize(ctx, progress, admit)
	}
	if kind == CaseFile {
		return nil, fmt.Errorf("%s looks like a case file: let its name end in .yaml", c.Surface)
	}
	return nil, fmt.Errorf("%s is a %s file: give a surface or a grid", c.Surface, kind)
}

func (c *Case) readGrid() (*Gridded, error) {
	for _, option := range []struct {
		name  string
		given bool
	}{
		{"unit", c.Unit != ""}, {"scale", c.Scale != 0}, {"spacing", c.Spacing != ""}, {"fluid-cells", c.FluidCells != 0}, {"voxelizer", c.Voxelizer != ""},
		{"directions", c.Directions != 0}, {"inlet", c.Inlet != 0}, {"opening", len(c.Openings) > 0},
		{"role", len(c.Roles) > 0}, {"drop-opening", len(c.DropOpenings) > 0}, {"merge-openings", len(c.MergeOpenings) > 0}, {"extend-openings", c.ExtendOpenings != ""},
	} {
		if option.given {
			return nil, fmt.Errorf("%s is a grid file, where %s is settled: leave that out, or give the surface", c.Surface, option.name)
		}
	}
	begin := time.Now()
	grid, err := geometry.ReadGrid(c.Surface)
	if err != nil {
		return nil, err
	}
	source, err := sourceOf(c.Surface, "")
	if err != nil {
		return nil, err
	}
	g := &Gridded{Grid: grid, Source: source, FromGridFile: true}
	g.Report.describeGrid(grid, time.Since(begin))
	return g, nil
}

func (c *Case) voxelize(ctx context.Context, progress Progress, admit func(cells int64) error) (*Gridded, error) {
	begin := time.Now()
	surface, prepared, options, err := c.prepareSurface(progress)
	if err != nil {
		return nil, err
	}
	if err := admit(estimatedCells(prepared, options)); err != nil {
		return nil, err
	}
	grid, filled, err := geometry.VoxelizePrepared(ctx, prepared, options)
	if err != nil {
		return nil, fmt.Errorf("voxelizing %s: %w", c.Surface, err)
	}
	source, err := sourceOf(c.Surface, surface.Unit.String())
	if err != nil {
		return nil, err
	}
	g := &Gridded{Grid: grid, Source: source}
	g.Report.describeSurface(surface, prepared)
	g.Report.describeFilling(filled)
	g.Report.describeGrid(grid, time.Since(begin))
	return g, nil
}

// estimatedCells is the number of cells that a surface's volume will hold.
func estimatedCells(p *geometry.Prepared, o geometry.Options) int64 {
	if o.Spacing == 0 {
		return o.FluidCells
	}
	return int64(min(p.Volume/(o.Spacing*o.Spacing*o.Spacing), math.MaxInt64/2))
}

// voxelOptions translates the case; centres of openings are in the surface's
// unit.
func (c *Case) voxelOptions(unit geometry.Unit) (geometry.Options, error) {
	o := geometry.Options{
		FluidCells: c.FluidCells, Inlet: c.Inlet, Method: geometry.Method(c.Voxelizer),
		DropOpenings: c.DropOpenings, MergeOpenings: c.MergeOpenings, Roles: map[int]geometry.Role{},
	}
	for number, role := range c.Roles {
		o.Roles[number] = geometry.Role(role)
	}
	if c.Spacing != "" {
		var err error
		if o.Spacing, err = quantity.Length.ParsePositive(c.Spacing); err != nil {
			return o, fmt.Errorf("spacing: %w", err)
		}
		const finest, coarsest = 1e-9, 1e3 // metres
		if o.Spacing < finest || o.Spacing > coarsest {
			return o, fmt.Errorf("a spacing of %s cannot be meant: give one from 1nm to 1000m", c.Spacing)
		}
	}
	settings, err := c.Settings()
	if err != nil {
		return o, err
	}
	o.Directions = settings.Directions()
	if c.Directions != 0 {
		o.Directions = c.Directions
	}
	if err := c.extension(&o); err != nil {
		return o, err
	}
	const widest = 1e3 // metres
	for i, opening := range c.Openings {
		if err := c.checkOpening(i); err != nil {
			return o, err
		}
		radius, err := quantity.Length.ParsePositive(opening.Radius)
		if err != nil {
			return o, fmt.Errorf("opening %d (%s): %w", i+1, opening.Name, err)
		}
		if radius > widest {
			return o, fmt.Errorf("opening %d (%s) cannot have a radius of %s: give one of at most 1000m", i+1, opening.Name, opening.Radius)
		}
		x := opening.Center
		center := r3.Scale(float64(unit), r3.Vec{X: x[0], Y: x[1], Z: x[2]})
		o.Openings = append(o.Openings, geometry.Disc{Center: center, Radius: radius, Name: opening.Name})
	}
	return o, nil
}

// checkOpening refuses an opening placed by hand whose name or centre cannot be
// meant.
func (c *Case) checkOpening(i int) error {
	const farthest, longest = 1e12, 1024
	opening := &c.Openings[i]
	if len(opening.Center) != 3 {
		return fmt.Errorf("opening %d (%s) has a centre of %d numbers: give x, y and z", i+1, opening.Name, len(opening.Center))
	}
	for _, x := range opening.Center {
		if !(math.Abs(x) <= farthest) {
			return fmt.Errorf("opening %d (%s) has the coordinate %g: give numbers from %g to %g", i+1, opening.Name, x, -farthest, farthest)
		}
	}
	if len(opening.Name) > longest {
		return fmt.Errorf("the name of opening %d has %d bytes: give one of at most %d", i+1, len(opening.Name), longest)
	}
	for j := range i {
		if opening.Name != "" && c.Openings[j].Name == opening.Name {
			return fmt.Errorf("openings %d and %d are both named %s: give each a name of its own", j+1, i+1, opening.Name)
		}
	}
	return nil
}

// extension reads how far openings are lengthened: 2D for two diameters, or a
// length.
func (c *Case) extension(o *geometry.Options) error {
	if c.ExtendOpenings == "" {
		return nil
	}
	if number, found := strings.CutSuffix(c.ExtendOpenings, "D"); found {
		diameters, err := strconv.ParseFloat(number, 64)
		if err != nil || !(diameters > 0) || diameters > 1e3 {
			return fmt.Errorf("openings cannot be lengthened by %q: write a multiple of their diameter such as 2D, or a length such as 10mm", c.ExtendOpenings)
		}
		o.ExtendDiameters = diameters
		return nil
	}
	var err error
	if o.ExtendLength, err = quantity.Length.ParsePositive(c.ExtendOpenings); err != nil {
		return fmt.Errorf("extending openings: %w", err)
	}
	return nil
}

func sourceOf(path, unit string) (balance.Source, error) {
	file, err := os.Open(path)
	if err != nil {
		return balance.Source{}, err
	}
	defer file.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, file); err != nil {
		return balance.Source{}, fmt.Errorf("reading %s: %w", path, err)
	}
	return balance.Source{File: filepath.Base(path), SHA256: hex.EncodeToString(hash.Sum(nil)), Unit: unit}, nil
}

// peakMemory is the largest amount of memory that this process has held.
func peakMemory() int64 {
	var usage syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &usage) != nil {
		return 0
	}
	return usage.Maxrss * 1024
}
