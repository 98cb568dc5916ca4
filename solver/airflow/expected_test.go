package airflow

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"carina/geometry"
	"carina/internal/quantity"
	"carina/internal/race"
	"carina/solver"
	"carina/solver/airflow/opening"

	"gonum.org/v1/gonum/spatial/r3"
)

// The expected peak and the Reynolds number follow from the conditions of all
// openings, computed here by hand for a fork of three openings of 64 cell faces.
func TestExpectedFlow(t *testing.T) {
	const area, flow, nu, density = 64e-8, 1e-6, 1.5e-5, 1.2
	diameter := 2 * math.Sqrt(area/math.Pi)
	imposed := func(q float64) opening.Condition { return opening.Condition{Kind: opening.ImposedFlow, Flow: q} }
	pressure := func(p float64) opening.Condition {
		return opening.Condition{Kind: opening.ImposedPressure, Pressure: p}
	}
	small := func(g *geometry.Grid) { g.Openings[2].Area = 4e-8 } // a sixteenth of the others
	for name, c := range map[string]struct {
		conditions     map[int]opening.Condition
		waveform       opening.Waveform
		grid           func(*geometry.Grid)
		peak, reynolds float64
	}{
		"inlet's flow":     {nil, nil, nil, 2 * flow / area, flow / area * diameter / nu},
		"factor of a wave": {nil, opening.Sine{Period: 1, Mean: 0.5, Amplitude: -1}, nil, 1.5 * 2 * flow / area, flow / area * diameter / nu},
		"breathing out":    {nil, opening.Breathing{Period: 1, Inspiration: 0.75}, nil, 3 * 2 * flow / area, flow / area * diameter / nu},
		"table":            {nil, &opening.Table{Times: []float64{0, 1}, Values: []float64{1, -2}}, nil, 2 * 2 * flow / area, flow / area * diameter / nu},
		"narrow outlet":    {nil, nil, small, 2 * flow / area, flow / area * diameter / nu},
		"narrow outlets": {nil, nil, func(g *geometry.Grid) {
			g.Openings[1].Area, g.Openings[2].Area = 4e-8, 5e-8
		}, 2 * 2 * flow * math.Sqrt(5) / (4*math.Sqrt(4) + 5*math.Sqrt(5)) / 1e-8, flow / area * diameter / nu},
		"closed outlet": {nil, nil, func(g *geometry.Grid) {
			g.Openings[1].Area = 40e-8
			g.Openings = append(g.Openings, geometry.Opening{Number: 4, Role: geometry.Outlet, Area: 1e-8})
		}, 2 * flow / area, flow / area * diameter / nu},
		"narrow place": {nil, nil, func(g *geometry.Grid) {
			g.Narrow = []geometry.Narrow{{Area: 20e-8, Behind: []int{2, 3}}, {Area: 16e-8, Behind: []int{3}}, {Area: 20.1e-8, Behind: []int{2, 3}}}
		}, 2 * flow / 20e-8, flow / area * diameter / nu},
		"hardly narrow place": {nil, nil, func(g *geometry.Grid) { g.Narrow = []geometry.Narrow{{Area: 52e-8, Behind: []int{2, 3}}} }, 2 * flow / area, flow / area * diameter / nu},
		"narrow place of a share": {map[int]opening.Condition{2: {Kind: opening.FlowShare, Share: 1}, 3: {Kind: opening.FlowShare, Share: 3}}, nil, func(g *geometry.Grid) {
			g.Narrow = []geometry.Narrow{{Area: 20e-8, Behind: []int{3}}}
		}, 2 * 0.75 * flow / 20e-8, flow / area * diameter / nu},
		"shares":            {map[int]opening.Condition{2: {Kind: opening.FlowShare, Share: 1}, 3: {Kind: opening.FlowShare, Share: 3}}, nil, small, 2 * 2 * 0.75 * flow / 4e-8, flow / area * diameter / nu},
		"flows of outlets":  {map[int]opening.Condition{1: pressure(0), 2: imposed(-2 * flow), 3: imposed(-flow)}, nil, nil, 2 * 3 * flow / area, 3 * flow / area * diameter / nu},
		"flow of an outlet": {map[int]opening.Condition{1: pressure(0), 2: imposed(-flow)}, nil, nil, 2 * flow / area, flow / area * diameter / nu},
		"flow and outlet's": {map[int]opening.Condition{3: imposed(-2 * flow)}, nil, nil, 2 * 2 * flow / area, flow / area * diameter / nu},
		"moving wall":       {map[int]opening.Condition{2: {Kind: opening.MovingWall, Velocity: [3]float64{0, 30, 40}}}, nil, nil, 50, flow / area * diameter / nu},
		"Bernoulli":         {map[int]opening.Condition{1: pressure(5), 2: pressure(1), 3: pressure(1)}, nil, nil, math.Sqrt(2 * 4 / density), 0},
		"Poiseuille": {map[int]opening.Condition{1: pressure(0.1)}, nil, func(g *geometry.Grid) {
			g.Openings[0].Center = r3.Vec{X: -3}
			g.Openings[1].Center, g.Openings[2].Center = r3.Vec{X: 1}, r3.Vec{X: 1}
		}, 0.1 * area / math.Pi / (4 * nu * density * 4), 0},
		"resistance": {map[int]opening.Condition{1: pressure(5), 2: {Kind: opening.Windkessel, ProximalResistance: 1e8, DistalResistance: 9e8}, 3: imposed(0)}, nil, nil,
			2 * 5 / 1e9 / area, 0},
		"resistance of a narrow one": {map[int]opening.Condition{1: pressure(5), 2: imposed(0), 3: {Kind: opening.Windkessel, ProximalResistance: 1e8, DistalResistance: 9e8}}, nil, small,
			2 * 5 / 1e9 / 4e-8, 0},
	} {
		g := fork()
		if c.grid != nil {
			c.grid(g)
		}
		s := DefaultSettings()
		s.FlowRate, s.Conditions, s.Waveform = flow, c.conditions, c.waveform
		e := expect(g, &s)
		if math.Abs(e.peakVelocity-c.peak) > 1e-9*c.peak {
			t.Errorf("%s: peak velocity %g, want %g", name, e.peakVelocity, c.peak)
		}
		if re := e.reynolds(nil, nu); math.Abs(re-c.reynolds) > 1e-9*c.reynolds {
			t.Errorf("%s: Reynolds number %g, want %g", name, re, c.reynolds)
		}
	}
}

