package carina

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"carina/balance"
	"carina/geometry"
	"carina/geometry/generate"
	"carina/solver/airflow"
)

// refinedPipe is a refinement of a short pipe, of which nothing is computed yet, and what
// it warns of.
func refinedPipe(t *testing.T) (*refining, *[]string) {
	t.Helper()
	surface, _, err := generate.Pipe(generate.PipeOptions{Diameter: 3e-3, Length: 6e-3, Segments: 24})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "pipe.stl")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := geometry.WriteSTL(file, surface, geometry.Millimetre); err != nil {
		t.Fatal(err)
	}
	c := &Case{SurfaceCase: SurfaceCase{Surface: path, Unit: "mm", Spacing: "0.5mm", Inlet: 1}, FlowCase: FlowCase{Flow: "0.1L/min", Time: "30ms", Refine: 2}, PartitionCase: PartitionCase{Ranks: 1}}
	finest, err := c.Voxelize(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var warned []string
	r := &refining{base: c, finest: finest, asked: func() int64 { return 0 }}
	r.options.listener.Warn = func(words string) { warned = append(warned, words) }
	return r, &warned
}

// storm is a flow on the cells of a grid that none can go on from.
func storm(g *geometry.Grid) *airflow.Resampled {
	f := &airflow.Fields{Pressure: make([]float32, g.Cells())}
	for i := range f.Velocity {
		f.Velocity[i] = make([]float32, g.Cells())
		for k := range f.Velocity[i] {
			f.Velocity[i][k] = float32(1e4 * (1 - 2*(k%2)))
		}
	}
	return airflow.NewResampled(g, f, [6][]float32{})
}

