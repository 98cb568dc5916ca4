package gpu

import (
	"context"
	"math"
	"testing"

	"carina/solver"
	"carina/solver/airflow"
	"carina/solver/airflow/opening"
	"carina/solver/cuda/devicetest"
	"carina/solver/transport"
)

// A pressure that all openings follow together changes nothing on a device but the
// pressures that are told of: those of their times, for means those of their samples.
func TestAmbientWaveform(t *testing.T) {
	devicetest.BesideOthers(t)
	const pressure, steps, samples = 300, 3 * airflow.CheckInterval, 2
	sine := opening.Sine{Period: 1.7e-3, Mean: 0.5, Amplitude: 1}
	g := tube()
	settings := caveSettings(g)
	settings.Collision, settings.TimeStep = airflow.TRT, 1e-5
	under := func(steps int) float64 {
		return pressure * (0.5 + math.Sin(2*math.Pi*float64(steps)*settings.TimeStep/1.7e-3))
	}
	type told struct {
		hash                                    uint64
		openings                                []airflow.OpeningSummary
		last, average, kept, snapshot, reloaded *airflow.Fields
	}
	tell := func(conditions map[int]opening.Condition) (w told) {
		settings.Conditions = conditions
		s := computed(t, solver.WholeDomain(g), settings, Single, 0)
		check := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		check(s.Advance(context.Background(), airflow.CheckInterval, nil))
		check(s.StartAverage())
		check(s.Advance(context.Background(), steps-airflow.CheckInterval, nil))
		w.hash, w.openings, w.last, w.average = must(s.Hash()), must(s.OpeningSummaries()), must(s.Fields()), must(s.Average())
		saved := must(s.SaveState())
		snapshot, err := s.Snapshot()
		check(err)
		step(t, s, 20) // the flow goes on meanwhile
		w.snapshot, w.kept = must(snapshot()), must(s.Kernel().Kept())
		check(s.LoadState([]*solver.State{saved}))
		w.reloaded = must(s.Fields())
		return w
	}
	want := tell(map[int]opening.Condition{2: {Kind: opening.ImposedPressure}, 3: {Kind: opening.ImposedPressure}})
	alike := opening.Condition{Kind: opening.ImposedPressure, Pressure: pressure, Waveform: sine}
	got := tell(map[int]opening.Condition{2: alike, 3: alike})
	if got.hash != want.hash {
		t.Errorf("the state is %x, without it %x", got.hash, want.hash)
	}
	now := under(steps)
	for i, o := range got.openings {
		if w := want.openings[i]; o.Flow != w.Flow || math.Abs(o.Pressure-w.Pressure-now) > 1e-9 {
			t.Errorf("the flow and the pressure at opening %d are %g and %g, want %g and %g", i+1, o.Flow, o.Pressure, w.Flow, w.Pressure+now)
		}
	}
	var mean float64
	for i := range samples {
		mean += under((i+2)*airflow.CheckInterval) / samples
	}
	for _, f := range []struct {
		name      string
		got, want *airflow.Fields
		above     float64
	}{
		{"field", got.last, want.last, now}, {"mean", got.average, want.average, mean}, {"field kept", got.kept, want.kept, now},
		{"snapshot", got.snapshot, want.snapshot, now}, {"field loaded", got.reloaded, want.reloaded, now},
	} {
		for i, p := range f.got.Pressure {
			if off := math.Abs(float64(p) - float64(f.want.Pressure[i]) - f.above); !(off <= 1e-4) {
				t.Errorf("the %s is off by %g Pa in cell %d", f.name, off, i)
				break
			}
		}
	}
	// A rank on the processor tells of the same.
	beside := must(airflow.NewRank(solver.WholeDomain(g), settings, transport.NewLocal(1)[0]))
	defer beside.Close()
	step(t, beside, steps)
	for i, o := range must(beside.OpeningSummaries()) {
		if math.Abs(o.Pressure-got.openings[i].Pressure) > 1e-4 {
			t.Errorf("the pressure at opening %d is %g Pa, on the processor %g Pa", i+1, got.openings[i].Pressure, o.Pressure)
		}
	}
}
