package opening

import (
	"math"
	"testing"

	"carina/solver/lattice"

	"github.com/google/go-cmp/cmp"
)

// couple measures many times what flows, given the densities imposed at the openings.
func couple(s *States, times int, outflow func(o int) float64) {
	step := 1000.0
	for range times {
		s.Couple(func(i int) (float64, float64) { return outflow(i), s.List[i].Density * s.List[i].Area })
		step += CouplingInterval
		s.Prepare(step, 0)
	}
}

// A Windkessel's pressure is that behind it and what a constant flow makes in its
// resistances, once its compliance is full: after the time τ = R·C all but 1/e of it.
func TestWindkesselFills(t *testing.T) {
	const flow, proximal, distal, behind = 3e-6, 1e6, 2e6, 5
	for _, compliance := range []float64{0, 5e-9} {
		s := states(t, lattice.D3Q19, func(c *Choice) {
			c.Conditions = map[int]Condition{2: {Kind: Windkessel, Pressure: behind, ProximalResistance: proximal, DistalResistance: distal, Compliance: compliance}}
		})
		tau := distal * compliance
		outflow := func(o int) float64 { return flow / s.units.FlowRate }
		s.List[1].smooth, s.List[1].stored = flow/s.units.FlowRate, behind/s.units.Pressure
		for _, share := range []float64{1, 1, 20} { // of the time constant
			intervals := int(share * tau / (CouplingInterval * s.units.TimeStep))
			couple(s, max(1, intervals), outflow)
			if share == 1 && compliance > 0 && s.List[1].stored < 0 {
				t.Error("the compliance empties")
			}
		}
		if got, want := s.List[1].Density*s.units.Pressure, behind+(proximal+distal)*flow; math.Abs(got-want) > 1e-6*want {
			t.Errorf("compliance %g: the pressure is %g, want %g", compliance, got, want)
		}
		if compliance == 0 {
			continue
		}
		s.List[1].stored = behind / s.units.Pressure
		couple(s, int(math.Round(tau/(CouplingInterval*s.units.TimeStep))), outflow)
		if got, want := s.List[1].stored*s.units.Pressure, behind+distal*flow*(1-math.Exp(-1)); math.Abs(got-want) > 0.02*want {
			t.Errorf("after the time constant the compliance has %g Pa, want %g", got, want)
		}
	}
}

// A compliance and the inertia of the air before it swing as a mass on a spring with the
// little friction that the air has, and not longer by what the Windkessel answers late.
func TestWindkesselSwings(t *testing.T) {
	const compliance, start, friction = 1e-7, 1e-6, 0.1 // of the critical one
	s := states(t, lattice.D3Q19, func(c *Choice) {
		c.Conditions = map[int]Condition{2: {Kind: Windkessel, DistalResistance: 1e15, Compliance: compliance}}
	})
	const perPeriod = 100
	interval := CouplingInterval * s.units.TimeStep
	rate := 2 * math.Pi / (perPeriod * interval)
	inertance := 1 / (compliance * rate * rate)
	flow := start
	var largest float64
	for i := range 6 * perPeriod {
		pressure := s.List[1].Density * s.units.Pressure
		flow -= interval * (pressure/inertance + 2*friction*rate*flow)
		couple(s, 1, func(int) float64 { return flow / s.units.FlowRate })
		if i >= 5*perPeriod {
			largest = max(largest, math.Abs(flow))
		}
	}
	// What is answered an interval later takes up to a third of the friction's part.
	if exact := start * math.Exp(-friction*2*math.Pi*5); largest > start*math.Exp(-0.6*friction*2*math.Pi*5) || largest < exact/2 {
		t.Errorf("after five periods %g of the flow is left, by the friction %g", largest/start, exact/start)
	}
}

