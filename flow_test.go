package carina_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"carina"
	"carina/balance"
	"carina/geometry"
	"carina/geometry/generate"
	"carina/solver"
	"carina/solver/airflow"
	"carina/solver/transport"

	"github.com/google/go-cmp/cmp"
)

// pipe is the surface of a pipe of 3 mm, and a case for it.
func pipe(t *testing.T) (*geometry.Surface, carina.Case) {
	t.Helper()
	surface, _, err := generate.Pipe(generate.PipeOptions{Diameter: 3e-3, Length: 6e-3, Segments: 24})
	if err != nil {
		t.Fatal(err)
	}
	surface.Unit = geometry.Millimetre
	return surface, carina.Case{SurfaceCase: carina.SurfaceCase{Spacing: "0.5mm", Inlet: 1}, FlowCase: carina.FlowCase{Flow: "0.1L/min", Steps: 200}, PartitionCase: carina.PartitionCase{Ranks: 2}}
}

// opened is the flow of a case through a surface.
func opened(t *testing.T, c carina.Case, surface *geometry.Surface) *carina.Flow {
	t.Helper()
	grid, err := c.Grid(surface)
	if err != nil {
		t.Fatal(err)
	}
	partition, err := c.Partition(grid)
	if err != nil {
		t.Fatal(err)
	}
	f, err := carina.Open(grid, partition, c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Close)
	return f
}

// The flow is that of the solver, whoever owns the cells.
func TestFlowIsThatOfTheSolver(t *testing.T) {
	surface, c := pipe(t)
	var want *airflow.Summary
	var fields *carina.Fields
	for _, ranks := range []int{1, 3} {
		c.Ranks = ranks
		f := opened(t, c, surface)
		if err := f.Run(context.Background()); err != nil {
			t.Fatal(err)
		}
		if want == nil {
			settings, plan, err := c.FlowOn(f.Grid(), f.Grid().Cells())
			if err != nil {
				t.Fatal(err)
			}
			if want, err = airflow.RunInProcess(context.Background(), solver.WholeDomain(f.Grid()), settings, plan); err != nil {
				t.Fatal(err)
			}
		}
		got := f.Summary()
		if got.StateHash != want.StateHash || len(got.Ranks) != ranks || got.Steps != 200 {
			t.Errorf("%d ranks end in %s after %d steps, the solver in %s", ranks, got.StateHash, got.Steps, want.StateHash)
		}
		own, err := f.Fields()
		if err != nil {
			t.Fatal(err)
		}
		if fields != nil && !cmp.Equal(own, fields) {
			t.Errorf("%d ranks have other fields", ranks)
		}
		fields = own
	}
	if int64(len(fields.Pressure)) != want.FluidCells || fields.Time != want.Time {
		t.Errorf("%d pressures at %g s", len(fields.Pressure), fields.Time)
	}
}

// Ranks of different processes open and run the same flow.
func TestFlowOverATransport(t *testing.T) {
	surface, c := pipe(t)
	alone := opened(t, c, surface)
	if err := alone.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for rank, connection := range transport.NewLocal(c.Ranks) {
		all.Go(func() {
			f, err := carina.Open(alone.Grid(), alone.Partition(), c, carina.Over(connection))
			if err == nil {
				err = f.Run(context.Background())
			}
			if err != nil {
				t.Errorf("rank %d: %v", rank, err)
				return
			}
			if f.Summary().StateHash != alone.Summary().StateHash {
				t.Errorf("rank %d ends in another state", rank)
			}
			if _, err := f.Fields(); (err == nil) != (rank == 0) {
				t.Errorf("rank %d has fields: %v", rank, err)
			}
		})
	}
	all.Wait()
}

func TestFlowIsShownOnTheWay(t *testing.T) {
	surface, c := pipe(t)
	f := opened(t, c, surface)
	var steps []int64
	reports := 0
	err := f.Run(context.Background(), carina.Listen(carina.Listener{Progress: func(carina.Progress) { reports++ }}), carina.Every(70, func(m *carina.Moment) error {
		steps = append(steps, m.Step)
		if int64(len(m.Fields.Pressure)) != f.Grid().Cells() || len(m.Openings) != 2 || m.Time != m.Fields.Time || m.Time <= 0 {
			t.Errorf("step %d: %d pressures, %d openings at %g s", m.Step, len(m.Fields.Pressure), len(m.Openings), m.Time)
		}
		return nil
	}))
	if err != nil {
		t.Fatal(err)
	}
	// The first multiples of 50 from 70 and 140 on.
	if diff := cmp.Diff([]int64{100, 150}, steps); diff != "" {
		t.Error(diff)
	}
	if reports == 0 {
		t.Error("nothing is reported")
	}
	enough := errors.New("seen enough")
	if err := opened(t, c, surface).Run(context.Background(), carina.Every(50, func(*carina.Moment) error { return enough })); !errors.Is(err, enough) {
		t.Errorf("an error of who looks on: %v", err)
	}
}

