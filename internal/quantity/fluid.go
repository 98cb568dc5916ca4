package quantity

import "fmt"

// fluids are what the program knows by name, within bounds of the density in
// kg/m³ and the kinematic viscosity in m²/s at room or body temperature.
var fluids = []struct {
	name               string
	density, viscosity [2]float64
}{
	{"air", [2]float64{1.0, 1.35}, [2]float64{12e-6, 19e-6}},
	{"water", [2]float64{980, 1010}, [2]float64{0.6e-6, 1.4e-6}},
	{"blood", [2]float64{1030, 1080}, [2]float64{2.5e-6, 5.5e-6}},
}

// FluidName names what has a density in kg/m³ and a kinematic viscosity in m²/s.
func FluidName(density, viscosity float64) string {
	within := func(x float64, bounds [2]float64) bool { return x >= bounds[0] && x <= bounds[1] }
	for _, f := range fluids {
		if within(density, f.density) && within(viscosity, f.viscosity) {
			return f.name
		}
	}
	return fmt.Sprintf("a fluid of %.4g kg/m³ and %.4g mm²/s", density, viscosity*1e6)
}
