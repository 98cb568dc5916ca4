package airflow

import (
	"context"
	"math"
	"reflect"
	"testing"
	"time"

	"carina/internal/race"
	"carina/solver"
	"carina/solver/airflow/moments"
	"carina/solver/airflow/opening"
	"carina/solver/enginetest"
	"carina/solver/transport"
)

// gathered are all moments of a phase by global number on rank 0, in the order of their
// numbers.
func gathered(t *testing.T, r *Rank, m *moments.Moments) [][]float32 {
	t.Helper()
	var list [][]float32
	for _, f := range []*Fields{{Pressure: m.Pressure, Velocity: m.Velocity},
		{Pressure: m.PressureSquare, Velocity: [3][]float32{m.Stress[0], m.Stress[1], m.Stress[2]}},
		{Pressure: m.Stress[3], Velocity: [3][]float32{m.Stress[4], m.Stress[5], m.Stress[5]}}} {
		if all := must(r.GatherFields(f)); all != nil {
			list = append(list, all.arrays()...)
		}
	}
	return list
}

// outcomes are the statistics at the end of a run.
type outcomes struct {
	all     [][]float32
	phases  [][][]float32
	summary moments.Summary
}

// Statistics of a flow with a period are the means and the mean products of deviations of
// the fields in each phase, as added up in double precision, and the same to the last bit
// on other ranks, with cells that change owner, and from a state that was saved on the way.
func TestStatistics(t *testing.T) {
	g, s := thinFork(), restedSettings()
	const perPeriod, phases = 1000, 4
	steps := race.Few[int64](2000, 5000)
	dt := must(NewRank(solver.WholeDomain(g), s, transport.NewLocal(1)[0])).Units().TimeStep
	s.TimeStep, s.Waveform = dt, opening.Sine{Period: perPeriod * dt, Amplitude: 1}
	averaging := &Averaging{From: 1000 * dt, Phases: phases}
	fields := make([][]*Fields, phases)
	saved := make([]*solver.State, 3)
	run := func(ranks int, plan Plan, before func(*Rank) error) (o outcomes) {
		plan.Steps, plan.Statistics, plan.Once = steps, averaging, true
		enginetest.OnRanks(t, ranks, func(tr transport.Transport) error {
			r, err := NewRank(scattered(g, int32(2+ranks), ranks, uint64(ranks), [3]bool{}), s, tr)
			if err != nil {
				return err
			}
			defer func() { r.Close() }()
			if before != nil {
				if err := before(r); err != nil {
					return err
				}
			}
			if err := r.advance(context.Background(), steps-r.engine.Steps(), &plan); err != nil {
				return err
			}
			var own outcomes
			own.all = gathered(t, r, must(r.Statistics().All()))
			for k := range r.Statistics().Phases() {
				own.phases = append(own.phases, gathered(t, r, must(r.Statistics().Phase(k))))
			}
			if own.summary = *must(r.Summary()).Statistics; tr.Rank() == 0 {
				o = own
			}
			return nil
		})
		return o
	}
	want := run(1, Plan{Between: []Between{{Do: func(r *Rank) error {
		if n := r.engine.Steps(); n >= 1000 && n%statisticsInterval == 0 {
			k := n % perPeriod * phases / perPeriod
			fields[k] = append(fields[k], must(r.kernel.Relative()))
		}
		return nil
	}}}}, nil)
	if want.summary.Phases != phases || want.summary.Samples != 1+(steps-1000)/statisticsInterval || math.Abs(want.summary.From/dt-1000) > 1e-6 {
		t.Errorf("%+v", want.summary)
	}
	for k, list := range fields {
		for _, f := range list {
			for i := range f.Pressure {
				f.Pressure[i] += 20 // of both outlets
			}
		}
		if !race.Enabled { // with few samples, single precision tells products less exactly
			checkMoments(t, list, want.phases[k])
		}
	}
	for k := range want.all {
		for cell, v := range want.all[k] {
			var mean, size float64
			for _, p := range want.phases {
				mean, size = mean+float64(p[k][cell])/phases, max(size, math.Abs(float64(p[k][cell])))
			}
			if math.Abs(float64(v)-mean) > 1e-5*size {
				t.Fatalf("over all phases number %d of cell %d is %g, want %g", k, cell, v, mean)
			}
		}
	}
	for name, got := range map[string]outcomes{
		"on three ranks": run(3, Plan{Between: []Between{{Do: func(r *Rank) (err error) {
			if r.engine.Steps() == race.Few[int64](1450, 2450) {
				saved[r.Number()], err = r.SaveState()
			}
			return err
		}}}}, nil),
		"with moved cells": run(4, Plan{Between: []Between{{Do: func(r *Rank) error {
			if seed := r.engine.Steps() / checkInterval; seed%7 == 1 {
				return r.Move(scattered(g, int32(2+seed%4), 4, uint64(seed), [3]bool{}))
			}
			return nil
		}}}}, nil),
	} {
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s they are others", name)
		}
	}
	if got := run(5, Plan{}, func(r *Rank) error { return r.LoadState(saved) }); !reflect.DeepEqual(got, want) {
		t.Error("from a saved state they are others")
	}
}

