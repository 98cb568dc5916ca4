package airflow

import (
	"context"
	"math"
	"slices"
	"testing"

	"carina/internal/race"
	"carina/solver"
	"carina/solver/airflow/opening"
	"carina/solver/transport"

	"gonum.org/v1/gonum/spatial/r3"
)

// The flow does not depend on a pressure that all openings have in common, above or
// below that of air at rest.
func TestAmbientPressure(t *testing.T) {
	const steps, tap = 100, 0.25
	compute := func(ambient float64) (uint64, []OpeningSummary, *Fields, float64) {
		g := fork()
		s := caveSettings(g)
		s.Conditions = map[int]opening.Condition{
			2: {Kind: opening.ImposedPressure, Pressure: ambient},
			3: {Kind: opening.Windkessel, Pressure: ambient + math.Copysign(tap, ambient), ProximalResistance: 1e5},
		}
		s.Initial = func(r3.Vec) (float64, r3.Vec) { return ambient, r3.Vec{} }
		r := must(NewRank(solver.WholeDomain(g), s, transport.NewLocal(1)[0]))
		defer r.Close()
		for range steps {
			if err := r.engine.Step(); err != nil {
				t.Fatal(err)
			}
		}
		_, onPlane, err := r.PlaneFlow(g.Center(10, 10, 4), r3.Vec{X: 1}, 1)
		if err != nil {
			t.Fatal(err)
		}
		return must(r.Hash()), must(r.OpeningSummaries()), must(r.Fields()), onPlane
	}
	hash, openings, fields, onPlane := compute(0)
	for _, ambient := range []float64{512, -512} {
		if ambient < 0 {
			hash, openings, fields, onPlane = compute(math.Copysign(0, -1))
		}
		gotHash, gotOpenings, gotFields, gotOnPlane := compute(ambient)
		if gotHash != hash {
			t.Errorf("under %g Pa the state is %x, otherwise %x", ambient, gotHash, hash)
		}
		for i := range openings {
			if got, want := gotOpenings[i].Pressure, openings[i].Pressure+ambient; math.Abs(got-want) > 1e-9 {
				t.Errorf("under %g Pa the pressure at opening %d is %g, want %g", ambient, i+1, got, want)
			}
		}
		for i, p := range fields.Pressure {
			if got, want := gotFields.Pressure[i], float32(float64(p)+ambient); math.Abs(float64(got-want)) > 1e-4 {
				t.Fatalf("under %g Pa the pressure in cell %d is %g, want %g", ambient, i, got, want)
			}
		}
		if math.Abs(gotOnPlane-onPlane-ambient) > 1e-3 {
			t.Errorf("under %g Pa the pressure on a plane is %g, otherwise %g", ambient, gotOnPlane, onPlane)
		}
	}
}

// told is what a rank tells of pressures, and of the flow that they do not change.
type told struct {
	hash                            uint64
	openings                        []OpeningSummary
	fields, average, kept, snapshot *Fields
	onPlane, probed, drop           float64
}

// tell computes so many steps with a mean over the last, from after the first check on.
func tell(t *testing.T, s Settings, steps int64) (w told) {
	g := fork()
	r := must(NewRank(solver.WholeDomain(g), s, transport.NewLocal(1)[0]))
	defer r.Close()
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	check(r.Advance(context.Background(), checkInterval, nil))
	check(r.StartAverage())
	check(r.advance(context.Background(), steps-checkInterval, &Plan{Diverged: func(*Rank, *Fields) error { return nil }}))
	wait, err := r.Snapshot()
	check(err)
	summary := must(r.Summary())
	middle := g.Center(10, 10, 4)
	_, w.onPlane, err = r.PlaneFlow(middle, r3.Vec{X: 1}, 1)
	check(err)
	w.hash, w.openings, w.drop = must(r.Hash()), summary.Openings, summary.PressureDrop
	w.fields, w.average, w.kept, w.snapshot = must(r.Fields()), must(r.Average()), must(r.kernel.Kept()), must(wait())
	w.probed = must(r.Probe([]r3.Vec{middle}))[0].Pressure
	return w
}

