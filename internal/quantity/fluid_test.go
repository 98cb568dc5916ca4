package quantity

import "testing"

func TestFluidIsNamed(t *testing.T) {
	for _, test := range []struct {
		density, viscosity float64
		name               string
	}{
		{1.2, 15e-6, "air"}, {1060, 3.3e-6, "blood"}, {998, 1e-6, "water"}, {1.8, 8e-6, "a fluid of 1.8 kg/m³ and 8 mm²/s"},
	} {
		if got := FluidName(test.density, test.viscosity); got != test.name {
			t.Errorf("%g kg/m³ and %g m²/s are %q, want %q", test.density, test.viscosity, got, test.name)
		}
	}
}