// checkMoments compares moments with those of fields in double precision.
func checkMoments(t *testing.T, list []*Fields, got [][]float32) {
	t.Helper()
	const fields = 4 // pressure and velocity
	pairs := append([][2]int{{0, 0}}, moments.Products[:]...)
	n := float64(len(list))
	for cell := range got[0] {
		var mean [fields]float64
		var square [1 + len(moments.Products)]float64
		for _, f := range list {
			for k, a := range f.arrays() {
				mean[k] += float64(a[cell]) / n
			}
		}
		for _, f := range list {
			a := f.arrays()
			for i, c := range pairs {
				shift := min(i, 1) // velocities come behind the pressure
				x, y := c[0]+shift, c[1]+shift
				square[i] += (float64(a[x][cell]) - mean[x]) * (float64(a[y][cell]) - mean[y]) / n
			}
		}
		for k, want := range mean {
			spread := math.Sqrt(square[0])
			if k > 0 {
				spread = math.Sqrt(square[k])
			}
			if math.Abs(float64(got[k][cell])-want) > 1e-5*(math.Abs(want)+spread)+1e-12 {
				t.Fatalf("mean %d of cell %d is %g, want %g", k, cell, got[k][cell], want)
			}
		}
		for i, want := range square {
			scale := square[0]
			if c := pairs[i]; i > 0 {
				scale = math.Sqrt(square[1+c[0]] * square[1+c[1]])
			}
			limit := 1e-3*scale + 1e-13
			if i == 0 {
				limit = 1e-2 * scale // the fields here are rounded with the pressure of the outlets
			}
			if v := float64(got[fields+i][cell]); math.Abs(v-want) > limit {
				t.Fatalf("product %d of cell %d is %g, want %g", i, cell, v, want)
			}
		}
	}
}

// Statistics begin by themselves when the transient has left: behind the start, and not
// before the flow is known; at the latest in the middle. With a period they begin with a
// cycle.
func TestStatisticsBeginBehindTheTransient(t *testing.T) {
	race.SkipArithmetic(t)
	g, s := thinFork(), restedSettings()
	s.RampTime = 0
	const most = 10000
	begin := func(plan Plan) (from, dt float64) {
		t.Helper()
		plan.Statistics = &Averaging{From: -1, Phases: 1}
		summary, err := RunInProcess(context.Background(), solver.WholeDomain(g), s, plan)
		if err != nil {
			t.Fatal(err)
		}
		if summary.Statistics == nil {
			return math.Inf(1), summary.TimeStep
		}
		return summary.Statistics.From, summary.TimeStep
	}
	from, dt := begin(Plan{Steps: most, Watch: 2e-3})
	r := must(NewRank(solver.WholeDomain(g), s, transport.NewLocal(1)[0]))
	ramp := r.rampSteps
	r.Close()
	if step := from / dt; step < ramp || step > most/2 {
		t.Errorf("a flow that becomes steady has statistics from step %g on, behind a start of %g", step, ramp)
	}
	if from, dt := begin(Plan{Steps: 2 * statisticsInterval, Watch: 2e-3}); from/dt > statisticsInterval*1.0001 {
		t.Errorf("a short flow has statistics from step %g on", from/dt)
	}
	const perPeriod = 1200
	s.TimeStep, s.Waveform = dt, opening.Sine{Period: perPeriod * dt, Amplitude: 1}
	from, dt = begin(Plan{Steps: 8 * perPeriod, Watch: 0.5})
	if step := from / dt; math.Mod(step, perPeriod) > statisticsInterval || step < perPeriod || step > 5*perPeriod {
		t.Errorf("a flow with a period of %d steps has statistics from step %g on", perPeriod, step)
	}
}

// What a sample takes, in steps, and over the steps between two: 0.03 is 3 %.
func BenchmarkStatistics(b *testing.B) {
	r := must(NewRank(solver.WholeDomain(box(120)), DefaultSettings(), transport.NewLocal(1)[0]))
	defer r.Close()
	if err := r.kernel.Keep(); err != nil {
		b.Fatal(err)
	}
	step := must(r.Measure(20)).Best
	averaging := &Averaging{Phases: 1}
	sample := math.Inf(1)
	for b.Loop() {
		for r.engine.Steps()%statisticsInterval != 0 {
			if err := r.engine.Step(); err != nil {
				b.Fatal(err)
			}
		}
		if err := r.kernel.Keep(); err != nil {
			b.Fatal(err)
		}
		begin := time.Now()
		if err := r.addStatistics(averaging, 0); err != nil {
			b.Fatal(err)
		}
		sample = min(sample, time.Since(begin).Seconds())
		b.ReportMetric(sample/step, "steps/sample")
		b.ReportMetric(sample/step/statisticsInterval, "share")
		if err := r.engine.Step(); err != nil {
			b.Fatal(err)
		}
	}
}
