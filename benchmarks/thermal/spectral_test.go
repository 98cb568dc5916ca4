package thermalbench

import (
	"math"
	"testing"
)

// Rolls of a Prandtl number of 0.71 and the critical wave number carry the heat of the
// literature (Clever and Busse 1974), and a finer solution the same.
func TestNusselt(t *testing.T) {
	for _, c := range []struct{ rayleigh, prandtl, want float64 }{{2500, 0.71, 1.475}, {5000, 0.71, 2.116}, {10000, 0.71, 2.661}} {
		nu, err := Nusselt(c.rayleigh, c.prandtl, 3.117, 18, 5)
		if err != nil || !(math.Abs(nu/c.want-1) < 4e-3) {
			t.Errorf("Ra = %g: Nu %g (%v), want %g", c.rayleigh, nu, err, c.want)
		}
	}
}
