package generate_test

import (
	"context"
	"math"
	"testing"

	"carina/geometry"
	"carina/geometry/generate"
	"carina/geometry/meshtest"
	"carina/internal/race"
)

// A generated airway that is turned and rough, as those of scans are, keeps in a grid
// its volume, the area of its wall and the way to all of its ends.
func TestWornAirwayKeepsItsShape(t *testing.T) {
	race.SkipArithmetic(t)
	for seed, rule := range []generate.Rule{generate.Weibel, generate.Kitaoka} {
		s, ends, err := generate.Airway(generate.AirwayOptions{Rule: rule, Generations: 3, Seed: 2})
		if err != nil {
			t.Fatal(err)
		}
		meshtest.Worn(&s.Mesh, uint64(seed))
		p, err := geometry.Prepare(unnamed(s), geometry.Options{})
		if err != nil {
			t.Fatal(err)
		}
		g, filled, err := geometry.VoxelizePrepared(context.Background(), p, geometry.Options{Spacing: 0.5e-3})
		if err != nil {
			t.Fatal(err)
		}
		if len(p.Openings) != len(ends) || len(g.Openings) != len(ends) || len(filled.LostOpenings) > 0 {
			t.Errorf("%s: %d openings of %d, %v are not connected", rule, len(g.Openings), len(ends), filled.LostOpenings)
		}
		within(t, string(rule)+": fluid volume", float64(g.Cells())*math.Pow(g.Spacing, 3), s.Volume(), 0.01)
	}
}
