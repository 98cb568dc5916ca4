package carina

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"time"

	"carina/balance"
	"carina/geometry"
	"carina/internal/results"
)

// Voxels are the cells of a case with what is known of their making.
type Voxels struct {
	Grid *geometry.Grid
	// Source is the surface that the grid was made from, or the grid file.
	Source balance.Source
	Report GridReport
	// File is the grid file that the grid was read from; empty where it was made.
	File string
	// surface is the prepared one that the grid was made from.
	surface *geometry.Prepared
}

// Voxelize fills the case's surface with cells, or reads its grid file. Progress hears
// the share done, 0 to 1, of a named stage; it may be nil.
func (c *Case) Voxelize(ctx context.Context, progress func(stage string, done float64)) (*Voxels, error) {
	return c.voxelize(ctx, progress, func(int64) error { return nil })
}

// voxelize asks admit whether so many fluid cells are possible, first with an estimate
// from the surface's volume, before any long work, and then with the number itself.
func (c *Case) voxelize(ctx context.Context, progress func(string, float64), admit func(cells int64) error) (*Voxels, error) {
	make := c.fill
	switch is, err := geometry.IsGridFile(c.Surface); {
	case err != nil:
		return nil, fmt.Errorf("cannot read the surface: %w", err)
	case is:
		make = c.readVoxels
	}
	v, err := make(ctx, progress, admit)
	if err != nil {
		return nil, err
	}
	axes, err := geometry.ParseAxes(c.Axes)
	if err != nil {
		return nil, err
	}
	v.Source.Axes = cmp.Or(axes, v.Source.Axes)
	return v, admit(v.Grid.Cells())
}

// readVoxels reads the grid file.
func (c *Case) readVoxels(context.Context, func(string, float64), func(int64) error) (*Voxels, error) {
	begin := time.Now()
	grid, err := c.ReadGrid()
	if err != nil {
		return nil, err
	}
	source, err := balance.SourceOf(c.Surface, "")
	if err != nil {
		return nil, err
	}
	v := &Voxels{Grid: grid, Source: source, File: c.Surface}
	v.Report.describeGrid(grid, time.Since(begin))
	if words := geometry.DoubtWords(grid.Openings, grid.Perhaps); words != "" {
		v.Report.Notes = append(v.Report.Notes, words)
	}
	return v, nil
}

// fill reads the surface and fills it with cells.
func (c *Case) fill(ctx context.Context, progress func(string, float64), admit func(int64) error) (*Voxels, error) {
	begin := time.Now()
	surface, err := c.ReadSurface()
	if err != nil {
		return nil, err
	}
	prepared, options, err := c.Prepare(surface, progress)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.Surface, err)
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
	source.Axes = surface.Axes
	v := &Voxels{Grid: grid, Source: source, surface: prepared}
	v.Report.describeSurface(surface, prepared)
	v.Report.describeFilling(filled)
	v.Report.describeGrid(grid, time.Since(begin))
	if len(c.Openings) > 0 { // the lumen is cut by hand
		v.Report.doubtClosed(grid)
	}
	return v, nil
}

// estimatedCells is the number of cells that a surface's volume will hold.
func estimatedCells(p *geometry.Prepared, o geometry.Options) int64 {
	if o.Spacing == 0 {
		return o.FluidCells
	}
	return int64(min(p.Volume/(o.Spacing*o.Spacing*o.Spacing), math.MaxInt64/2))
}

// Partition decomposes the grid and gives every cuboid an owner, as a case says. Progress
// is as in Case.Voxelize.
func (v *Voxels) Partition(ctx context.Context, c *Case, progress func(stage string, done float64)) (*balance.Partition, error) {
	options, err := c.partitionOptions(v.Grid)
	if err != nil {
		return nil, err
	}
	options.Source, options.Progress = v.Source, progress
	return balance.Make(ctx, v.Grid, options)
}

// WritePartition writes a partition file and makes sure that its grid file stands beside
// it, where ReadPartition looks for it: a grid that was made from a surface, or comes from
// another folder, is written there.
func (v *Voxels) WritePartition(path string, p *balance.Partition) (err error) {
	made := v.made("")
	switch {
	case v.File == "":
		p.Source = v.Source
	case made.LiesBeside(path):
		if p.Source, err = made.SourceOfGrid(v.File); err != nil {
			return err
		}
		return p.WriteFile(path)
	default:
		p.Source = balance.Source{Axes: v.Source.Axes}
	}
	return WritePartition(path, p, v.Grid)
}

// WriteShares is WritePartition with a file for each rank beside, which holds what the
// rank needs. All files come at once when they are complete, or none does.
func (v *Voxels) WriteShares(path string, p *balance.Partition) error {
	return results.WriteShares(path, p, v.made(""))
}

// made is what results need of it.
func (v *Voxels) made(name string) results.Made {
	return results.Made{Name: name, Grid: v.Grid, Source: v.Source, File: v.File}
}
