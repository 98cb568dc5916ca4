package generate_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"carina/geometry"
	"carina/geometry/generate"
	"carina/geometry/mesh"
	"carina/internal/race"
	"carina/octree"

	"gonum.org/v1/gonum/spatial/r3"
)

// unnamed returns the surface without the names that give its openings away,
// as after a round trip through binary STL.
func unnamed(s *geometry.Surface) *geometry.Surface {
	plain := *s
	plain.Solids = nil
	plain.Triangles = append([]mesh.Triangle(nil), s.Triangles...)
	for i := range plain.Triangles {
		plain.Triangles[i].Solid = 0
	}
	return &plain
}

// TestOpeningsAreFound checks that the flat ends are such that the voxelizer
// finds all of them by their shape, where the generator says they are.
func TestOpeningsAreFound(t *testing.T) {
	race.SkipArithmetic(t)
	tests := []struct {
		name string
		make func() (*geometry.Surface, []geometry.Opening, error)
	}{
		{"pipe", func() (*geometry.Surface, []geometry.Opening, error) { return generate.Pipe(generate.PipeOptions{}) }},
		{"large bifurcation", func() (*geometry.Surface, []geometry.Opening, error) {
			return generate.BifurcationLarge(generate.BifurcationOptions{})
		}},
		{"kitaoka airway", func() (*geometry.Surface, []geometry.Opening, error) {
			return generate.Airway(generate.AirwayOptions{Rule: generate.Kitaoka, Generations: 4, Seed: 1})
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s, openings, err := test.make()
			if err != nil {
				t.Fatal(err)
			}
			g, err := geometry.Voxelize(context.Background(), unnamed(s), geometry.Options{Spacing: 0.8e-3})
			if err != nil {
				t.Fatal(err)
			}
			within(t, "fluid volume", float64(g.Cells())*math.Pow(g.Spacing, 3), s.Volume(), 0.02)
			if len(g.Openings) != len(openings) {
				t.Fatalf("%d openings found, want %d", len(g.Openings), len(openings))
			}
			for _, want := range openings {
				nearest := g.Openings[0]
				for _, o := range g.Openings {
					if r3.Norm(r3.Sub(o.Center, want.Center)) < r3.Norm(r3.Sub(nearest.Center, want.Center)) {
						nearest = o
					}
				}
				if d := r3.Norm(r3.Sub(nearest.Center, want.Center)); d > 1e-6 {
					t.Errorf("%s: the nearest opening found is %g m away", want.Name, d)
				}
				if r3.Dot(nearest.Normal, want.Normal) < 0.999 {
					t.Errorf("%s: normal %v found, want %v", want.Name, nearest.Normal, want.Normal)
				}
				within(t, want.Name, nearest.Area, want.Area, 1e-3)
			}
		})
	}
}

// TestFietzOctree compares octrees of BifurcationLarge with the numbers of
// leaves that Fietz (2011, section 5.3.4 and Table 5.5) reports for grids of
// 428×66×503 and 684×105×802 cells. His surface is not published; a similar
// one gives similar numbers. Those of a few dozen leaves hang on single cells
// and are not compared.
func TestFietzOctree(t *testing.T) {
	race.SkipArithmetic(t)
	s, _, err := generate.BifurcationLarge(generate.BifurcationOptions{})
	if err != nil {
		t.Fatal(err)
	}
	low, high := s.Bounds()
	tests := []struct {
		height int32 // of the grid, in cells
		side   int32 // least side of a leaf, in cells
		leaves float64
	}{
		{503, 8, 4056}, {503, 16, 842}, {503, 32, 157},
		{802, 8, 11043}, {802, 16, 2430},
	}
	grids := make(map[int32]*geometry.Grid)
	for _, test := range tests {
		if grids[test.height] == nil {
			spacing := (high.Z - low.Z) / float64(test.height-1)
			g, err := geometry.Voxelize(context.Background(), s, geometry.Options{Spacing: spacing})
			if err != nil {
				t.Fatal(err)
			}
			grids[test.height] = g
		}
		options := octree.Options{MinSide: test.side, MaxSide: 32}
		leaves, err := octree.Decompose(context.Background(), grids[test.height], options)
		if err != nil {
			t.Fatal(err)
		}
		what := fmt.Sprintf("leaves of side %d at least, %d cells high", test.side, test.height)
		within(t, what, float64(len(leaves)), test.leaves, 0.1)
	}
}
