package airflow

import (
	"context"
	"math"
	"strings"
	"testing"

	"carina/geometry"
	"carina/geometry/generate"
	"carina/internal/race"
	"carina/solver"
	"carina/solver/airflow/opening"
	"carina/solver/transport"

	"gonum.org/v1/gonum/spatial/r3"
)

// fork is a duct that divides into two, with an inlet and two outlets.
func fork() *geometry.Grid { return forkOf(44, 8) }

// thinFork is one of less than half the cells, for flows of thousands of steps.
func thinFork() *geometry.Grid { return forkOf(36, 4) }

// forkOf is a fork of a length and a depth, in cells.
func forkOf(length, depth int32) *geometry.Grid {
	size := [3]int32{length, 22, depth}
	fluid := func(x, y, z int32) bool {
		switch {
		case x < 14:
			return y >= 7 && y < 15
		case x < 22:
			return true
		}
		return y < 8 || y >= 14
	}
	wall := func(x, y, z int32, d geometry.Offset) (float64, int) {
		switch {
		case x+int32(d.X) < 0:
			return 0.5, 1
		case x+int32(d.X) >= size[0] && y < 11:
			return 0.5, 2
		case x+int32(d.X) >= size[0]:
			return 0.5, 3
		}
		return 0.5, 0
	}
	normal, area := r3.Vec{X: 1}, float64(8*depth)*1e-8
	return generate.LinkedGrid(size, 1e-4, [3]bool{}, fluid, wall, []geometry.Opening{
		{Number: 1, Role: geometry.Inlet, Normal: r3.Scale(-1, normal), Area: area},
		{Number: 2, Role: geometry.Outlet, Normal: normal, Area: area},
		{Number: 3, Role: geometry.Outlet, Normal: normal, Area: area},
	})
}

// runConditions computes a thin fork on two ranks.
func runConditions(t *testing.T, change func(*Settings), steps int64) *Summary {
	t.Helper()
	g := thinFork()
	s := caveSettings(g)
	change(&s)
	d := scattered(g, 6, 2, 3, [3]bool{})
	summary, err := RunInProcess(context.Background(), d, s, Plan{Steps: steps})
	if err != nil {
		t.Fatal(err)
	}
	return summary
}

// A prescribed split of the flow is reached.
func TestShares(t *testing.T) {
	race.SkipArithmetic(t)
	for _, share := range []float64{0.3, 0.8} {
		summary := runConditions(t, func(s *Settings) {
			s.Conditions = map[int]opening.Condition{2: {Kind: opening.FlowShare, Share: share}, 3: {Kind: opening.FlowShare, Share: 1 - share}}
		}, 6000)
		o := summary.Openings
		got := o[1].Flow / (o[1].Flow + o[2].Flow)
		t.Logf("share %.4f of %g, pressures %.4g and %.4g Pa, balance %.2g", got, share, o[1].Pressure, o[2].Pressure, summary.MassBalance)
		if math.Abs(got-share) > 0.005 || summary.MassBalance > 0.005 {
			t.Errorf("share %.4f, want %g; mass balance %.2g", got, share, summary.MassBalance)
		}
	}
}

// In steady flow a Windkessel's pressure is that of its resistances in a row,
// and two unequal ones split the flow of a symmetric tube nearly inversely.
func TestWindkessel(t *testing.T) {
	race.SkipArithmetic(t)
	const resistance = 2e6 // Pa·s/m³, far above that of the lumen
	summary := runConditions(t, func(s *Settings) {
		s.Conditions = map[int]opening.Condition{
			2: {Kind: opening.Windkessel, ProximalResistance: 0.25 * resistance, DistalResistance: 0.75 * resistance, Compliance: 1e-9},
			3: {Kind: opening.Windkessel, ProximalResistance: 2 * resistance, Pressure: 0},
		}
	}, 12000)
	o := summary.Openings
	for i, r := range map[int]float64{1: resistance, 2: 2 * resistance} {
		want := -o[i].Flow * r
		t.Logf("opening %d: pressure %.5g Pa, flow %.5g m³/s, R·Q %.5g Pa", i+1, o[i].Pressure, o[i].Flow, want)
		if math.Abs(o[i].Pressure-want) > 0.01*want {
			t.Errorf("opening %d: pressure %.5g Pa, want R·Q = %.5g Pa", i+1, o[i].Pressure, want)
		}
	}
}

// forkUnits are those of the thin fork by default, with the impedance of its outlets, in
// Pa·s/m³.
func forkUnits() (Units, float64) {
	g := thinFork()
	s := caveSettings(g)
	r := must(NewRank(solver.WholeDomain(g), s, transport.NewLocal(1)[0]))
	defer r.Close()
	return r.Units(), s.Density * r.Units().Velocity() / math.Sqrt(3) / g.Openings[1].Area
}