// A flow that diverges from the coarser one is the one from rest.
func TestDivergedFromTheCoarserFlow(t *testing.T) {
	r, _ := refinedPipe(t)
	want, err := (&level{of: r, spacing: 0.7e-3, kept: true}).compute(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	heard := 0
	r, warned := refinedPipe(t)
	r.on = storm(r.finest.Grid)
	r.options.listener.Voxels = func(*Voxels) { heard++ }
	got, err := (&level{of: r, spacing: 0.7e-3, kept: true}).compute(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if got.Summary().StateHash != want.Summary().StateHash || len(r.levels) != 1 || heard != 1 {
		t.Errorf("%d levels, grid heard %d times, state %s, want %s", len(r.levels), heard, got.Summary().StateHash, want.Summary().StateHash)
	}
	said := strings.Join(*warned, "\n")
	if !strings.Contains(said, "on a spacing of 0.7 mm: the flow diverged after it had been started from the coarser one, so it is computed again from rest") {
		t.Errorf("it warns %s", said)
	}
}

// A coarser spacing on which the flow diverges, or that has no cells, does not count; on the
// finest it is an error.
func TestSpacingsThatCannotBeComputed(t *testing.T) {
	r, _ := refinedPipe(t)
	r.base.TimeStep, r.base.Collision, r.base.Viscosity = "20us", string(airflow.BGK), "1e-9m2/s"
	r.base.Flow, r.base.Time = "3L/min", "30ms"
	if f, err := (&level{of: r, spacing: 0.7e-3}).compute(context.Background()); err != nil || f != nil || len(r.notes) != 1 || !strings.Contains(r.notes[0], "the spacing of 0.7 mm does not count, as its flow diverged") {
		t.Errorf("%v, notes %q", err, r.notes)
	}
	if _, err := (&level{of: r, spacing: 0.5e-3, last: true, kept: true}).compute(context.Background()); err == nil || !strings.Contains(err.Error(), "diverged") {
		t.Errorf("the finest: %v", err)
	}
	r, warned := refinedPipe(t)
	for _, l := range []*level{{of: r, spacing: 5e-3}, {of: r, spacing: 0.7e-3}, {of: r, spacing: 0.5e-3, last: true, kept: true}} {
		if _, err := l.compute(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	n := r.flow.Summary().Refinement
	if n == nil || len(n.Levels) != 2 || len(n.Notes) != 1 || !strings.Contains(n.Notes[0], "the spacing of 5 mm does not count, as its flow cannot be computed") || !strings.Contains(strings.Join(*warned, "\n"), n.Notes[0]) {
		t.Errorf("%+v, warned %q", n, *warned)
	}
}

// Whoever asks for a checkpoint is told, once, that there is none.
func TestNoCheckpointOfARefinement(t *testing.T) {
	r, warned := refinedPipe(t)
	r.base.Output = filepath.Join(t.TempDir(), "out")
	r.asked = func() int64 { return 1 }
	if _, err := (&level{of: r, spacing: 0.5e-3, last: true, kept: true}).compute(context.Background()); err != nil {
		t.Fatal(err)
	}
	if said := strings.Join(*warned, "\n"); strings.Count(said, "no checkpoint is kept") != 1 {
		t.Errorf("it warns %s", said)
	}
	if _, err := OpenCheckpoint(r.base.Output); err == nil {
		t.Error("there is a checkpoint")
	}
}

// stopAt ends a context when the flow with so many cells is about to begin.
func stopAt(r *refining, cells int64) context.Context {
	ctx, stop := context.WithCancel(context.Background())
	r.options.listener.Announce = func(o Outlook) {
		if o.Cells == cells {
			stop()
		}
	}
	return ctx
}

// Of an accuracy that somebody stops at a further spacing, the complete results before stay
// in the folder, and their flow, with its fields, is what is known.
func TestStoppedAccuracyKeepsCompleteResults(t *testing.T) {
	r, _ := refinedPipe(t)
	r.accuracy, r.base.Refine, r.base.Output = 0.05, 0, filepath.Join(t.TempDir(), "out")
	before, err := (&level{of: r, spacing: 0.7e-3, kept: true}).compute(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(r.base.Output, "summary.json")
	written, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	f, err := (&level{of: r, spacing: 0.5e-3, last: true, kept: true}).compute(stopAt(r, r.finest.Grid.Cells()))
	var stopped *StoppedError
	if !errors.As(err, &stopped) || f != before || stopped.Spacing != 0.5e-3 || math.Abs(stopped.Complete-0.7e-3) > 1e-12 || stopped.Folder != r.base.Output {
		t.Fatalf("%+v, another flow %v", err, f != before)
	}
	if now, err := os.ReadFile(path); err != nil || string(now) != string(written) {
		t.Errorf("the summary is another one: %v", err)
	}
	if fields, err := f.Fields(); err != nil || int64(len(fields.Pressure)) != f.Grid().Cells() {
		t.Errorf("no fields: %v", err)
	}
	if said := err.Error(); !strings.Contains(said, "on a spacing of 0.5 mm") || !strings.Contains(said, "complete results of that on 0.7 mm") {
		t.Error(said)
	}
}

// A refinement that somebody stops at the finest spacing returns what was reached, with what
// the spacings before it tend to, in the folder, too; at a coarser one there is no flow.
func TestStoppedRefinement(t *testing.T) {
	r, _ := refinedPipe(t)
	r.base.Refine, r.base.Output = 3, filepath.Join(t.TempDir(), "out")
	f, err := refine(stopAt(r, r.finest.Grid.Cells()), r)
	var stopped *StoppedError
	if !errors.As(err, &stopped) || f == nil || stopped.Folder != r.base.Output || stopped.Complete != 0 {
		t.Fatalf("flow %v, %+v", f != nil, err)
	}
	if s := f.Summary(); !s.Interrupted || s.Refinement == nil || len(s.Refinement.Levels) != 2 || s.Refinement.Levels[0].Spacing < 0.6e-3 {
		t.Errorf("interrupted %v, %+v", s.Interrupted, s.Refinement)
	}
	var written Summary
	data, err := os.ReadFile(filepath.Join(r.base.Output, "summary.json"))
	if err == nil {
		err = json.Unmarshal(data, &written)
	}
	if err != nil || written.Refinement == nil || !written.Interrupted {
		t.Errorf("written: %+v, %v", written.Refinement, err)
	}

	coarse, err := (&Case{SurfaceCase: SurfaceCase{Surface: r.base.Surface, Unit: "mm", Spacing: "0.7mm", Inlet: 1}}).Voxelize(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	r, _ = refinedPipe(t)
	f, err = refine(stopAt(r, coarse.Grid.Cells()), r)
	if !errors.As(err, &stopped) || !errors.Is(err, context.Canceled) || f != nil || math.Abs(stopped.Spacing-0.7e-3) > 1e-12 || !strings.Contains(err.Error(), "no results are kept") {
		t.Errorf("flow %v, %+v", f != nil, err)
	}
}

// What is heard of a refinement comes in order: the finest grid, the spacings, then the grid
// and the partition of each.
func TestRefinementIsHeard(t *testing.T) {
	r, _ := refinedPipe(t)
	var heard []string
	tell := func(what string, spacing float64) { heard = append(heard, fmt.Sprintf("%s %.2g", what, 1e3*spacing)) }
	l := &r.options.listener
	l.Spacings = func(metres []float64) { tell("spacings", metres[0]) }
	l.Voxels = func(v *Voxels) { tell("grid", v.Grid.Spacing) }
	l.Partition = func(p *balance.Partition) { heard = append(heard, "partition") }
	l.Level = func(f *Flow) { tell("level", f.Grid().Spacing) }
	if _, err := refine(context.Background(), r); err != nil {
		t.Fatal(err)
	}
	want := "grid 0.5, spacings 0.7, grid 0.7, partition, level 0.7, grid 0.5, partition, level 0.5"
	if got := strings.Join(heard, ", "); got != want {
		t.Errorf("heard %s, want %s", got, want)
	}
}
