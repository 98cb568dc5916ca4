package workflow

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"carina/balance"
	"carina/geometry"
	"carina/geometry/generate"
)

// partitioned makes a partition of a grid and writes it.
func partitioned(t *testing.T, path string, g *geometry.Grid) *balance.Partition {
	t.Helper()
	c := Case{Ranks: 2}
	gridded := &Gridded{Grid: g}
	p, err := c.Partition(context.Background(), gridded, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.WritePartition(path, p, gridded); err != nil {
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
		if _, _, err := ReadPartition(file); err != nil {
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
	if err := geometry.WriteGrid(GridBeside(path), g); err != nil {
		t.Fatal(err)
	}
	if _, _, err := ReadPartition(path); err == nil || !strings.Contains(err.Error(), "SHA-256 differ") {
		t.Errorf("another grid file with the same cells: %v", err)
	}
}

func TestPartitionCosts(t *testing.T) {
	g := generate.TreeGrid(20, 2)
	for _, test := range []struct {
		c                 Case
		links             int
		bytes, directions int
	}{
		{Case{}, 0, 4, 18},
		{Case{Precision: "double"}, 18, 8, 18},
		{Case{Precision: "single"}, 26, 4, 26},
	} {
		g.Links.Directions = test.links
		cost, err := test.c.cost(g)
		if err != nil || cost.BytesPerPopulation != test.bytes || cost.Directions != test.directions {
			t.Errorf("%+v: %+v, %v", test, cost, err)
		}
	}
	if _, err := (&Case{Precision: "triple"}).cost(g); err == nil {
		t.Error("an unknown precision: no error")
	}
}

func TestPartitionOptionsReachTheFile(t *testing.T) {
	c, err := ReadCase(writeCase(t, "surface: a.stl\nranks: 3\nimprove: true\nkeep-heavy: true\ntime-limit: 10ms\n"))
	if err != nil {
		t.Fatal(err)
	}
	p, err := c.Partition(context.Background(), &Gridded{Grid: generate.TreeGrid(20, 2)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if m := p.Method; !m.Improve || !m.KeepHeavy || m.TimeLimit != 0.01 {
		t.Errorf("method %+v", m)
	}
}