// A resistance far above the impedance of the opening does not make the flow diverge;
// its pressure follows the slower the higher it is.
func TestHighResistance(t *testing.T) {
	race.SkipArithmetic(t)
	_, impedance := forkUnits()
	for _, c := range []struct{ impedances, behind float64 }{{5, 0.01}, {100, 0.4}, {1000, 1}} {
		resistance := c.impedances * impedance
		summary := runConditions(t, func(s *Settings) {
			s.Conditions = map[int]opening.Condition{
				2: {Kind: opening.Windkessel, ProximalResistance: resistance},
				3: {Kind: opening.Windkessel, DistalResistance: resistance},
			}
		}, 3000)
		for _, o := range summary.Openings[1:] {
			if want := -o.Flow * resistance; !(want > 0 && o.Pressure > want*(1-c.behind) && o.Pressure < 1.01*want) {
				t.Errorf("%g impedances: at opening %d the pressure is %g Pa, R·Q is %g Pa", c.impedances, o.Number, o.Pressure, want)
			}
		}
	}
}

// Pressure outlets let sound out: after a sudden start the flow through the
// outlets of a pipe settles soon.
func TestSoundLeaves(t *testing.T) {
	race.SkipArithmetic(t)
	g := pipe(0, 9, 120, 0.01)
	s := DefaultSettings()
	s.FlowRate, s.RampTime, s.Profile, s.LatticeVelocity = 1e-5, -1, opening.Parabolic, 0.05
	s.Collision = Regularized
	r, err := NewRank(solver.WholeDomain(g), s, transport.NewLocal(1)[0])
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	// Sound crosses the pipe in 120·√3 = 208 steps. An end of constant pressure
	// would send it back and forth, with the flow at the outlet between 0 and
	// twice its mean at first; that leaves a third of the mean after 1500 steps.
	var worst float64
	for step := range 4000 {
		if err := r.engine.Step(); err != nil {
			t.Fatal(err)
		}
		if step >= 1500 && step%100 == 1 {
			o, err := r.OpeningSummaries()
			if err != nil {
				t.Fatal(err)
			}
			worst = max(worst, math.Abs(o[1].Flow/o[0].Flow+1))
		}
	}
	t.Logf("flow out differs from flow in by %.3g", worst)
	if worst > 0.15 {
		t.Errorf("sound stays: the flow at the outlet is off by %.3g of its mean", worst)
	}
}

// Behind a slow start the flow settles in the time in which it passes the lumen a few times:
// also where it leaves, and where hardly anything takes from it what it begins with.
func TestFlowSettlesSoon(t *testing.T) {
	race.SkipArithmetic(t)
	const flow, diameter = 1e-3 / 60, 0.01
	g := pipe(2, 7, 35, diameter)
	s := DefaultSettings()
	s.FlowRate, s.Profile, s.LatticeVelocity, s.Collision = flow, opening.Parabolic, 0.06, Recursive
	r := must(NewRank(solver.WholeDomain(g), s, transport.NewLocal(1)[0]))
	defer r.Close()
	volume := float64(g.Cells()) * math.Pow(g.Spacing, 3)
	drop := func(exchanges float64) float64 {
		for end := r.rampSteps*r.units.TimeStep + exchanges*volume/flow; r.Time() < end; {
			if err := r.engine.Step(); err != nil {
				t.Fatal(err)
			}
		}
		o := must(r.OpeningSummaries())
		return o[0].Pressure - o[1].Pressure
	}
	soon, last := drop(2.5), drop(15)
	if t.Logf("%g and %g Pa", soon, last); math.Abs(soon-last) > 0.005*last {
		t.Errorf("the pressure drop is %g Pa after two and a half exchanges of the air, and %g Pa at last", soon, last)
	}
}

func TestConditionsAreChecked(t *testing.T) {
	g := cave(1, [3]bool{})
	for name, c := range map[string]map[int]opening.Condition{
		"opening 4":  {4: {Kind: opening.ImposedPressure}},
		"kind":       {2: {Kind: "magic"}},
		"share":      {2: {Kind: opening.FlowShare}},
		"profile":    {1: {Kind: opening.ImposedFlow, Profile: "spiky"}},
		"resistance": {2: {Kind: opening.Windkessel, DistalResistance: -1}},
		"flow":       {1: {Kind: opening.ImposedFlow, Flow: math.NaN()}},
	} {
		s := caveSettings(g)
		s.Conditions = c
		if _, err := RunInProcess(context.Background(), solver.WholeDomain(g), s, Plan{Steps: 2}); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: got error %v", name, err)
		}
	}
}

// A pressure behind a high resistance is not felt at once, which would be a blow that the
// resistance answers too late.
func TestPressureBehindAResistance(t *testing.T) {
	race.SkipArithmetic(t)
	units, impedance := forkUnits()
	most := -caveSettings(thinFork()).FlowRate / 2
	for _, impedances := range []float64{30, 100} {
		resistance := impedances * impedance
		summary := runConditions(t, func(s *Settings) {
			s.TimeStep = units.TimeStep
			s.Conditions = map[int]opening.Condition{
				1: {Kind: opening.ImposedPressure},
				2: {Kind: opening.Windkessel, ProximalResistance: resistance, Pressure: resistance * most},
				3: {Kind: opening.Windkessel, DistalResistance: resistance, Pressure: resistance * most},
			}
		}, 3000)
		for _, o := range summary.Openings[1:] {
			if !(o.Flow < 0.5*most && o.Flow > 1.01*most) {
				t.Errorf("%g impedances: at opening %d the flow is %g m³/s, want at most %g", impedances, o.Number, o.Flow, most)
			}
		}
	}
}

