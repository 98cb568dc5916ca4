package airflow

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"carina/solver"
	"carina/solver/airflow/opening"

	"github.com/google/go-cmp/cmp"
)

// The grain is that of brute force over all cells, and known for waves: for one
// of length 2 it is two, for a long one small.
func TestGrain(t *testing.T) {
	g := cave(4, [3]bool{})
	random := rand.New(rand.NewPCG(1, 2))
	f := newFields(int(g.Cells()))
	for a := range 3 {
		for i := range f.Velocity[a] {
			f.Velocity[a][i] = float32(random.NormFloat64())
		}
	}
	find := newCellFinder(g)
	var first, second float64
	cell := 0
	for _, r := range g.Runs {
		for x := r.X0; x < r.X1; x++ {
			for a := range 3 {
				var step [3]int32
				step[a] = 1
				low, high := find.number(x-step[0], r.Y-step[1], r.Z-step[2]), find.number(x+step[0], r.Y+step[1], r.Z+step[2])
				if low < 0 || high < 0 {
					continue
				}
				for b := range 3 {
					u := f.Velocity[b]
					down, up := float64(u[cell]-u[low]), float64(u[high]-u[cell])
					first += (down*down + up*up) / 2
					second += (up - down) * (up - down)
				}
			}
			cell++
		}
	}
	if got, want := Grain(g, f), math.Sqrt(second/first); math.Abs(got-want) > 1e-12*want {
		t.Errorf("the grain of noise is %g, want %g", got, want)
	}
	wave := func(length float64) float64 {
		i := 0
		for _, r := range g.Runs {
			for x := r.X0; x < r.X1; x++ {
				for a := range 3 {
					f.Velocity[a][i] = 0
				}
				f.Velocity[1][i] = float32(math.Cos(2 * math.Pi * float64(x) / length))
				i++
			}
		}
		return Grain(g, f)
	}
	if short := wave(2); math.Abs(short-2) > 1e-6 {
		t.Errorf("the grain of a wave of two cells is %g, want 2", short)
	}
	if long := wave(32); long > 0.25 {
		t.Errorf("the grain of a wave of 32 cells is %g", long)
	}
}

// In a pipe the fluid's viscosity dissipates what the openings give, and y⁺ at the wall
// is that of Hagen and Poiseuille, on any number of ranks.
func TestResolutionOfPipe(t *testing.T) {
	const diameter, across, flow = 0.01, 21, 1e-6
	g := pipe(0, across, 24, diameter)
	s := DefaultSettings()
	s.FlowRate, s.Profile = flow, opening.Parabolic
	var all []*Resolution
	for _, domain := range []*solver.Domain{solver.WholeDomain(g), scattered(g, 5, 3, 1, [3]bool{})} {
		summary, err := RunInProcess(context.Background(), domain, s, Plan{Steps: 20000, Tolerance: 5e-3})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, summary.Resolution)
	}
	if diff := cmp.Diff(all[0], all[1]); diff != "" {
		t.Errorf("three ranks tell something else:\n%s", diff)
	}
	r := all[0]
	const radius = diameter / 2
	mean := flow / (math.Pi * radius * radius)
	want := 8 * math.Pi * s.KinematicViscosity * s.Density * mean * mean * 24 * g.Spacing
	if math.Abs(r.Viscous-want) > 0.05*want || r.Eddy != 0 || r.Power == nil || math.Abs(*r.Power-want) > 0.05*want || r.Resolved < 0.95 {
		t.Errorf("%+v, want a dissipation of %g W", r, want)
	}
	highest := g.Spacing / 2 * math.Sqrt(4*mean/radius/s.KinematicViscosity)
	if r.YPlusMax > 1.02*highest || r.YPlusMax < 0.9*highest || r.YPlus > r.YPlusMax || r.YPlus < 0.8*highest {
		t.Errorf("y⁺ %g, %g at most, want %g", r.YPlus, r.YPlusMax, highest)
	}
	if re := 2 * mean * g.Spacing / s.KinematicViscosity; math.Abs(r.CellReynolds-re) > 0.02*re || math.Abs(r.CellsAcross-across) > 0.01 {
		t.Errorf("cell Reynolds number %g, want %g; %g cells across", r.CellReynolds, re, r.CellsAcross)
	}
}

// Where the limiter acts, what it dissipates is not resolved.
func TestLimiterIsNotResolution(t *testing.T) {
	g := fork()
	s := caveSettings(g)
	s.FlowRate, s.LatticeVelocity = 1e-4, 0.1
	summary, err := RunInProcess(context.Background(), solver.WholeDomain(g), s, Plan{Steps: 600})
	if err != nil {
		t.Fatal(err)
	}
	r := summary.Resolution
	if !(*summary.Limited > 0) || !(r.Eddy > 0) || math.Abs(r.Resolved-r.Viscous/(r.Viscous+r.Eddy)) > 1e-12 || r.Power != nil {
		t.Errorf("the limiter acts in %g of the cells: %+v", *summary.Limited, r)
	}
}

// What the resolution says of pressure drops is within half of what they were above
// those on the finest grids.
func TestExcess(t *testing.T) {
	for _, c := range []struct {
		name                   string
		across, resolved, want float64
	}{
		{"15 L/min, 2e4 cells", 2.63, 0.504, 0.64},
		{"15 L/min, 1e5 cells", 4.52, 0.876, 0.17},
		{"60 L/min, 2e4 cells", 2.63, 0.137, 1.9},
		{"60 L/min, 1e5 cells", 4.52, 0.343, 0.95},
	} {
		r := Resolution{CellsAcross: c.across, Viscous: c.resolved, Eddy: 1 - c.resolved, Resolved: c.resolved}
		if got, known := r.Excess(); !known || math.Abs(got-c.want) > 0.5*c.want {
			t.Errorf("%s: the pressure drop is said to be %.3g of itself too high, was %.3g", c.name, got, c.want)
		}
	}
	power := 1.0
	for _, c := range []struct {
		Resolution
		known bool
		want  float64
	}{{Resolution{CellsAcross: 5}, false, 0}, {Resolution{CellsAcross: 5, Viscous: 1, Resolved: 1}, false, 0}, {Resolution{CellsAcross: 5, Viscous: 0.8, Resolved: 0.8, Power: &power}, true, 0.25}} {
		if got, known := c.Excess(); known != c.known || math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%+v: %g (known %v), want %g (%v)", c.Resolution, got, known, c.want, c.known)
		}
	}
}