// The ratio of time step to spacing is one for all spacings of a surface, also where
// the finer grid has more faces at a narrow opening, or opens one.
func TestRatioOfTimeStepToSpacing(t *testing.T) {
	ratio := func(spacing float64, closed bool) float64 {
		g := fork()
		g.Spacing = spacing
		g.Openings[2].Area = 4e-8
		if closed {
			g.Links.Openings = slices.DeleteFunc(slices.Clone(g.Links.Openings), func(l geometry.OpeningLink) bool { return l.Number == 3 })
		}
		s := caveSettings(g)
		s.FlowRate, s.LatticeVelocity = 1e-5, 0
		u, _, err := chooseUnits(solver.WholeDomain(g), &s, expect(g, &s))
		if err != nil {
			t.Fatal(err)
		}
		return u.TimeStep / spacing
	}
	coarse, fine := ratio(1e-4, true), ratio(1e-5, false)
	if math.Abs(fine-coarse) > 1e-12*coarse {
		t.Errorf("a time step of %g a spacing on a coarse grid, %g on a fine one", coarse, fine)
	}
}

// The time step moves air by a tenth of a cell, on coarse grids as well, where
// outlets prescribe the flow and the inlet a pressure; what comes of it has that
// Reynolds number and hardly passes the planned velocity.
func TestTimeStepOfOutletsFlows(t *testing.T) {
	const flow = 2e-6
	g := fork()
	s := caveSettings(g)
	s.LatticeVelocity = 0
	s.Conditions = map[int]opening.Condition{1: {Kind: opening.ImposedPressure}, 2: {Kind: opening.ImposedFlow, Flow: -flow}, 3: {Kind: opening.ImposedFlow, Flow: -flow}}
	peak := 2 * 2 * flow / g.Openings[0].Area
	if re := peak * g.Spacing / s.KinematicViscosity; re < 20 {
		t.Fatalf("cell Reynolds number %g: the grid is not coarse", re)
	}
	summary, err := RunInProcess(context.Background(), solver.WholeDomain(g), s, Plan{Steps: 1000})
	if err != nil {
		t.Fatal(err)
	}
	if want := 0.1 * g.Spacing / peak; math.Abs(summary.TimeStep-want) > 1e-9*want {
		t.Errorf("time step %g, want %g", summary.TimeStep, want)
	}
	want := summary.Openings[0].Flow / g.Openings[0].Area * 2 * math.Sqrt(g.Openings[0].Area/math.Pi) / s.KinematicViscosity
	if math.Abs(summary.Reynolds-want) > 0.04*want {
		t.Errorf("Reynolds number %g, want %g", summary.Reynolds, want)
	}
	if summary.PeakVelocity < 0.4*peak || summary.PeakVelocity > 1.3*peak {
		t.Errorf("peak velocity %g, planned %g", summary.PeakVelocity, peak)
	}
}

