package workflow

import (
	"context"
	"path/filepath"

	"carina"
	"carina/balance"
)

// Partition decomposes a grid and gives every cuboid an owner.
func Partition(ctx context.Context, c *carina.Case, g *Gridded, progress Progress) (*balance.Partition, error) {
	options, err := c.PartitionOptions(g.Grid)
	if err != nil {
		return nil, err
	}
	options.Source, options.Progress = g.Source, progress
	return balance.Make(ctx, g.Grid, options)
}

// WritePartition writes a partition file and makes sure that its grid file
// stands beside it, where ReadPartition looks for it: a grid that was made from
// a surface, or comes from another folder, is written there.
func WritePartition(c *carina.Case, path string, p *balance.Partition, g *Gridded) (err error) {
	p.Source = balance.Source{Axes: g.Source.Axes}
	switch {
	case !g.FromGridFile:
		p.Source = g.Source
	case sameFolder(c.Surface, path):
		if p.Source, err = g.sourceOfGrid(c.Surface); err != nil {
			return err
		}
		return p.WriteFile(path)
	}
	return carina.WritePartition(path, p, g.Grid)
}

// sourceOfGrid describes the grid file and, where it is known, the surface.
func (g *Gridded) sourceOfGrid(path string) (balance.Source, error) {
	source, err := balance.SourceOf(path, "")
	source.Axes = g.Source.Axes
	if !g.FromGridFile && g.Source.SHA256 != "" {
		source.Surface = &balance.Source{File: g.Source.File, SHA256: g.Source.SHA256, Unit: g.Source.Unit}
	}
	return source, err
}

func sameFolder(a, b string) bool {
	first, err1 := filepath.Abs(filepath.Dir(a))
	second, err2 := filepath.Abs(filepath.Dir(b))
	return err1 == nil && err2 == nil && first == second
}
