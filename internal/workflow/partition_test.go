package workflow

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"carina"
	"carina/balance"
	"carina/geometry"
	"carina/geometry/generate"
)

// partitioned makes a partition of a grid and writes it.
func partitioned(t *testing.T, path string, g *geometry.Grid) *balance.Partition {
	t.Helper()
	c := carina.Case{Ranks: 2}
	gridded := &Gridded{Grid: g}
	p, err := Partition(context.Background(), &c, gridded, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := WritePartition(&c, path, p, gridded); err != nil {
		t.Fatal(err)
	}
	return p
}

func TestGridsOfOtherPartitionsStay(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "tree.part.json")
	first := partitioned(t, path, generate.TreeGrid(20, 2))
	kept := filepath.Join(folder, "other.part.json")
	if err := first.WriteFile(kept); err != nil {
		t.Fatal(err)
	}
	if again := partitioned(t, path, generate.TreeGrid(20, 2)); again.Source.File != "tree.grid" || again.Source != first.Source {
		t.Errorf("the same grid again went to %+v, the first to %+v", again.Source, first.Source)
	}
	second := partitioned(t, path, generate.TreeGrid(30, 2))
	if second.Source.File == first.Source.File {
		t.Error("another grid took the name of the first")
	}
	for _, file := range []string{path, kept} {
		if _, _, err := carina.ReadPartition(file); err != nil {
			t.Error(err)
		}
	}
	left, err := os.ReadDir(folder)
	if err != nil || len(left) != 4 {
		t.Errorf("the folder holds %v, %v; want two partitions and two grids", left, err)
	}
}

func TestReadPartitionComparesHashes(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "tree.part.json")
	g := generate.TreeGrid(20, 2)
	partitioned(t, path, g)
	// The same cells, but links in more directions.
	g.Links.Directions = 26
	if err := geometry.WriteGrid(carina.GridBeside(path), g); err != nil {
		t.Fatal(err)
	}
	if _, _, err := carina.ReadPartition(path); err == nil || !strings.Contains(err.Error(), "SHA-256 differ") {
		t.Errorf("another grid file with the same cells: %v", err)
	}
}