// The time step is so short that the pressure of Windkessels compresses the air by a tenth
// at most, down to a tenth of what the flow alone takes; where it is given, a warning names
// that. A compliance keeps the pressure low that a short period brings.
func TestTimeStepOfWindkessels(t *testing.T) {
	const flow = 1e-6
	choose := func(resistance, compliance, period, latticeVelocity float64) (Units, []string) {
		g := fork()
		s := caveSettings(g)
		s.FlowRate, s.LatticeVelocity = flow, latticeVelocity
		if period > 0 {
			s.Waveform = opening.Sine{Period: period, Amplitude: 1}
		}
		s.Conditions = map[int]opening.Condition{2: {Kind: opening.Windkessel, DistalResistance: resistance, Compliance: compliance}, 3: {Kind: opening.FlowShare, Share: 1}}
		u, warnings, err := chooseUnits(solver.WholeDomain(g), &s, expect(g, &s))
		if err != nil {
			t.Fatal(err)
		}
		return u, slices.DeleteFunc(warnings, func(w string) bool { return !strings.Contains(w, "Windkessel") })
	}
	free, _ := choose(1, 0, 0, 0)
	sound := free.Density * free.Velocity() * free.Velocity() / 3
	resistance := 0.4 * sound / flow * 2 // the openings are alike
	u, warnings := choose(resistance, 0, 0, 0)
	if compressed := flow / 2 * resistance / (u.Density * u.Velocity() * u.Velocity() / 3); math.Abs(compressed-0.1) > 1e-9 || len(warnings) > 0 {
		t.Errorf("the air is compressed by %g, with the warnings %q", compressed, warnings)
	}
	if u, warnings := choose(1e6*resistance, 0, 0, 0); math.Abs(u.TimeStep-free.TimeStep/10) > 1e-9*free.TimeStep || len(warnings) != 1 {
		t.Errorf("a vast resistance: a time step of %g, of %g, with the warnings %q", u.TimeStep, free.TimeStep, warnings)
	}
	if _, warnings := choose(resistance, 0, 0, 0.1); len(warnings) != 1 || !strings.Contains(warnings[0], "40.0 %") {
		t.Errorf("a time step that is given: the warnings %q", warnings)
	}
	if _, warnings := choose(1e6*resistance, 1e3*0.01*flow/sound, 0.01, 0.1); len(warnings) > 0 {
		t.Errorf("a large compliance: the warnings %q", warnings)
	}
}

// A breath that turns at once takes the shorter steps, the less inflow and outflow may
// differ; one that is given too long is warned of, with the step that would do.
func TestTimeStepOfBreaths(t *testing.T) {
	choose := func(mismatch, step float64) (Units, string) {
		g := fork()
		s := caveSettings(g)
		s.FlowRate, s.LatticeVelocity, s.Mismatch, s.TimeStep = 1e-9, 0, mismatch, step
		s.Waveform = opening.Breathing{Period: 0.01, Inspiration: 0.4}
		u, warnings, err := chooseUnits(solver.WholeDomain(g), &s, expect(g, &s))
		if err != nil {
			t.Fatal(err)
		}
		return u, strings.Join(slices.DeleteFunc(warnings, func(w string) bool { return !strings.Contains(w, "sound crosses") }), "; ")
	}
	u, warning := choose(0.01, 0)
	finer, _ := choose(0.0025, 0)
	if warning != "" || math.Abs(u.TimeStep-4*finer.TimeStep) > 1e-9*u.TimeStep {
		t.Errorf("time steps of %g and %g, with the warning %q", u.TimeStep, finer.TimeStep, warning)
	}
	if _, warning := choose(0.01, 3*u.TimeStep); !strings.Contains(warning, "about 3.0 %") || !strings.Contains(warning, quantity.Format(u.TimeStep, "s")) {
		t.Errorf("with three times the step the warning is %q, want it below %g s", warning, u.TimeStep)
	}
}

// Where only pressures are known the Reynolds number is that of the flow that
// they drive.
func TestReynoldsOfPressures(t *testing.T) {
	g := fork()
	s := caveSettings(g)
	s.Conditions = map[int]opening.Condition{1: {Kind: opening.ImposedPressure, Pressure: 0.5}}
	summary, err := RunInProcess(context.Background(), solver.WholeDomain(g), s, Plan{Steps: 400})
	if err != nil {
		t.Fatal(err)
	}
	want := summary.Openings[0].Flow / g.Openings[0].Area * 2 * math.Sqrt(g.Openings[0].Area/math.Pi) / s.KinematicViscosity
	if !(want > 1) || math.Abs(summary.Reynolds-want) > 1e-9*want {
		t.Errorf("Reynolds number %g, want %g", summary.Reynolds, want)
	}
}

