package solver_test

import (
	"context"
	"slices"
	"testing"

	"carina/balance"
	"carina/geometry/generate"
	"carina/solver"
)

// The domain of a partition has its cells, owners and work.
func TestDomainOfPartition(t *testing.T) {
	grid := generate.TreeGrid(60, 4)
	const ranks = 3
	p, err := balance.Make(context.Background(), grid, balance.Options{Ranks: ranks, Balance: "sfc"})
	if err != nil {
		t.Fatal(err)
	}
	d, err := solver.NewDomain(grid, p)
	if err != nil {
		t.Fatal(err)
	}
	if d.Ranks != ranks || !slices.Equal(d.Owners, p.Owners) || !slices.Equal(d.Boxes, p.Cuboids) {
		t.Errorf("the domain has %d ranks, owners %v and cuboids %v", d.Ranks, d.Owners, d.Boxes)
	}
	var cells int64
	for _, s := range d.Segments {
		cells += int64(s.X1 - s.X0)
	}
	if cells != grid.Cells() {
		t.Errorf("%d cells, want %d", cells, grid.Cells())
	}
	work := make([]float64, ranks)
	for rank, q := range p.Quality.Ranks {
		work[rank] = q.Work
	}
	if !slices.Equal(d.Work, work) || work[0] <= 0 {
		t.Errorf("work %v, want %v", d.Work, work)
	}
}
