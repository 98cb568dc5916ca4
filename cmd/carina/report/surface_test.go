package report

import (
	"math"
	"testing"

	"carina/geometry"

	"gonum.org/v1/gonum/spatial/r3"
)

// A picture numbers the places to cut a lumen as their names are numbered.
func TestSuggestedPlacesAreMarkedAsNamed(t *testing.T) {
	places := suggestedOpenings(geometry.ReportDiscs([]geometry.Disc{
		{Name: "inlet", Center: r3.Vec{X: 1, Y: 2, Z: 3}, Radius: 2}, {Name: "outlet_02", Center: r3.Vec{Z: -1}, Radius: 1},
	}))
	want := []geometry.Opening{
		{Number: 1, Name: "inlet", Role: geometry.Inlet, Center: r3.Vec{X: 1, Y: 2, Z: 3}, Area: 4 * math.Pi},
		{Number: 2, Name: "outlet_02", Role: geometry.Outlet, Center: r3.Vec{Z: -1}, Area: math.Pi},
	}
	if len(places) != len(want) {
		t.Fatalf("%d places, want %d", len(places), len(want))
	}
	for i := range want {
		if places[i] != want[i] {
			t.Errorf("place %d is marked as %+v, want %+v", i, places[i], want[i])
		}
	}
}