// Air that has become faster than Mach 0.3 is warned of in the summary of
// processors and of devices, and slower air is not.
func TestMachWarning(t *testing.T) {
	race.SkipArithmetic(t)
	g := fork()
	s := caveSettings(g)
	s.FlowRate = 1e-6
	warned := func(w []string) bool { return strings.Contains(strings.Join(w, " "), "reached Mach") }
	for lattice, want := range map[float64]bool{0.1: false, 0.25: true} {
		s.LatticeVelocity = lattice
		summary, err := RunInProcess(context.Background(), solver.WholeDomain(g), s, Plan{Steps: 300})
		if err != nil {
			t.Fatal(err)
		}
		if warned(summary.Warnings) != want || summary.Mach > largestMach != want {
			t.Errorf("Mach number %.3g: warnings %q", summary.Mach, summary.Warnings)
		}
	}
	// Air that was fast is told of when it has come to rest, too.
	gust := s
	gust.LatticeVelocity = 0.25
	gust.Waveform, gust.RampTime = &opening.Table{Times: []float64{0, 3e-3, 4e-3}, Values: []float64{1, 1, 0}}, -1
	summary, err := RunInProcess(context.Background(), solver.WholeDomain(g), gust, Plan{Steps: 2000})
	if err != nil {
		t.Fatal(err)
	}
	if summary.Mach > largestMach || !warned(summary.Warnings) {
		t.Errorf("Mach number %.3g after a gust: warnings %q", summary.Mach, summary.Warnings)
	}
	a, err := newAirflow(solver.WholeDomain(g), gust)
	if err != nil {
		t.Fatal(err)
	}
	for velocity, want := range map[float64]bool{0.17: false, 0.18: true} {
		if w := a.units.warnings(nil, velocity); warned(w) != want {
			t.Errorf("velocity %g: warnings %q", velocity, w)
		}
	}
}

// What auto would not choose for a flow is warned of once; what it chooses is not.
// Openings without a cell are told apart: a narrow one wants smaller cells, a
// wide one has a branch that is cut off.
func TestWarningOfOpeningsWithoutCells(t *testing.T) {
	g := pipe(2, 8, 12, 8)
	for _, cells := range []float64{1, 9} {
		diameter := cells * g.Spacing
		g.Openings = append(g.Openings, geometry.Opening{Number: len(g.Openings) + 1, Name: "side", Role: geometry.Outlet,
			Normal: r3.Vec{X: 1}, Area: math.Pi / 4 * diameter * diameter})
	}
	a := &airflow{domain: &solver.Domain{Grid: g}}
	var err error
	if a.faces, err = opening.NewFaces(g, (&Settings{}).set()); err != nil {
		t.Fatal(err)
	}
	a.warnOfClosed()
	if len(a.warnings) != 2 || strings.Contains(a.warnings[0], "cut off") || !strings.Contains(a.warnings[1], "cut off from the inlet") {
		t.Errorf("says %q", a.warnings)
	}
}

// Outlets of very different width at one pressure are told of; those with shares, other
// pressures or about the same width are not.
func TestWarningOfEqualPressures(t *testing.T) {
	g := &geometry.Grid{Openings: []geometry.Opening{{Number: 1, Role: geometry.Inlet, Area: 100}, {Number: 2, Role: geometry.Outlet, Area: 9}, {Number: 3, Role: geometry.Outlet, Area: 2}, {Number: 4, Role: geometry.Outlet, Area: 3}}}
	share, pressure := opening.Condition{Kind: opening.FlowShare, Share: 0.5}, opening.Condition{Kind: opening.ImposedPressure, Pressure: 5}
	for name, c := range map[string]struct {
		conditions map[int]opening.Condition
		closed     int
		want       string
	}{
		"none":             {nil, 0, "3 outlets have 0 Pa beside each other, the widest with 4.5 times"},
		"alike":            {map[int]opening.Condition{2: share}, 0, ""},
		"two of them":      {map[int]opening.Condition{4: share}, 0, "2 outlets have 0 Pa"},
		"another pressure": {map[int]opening.Condition{2: pressure}, 0, ""},
		"5 Pa":             {map[int]opening.Condition{2: pressure, 3: pressure}, 0, "2 outlets have 5.00 Pa"},
		"closed":           {nil, 2, ""},
	} {
		a := &airflow{domain: &solver.Domain{Grid: g}, settings: Settings{Conditions: c.conditions}, faces: &opening.Faces{Areas: []float64{1, 1, 1, 1}}}
		if c.closed > 0 {
			a.faces.Areas[c.closed] = 0
		}
		a.warnOfEqualPressures()
		said := strings.Join(a.warnings, "\n")
		if c.want == "" && said != "" || !strings.Contains(said, c.want) {
			t.Errorf("%s: says %q", name, said)
		}
	}
}

