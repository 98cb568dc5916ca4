package generate_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"carina/geometry/generate"

	"gonum.org/v1/gonum/spatial/r3"
)

func TestPipe(t *testing.T) {
	tests := []struct {
		name             string
		options          generate.PipeOptions
		diameter, length float64
	}{
		{"default", generate.PipeOptions{}, 18e-3, 90e-3},
		{"thin", generate.PipeOptions{Diameter: 1e-3, Length: 50e-3, Segments: 16}, 1e-3, 50e-3},
		{"disc", generate.PipeOptions{Diameter: 0.1, Length: 1e-3, Segments: 200}, 0.1, 1e-3},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s, openings, err := generate.Pipe(test.options)
			if err != nil {
				t.Fatal(err)
			}
			checkClosedManifold(t, s)
			checkOpenings(t, s, openings)
			if len(openings) != 2 {
				t.Fatalf("%d openings, want 2", len(openings))
			}
			circle := math.Pi * test.diameter * test.diameter / 4
			within(t, "opening", openings[0].Area, circle, 1e-12)
			// Polygons of the circle's area: the volume is exact, the wall
			// larger by half of that of inscribed polygons' error.
			within(t, "volume", s.Volume(), circle*test.length, 1e-9)
			within(t, "area", s.Area(), 2*circle+math.Pi*test.diameter*test.length, 0.02)
			if want := (r3.Vec{Z: -1}); openings[0].Normal != want {
				t.Errorf("inlet's normal %v, want %v", openings[0].Normal, want)
			}
			within(t, "distance of the ends", r3.Norm(r3.Sub(openings[1].Center, openings[0].Center)), test.length, 1e-12)
		})
	}
}

func TestCavity(t *testing.T) {
	size := r3.Vec{X: 1e-2, Y: 2e-2, Z: 3e-2}
	s, openings, err := generate.Cavity(generate.CavityOptions{Size: size})
	if err != nil {
		t.Fatal(err)
	}
	checkClosedManifold(t, s)
	if len(openings) != 0 {
		t.Errorf("%d openings, want none", len(openings))
	}
	within(t, "volume", s.Volume(), 6e-6, 1e-12)
	within(t, "area", s.Area(), 22e-4, 1e-12)
	low, high := s.Bounds()
	if low != (r3.Vec{}) || high != size {
		t.Errorf("bounds %v to %v, want the origin to %v", low, high, size)
	}
	for i, tri := range s.Triangles {
		a, b, c := s.Corners(i)
		lid := a.Z == size.Z && b.Z == size.Z && c.Z == size.Z
		if lid != (s.Solids[tri.Solid] == "lid") {
			t.Errorf("triangle %d is of solid %q", i, s.Solids[tri.Solid])
		}
	}
}

func TestRefusedOptions(t *testing.T) {
	pipe := func(o generate.PipeOptions) error { _, _, err := generate.Pipe(o); return err }
	airway := func(o generate.AirwayOptions) error { _, _, err := generate.Airway(o); return err }
	cavity := func(o generate.CavityOptions) error { _, _, err := generate.Cavity(o); return err }
	bifurcation := func(o generate.BifurcationOptions) error { _, _, err := generate.Bifurcation(o); return err }
	large := func(o generate.BifurcationOptions) error { _, _, err := generate.BifurcationLarge(o); return err }
	tests := []struct {
		name string
		err  error
		want string
	}{
		{"negative diameter", pipe(generate.PipeOptions{Diameter: -1}), "diameter"},
		{"NaN diameter", pipe(generate.PipeOptions{Diameter: math.NaN()}), "diameter"},
		{"infinite length", pipe(generate.PipeOptions{Length: math.Inf(1)}), "length"},
		{"triangular pipe", pipe(generate.PipeOptions{Segments: 3}), "edges"},
		{"odd pipe", pipe(generate.PipeOptions{Segments: 33}), "even"},
		{"flat cavity", cavity(generate.CavityOptions{Size: r3.Vec{X: 1, Y: 1}}), "positive"},
		{"unknown rule", airway(generate.AirwayOptions{Rule: "horsfield"}), "horsfield"},
		{"too many generations", airway(generate.AirwayOptions{Generations: 12}), "generations"},
		{"negative generations", airway(generate.AirwayOptions{Generations: -1}), "generations"},
		{"negative trachea", airway(generate.AirwayOptions{Length: -0.1}), "shorter"},
		{"NaN trachea", airway(generate.AirwayOptions{Length: math.NaN()}), "length"},
		{"stub of a trachea", airway(generate.AirwayOptions{Length: 1e-3}), "shorter"},
		{"far too fine", airway(generate.AirwayOptions{Segments: 1 << 20}), "edges"},
		{"large bifurcation, negative", large(generate.BifurcationOptions{Diameter: -1}), "diameter"},
		{"bifurcation, infinite", bifurcation(generate.BifurcationOptions{Diameter: math.Inf(1)}), "diameter"},
	}
	for _, test := range tests {
		if test.err == nil || !strings.Contains(test.err.Error(), test.want) {
			t.Errorf("%s: got error %v, want one that says %q", test.name, test.err, test.want)
		}
	}
}

func ExamplePipe() {
	s, openings, err := generate.Pipe(generate.PipeOptions{Diameter: 10e-3, Length: 50e-3})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%d ends, %.2f cm³\n", len(openings), s.Volume()*1e6)
	// Output: 2 ends, 3.93 cm³
}