// Openings with shares move their pressures until as much leaves through each as shall.
func TestSharesOfTheFlow(t *testing.T) {
	s := states(t, lattice.D3Q19, func(c *Choice) {
		c.Conditions = map[int]Condition{1: {Kind: FlowShare, Share: 1}, 2: {Kind: FlowShare, Share: 3}}
	})
	// Equal resistances to both from one place.
	outflow := func(o int) float64 { return 0.2 + (s.List[1-o].Density-s.List[o].Density)*2 }
	couple(s, 3000, outflow)
	if a, b := outflow(0), outflow(1); math.Abs(b/a-3) > 1e-3 || s.List[1].Density >= 0 {
		t.Errorf("%g and %g leave at the densities %g and %g", a, b, s.List[0].Density, s.List[1].Density)
	}
	if math.Abs(s.List[0].base+3*s.List[1].base) > 1e-12 {
		t.Errorf("the mean of the densities %g and %g is not zero", s.List[0].base, s.List[1].base)
	}
}

// The flow controller finds the pressure at which as much leaves as is prescribed, and
// where air enters the velocity is imposed instead.
func TestControllerReachesTheFlow(t *testing.T) {
	for _, sign := range []float64{-1, 1} {
		s := states(t, lattice.D3Q19, func(c *Choice) {
			c.Conditions = map[int]Condition{2: {Kind: ImposedFlow, Flow: sign * 2e-6}}
		})
		s.Prepare(1000, 0)
		o := &s.List[1]
		if o.Velocity != (sign > 0) || o.Forgetting != 1 {
			t.Errorf("flow %g: velocity imposed %t", sign, o.Velocity)
		}
		if want := sign * 0.2 / 24; math.Abs(o.Inflow-want) > 1e-15 {
			t.Errorf("%g enters a face, want %g", o.Inflow, want)
		}
		if sign > 0 {
			continue
		}
		flow := 0.0
		couple(s, 4000, func(i int) float64 {
			if i == 1 {
				flow += 0.8 * (0.5*(0.3-o.Density) - flow) // a resistance with little inertia
				return flow
			}
			return -0.2
		})
		if math.Abs(flow-0.2) > 1e-4 {
			t.Errorf("%g leaves, want 0.2", flow)
		}
	}
}

// The flow starts smoothly, and what is fastest so far stays known.
func TestPrepare(t *testing.T) {
	s := states(t, lattice.D3Q19, func(*Choice) {})
	for _, c := range []struct{ time, want float64 }{{0, 0}, {50, 0.5}, {100, 1}, {200, 1}} {
		s.Prepare(c.time, 100)
		if got := s.List[0].Inflow / (0.2 / 24); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("at %g of 100 steps %g of the flow enters", c.time, got)
		}
	}
	couple(s, 100, func(int) float64 { return 0.6 })
	couple(s, 400, func(int) float64 { return 0.1 })
	o := &s.List[1]
	if want := -2 * 0.6 / 24; math.Abs(o.Fastest-want) > 1e-6 {
		t.Errorf("air comes in with %g at most, want %g", o.Fastest, want)
	}
	// Hagen and Poiseuille: p falls by 8πμQ/A² per length, p = ρ/3, μ = (τ−½)/3.
	if want := -8 * math.Pi * (0.6 - 0.5) * 0.1 / (24 * 24); math.Abs(o.Gradient-want) > 1e-6*math.Abs(want) {
		t.Errorf("the gradient is %g, want %g", o.Gradient, want)
	}
	if o.TauRatio != 4 || math.Abs(o.Forgetting-1./28) > 1e-15 {
		t.Errorf("the ratio of the relaxation times is %g, %g is forgotten", o.TauRatio, o.Forgetting)
	}
}

