package carina_test

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
	"carina/solver/share"

	"github.com/google/go-cmp/cmp"
)

// partitioned makes a partition of a grid and writes it.
func partitioned(t *testing.T, path string, g *geometry.Grid) *balance.Partition {
	t.Helper()
	c := carina.Case{PartitionCase: carina.PartitionCase{Ranks: 2}}
	voxels := &carina.Voxels{Grid: g}
	p, err := voxels.Partition(context.Background(), &c, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := voxels.WritePartition(path, p); err != nil {
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
	if err := geometry.WriteGrid(balance.Stem(path)+".grid", g); err != nil {
		t.Fatal(err)
	}
	if _, _, err := carina.ReadPartition(path); err == nil || !strings.Contains(err.Error(), "SHA-256 differ") {
		t.Errorf("another grid file with the same cells: %v", err)
	}
}

// sharedGrid writes a partitioned grid with its shares and returns the
// partition file.
func sharedGrid(t *testing.T, seed uint64) string {
	t.Helper()
	grid := generate.BallsGrid([3]int32{40, 24, 24}, 9, seed)
	p, err := balance.Make(context.Background(), grid, balance.Options{Ranks: 3, MinSide: 4})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "a.part.json")
	if err := (&carina.Voxels{Grid: grid}).WriteShares(path, p); err != nil {
		t.Fatal(err)
	}
	return path
}

// A partition file, its grid and its shares are all of one partition, also
// where the last of them cannot be written.
func TestSharesComeAllOrNone(t *testing.T) {
	path := sharedGrid(t, 5)
	folder := filepath.Dir(path)
	read := func() map[string]string {
		files := map[string]string{}
		entries, err := os.ReadDir(folder)
		if err != nil {
			t.Fatal(err)
		}
		for _, entry := range entries {
			if entry.IsDir() {
				files[entry.Name()] = "folder"
				continue
			}
			data, err := os.ReadFile(filepath.Join(folder, entry.Name()))
			if err != nil {
				t.Fatal(err)
			}
			files[entry.Name()] = string(data)
		}
		return files
	}
	if err := os.Mkdir(share.Path(path, 3), 0o755); err != nil {
		t.Fatal(err)
	}
	before := read()
	grid := generate.BallsGrid([3]int32{40, 24, 24}, 9, 6)
	p, err := balance.Make(context.Background(), grid, balance.Options{Ranks: 4, MinSide: 4})
	if err != nil {
		t.Fatal(err)
	}
	write := func() error { return (&carina.Voxels{Grid: grid}).WriteShares(path, p) }
	if err := write(); err == nil || !strings.Contains(err.Error(), share.Path(path, 3)) {
		t.Errorf("error %v", err)
	}
	if diff := cmp.Diff(before, read()); diff != "" {
		t.Errorf("files changed:\n%s", diff)
	}
	if err := os.Remove(share.Path(path, 3)); err != nil {
		t.Fatal(err)
	}
	if err := write(); err != nil {
		t.Fatal(err)
	}
	for name := range read() {
		if strings.HasPrefix(name, ".") {
			t.Errorf("%s is left beside the shares", name)
		}
	}
	if _, _, err := carina.ReadPartition(path); err != nil {
		t.Error(err)
	}
	for rank := range 4 {
		if s, err := share.Read(path, p, rank); err != nil || s == nil {
			t.Errorf("rank %d: %v", rank, err)
		}
	}
}
