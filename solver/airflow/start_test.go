package airflow

import (
	"context"
	"math"
	"strings"
	"testing"

	"carina/internal/race"
	"carina/solver"
	"carina/solver/airflow/opening"
)

// The air that has entered until a time is the sum of what entered in each moment.
func TestExchangesInAStart(t *testing.T) {
	o := Outlook{Exchange: 0.5, Start: 2}
	const step = 1e-4
	var entered float64
	for i := range 50_000 {
		time := (float64(i) + 0.5) * step
		entered += step * (1 - math.Cos(math.Pi*min(time, o.Start)/o.Start)) / 2 / o.Exchange
		if end := float64(i+1) * step; math.Abs(o.Exchanges(end)-entered) > 1e-6 {
			t.Fatalf("after %g s the air is exchanged %g times, want %g", end, o.Exchanges(end), entered)
		}
	}
	if o.Start = 0; o.Exchanges(3) != 6 {
		t.Errorf("without a start the air is exchanged %g times, want 6", o.Exchanges(3))
	}
	if unknown := (&Outlook{Start: 1}); unknown.Exchanges(3) != 0 {
		t.Errorf("pressures alone exchange the air %g times", unknown.Exchanges(3))
	}
}

// A flow that ends within its start tells which part of it flows, and its Reynolds number
// is that of this part; one that ends after it tells nothing. A plan may begin after it.
func TestEndWithinTheStart(t *testing.T) {
	race.SkipArithmetic(t)
	g := placedPipe(8, 24)
	s := DefaultSettings()
	s.Profile, s.FlowRate = opening.Parabolic, 1e-7
	run := func(plan Plan) *Summary {
		summary, err := RunInProcess(context.Background(), solver.WholeDomain(g), s, plan)
		if err != nil {
			t.Fatal(err)
		}
		return summary
	}
	short := run(Plan{Steps: 300})
	start := short.Settings.RampTime
	if short.Started == nil || start <= short.Time {
		t.Fatalf("%g s of a start of %g s tell %v of it", short.Time, start, short.Started)
	}
	inlet := short.Openings[0]
	if part := inlet.Flow / s.FlowRate; math.Abs(*short.Started-part) > 1e-3*part {
		t.Errorf("%.4g of the flow is said to have been reached, %.4g flows", *short.Started, part)
	}
	diameter := 2 * math.Sqrt(inlet.Area/math.Pi)
	if want := inlet.Flow / inlet.Area * diameter / s.KinematicViscosity; math.Abs(short.Reynolds-want) > 1e-3*want {
		t.Errorf("the Reynolds number is %g, want %g of what flows", short.Reynolds, want)
	}
	s.RampTime = 100 * short.TimeStep
	for steps, plan := range map[int64]Plan{200: {Time: 100 * short.TimeStep, AfterStart: true}, 100: {Time: 100 * short.TimeStep}} {
		if got := run(plan); got.Steps != steps || got.Started != nil {
			t.Errorf("%+v: %d steps, %v of the start; want %d and all of it", plan, got.Steps, got.Started, steps)
		}
	}
	s.Waveform, s.RampTime = opening.Sine{Period: 1, Amplitude: 1}, 0
	if waves := run(Plan{Steps: 100}); waves.Started != nil {
		t.Errorf("a flow that a waveform changes has no start, but tells %g of it", *waves.Started)
	}
}

// What enters in the mean is the volume of a breath, in and out, over its period.
func TestMeanInflow(t *testing.T) {
	g := placedPipe(8, 24)
	breath := opening.Breathing{Period: 4, Inspiration: 0.25}
	var volume float64
	const step = 1e-3
	for i := range 1000 { // the inspiration
		volume += step * breath.Factor((float64(i)+0.5)*step)
	}
	at := func(number int, flow float64, w opening.Waveform) map[int]opening.Condition {
		return map[int]opening.Condition{number: {Kind: opening.ImposedFlow, Flow: flow, Waveform: w}}
	}
	table := &opening.Table{Times: []float64{0, 3}, Values: []float64{1, 1}}
	for name, c := range map[string]struct {
		s    Settings
		want float64
		end  float64
	}{
		"constant":         {Settings{FlowRate: 2}, 2, 0},
		"out":              {Settings{FlowRate: -2}, 2, 0},
		"breathing":        {Settings{FlowRate: 2, Waveform: breath}, 2 * 2 * volume / breath.Period, 0},
		"at an outlet":     {Settings{Conditions: at(2, 2, breath), FlowRate: 0}, 2 * 2 * volume / breath.Period, 0},
		"in, sucked out":   {Settings{FlowRate: 2, Conditions: at(2, -3, nil)}, 2, 0},
		"without a period": {Settings{FlowRate: 2, Waveform: table}, 2, 3},
	} {
		if got := c.s.Inflow(g); math.Abs(got-c.want) > 1e-4*c.want {
			t.Errorf("%s: %g enter in the mean, want %g", name, got, c.want)
		}
		if end := c.s.WaveformsEnd(); end != c.end {
			t.Errorf("%s: the waveforms end at %g s, want %g", name, end, c.end)
		}
	}
}

