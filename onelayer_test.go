package carina_test

import (
	"context"
	"path/filepath"
	"testing"

	"carina"
	"carina/balance"
	"carina/geometry"
	"carina/geometry/generate"
	"carina/solver"
)

// Grid files of one layer of cells, as shallow water and gases in two dimensions have,
// are read, partitioned in every way, written and read again as others are.
func TestGridsOfOneLayer(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "basin.grid")
	grid := generate.Grid([3]int32{40, 24, 1}, func(x, y, _ int32) bool { return (x-20)*(x-20)+4*(y-12)*(y-12) < 400 })
	if err := geometry.WriteGrid(path, grid); err != nil {
		t.Fatal(err)
	}
	decompositions, _ := balance.DecompositionNames()
	for _, decompose := range decompositions {
		for _, balancer := range balance.BalancerNames() {
			var c carina.Case
			c.Surface, c.Ranks, c.Decompose, c.Balance = path, 5, decompose, balancer
			v, err := c.Voxelize(context.Background(), nil)
			if err != nil {
				t.Fatal(err)
			}
			p, err := v.Partition(context.Background(), &c, nil)
			if err != nil {
				t.Errorf("%s and %s: %v", decompose, balancer, err)
				continue
			}
			file := filepath.Join(folder, "basin.part.json")
			if err := v.WritePartition(file, p); err != nil {
				t.Fatal(err)
			}
			read, g, err := carina.ReadPartition(file)
			if err != nil {
				t.Fatal(err)
			}
			d, err := solver.NewDomain(g, read)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := d.Pieces(false); err != nil || d.CellCount() != grid.Cells() {
				t.Errorf("%s and %s: %d cells, %v", decompose, balancer, d.CellCount(), err)
			}
		}
	}
}
