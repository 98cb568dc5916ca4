package generate_test

import (
	"math"
	"testing"

	"carina/geometry/generate"

	"gonum.org/v1/gonum/spatial/r3"
)

// The benchmark's nozzle has pipes of 12 mm, a throat of 4 mm and 40 mm and a cone of
// 22.685 mm, which ends 40 mm before the expansion at z = 0.
func TestNozzle(t *testing.T) {
	s, openings, err := generate.Nozzle(generate.NozzleOptions{Segments: 128})
	if err != nil {
		t.Fatal(err)
	}
	checkClosedManifold(t, s)
	checkOpenings(t, s, openings)
	low, high := s.Bounds()
	within(t, "inlet pipe and what follows", -low.Z, 30e-3+22.685e-3+40e-3, 1e-5)
	within(t, "outlet pipe", high.Z, 120e-3, 1e-12)
	cone := math.Pi * 22.685e-3 / 3 * (36 + 12 + 4) * 1e-6
	volume := math.Pi*(36e-6*150e-3+4e-6*40e-3) + cone
	within(t, "volume", s.Volume(), volume, 1e-5)
	if len(openings) != 2 || openings[0].Normal != (r3.Vec{Z: -1}) || openings[1].Normal != (r3.Vec{Z: 1}) {
		t.Errorf("openings %+v", openings)
	}
	for _, o := range []generate.NozzleOptions{{Diameter: -1}, {Segments: 7}, {Outlet: math.Inf(1)}, {Inlet: math.NaN()}} {
		if _, _, err := generate.Nozzle(o); err == nil {
			t.Errorf("%+v is accepted", o)
		}
	}
}
