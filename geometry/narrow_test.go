package geometry_test

import (
	"context"
	"math"
	"testing"

	"carina/geometry"
	"carina/geometry/generate"
)

// The throat of a nozzle is its narrow place, on coarse grids and on those that ask a
// coarser one; airways, whose branches are as wide as their ends, have none.
func TestNarrowPlaces(t *testing.T) {
	nozzle, _, err := generate.Nozzle(generate.NozzleOptions{})
	if err != nil {
		t.Fatal(err)
	}
	airway, _, err := generate.Airway(generate.AirwayOptions{Generations: 3})
	if err != nil {
		t.Fatal(err)
	}
	throat := math.Pi * 2e-3 * 2e-3
	for _, test := range []struct {
		name    string
		surface *geometry.Surface
		cells   int64
		within  float64 // of the throat's area; 0 for none
	}{{"nozzle", nozzle, 20_000, 0.25}, {"fine nozzle", nozzle, 210_000, 0.2}, {"airway", airway, 20_000, 0}} {
		g, err := geometry.Voxelize(context.Background(), test.surface, geometry.Options{FluidCells: test.cells})
		if err != nil {
			t.Fatal(err)
		}
		if test.within == 0 {
			if len(g.Narrow) > 0 {
				t.Errorf("%s: narrow places %+v", test.name, g.Narrow)
			}
			continue
		}
		if len(g.Narrow) != 1 || math.Abs(g.Narrow[0].Area-throat) > test.within*throat || len(g.Narrow[0].Behind) != 1 {
			t.Errorf("%s: narrow places %+v, want one of %g m²", test.name, g.Narrow, throat)
		}
	}
}
