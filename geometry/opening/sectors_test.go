package opening

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The sector of a point is that of its angle, also where the angle lies at a limit.
func TestSectorsAreThoseOfTheAngle(t *testing.T) {
	check := func(x, y float64) {
		t.Helper()
		if want, got := int((math.Atan2(y, x)/(2*math.Pi)+0.5)*sectors)%sectors, sectorOf(x, y); got != want {
			t.Errorf("(%g, %g) lies in sector %d, want %d", x, y, got, want)
		}
	}
	rng := rand.New(rand.NewPCG(7, 53))
	for range 20000 {
		check(rng.NormFloat64(), rng.NormFloat64())
	}
	for k := range 4 * sectors {
		sin, cos := math.Sincos(math.Pi * float64(k) / (2 * sectors))
		for _, size := range []float64{1e-200, 1, 1e200} {
			for range 20 {
				off := 1 + 1e-15*math.Round(4*rng.NormFloat64())
				check(size*cos, size*sin*off)
			}
		}
	}
	for _, x := range []float64{0, math.Copysign(0, -1), 1, -1} {
		for _, y := range []float64{0, math.Copysign(0, -1), 1, -1} {
			check(x, y)
		}
	}
}