// Saved openings go on as the others.
func TestSavedOpeningsGoOn(t *testing.T) {
	conditions := func(c *Choice) { c.Conditions = map[int]Condition{2: {Kind: ImposedFlow, Flow: -2e-6}} }
	a, b := states(t, lattice.D3Q19, conditions), states(t, lattice.D3Q19, conditions)
	a.Prepare(1000, 0)
	couple(a, 7, func(o int) float64 { return 0.1 + 0.1*float64(o) })
	if err := b.Load(a.Save()); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		for _, s := range []*States{a, b} {
			couple(s, 2, func(o int) float64 { return 0.05 * float64(3-o) })
		}
		for i := range a.List {
			if diff := cmp.Diff(a.List[i].Imposed, b.List[i].Imposed); diff != "" {
				t.Errorf("opening %d (−went on, +loaded):\n%s", i, diff)
			}
		}
	}
	if err := b.Load(a.Save()[1:]); err == nil {
		t.Error("half a state was loaded")
	}
}

// Where the flow turns, the controller begins at the pressure that was measured.
func TestControllerBeginsAtThePressure(t *testing.T) {
	const density = 0.02
	s := states(t, lattice.D3Q19, func(c *Choice) {
		c.Conditions = map[int]Condition{2: {Kind: ImposedFlow, Flow: 2e-6, Waveform: &Table{Times: []float64{0, 5, 5.0001}, Values: []float64{1, 1, -1}}}}
	})
	o := &s.List[1]
	for step := 10.0; step < 40000; step += CouplingInterval {
		s.Prepare(step, 0)
		s.Couple(func(i int) (float64, float64) { return -0.2, density * s.List[i].Weight })
	}
	if !o.Velocity {
		t.Fatal("no velocity is imposed while air enters")
	}
	s.Prepare(51000, 0)
	if o.Velocity || math.Abs(o.Density-density) > 1e-9 {
		t.Errorf("velocity imposed %t, the controller begins at the density %g, want %g", o.Velocity, o.Density, density)
	}
}

// The pressure measured at an opening that meets cells by less than a face is theirs.
func TestPressureOfATinyOpening(t *testing.T) {
	const density = 0.02
	s := states(t, lattice.D3Q19, func(c *Choice) {
		c.Conditions = map[int]Condition{2: {Kind: ImposedFlow, Flow: 2e-9}}
	})
	o := &s.List[1]
	o.Area, o.Weight = 0.5, 0.25
	s.Couple(func(i int) (float64, float64) { return 0, density * s.List[i].Weight })
	if o.controller.mean != density || o.MeanDensity(density*o.Weight) != density {
		t.Errorf("the density is %g, and %g is told, want %g", o.controller.mean, o.MeanDensity(density*o.Weight), density)
	}
}

// What lies behind a Windkessel without flow is felt little by little, and at last as it
// is, whatever resistances and compliance come before it.
func TestPressureBehindIsFeltLittleByLittle(t *testing.T) {
	const behind = -5.0
	for _, proximal := range []float64{0, 1, 1e6, 1e9} {
		for _, distal := range []float64{0, 1, 1e6, 1e9} {
			for _, compliance := range []float64{0, 1e-18, 1e-13, 1e-11, 1e-9} {
				s := states(t, lattice.D3Q19, func(c *Choice) {
					c.Conditions = map[int]Condition{2: {Kind: Windkessel, Pressure: behind, ProximalResistance: proximal, DistalResistance: distal, Compliance: compliance}}
				})
				o := &s.List[1]
				pressure := func(times int) float64 {
					couple(s, times, func(int) float64 { return 0 })
					return o.Density * s.units.Pressure / behind
				}
				first, felt := pressure(1), pressure(20000)
				if proximal+distal > 0 && !(first > -1e-9 && first < 1.01*CouplingInterval/smoothSteps) {
					t.Errorf("%g and %g Pa·s/m³, %g m³/Pa: %g of the pressure is felt at first", proximal, distal, compliance, first)
				}
				if slow := proximal+distal > 1e6 || distal*compliance > 1e-4 || distal == 0 && compliance > 0; !slow && math.Abs(felt-1) > 1e-6 {
					t.Errorf("%g and %g Pa·s/m³, %g m³/Pa: %g of the pressure is felt at last", proximal, distal, compliance, felt)
				}
			}
		}
	}
}