// ventilated are conditions of the fork under a pressure that follows a waveform, with
// what differs at opening 3.
var ventilated = map[string]func(pressure, more float64, w opening.Waveform) map[int]opening.Condition{
	"the only pressure, of an outlet": func(p, _ float64, w opening.Waveform) map[int]opening.Condition {
		return map[int]opening.Condition{2: {Kind: opening.ImposedPressure, Pressure: p, Waveform: w}, 3: {Kind: opening.ImposedFlow, Flow: -3e-8}}
	},
	"the only pressure, of the inlet": func(p, _ float64, w opening.Waveform) map[int]opening.Condition {
		return map[int]opening.Condition{1: {Kind: opening.ImposedPressure, Pressure: p, Waveform: w},
			2: {Kind: opening.ImposedFlow, Flow: -5e-8}, 3: {Kind: opening.ImposedFlow, Flow: -3e-8, Waveform: opening.Sine{Period: 1e-2, Mean: 1, Amplitude: 0.5}}}
	},
	"two alike": func(p, _ float64, w opening.Waveform) map[int]opening.Condition {
		return map[int]opening.Condition{2: {Kind: opening.ImposedPressure, Pressure: p, Waveform: w}, 3: {Kind: opening.ImposedPressure, Pressure: p, Waveform: w}}
	},
	"two of one waveform": func(p, more float64, w opening.Waveform) map[int]opening.Condition {
		return map[int]opening.Condition{2: {Kind: opening.ImposedPressure, Pressure: p, Waveform: w}, 3: {Kind: opening.ImposedPressure, Pressure: p + more, Waveform: breath()}}
	},
}

// breath is a waveform of a table, another one at each call.
func breath() *opening.Table {
	return &opening.Table{Times: []float64{0, 1e-3, 3e-3, 4e-3}, Values: []float64{0.5, 1, -1.25, 0.5}, Periodic: true}
}

// A pressure that all openings follow together is told of at its time and changes
// nothing else, the time step neither.
func TestAmbientWaveform(t *testing.T) {
	race.SkipArithmetic(t)
	const pressure, more, steps = 512, 0.25, 300
	for name, conditions := range ventilated {
		s := caveSettings(fork())
		s.LatticeVelocity, s.Mismatch = 0, 0.04
		s.Conditions = conditions(0, more, nil)
		want, timeStep := tell(t, s, steps), must(newAirflow(solver.WholeDomain(fork()), s)).units.TimeStep
		s.Conditions = conditions(pressure, more, breath())
		got := tell(t, s, steps)
		under := func(steps float64) float64 { return pressure * breath().Factor(steps*timeStep) }
		if got.hash != want.hash {
			t.Errorf("%s: the state is %x, without it %x", name, got.hash, want.hash)
		}
		if math.Abs(under(steps)) < 10 || math.Abs(under(steps)-under(steps-checkInterval)) < 10 {
			t.Fatalf("%s: the pressure is %g Pa, and %g Pa before", name, under(steps), under(steps-checkInterval))
		}
		for i, o := range got.openings {
			if w := want.openings[i]; o.Flow != w.Flow || math.Abs(o.Pressure-w.Pressure-under(steps)) > 1e-9 {
				t.Errorf("%s: the flow and the pressure at opening %d are %g and %g, want %g and %g", name, i+1, o.Flow, o.Pressure, w.Flow, w.Pressure+under(steps))
			}
		}
		var mean, samples float64
		for after := 2.0 * checkInterval; after <= steps; after += checkInterval {
			mean, samples = mean+under(after), samples+1
		}
		mean /= samples
		for _, f := range []struct {
			name      string
			got, want *Fields
			above     float64
		}{
			{"field", got.fields, want.fields, under(steps)}, {"snapshot", got.snapshot, want.snapshot, under(steps)},
			{"field kept", got.kept, want.kept, under(steps)}, {"mean", got.average, want.average, mean},
		} {
			if off := offBy(f.got.Pressure, f.want.Pressure, f.above); off > 2e-4 {
				t.Errorf("%s: the %s is off by %g Pa", name, f.name, off)
			}
		}
		for _, p := range [][2]float64{{got.onPlane, want.onPlane + under(steps)}, {got.probed, want.probed + under(steps)}, {got.drop, want.drop}} {
			if math.Abs(p[0]-p[1]) > 2e-4 {
				t.Errorf("%s: on a plane, at a point or as a drop the pressure is %g Pa, want %g", name, p[0], p[1])
			}
		}
	}
}

