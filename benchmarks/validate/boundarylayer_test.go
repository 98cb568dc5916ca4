package validate

import (
	"math"
	"testing"
)

// A parabola stays one.
func TestDuct(t *testing.T) {
	const radius, mean, viscosity = 1, 1, 1e-3
	d := duct{radius: func(float64) float64 { return radius }, flow: math.Pi * radius * radius * mean, viscosity: viscosity, rings: 100}
	places := make([]float64, 101)
	for i := range places {
		places[i] = 2 * float64(i)
	}
	axis, err := d.onAxis(places)
	if err != nil {
		t.Fatal(err)
	}
	for i, u := range axis {
		if math.Abs(u-2) > 1e-3 {
			t.Fatalf("a parabola has %g on its axis after %g radii", u, places[i])
		}
	}
}

// In a cone so short and a flow so fast that walls do not matter, what is far from them
// keeps its vorticity over the radius, and the flow goes through every section.
func TestShortCone(t *testing.T) {
	d := duct{radius: func(z float64) float64 { return 1 - z/10 }, flow: math.Pi, viscosity: 1e-5, rings: 200}
	places := make([]float64, 1001)
	for i := range places {
		places[i] = 5 * float64(i) / 1000
	}
	axis, err := d.onAxis(places)
	if err != nil {
		t.Fatal(err)
	}
	// Vorticity over the radius stays as it is: 2 − 2 r² becomes c − 2 r², and the flow
	// π (c R² − R⁴) is still π at R = ½.
	if got, want := axis[len(axis)-1], 4.25; math.Abs(got-want) > 0.02*want {
		t.Errorf("%g on the axis behind the cone, want %g", got, want)
	}
}
