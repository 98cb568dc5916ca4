package generate_test

import (
	"fmt"
	"math"
	"testing"

	"carina/geometry/generate"
)

func TestBifurcation(t *testing.T) {
	s, openings, err := generate.Bifurcation(generate.BifurcationOptions{})
	if err != nil {
		t.Fatal(err)
	}
	checkClosedManifold(t, s)
	checkOpenings(t, s, openings)
	if n := countCrossings(s); n != 0 {
		t.Errorf("%d edges pierce a triangle", n)
	}
	if len(openings) != 3 {
		t.Fatalf("%d openings, want 3", len(openings))
	}
	left, right := openings[1], openings[2]
	if math.Abs(left.Center.X+right.Center.X) > 1e-12 || math.Abs(left.Center.Z-right.Center.Z) > 1e-12 {
		t.Errorf("ends at %v and %v, want them symmetric", left.Center, right.Center)
	}
	within(t, "main bronchus", right.Area, math.Pi/4*12.2e-3*12.2e-3, 1e-9)
	// Volumes of Weibel's generations 0 and 1.
	within(t, "volume", s.Volume(), (30.50+11.13)*1e-6, 0.05)
}

// TestBifurcationLarge compares the proportions of the bounding box with
// those of Fietz's grids (2011, pp. 31 and 46–50), whose first and last cells
// lie on the box's faces.
func TestBifurcationLarge(t *testing.T) {
	s, openings, err := generate.BifurcationLarge(generate.BifurcationOptions{})
	if err != nil {
		t.Fatal(err)
	}
	checkClosedManifold(t, s)
	checkOpenings(t, s, openings)
	if n := countCrossings(s); n != 0 {
		t.Errorf("%d edges pierce a triangle", n)
	}
	if len(openings) != 5 {
		t.Fatalf("%d openings, want 5", len(openings))
	}
	for i, diameter := range []float64{18e-3, 12.2e-3, 8.3e-3, 5.6e-3, 5.6e-3} {
		within(t, openings[i].Name, openings[i].Area, math.Pi/4*diameter*diameter, 1e-9)
	}
	low, high := s.Bounds()
	for _, grid := range [][3]float64{{428, 66, 503}, {599, 92, 703}, {684, 105, 802}} {
		within(t, "width over depth", (high.X-low.X)/(high.Y-low.Y), (grid[0]-1)/(grid[1]-1), 0.01)
		within(t, "height over depth", (high.Z-low.Z)/(high.Y-low.Y), (grid[2]-1)/(grid[1]-1), 0.01)
	}
}

func ExampleBifurcationLarge() {
	_, openings, err := generate.BifurcationLarge(generate.BifurcationOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, o := range openings {
		fmt.Printf("%s %.1f mm²\n", o.Name, o.Area*1e6)
	}
	// Output:
	// inlet 254.5 mm²
	// outlet_02 116.9 mm²
	// outlet_03 54.1 mm²
	// outlet_04 24.6 mm²
	// outlet_05 24.6 mm²
}
