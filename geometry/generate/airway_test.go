package generate_test

import (
	"reflect"
	"testing"

	"carina/geometry/generate"
	"carina/internal/race"

	"gonum.org/v1/gonum/spatial/r3"
)

func TestAirway(t *testing.T) {
	race.SkipArithmetic(t)
	tests := []struct {
		name    string
		options generate.AirwayOptions
		outlets int
	}{
		{"default", generate.AirwayOptions{}, 16},
		{"one generation", generate.AirwayOptions{Generations: 1}, 2},
		{"seven generations", generate.AirwayOptions{Generations: 7}, 128},
		{"kitaoka", generate.AirwayOptions{Rule: generate.Kitaoka, Generations: 5}, 32},
		{"kitaoka, another seed", generate.AirwayOptions{Rule: generate.Kitaoka, Generations: 5, Seed: 7}, 32},
		{"kitaoka, a third seed", generate.AirwayOptions{Rule: generate.Kitaoka, Generations: 6, Seed: 1 << 60}, 64},
		{"child, coarse", generate.AirwayOptions{Generations: 3, Diameter: 8e-3, Segments: 16}, 8},
		{"as coarse as can be", generate.AirwayOptions{Rule: generate.Kitaoka, Generations: 5, Length: 18e-3, Segments: 8}, 32},
		{"long trachea, fine", generate.AirwayOptions{Generations: 2, Length: 0.2, Segments: 96}, 4},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s, openings, err := generate.Airway(test.options)
			if err != nil {
				t.Fatal(err)
			}
			checkClosedManifold(t, s)
			checkOpenings(t, s, openings)
			if len(openings) != test.outlets+1 {
				t.Errorf("%d openings, want an inlet and %d outlets", len(openings), test.outlets)
			}
			if n := countCrossings(s); n != 0 {
				t.Errorf("%d edges pierce a triangle", n)
			}
		})
	}
}

// TestElevenGenerations checks the deepest airways, with 2¹¹ ends if none is
// left out for want of room. (Their triangles do not pierce each other either,
// but to test that takes a minute.)
func TestElevenGenerations(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	for _, rule := range []generate.Rule{generate.Weibel, generate.Kitaoka} {
		t.Run(string(rule), func(t *testing.T) {
			s, openings, err := generate.Airway(generate.AirwayOptions{Rule: rule, Generations: 11})
			if err != nil {
				t.Fatal(err)
			}
			checkClosedManifold(t, s)
			checkOpenings(t, s, openings)
			if len(openings) <= 2000 {
				t.Errorf("%d openings, want more than 2000", len(openings))
			}
			if n := len(s.Triangles); n > 3_000_000 {
				t.Errorf("%d triangles, want at most three million", n)
			}
		})
	}
}

// TestWeibelVolume compares the enclosed volume with the volumes that Weibel
// (Morphometry of the Human Lung, 1963, p. 139) gives for generations 0 to 4.
func TestWeibelVolume(t *testing.T) {
	s, openings, err := generate.Airway(generate.AirwayOptions{})
	if err != nil {
		t.Fatal(err)
	}
	within(t, "volume", s.Volume(), (30.50+11.13+4.11+1.50+3.23)*1e-6, 0.03)
	if n := len(s.Triangles); n >= 100_000 {
		t.Errorf("%d triangles, want fewer than 100,000", n)
	}
	within(t, "inlet", openings[0].Area, 2.54e-4, 0.01)
	var outlets float64
	for _, o := range openings[1:] {
		outlets += o.Area
	}
	within(t, "outlets", outlets, 2.48e-4, 0.03) // cross-section of generation 4, from the same table
}

func TestAirwayIsDeterministic(t *testing.T) {
	make := func(seed uint64) (any, any) {
		s, openings, err := generate.Airway(generate.AirwayOptions{Rule: generate.Kitaoka, Generations: 4, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		return s, openings
	}
	s, openings := make(3)
	again, againOpenings := make(3)
	if !reflect.DeepEqual(s, again) || !reflect.DeepEqual(openings, againOpenings) {
		t.Error("the same seed gave two different airways")
	}
	if other, _ := make(4); reflect.DeepEqual(s, other) {
		t.Error("another seed gave the same airway")
	}
}

// TestAirwayScales checks that the diameter scales everything.
func TestAirwayScales(t *testing.T) {
	adult, _, err := generate.Airway(generate.AirwayOptions{Generations: 3})
	if err != nil {
		t.Fatal(err)
	}
	half, _, err := generate.Airway(generate.AirwayOptions{Generations: 3, Diameter: 9e-3})
	if err != nil {
		t.Fatal(err)
	}
	if len(half.Vertices) != len(adult.Vertices) {
		t.Fatalf("%d vertices, want %d", len(half.Vertices), len(adult.Vertices))
	}
	for i, p := range adult.Vertices {
		if d := r3.Norm(r3.Sub(r3.Scale(0.5, p), half.Vertices[i])); d > 1e-12 {
			t.Fatalf("vertex %d is %g m off", i, d)
		}
	}
}
