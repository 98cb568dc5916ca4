package carina_test

import (
	"path/filepath"
	"strings"
	"testing"

	"carina"
	"carina/balance"
	"carina/geometry/generate"
)

// A partition file finds its grid again, whatever stands beside it.
func TestPartitionFindsItsGrid(t *testing.T) {
	folder := t.TempDir()
	c := carina.Case{PartitionCase: carina.PartitionCase{Ranks: 2}}
	path := filepath.Join(folder, "tree.part.json")
	for _, height := range []int32{20, 24, 20} {
		grid := generate.TreeGrid(height, 2)
		made, err := c.Partition(grid)
		if err != nil {
			t.Fatal(err)
		}
		made.Source = balance.Source{File: "tree.stl", SHA256: strings.Repeat("0", 64), Unit: "mm"}
		if err := carina.WritePartition(path, made, grid); err != nil {
			t.Fatal(err)
		}
		p, g, err := carina.ReadPartition(path)
		if err != nil {
			t.Fatal(err)
		}
		again := filepath.Join(folder, "again.part.json")
		if err := carina.WritePartition(again, p, g); err != nil {
			t.Fatal(err)
		}
		if p, _, err = carina.ReadPartition(again); err != nil {
			t.Fatal(err)
		}
		if g.Fingerprint() != grid.Fingerprint() || p.Source.Surface == nil || p.Source.Surface.File != "tree.stl" {
			t.Errorf("the tree of %d cells comes back with %d cells, made from %+v", grid.Cells(), g.Cells(), p.Source)
		}
	}
	if grids, _ := filepath.Glob(filepath.Join(folder, "*.grid")); len(grids) != 4 {
		t.Errorf("the folder has the grids %v, want each once", grids)
	}
}