// offBy is the largest difference of pressures to others plus one.
func offBy(got, want []float32, above float64) (off float64) {
	for i, p := range got {
		off = max(off, math.Abs(float64(p)-float64(want[i])-above))
	}
	return off
}

// What changing pressures never fall below is common to them, too, and constant.
func TestAmbientOfChangingPressures(t *testing.T) {
	const steps, common = 300, -512
	flow := func(common float64) ([]OpeningSummary, ambient) {
		s := caveSettings(fork())
		s.Precision, s.TimeStep = Double, 1e-5
		s.Conditions = map[int]opening.Condition{
			1: {Kind: opening.ImposedPressure, Pressure: -2, Waveform: opening.Sine{Period: 2e-3, Mean: 0.25 - common/2, Amplitude: 0.25}},
			2: {Kind: opening.ImposedPressure, Pressure: common},
			3: {Kind: opening.Windkessel, Pressure: common, ProximalResistance: 1e5},
		}
		return tell(t, s, steps).openings, must(newAirflow(solver.WholeDomain(fork()), s)).ambient
	}
	want, none := flow(0)
	got, found := flow(common)
	if none.pressure != 0 || found != (ambient{pressure: common}) {
		t.Errorf("common are %v and %v, want none and %g", none, found, float64(common))
	}
	for i, o := range got {
		if w := want[i]; math.Abs(o.Flow-w.Flow) > 1e-9*math.Abs(w.Flow) || math.Abs(o.Pressure-w.Pressure-common) > 1e-9 {
			t.Errorf("the flow and the pressure at opening %d are %g and %g, want %g and %g", i+1, o.Flow, o.Pressure, w.Flow, w.Pressure+common)
		}
	}
}