// A compliance that fills within a few steps makes of a Windkessel no more than its
// resistances, whatever its pressure starts from.
func TestSmallCompliance(t *testing.T) {
	race.SkipArithmetic(t)
	units, impedance := forkUnits()
	resistance := 100 * impedance
	behind := -resistance * caveSettings(thinFork()).FlowRate / 2
	flow := func(compliance, behind float64) float64 {
		return runConditions(t, func(s *Settings) {
			s.TimeStep = units.TimeStep
			s.Conditions = map[int]opening.Condition{}
			if behind != 0 {
				s.Conditions[1] = opening.Condition{Kind: opening.ImposedPressure}
			}
			for _, o := range []int{2, 3} {
				s.Conditions[o] = opening.Condition{Kind: opening.Windkessel, DistalResistance: resistance, Compliance: compliance, Pressure: behind}
			}
		}, 600).Openings[1].Flow
	}
	for _, p := range []float64{0, behind} {
		if got, want := flow(1e-16, p), flow(0, p); !(math.Abs(got-want) < 0.01*math.Abs(want)) {
			t.Errorf("behind it %g Pa: the flow is %g m³/s, with the resistance alone %g", p, got, want)
		}
	}
}

// A pressure behind a resistance that hardly counts does not start with the flow that
// it would take to balance the two.
func TestPressureBehindALowResistance(t *testing.T) {
	race.SkipArithmetic(t)
	units, impedance := forkUnits()
	peak := func(impedances float64) float64 {
		return runConditions(t, func(s *Settings) {
			s.TimeStep = units.TimeStep
			s.Conditions = map[int]opening.Condition{
				1: {Kind: opening.ImposedPressure},
				2: {Kind: opening.Windkessel, DistalResistance: impedances * impedance, Pressure: -0.05},
			}
		}, 20).PeakVelocity
	}
	if got, want := peak(1e-6), peak(0.01); !(math.Abs(got-want) < 0.01*want) {
		t.Errorf("air moves with %g m/s, behind a resistance that counts a little with %g", got, want)
	}
}

// What is wanted of an opening that meets no cell changes neither the flow through the
// others nor the pressure drop, and its own flow is zero, without a sign.
func TestClosedOpeningTakesNoPart(t *testing.T) {
	race.SkipArithmetic(t)
	computed := func(closed *opening.Condition) *Summary {
		g := fork()
		s := caveSettings(g)
		s.Conditions = map[int]opening.Condition{2: {Kind: opening.FlowShare, Share: 0.3}, 3: {Kind: opening.FlowShare, Share: 0.4}}
		if closed != nil {
			g.Openings = append(g.Openings, geometry.Opening{Number: 4, Role: geometry.Outlet, Normal: r3.Vec{X: 1}, Area: 64e-8})
			s.Conditions[4] = *closed
		}
		return must(RunInProcess(context.Background(), solver.WholeDomain(g), s, Plan{Steps: 300}))
	}
	want := computed(nil)
	for _, c := range []opening.Condition{
		{Kind: opening.FlowShare, Share: 0.3},
		{Kind: opening.ImposedFlow, Flow: -5e-7},
		{Kind: opening.ImposedPressure, Pressure: 5},
		{Kind: opening.Windkessel, DistalResistance: 1e6, Pressure: 3},
	} {
		if got := computed(&c); got.StateHash != want.StateHash || got.PressureDrop != want.PressureDrop {
			t.Errorf("with %s at a closed opening the state is %s after steps of %g s and the pressure drop %g Pa, without it %s, %g s and %g Pa",
				c.Kind, got.StateHash, got.TimeStep, got.PressureDrop, want.StateHash, want.TimeStep, want.PressureDrop)
		} else if q := got.Openings[3].Flow; q != 0 || math.Signbit(q) {
			t.Errorf("with %s at a closed opening its flow is %g", c.Kind, q)
		}
	}
}

// The mass balance tells how far what enters and what leaves are apart, also where only
// one of them happens.
func TestMassBalance(t *testing.T) {
	race.SkipArithmetic(t)
	for _, c := range []struct{ in, out, want float64 }{{0, 0, 0}, {2, 2, 0}, {2, 1, 0.5}, {2, 3, 0.5}, {2, 0, 1}, {0, 2, 1}} {
		openings := []OpeningSummary{{Role: "inlet", Flow: c.in}, {Role: "outlet", Flow: -c.out}}
		if _, got := dropAndBalance(openings, []float64{1, 1}); got != c.want {
			t.Errorf("%g in and %g out: the balance is %g, want %g", c.in, c.out, got, c.want)
		}
	}
}
