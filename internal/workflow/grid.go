package workflow

import (
	"context"
	"fmt"
	"math"
	"syscall"
	"time"

	"carina"
	"carina/balance"
	"carina/geometry"
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
func LoadGrid(ctx context.Context, c *carina.Case, progress Progress, admit func(cells int64) error) (*Gridded, error) {
	if admit == nil {
		admit = func(int64) error { return nil }
	}
	g, err := loadGrid(ctx, c, progress, admit)
	if err != nil {
		return nil, err
	}
	g.Source.Axes, err = geometry.ParseAxes(c.Axes)
	if err != nil {
		return nil, err
	}
	return g, admit(g.Grid.Cells())
}

func loadGrid(ctx context.Context, c *carina.Case, progress Progress, admit func(cells int64) error) (*Gridded, error) {
	kind, err := KindOf(c.Surface)
	switch {
	case err != nil:
		return nil, err
	case kind == GridFile:
		return readGrid(c)
	case kind == SurfaceFile:
		return voxelize(ctx, c, progress, admit)
	}
	if kind == CaseFile {
		return nil, fmt.Errorf("%s looks like a case file: let its name end in .yaml", c.Surface)
	}
	takes := "carina solve"
	if kind == GraphFile {
		takes = "carina graph"
	}
	return nil, fmt.Errorf("%s is a %s file, which %s takes: give a surface or a grid here", c.Surface, kind, takes)
}

func readGrid(c *carina.Case) (*Gridded, error) {
	begin := time.Now()
	grid, err := c.ReadGrid()
	if err != nil {
		return nil, err
	}
	source, err := balance.SourceOf(c.Surface, "")
	if err != nil {
		return nil, err
	}
	g := &Gridded{Grid: grid, Source: source, FromGridFile: true}
	g.Report.describeGrid(grid, time.Since(begin))
	if words := geometry.DoubtWords(grid.Openings); words != "" {
		g.Report.Notes = append(g.Report.Notes, words)
	}
	return g, nil
}

func voxelize(ctx context.Context, c *carina.Case, progress Progress, admit func(cells int64) error) (*Gridded, error) {
	begin := time.Now()
	surface, prepared, options, err := prepareSurface(c, progress)
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
	source, err := balance.SourceOf(c.Surface, surface.Unit.String())
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

// peakMemory is the largest amount of memory that this process has held.
func peakMemory() int64 {
	var usage syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &usage) != nil {
		return 0
	}
	return usage.Maxrss * 1024
}
