package workflow

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"carina"
	"carina/balance"
	"carina/internal/resultsfolder"
	"carina/solver"
	"carina/solver/share"
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

// WriteShares is WritePartition with the share files of all ranks beside. All
// files come at once when they are complete, or none does.
func WriteShares(c *carina.Case, path string, p *balance.Partition, g *Gridded) (err error) {
	if len(p.Ranks) == 1 {
		return errors.New("one rank has no share of its own: leave --shares out or give more --ranks")
	}
	if !resultsfolder.Plain(filepath.Base(path)) {
		return fmt.Errorf("a partition file cannot be called %s: give it another name", filepath.Base(path))
	}
	folder := filepath.Dir(path)
	f, err := resultsfolder.Open(folder, "")
	if err != nil {
		return err
	}
	// What was not moved into place goes with the hidden folder.
	defer func() { err = errors.Join(err, f.Close()) }()
	hidden := func(name string) string { return resultsfolder.Hidden(folder, filepath.Base(name)) }
	m := made{name: filepath.Base(balance.Stem(path)), gridded: g}
	grid, there, err := m.placeGrid(folder, c.Surface, nil)
	if err != nil {
		return err
	}
	if !there {
		grid = hidden(grid)
	}
	if p.Source, err = g.sourceOfGrid(grid); err != nil {
		return err
	}
	if err := p.WriteFile(hidden(path)); err != nil {
		return err
	}
	domain, err := solver.NewDomain(g.Grid, p)
	if err != nil {
		return err
	}
	for rank := range domain.Ranks {
		if err := share.Write(hidden(share.Path(path, rank)), domain, rank, p); err != nil {
			return err
		}
	}
	// What the command names and earlier shares are replaced, and nothing else.
	_, err = f.Add(func(there string) bool { return filepath.Base(there) == filepath.Base(path) || share.Is(there) }, false)
	return err
}