// A lumen takes as long to start, whatever its spacing.
func TestStartBySpacing(t *testing.T) {
	s := DefaultSettings()
	s.FlowRate = 1e-4
	var starts [2]float64
	for i, across := range []int32{16, 32} {
		seen, err := Foresee(pipe(0, across, 3*across, 8e-3), s)
		if err != nil {
			t.Fatal(err)
		}
		starts[i] = seen.Start
	}
	if starts[0] <= 0 || math.Abs(starts[1]-starts[0]) > 0.1*starts[0] {
		t.Errorf("the start takes %g s on a coarse grid and %g s on a fine one", starts[0], starts[1])
	}
}

// A flow that is stored without end is never steady, however still its openings are.
func TestStoredFlowIsNotSteady(t *testing.T) {
	g := placedPipe(8, 24)
	s := DefaultSettings()
	s.FlowRate = 1e-7
	s.Conditions = map[int]opening.Condition{2: {Kind: opening.ImposedFlow}}
	summary, err := RunInProcess(context.Background(), solver.WholeDomain(g), s, Plan{Steps: 4000, Tolerance: 0.5})
	if err != nil {
		t.Fatal(err)
	}
	if summary.Steady == nil || *summary.Steady || math.Abs(summary.Stored-s.FlowRate) > 1e-9*s.FlowRate || !summary.Resolution.Unjudged {
		t.Errorf("steady %v, %g m³/s are stored, %+v", summary.Steady, summary.Stored, summary.Resolution)
	}
}

// Coarse cells make pressure drops too high where flows are prescribed, and flows too low
// where pressures drive them.
func TestCoarseCellsAreSaid(t *testing.T) {
	g := placedPipe(8, 24)
	flow, pressures := DefaultSettings(), DefaultSettings()
	flow.FlowRate = 1e-4
	pressures.Conditions = map[int]opening.Condition{1: {Kind: opening.ImposedPressure, Pressure: 1e4}}
	for says, s := range map[string]*Settings{"so pressure drops may be ": &flow, "so flows may be too low for what drives them": &pressures} {
		if _, warnings, err := chooseUnits(solver.WholeDomain(g), s, expect(g, s)); err != nil || !strings.Contains(strings.Join(warnings, "\n"), says) {
			t.Errorf("warnings %q, %v; want %q", warnings, err, says)
		}
	}
}

// Pressure drops may be more too high than in the airway of the fit where an opening has
// hardly any cells across, which it says nothing of.
func TestHardlyAnyCellsAcross(t *testing.T) {
	const more = "or more with so few cells across the narrowest opening"
	e := expected{inletDiameter: 20, narrowestDiameter: 2.5}
	for spacing, c := range map[float64]struct {
		begins string
		more   bool
	}{1: {"some ", true}, 0.5: {"some ", false}, 10: {"far too high", false}} {
		if got := e.tooHigh(200, spacing); !strings.HasPrefix(got, c.begins) || strings.HasSuffix(got, more) != c.more {
			t.Errorf("with cells of %g: %q", spacing, got)
		}
	}
}

// What is chosen where it is left out may be left out, and is said to be so.
func TestChosenNumbersAreInRange(t *testing.T) {
	for _, c := range []struct {
		change func(s *Settings)
		says   string
	}{
		{func(*Settings) {}, ""},
		{func(s *Settings) { s.Mismatch, s.LatticeVelocity, s.TimeStep = 1, 1, 1e6 }, ""},
		{func(s *Settings) { s.Mismatch = 2 }, "the mismatch is 2; give a number from 0 to 1, or leave it out to have it chosen"},
		{func(s *Settings) { s.LatticeVelocity = -0.1 }, "the lattice velocity is -0.1; give a number from 0 to 1 cells per step, or leave it out"},
		{func(s *Settings) { s.TimeStep = math.NaN() }, "the time step is NaN; give a number from 0 to 1e+06 s, or leave it out"},
	} {
		s := DefaultSettings()
		c.change(&s)
		if err := s.Validate(); (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("says %v, want %q", err, c.says)
		}
	}
}

// A flow that fluctuates ends no earlier than some time after its start.
func TestLeastAndTheStart(t *testing.T) {
	for _, c := range []struct{ least, start, want float64 }{{30, 0, 300}, {30, 100, 300}, {30, 900, 1000}} {
		p := Plan{Least: c.least, AfterStart: true}
		if got := p.leastSteps(0.1, c.start); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%+v: %g steps", c, got)
		}
	}
	if got := (&Plan{Least: 30}).leastSteps(0.1, 900); math.Abs(got-300) > 1e-9 {
		t.Errorf("%g steps", got)
	}
}
