package gas

import (
	"fmt"
	"math"

	"carina/solver/thermal"
)

// scene is a flow with its defaults.
type scene struct {
	name, words string
	size        [2]int
	steps       int
	tau         float64
	periodic    [3]bool
	// make gives the gas, but for its start, and the start at places in cells.
	make func(c *Case) (thermal.Gas, func(x, y float64) thermal.State)
	// figure is the quantity that is noted over time, and its name.
	figure     func(f *Flow) float64
	figureName string
}

const (
	heatedScene     = "rayleigh-benard"
	defaultRayleigh = 2e4
	// middle is a temperature near c_s² of the velocities, spread that of plates from it.
	middle, spread = 0.7, 0.035
)

var scenes = []scene{
	{heatedScene, "gas heated from below and cooled from above rolls", [2]int{128, 64}, 20000, 0, [3]bool{true, false, false}, heated, (*Flow).nusselt, "nusselt"},
	{"rayleigh-taylor", "dense cold gas above thin warm gas sinks in fingers", [2]int{128, 256}, 8000, 0.51, [3]bool{true, false, false}, layered, (*Flow).mixing, "mixing_width"},
	{"sod", "dense gas meets thin gas in a tube: a shock, a contact and a rarefaction", [2]int{400, 8}, 80, 0.7, [3]bool{false, true, false}, tube, (*Flow).speed, "largest_velocity"},
	{"waves", "a wave of shear that fades", [2]int{128, 128}, 2000, 0.8, [3]bool{true, true, false}, wave, (*Flow).amplitude, "amplitude"},
}

// SceneNames lists the scenes.
func SceneNames() (list []string) {
	for _, s := range scenes {
		list = append(list, s.name)
	}
	return list
}

// SceneWords are lines that tell of the scenes.
func SceneWords() (list []string) {
	for _, s := range scenes {
		list = append(list, fmt.Sprintf("  %-16s %s", s.name, s.words))
	}
	return list
}

// lapse is the fall of temperature from row to row between plates.
func (c *Case) lapse() float64 { return 2 * spread / float64(c.Size[1]) }

// heatedTau is the relaxation time that gives the Rayleigh number
// g(ΔT/H − g/c_p)H⁴/(Tνχ) with g/c_p a quarter of ΔT/H.
func (c *Case) heatedTau() float64 {
	h := float64(c.Size[1])
	return 0.5 + c.lapse()*h*h*math.Sqrt(0.375/(middle*c.Rayleigh))/middle
}

func heated(c *Case) (thermal.Gas, func(x, y float64) thermal.State) {
	g, h := c.lapse()/2, float64(c.Size[1])
	gas := thermal.Gas{Gravity: [2]float64{0, -g}, Walls: &thermal.Walls{Bottom: middle + spread, Top: middle - spread}}
	return gas, func(x, y float64) thermal.State {
		warm := middle + spread*(1-2*y/h)
		push := 1e-2 * math.Pow(math.Sin(math.Pi*y/h), 2) * math.Cos(2*math.Pi*x/float64(c.Size[0]))
		return thermal.State{Density: math.Pow(warm/middle, g/c.lapse()-1), Velocity: [2]float64{0, push}, Temperature: warm}
	}
}

// layered gas has the same pressure on both sides of the middle, which is a little uneven.
func layered(c *Case) (thermal.Gas, func(x, y float64) thermal.State) {
	const warm, cold, fall = 0.8, 0.6, 0.2
	w, h := float64(c.Size[0]), float64(c.Size[1])
	g := fall * middle / h
	gas := thermal.Gas{Gravity: [2]float64{0, -g}, Walls: &thermal.Walls{Bottom: warm, Top: cold}}
	return gas, func(x, y float64) thermal.State {
		uneven := 0.0
		for n := 1; n <= 12; n++ {
			// Phases that have no relation.
			uneven += math.Cos(2*math.Pi*(float64(n)*x/w+math.Mod(float64(n*n)*math.Phi, 1))) * 0.004 * h / 12
		}
		d := y - h/2
		warmth := (1 - math.Tanh((d-uneven)/(0.01*h+1))) / 2
		t := cold + (warm-cold)*warmth
		of := warm
		if d > 0 {
			of = cold
		}
		return thermal.State{Density: math.Exp(-g*d/of) * middle / t, Temperature: t}
	}
}

func tube(c *Case) (thermal.Gas, func(x, y float64) thermal.State) {
	return thermal.Gas{}, func(x, _ float64) thermal.State {
		if x < float64(c.Size[0])/2 {
			return thermal.State{Density: 2, Temperature: middle}
		}
		return thermal.State{Density: 1, Temperature: middle}
	}
}

func wave(c *Case) (thermal.Gas, func(x, y float64) thermal.State) {
	return thermal.Gas{}, func(x, _ float64) thermal.State {
		return thermal.State{Density: 1, Velocity: [2]float64{0, 0.01 * math.Sin(2*math.Pi*x/float64(c.Size[0]))}, Temperature: middle}
	}
}

// across is the axis along which lines lie one beside the other: rows, or columns where the
// scene differs from column to column.
func (s *scene) across() int {
	if s.periodic[1] {
		return 0
	}
	return 1
}

// nusselt is how much heat crosses the plates over what would be conducted at rest.
func (f *Flow) nusselt() float64 {
	h, n := f.c.Size[1], float64(f.c.Size[0])
	sum := 0.0
	for _, plate := range [...][3]int{{1, 0, 1}, {-1, h - 1, h - 2}} {
		sign, first, second := float64(plate[0]), &f.lines[plate[1]], &f.lines[plate[2]]
		slope := sign * (8*(middle+sign*spread) - 9*first.Temperature/n + second.Temperature/n) / 3
		sum += slope * first.Pressure / n / middle / 2
	}
	adiabatic := f.c.lapse() / 4
	return (sum - adiabatic) / (f.c.lapse() - adiabatic)
}

// mixing is the width of the mixed layer in cells: 6·∑s(1−s), of the share s of warm gas in
// each row, is the width of a layer in which it changes evenly.
func (f *Flow) mixing() (width float64) {
	warm, cold := f.gas.Walls.Bottom, f.gas.Walls.Top
	for i := range f.lines {
		share := (f.lines[i].Temperature/float64(f.c.Size[0]) - cold) / (warm - cold)
		width += 6 * max(0, share*(1-share))
	}
	return width
}

func (f *Flow) speed() (largest float64) {
	for i := range f.lines {
		u := f.lines[i].Velocity
		largest = max(largest, math.Hypot(u[0], u[1])/float64(f.c.Size[1]))
	}
	return largest
}

func (f *Flow) amplitude() (sum float64) {
	for x := range f.lines {
		sum += 2 * f.lines[x].Velocity[1] * math.Sin(2*math.Pi*(float64(x)+0.5)/float64(f.c.Size[0])) / (float64(f.c.Size[0]) * float64(f.c.Size[1]))
	}
	return sum
}