// What is common follows from the conditions of all openings.
func TestWhatPressuresHaveInCommon(t *testing.T) {
	sine := opening.Sine{Period: 1, Mean: 3, Amplitude: 1}
	own := custom{}
	pressure := func(p float64, w opening.Waveform) opening.Condition {
		return opening.Condition{Kind: opening.ImposedPressure, Pressure: p, Waveform: w}
	}
	behind := func(p float64) opening.Condition {
		return opening.Condition{Kind: opening.Windkessel, Pressure: p, DistalResistance: 1, Waveform: sine} // which means nothing
	}
	for name, c := range map[string]struct {
		conditions map[int]opening.Condition
		want       ambient
	}{
		"constant":                 {map[int]opening.Condition{2: pressure(5, nil), 3: behind(4)}, ambient{pressure: 4}},
		"negative":                 {map[int]opening.Condition{2: pressure(-5, nil), 3: behind(-4)}, ambient{pressure: -4}},
		"of both signs":            {map[int]opening.Condition{2: pressure(5, nil), 3: pressure(-4, nil)}, ambient{}},
		"an outlet as it is":       {map[int]opening.Condition{2: pressure(5, nil)}, ambient{}},
		"one waveform":             {map[int]opening.Condition{2: pressure(5, sine), 3: pressure(4, sine)}, ambient{4, sine}},
		"one, of both signs":       {map[int]opening.Condition{2: pressure(5, sine), 3: pressure(-4, sine)}, ambient{}},
		"closed elsewhere":         {map[int]opening.Condition{2: pressure(-5, own), 3: {Kind: opening.MovingWall, Waveform: sine}}, ambient{-5, own}},
		"beside a Windkessel":      {map[int]opening.Condition{2: pressure(5, sine), 3: behind(9)}, ambient{pressure: 9}},
		"beside a low one":         {map[int]opening.Condition{2: pressure(-5, sine), 3: pressure(-12, nil)}, ambient{pressure: -10}},
		"around zero":              {map[int]opening.Condition{2: pressure(5, opening.Sine{Period: 1, Amplitude: 1}), 3: pressure(9, nil)}, ambient{}},
		"of unknown bounds":        {map[int]opening.Condition{2: pressure(5, own), 3: pressure(9, nil)}, ambient{}},
		"shares":                   {map[int]opening.Condition{1: pressure(5, sine), 2: {Kind: opening.FlowShare, Share: 1}, 3: {Kind: opening.FlowShare, Share: 1}}, ambient{}},
		"flows":                    {map[int]opening.Condition{2: {Kind: opening.ImposedFlow, Pressure: 5}, 3: {Kind: opening.ImposedFlow, Pressure: 5}}, ambient{}},
		"inlet's, and moving ones": {map[int]opening.Condition{1: pressure(5, sine), 2: {Kind: opening.ImposedFlow}, 3: {Kind: opening.ImposedFlow}}, ambient{5, sine}},
	} {
		s := Settings{Conditions: c.conditions}
		got := s.ambient(fork().Openings, []float64{64, 64, 64})
		if got.pressure != c.want.pressure || got.pressure != 0 && !opening.Alike(got.waveform, c.want.waveform) {
			t.Errorf("%s: %v is common, want %v", name, got, c.want)
		}
	}
}

// custom is a waveform of which nothing is known.
type custom struct{}

func (custom) Factor(float64) float64 { return 3 }

// A state that is saved and loaded goes on under the pressure of its time, and a flow
// that is given begins with what was given.
func TestAmbientWaveformGoesOn(t *testing.T) {
	const steps, more = 13, 8
	g := fork()
	s := caveSettings(g)
	s.TimeStep, s.Conditions = 1e-5, ventilated["two of one waveform"](512, 0.25, breath())
	s.Initial = func(p r3.Vec) (float64, r3.Vec) { return 250 + 50*p.X, r3.Vec{} }
	d := solver.WholeDomain(g)
	begin := func() *Rank { return must(NewRank(d, s, transport.NewLocal(1)[0])) }
	ahead := func(r *Rank, steps int) *Fields {
		for range steps {
			if err := r.engine.Step(); err != nil {
				t.Fatal(err)
			}
		}
		return must(r.Fields())
	}
	r, loaded := begin(), begin()
	defer r.Close()
	defer loaded.Close()
	for _, piece := range r.Pieces() {
		want, _ := s.Initial(g.Center(piece.X0, piece.Y, piece.Z))
		if got := ahead(r, 0).Pressure[piece.Local]; math.Abs(float64(got)-want) > 1e-4 {
			t.Fatalf("it begins with %g Pa, want %g", got, want)
		}
	}
	before := ahead(r, steps)
	if err := loaded.LoadState([]*solver.State{must(r.SaveState())}); err != nil {
		t.Fatal(err)
	}
	for _, pair := range [][2]*Fields{{ahead(loaded, 0), before}, {ahead(loaded, more), ahead(r, more)}} {
		if off := offBy(pair[0].Pressure, pair[1].Pressure, 0); off != 0 {
			t.Errorf("loaded, the pressure is another one by %g Pa", off)
		}
	}
	if got, want := must(loaded.OpeningSummaries()), must(r.OpeningSummaries()); !slices.Equal(got, want) {
		t.Errorf("loaded, the openings are %v, want %v", got, want)
	}
}
