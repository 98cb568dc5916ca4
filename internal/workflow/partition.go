package workflow

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"carina"
	"carina/balance"
	"carina/geometry"
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
func WritePartition(c *carina.Case, path string, p *balance.Partition, g *Gridded) error {
	gridPath := c.Surface
	var err error
	if !g.FromGridFile || !sameFolder(gridPath, path) {
		if gridPath, err = writeGridBeside(path, g.Grid); err != nil {
			return err
		}
	}
	if p.Source, err = g.sourceOfGrid(gridPath); err != nil {
		return err
	}
	return p.WriteFile(path)
}

// sourceOfGrid describes the grid file and, where it is known, the surface.
func (g *Gridded) sourceOfGrid(path string) (balance.Source, error) {
	source, err := sourceOf(path, "")
	if !g.FromGridFile && g.Source.SHA256 != "" {
		source.Surface = &balance.Source{File: g.Source.File, SHA256: g.Source.SHA256, Unit: g.Source.Unit}
	}
	return source, err
}

// writeGridBeside writes the grid of a partition file and returns its name.
// Where that name is taken by another grid, which another partition file may
// need, it is left alone and the new one is named after its contents.
func writeGridBeside(path string, g *geometry.Grid) (string, error) {
	name := GridBeside(path)
	if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) {
		return name, geometry.WriteGrid(name, g)
	}
	fresh := name + ".new"
	defer os.Remove(fresh) // gone already where it got its name
	if err := geometry.WriteGrid(fresh, g); err != nil {
		return "", err
	}
	there, err := sourceOf(name, "")
	if err != nil {
		return "", err
	}
	own, err := sourceOf(fresh, "")
	if err != nil || own.SHA256 == there.SHA256 {
		return name, err
	}
	name = named(name, own)
	if err := os.Rename(fresh, name); err != nil {
		return "", fmt.Errorf("writing the grid beside %s: %w", path, err)
	}
	return name, nil
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
	source, err := sourceOf(gridPath, "")
	if err != nil {
		return nil, nil, err
	}
	if p.Source.SHA256 != "" && p.Source.SHA256 != source.SHA256 {
		return nil, nil, fmt.Errorf("%s is not the file that %s was made from (their SHA-256 differ), although it holds the same cells: put the old file back, or partition the new one", gridPath, path)
	}
	return p, grid, nil
}