func TestUnstableOperatorWarning(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Settings)
		words  string
	}{
		"auto":                    {func(*Settings) {}, ""},
		"recursive":               {func(s *Settings) { s.Collision = Recursive }, ""},
		"cumulant":                {func(s *Settings) { s.Collision = Cumulant }, ""},
		"regularized with eddies": {func(s *Settings) { s.Collision, s.Smagorinsky = Regularized, 0.1 }, ""},
		"regularized":             {func(s *Settings) { s.Collision = Regularized }, "the regularized collision has nothing that limits"},
		"recursive, no limiter":   {func(s *Settings) { s.Collision, s.Limiter = Recursive, 0 }, "the recursive collision has nothing that limits"},
		"TRT":                     {func(s *Settings) { s.Collision = TRT }, "is unstable at this relaxation time"},
		"TRT with small Λ":        {func(s *Settings) { s.Collision, s.Magic = TRT, 1e-4 }, "that TRT needs"},
		"BGK":                     {func(s *Settings) { s.Collision = BGK }, "that BGK needs"},
	} {
		g := fork()
		s := DefaultSettings()
		s.FlowRate = 1e-5 // a cell Reynolds number of 208
		c.change(&s)
		_, warnings, err := chooseUnits(solver.WholeDomain(g), &s, expect(g, &s))
		if err != nil {
			t.Fatal(err)
		}
		var found []string
		for _, w := range warnings {
			if strings.Contains(w, "may diverge") {
				found = append(found, w)
			}
		}
		if n := len(found); c.words == "" && n > 0 || c.words != "" && (n != 1 || !strings.Contains(found[0], c.words)) {
			t.Errorf("%s: warnings %q", name, found)
		}
		if len(warnings) != len(found)+1 || !strings.Contains(warnings[len(warnings)-1], "coarse") {
			t.Errorf("%s: the only other warning is not that of the resolution: %q", name, warnings)
		}
	}
}

// Whether a spacing is within reach depends on all cells, also for a rank that has a
// share of them.
func TestRefinementOfShares(t *testing.T) {
	g := fork()
	s := DefaultSettings()
	s.FlowRate = 1e-4
	share := &solver.Domain{Grid: g, Ranks: 1, Share: &solver.Share{Cells: 1e8}}
	for domain, want := range map[*solver.Domain]string{solver.WholeDomain(g): "refine the spacing below", share: "refine as far as you can"} {
		if _, warnings, err := chooseUnits(domain, &s, expect(g, &s)); err != nil || !strings.Contains(strings.Join(warnings, "\n"), want) {
			t.Errorf("of %d cells: warnings %q, %v; want %q", domain.CellCount(), warnings, err, want)
		}
	}
}

// Flows that are prescribed at all openings and do not add up are told.
func TestFlowsThatDoNotAddUp(t *testing.T) {
	flow := func(v float64) opening.Condition { return opening.Condition{Kind: opening.ImposedFlow, Flow: v} }
	for _, c := range []struct {
		name       string
		conditions map[int]opening.Condition
		says       string // nothing when empty
	}{
		{"pressures", nil, ""},
		{"one pressure", map[int]opening.Condition{2: flow(-9e-8)}, ""},
		{"all that enters leaves", map[int]opening.Condition{2: flow(-6e-8), 3: flow(-4e-8)}, ""},
		{"less leaves", map[int]opening.Condition{2: flow(-6e-8), 3: flow(-3e-8)}, "0.6 mL/min more enters than leaves, so the pressure rises"},
		{"more leaves", map[int]opening.Condition{2: flow(-6e-8), 3: flow(-5e-8)}, "0.6 mL/min more leaves than enters, so the pressure falls"},
		{"a waveform", map[int]opening.Condition{2: flow(-6e-8), 3: {Kind: opening.ImposedFlow, Flow: 1e-8, Waveform: opening.Sine{Period: 1, Amplitude: 1}}}, ""},
	} {
		g := fork()
		s := caveSettings(g)
		s.FlowRate, s.Conditions = 1e-7, c.conditions
		if got := strings.Join(s.stored(g), ""); (got != "") != (c.says != "") || !strings.Contains(got, c.says) {
			t.Errorf("%s: says %q, want %q", c.name, got, c.says)
		}
	}
}