// What was reached when a flow is stopped is kept.
func TestFlowIsStopped(t *testing.T) {
	surface, c := pipe(t)
	c.Steps = 100_000
	f := opened(t, c, surface)
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	err := f.Run(ctx, carina.Every(50, func(*carina.Moment) error { stop(); return nil }))
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if s := f.Summary(); !s.Interrupted || s.Steps >= c.Steps {
		t.Errorf("%d steps, interrupted: %v", s.Steps, s.Interrupted)
	}
	if _, err := f.Fields(); err != nil {
		t.Error(err)
	}
}

func TestFlowIsRefused(t *testing.T) {
	surface, c := pipe(t)
	f := opened(t, c, surface)
	other := generate.FullGrid([3]int32{4, 4, 4})
	elsewhere, err := balance.Make(context.Background(), other, balance.Options{Ranks: 2})
	if err != nil {
		t.Fatal(err)
	}
	fast, blind := c, c
	fast.Flow = "3 bananas"
	for says, open := range map[string]func() (*carina.Flow, error){
		"partition was made for": func() (*carina.Flow, error) { return carina.Open(f.Grid(), elsewhere, c) },
		"bananas":                func() (*carina.Flow, error) { return carina.Open(f.Grid(), f.Partition(), fast) },
		"at least 1": func() (*carina.Flow, error) {
			return carina.Open(f.Grid(), f.Partition(), blind, carina.Every(0, func(*carina.Moment) error { return nil }))
		},
		"1 process:": func() (*carina.Flow, error) {
			return carina.Open(f.Grid(), f.Partition(), c, carina.Over(transport.NewLocal(1)[0]))
		},
	} {
		if _, err := open(); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v does not say %q", err, says)
		}
	}
	if _, err := f.Fields(); err == nil || !strings.Contains(err.Error(), "call Run") {
		t.Errorf("fields before the flow: %v", err)
	}
	if err := f.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	if err := f.Run(context.Background()); err == nil || !strings.Contains(err.Error(), "open another") {
		t.Errorf("the same flow twice: %v", err)
	}
	f.Close()
	if err := f.Run(context.Background()); err == nil {
		t.Error("a closed flow runs")
	}
}

// Run goes on from a grid file as from its surface, and says of other files of Carina
// what they are and what takes them, as all that reads surfaces does.
func TestRunOnFilesOfCarina(t *testing.T) {
	surface, c := pipe(t)
	want := opened(t, c, surface)
	if err := want.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	path := func(name string) string { return filepath.Join(folder, name) }
	if err := carina.WritePartition(path("pipe.part.json"), want.Partition(), want.Grid()); err != nil {
		t.Fatal(err)
	}
	c.Surface, c.Spacing, c.Inlet = path("pipe.grid"), "", 0
	got, err := carina.Run(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	defer got.Close()
	if got.Summary().StateHash != want.Summary().StateHash {
		t.Errorf("from the grid file it ends in %s, from the surface in %s", got.Summary().StateHash, want.Summary().StateHash)
	}
	settled := c
	settled.Spacing = "0.5mm"
	if _, err := carina.Run(context.Background(), settled); err == nil || !strings.Contains(err.Error(), "where spacing is settled") {
		t.Errorf("a spacing beside a grid file: %v", err)
	}
	long := strings.Repeat("7 8 9\n", 100)
	for name, file := range map[string]struct{ content, want string }{
		"pipe.part.json":  {"", "a partition file and not a surface: read it with carina.ReadPartition"},
		"pipe.0001.share": {"carina share 1\n" + strings.Repeat("\x00\xff", 100), "a rank's share of a partitioned grid"},
		"case.txt":        {"# a pipe\nsurface: pipe.stl\nflow: 1L/min\n# " + strings.Repeat("x", 100) + "\n", "a case file and not a surface"},
		"case.yaml":       {"surface: pipe.stl\n", "carina.ReadCase"},
		"summary.json":    {`{"steps": 20, "notes": "` + strings.Repeat("x", 100) + `"}`, "a JSON file"},
		"pipe.graph":      {"% a graph\n100 200\n" + long, "carina graph"},
		"missing.stl":     {"", "no such file"},
	} {
		if file.content != "" {
			if err := os.WriteFile(path(name), []byte(file.content), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		c.Surface = path(name)
		if _, err := carina.Run(context.Background(), c); err == nil || !strings.Contains(err.Error(), file.want) {
			t.Errorf("%s: want an error with %q and got %v", name, file.want, err)
		}
	}
	if _, err := geometry.ReadSurface(path("pipe.grid"), geometry.Millimetre); err == nil || !strings.Contains(err.Error(), "a grid file and not a surface: read it with geometry.ReadGrid") {
		t.Errorf("a grid read as a surface: %v", err)
	}
}
