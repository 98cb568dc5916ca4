package wall

import (
	"math"
	"testing"
)

// What comes back is the interpolation of Bouzidi, Firdaouss and Lallemand (2001, eq. 5).
func TestInterpolation(t *testing.T) {
	const along, against, behind = 0.3, -0.2, 0.7 // f*_i(x), f*_ī(x), f*_i(x−c_i)
	for _, q := range []float64{0.01, 0.2, 0.49, 0.5, 0.51, 0.8, 1} {
		s := Scheme{Interpolated: true}
		c := s.Correction(q)
		got, want := along, 2*q*along+(1-2*q)*behind
		if q >= 0.5 {
			want = along/(2*q) + (1-1/(2*q))*against
		}
		switch c.Kind {
		case Near:
			got += float64(c.Factor) * (behind - along)
		case Far:
			got += float64(c.Factor) * (against - along)
		}
		if math.Abs(got-want) > 1e-7 {
			t.Errorf("at q = %g comes back %g, want %g", q, got, want)
		}
		if half := (&Scheme{}).Correction(q); half != (Correction{}) {
			t.Errorf("bounce-back corrects by %v at q = %g", half, q)
		}
	}
}
