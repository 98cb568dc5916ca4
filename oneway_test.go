package carina_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"carina"
	"carina/balance"
	"carina/internal/resultsfolder"
	"carina/solver/transport"
)

// pipeFile is the pipe as a file, and a case that computes the flow in it.
func pipeFile(t *testing.T) carina.Case {
	t.Helper()
	_, c := pipe(t)
	c.Surface, c.Unit, c.Inlet = written(t, t.TempDir()), "mm", 1
	return c
}

// What the commands refuse before anything is computed or written, a program is refused,
// too, in whichever way it opens the flow.
func TestEveryWayIsChecked(t *testing.T) {
	c := pipeFile(t)
	v, partition := made(t, c)
	grid := v.Grid
	file := filepath.Join(t.TempDir(), "pipe.part.json")
	if err := carina.WritePartition(file, partition, grid); err != nil {
		t.Fatal(err)
	}
	taken, busy := filepath.Join(t.TempDir(), "taken"), t.TempDir()
	if err := os.WriteFile(taken, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	held, err := resultsfolder.Open(busy, "")
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	for _, test := range []struct {
		says   string
		change func(c *carina.Case)
		with   []carina.Option
	}{
		{"is a file: name a folder for results", func(c *carina.Case) { c.Output = taken }, nil},
		{"another", func(c *carina.Case) { c.Output = busy }, nil},
		{"3 devices are named for 2 ranks", func(c *carina.Case) { c.Device = "cpu,cpu,cpu" }, nil},
		{"tpu", func(c *carina.Case) { c.Device = "cpu,tpu" }, nil},
		{"let the case name one", func(*carina.Case) {}, []carina.Option{carina.Keep(carina.Checkpoints{End: true})}},
		{"give either a number of steps or a time", func(c *carina.Case) { c.Time = "1s" }, nil},
	} {
		changed := c
		test.change(&changed)
		for way, open := range map[string]func() (*carina.Flow, error){
			"Open":     func() (*carina.Flow, error) { return carina.Open(grid, partition, changed, test.with...) },
			"OpenFile": func() (*carina.Flow, error) { return carina.OpenFile(file, changed, test.with...) },
			"Run":      func() (*carina.Flow, error) { return carina.Run(context.Background(), changed, test.with...) },
		} {
			if _, err := open(); err == nil || !strings.Contains(err.Error(), test.says) {
				t.Errorf("%s: says %v, want %q", way, err, test.says)
			}
		}
	}
	t.Setenv("CARINA_SIMD", "abacus")
	if _, err := carina.Open(grid, partition, c); err == nil || !strings.Contains(err.Error(), "abacus") {
		t.Errorf("an instruction set that is none: %v", err)
	}
}

// made is the grid of a case and its partition.
func made(t *testing.T, c carina.Case) (*carina.Voxels, *balance.Partition) {
	t.Helper()
	v, err := c.Voxelize(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := v.Partition(context.Background(), &c, nil)
	if err != nil {
		t.Fatal(err)
	}
	return v, p
}

// Ranks that are not to compute the same are told what differs, all of them.
func TestRanksOfProgramsAgree(t *testing.T) {
	c := pipeFile(t)
	v, p := made(t, c)
	var all sync.WaitGroup
	for rank, connection := range transport.NewLocal(c.Ranks) {
		all.Go(func() {
			own := c
			if rank == 1 {
				own.Flow = "0.2L/min"
			}
			if _, err := carina.Open(v.Grid, p, own, carina.Over(connection)); err == nil || !strings.Contains(err.Error(), "flow rate") {
				t.Errorf("rank %d: %v", rank, err)
			}
		})
	}
	all.Wait()
}

// A program that is stopped writes the results that the command line writes, hears where
// they are, and goes on from the state kept there, as ranks of several processes.
func TestResultsOfPrograms(t *testing.T) {
	if testing.Short() {
		t.Skip("draws pictures twice")
	}
	c := pipeFile(t)
	want, err := carina.Run(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	c.Output = filepath.Join(t.TempDir(), "out")
	heard := map[string]bool{}
	listener := carina.Listener{
		Voxels: func(v *carina.Voxels) { heard["voxels"] = v.Report.FluidCells > 0 }, Partition: func(p *balance.Partition) { heard["partition"] = len(p.Ranks) == 2 },
		Announce: func(o carina.Outlook) { heard["outlook"] = heard["outlook"] || o.Steps == 200 }, Resumed: func(step int64, _ float64) { heard["resumed"] = step == 100 },
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	first, err := carina.Run(ctx, c, carina.Listen(listener), carina.Discard(), carina.Keep(carina.Checkpoints{End: true}),
		carina.Every(50, func(*carina.Moment) error { stop(); return nil }))
	var stopped *carina.StoppedError
	if !errors.As(err, &stopped) || !errors.Is(err, context.Canceled) || stopped.Folder != c.Output {
		t.Fatal(err)
	}
	if _, err := first.Fields(); err == nil || !strings.Contains(err.Error(), "discarded") {
		t.Errorf("fields that were discarded: %v", err)
	}
	var names []string
	for _, path := range first.Files() {
		names = append(names, filepath.Base(path))
	}
	for _, name := range []string{"summary.json", "flow.png", "airway.grid", "airway.part.json", "history.csv"} {
		if !slices.Contains(names, name) {
			t.Errorf("%s is not among %v", name, names)
		}
	}
	var kept carina.Summary
	text, err := os.ReadFile(filepath.Join(c.Output, "summary.json"))
	if err == nil {
		err = json.Unmarshal(text, &kept)
	}
	if err != nil || kept.StateHash != first.Summary().StateHash || !kept.Interrupted || kept.Provenance == nil || kept.Provenance.Case["flow"] != "0.1L/min" {
		t.Errorf("the summary holds %+v, %v", kept, err)
	}
	state, err := carina.OpenCheckpoint(c.Output)
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for rank, connection := range transport.NewLocal(2) {
		all.Go(func() {
			own := listener
			if rank > 0 {
				own = carina.Listener{}
			}
			f, err := carina.OpenFile(filepath.Join(c.Output, "airway.part.json"), c, carina.Over(connection), carina.Restart(state), carina.Listen(own))
			if err == nil {
				err = f.Run(context.Background())
			}
			if err != nil || f.Summary().StateHash != want.Summary().StateHash {
				t.Errorf("rank %d goes on to another state: %v", rank, err)
			}
		})
	}
	all.Wait()
	for _, what := range []string{"voxels", "partition", "outlook", "resumed"} {
		if !heard[what] {
			t.Errorf("%s: not heard", what)
		}
	}
}

// A program refines as the command line does.
func TestProgramsRefine(t *testing.T) {
	if testing.Short() {
		t.Skip("computes on two spacings")
	}
	c := pipeFile(t)
	c.Steps, c.Time, c.Refine = 0, "5ms", 2
	levels := 0
	f, err := carina.Run(context.Background(), c, carina.Listen(carina.Listener{Level: func(*carina.Flow) { levels++ }}))
	if err != nil {
		t.Fatal(err)
	}
	if r := f.Summary().Refinement; r == nil || len(r.Levels) != 2 || levels != 2 || r.Levels[0].FluidCells != f.Grid().Cells() {
		t.Errorf("%d levels heard, %+v", levels, r)
	}
	for _, c.Refine = range []int{-1, 1, 4} {
		if _, err := carina.Run(context.Background(), c); err == nil || !strings.Contains(err.Error(), "choose 2 or 3") {
			t.Errorf("a refinement of %d: %v", c.Refine, err)
		}
	}
	c.Refine = 2
	if _, err := carina.Run(context.Background(), c, carina.Keep(carina.Checkpoints{End: true})); err == nil || !strings.Contains(err.Error(), "on one spacing") {
		t.Errorf("checkpoints of a refinement: %v", err)
	}
}
