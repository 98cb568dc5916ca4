package main

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"carina/internal/race"
	"carina/solver/airflow"
)

// long lets tests kill many runs.
var long = flag.Bool("long", false, "kill many runs, and not a few")

// keptFlow computes long enough to be killed, with a Windkessel, a share, a waveform and
// a mean to keep.
var keptFlow = []string{"--flow", "0.5L/min", "--waveform", "sine:2s", "--steps", "700"}

// like is a summary without times and without what ranks do.
func like(t *testing.T, s *airflow.Summary) *airflow.Summary {
	t.Helper()
	if s == nil {
		t.Fatal("there is no summary")
	}
	c := *s
	c.Seconds, c.MLUPS, c.Ranks = 0, 0, nil
	settings := *c.Settings
	settings.Workers = 0
	c.Settings = &settings
	return &c
}

// keptPartitions are partitions of one pipe, by number of ranks.
func keptPartitions(t *testing.T) func(ranks int, balance string) string {
	surface, folder := thinPipe(t), t.TempDir()
	return func(ranks int, balance string) string {
		path := filepath.Join(folder, fmt.Sprintf("%d-%s.part.json", ranks, balance))
		if _, err := os.Stat(path); err != nil {
			succeed[partitionResult](t, "partition", surface, "--spacing", "1mm", "--ranks", strconv.Itoa(ranks), "--balance", balance, "-o", path)
		}
		return path
	}
}

// solveKept is a command line that keeps its state every so many steps.
func solveKept(part, out string, every string) []string {
	return append([]string{"solve", part, "--out", out, "--checkpoint", "every=" + every}, keptFlow...)
}

// untilKept waits until a run has kept its first state, or has ended.
func (p *process) untilKept(t *testing.T, folder string) {
	t.Helper()
	for !isThere(filepath.Join(folder, "checkpoint", "checkpoint")) && !isThere(filepath.Join(folder, "summary.json")) && p.runs() {
		time.Sleep(time.Millisecond)
	}
}

// Runs that are killed at any moment, while they write checkpoints, too, go on on other
// ranks with other cells and end as one that was left alone.
func TestKilledRunsGoOn(t *testing.T) {
	kills := race.Few(2, 3)
	if *long {
		kills = 20
	}
	part, folder := keptPartitions(t), t.TempDir()
	random := rand.New(rand.NewPCG(1, 2))
	alone := filepath.Join(folder, "alone")
	want := succeed[*airflow.Summary](t, append([]string{"solve", part(3, "graph"), "--out", alone}, keptFlow...)...)
	begin := time.Now()
	succeed[*airflow.Summary](t, append([]string{"solve", part(3, "graph"), "--out", filepath.Join(folder, "timed")}, keptFlow...)...)
	longest := time.Since(begin) // that a run is left to itself; less where runs get faster
	killed := 0
	for n := 0; killed < kills && n < 10*kills; n++ {
		out := filepath.Join(folder, fmt.Sprint(n))
		p := start(t, "", solveKept(part(2+n%6, "graph"), out, "50")...)
		p.untilKept(t, out)
		time.Sleep(time.Duration(random.Int64N(int64(longest))))
		_ = p.Process.Kill() // it may have ended
		if p.status(t) != -1 || isThere(filepath.Join(out, "summary.json")) && !isThere(filepath.Join(out, "unfinished.txt")) {
			longest /= 2 // it had ended, at least but for its exit
			continue
		}
		killed++
		if words, err := os.ReadFile(filepath.Join(out, "unfinished.txt")); err != nil || !strings.Contains(string(words), "--restart "+out) {
			t.Errorf("the folder says %q, %v", words, err)
		}
		if status, said, stderr := invoke(t, "inspect", out); status != 0 || !strings.Contains(said, "whole: ") {
			t.Errorf("inspect: %d %s %s", status, said, stderr)
		}
		// The same partition once, so that fields are compared by rank.
		other := part(1+(n+3)%7, "hilbert")
		if n%3 == 0 {
			other = part(3, "graph")
		}
		got := succeed[*airflow.Summary](t, "solve", other, "--restart", out)
		if !reflect.DeepEqual(like(t, got), like(t, want)) {
			t.Errorf("killed run %d ends with %+v, want %+v", n, like(t, got), like(t, want))
		}
		names := []string{"history.csv", "history.png", "flow.png", "pressure.png"}
		if n%3 == 0 {
			names = append(names, "flow_0000.vtu", "flow_0001.vtu", "flow_0002.vtu", "flow.pvtu")
		}
		for _, name := range names {
			if is, was := textOf(t, filepath.Join(out, name)), textOf(t, filepath.Join(alone, name)); is != was {
				t.Errorf("killed run %d: %s is another", n, name)
			}
		}
		for name := range contents(t, out) {
			if strings.HasPrefix(name, ".carina-new") || name == ".carina-lock" || name == "unfinished.txt" {
				t.Errorf("%s is left", name)
			}
		}
	}
	if killed < kills {
		t.Errorf("%d of %d runs were killed after their first checkpoint", killed, kills)
	}
}

// A run goes on without anything but its folder, ends as one that was left alone where
// a state asked for by a signal was kept or one by the end, and refuses other flows.
func TestGoOn(t *testing.T) {
	part, folder := keptPartitions(t), t.TempDir()
	want := succeed[*airflow.Summary](t, append([]string{"solve", part(2, "graph")}, keptFlow...)...)
	out := filepath.Join(folder, "out")
	p := start(t, "", append([]string{"solve", part(2, "graph"), "--out", out}, append(keptFlow[:len(keptFlow)-1:len(keptFlow)-1], "1000000")...)...)
	p.untilComputing(t, out)
	for !isThere(filepath.Join(out, "checkpoint", "checkpoint")) { // its steps do not end before
		if err := p.Process.Signal(syscall.SIGUSR1); err != nil {
			t.Fatal(err)
		}
		time.Sleep(20 * time.Millisecond)
	}
	p.Process.Kill()
	p.status(t)
	status, said, stderr := invoke(t, "solve", "--restart", out, "--steps", "700", "--checkpoint", "end", "--json")
	if status != 0 || !strings.Contains(stderr, "goes on from step ") || !strings.Contains(said, want.StateHash) {
		t.Fatalf("%d, not %s: %s %s", status, want.StateHash, said, stderr)
	}
	for _, c := range []struct {
		says      string
		status    int
		arguments []string
	}{
		{"step 700", 0, []string{"inspect", out}},
		{"its time step was", 1, []string{"solve", "--restart", out, "--time-step", "1us"}},
		{"flow rate was", 0, []string{"solve", "--restart", out, "--time-step", fmt.Sprintf("%.17gs", want.TimeStep), "--flow", "0.4L/min", "--steps", "800"}},
		{"float64", 1, []string{"solve", "--restart", out, "--precision", "double"}},
		{"is of another flow: its collision was", 1, []string{"solve", "--restart", out, "--collision", "bgk"}},
		{"with the grid that it was saved with", 1, []string{"solve", partitioned(t, "--ranks", "2"), "--restart", out}},
		{"there is no checkpoint in " + folder, 1, []string{"solve", "--restart", folder}},
		{"give a time such as 10m", 1, []string{"solve", part(2, "graph"), "--out", out, "--checkpoint", "often"}},
		{"name one with --out", 1, []string{"solve", part(2, "graph"), "--checkpoint", "end"}},
		{"on one spacing", 1, []string{"run", thinPipe(t), "--spacing", "2mm", "--refine", "--checkpoint", "end", "--out", out}},
	} {
		status, said, stderr := invoke(t, c.arguments...)
		if status != c.status || !strings.Contains(said+stderr, c.says) {
			t.Errorf("%q: %d, want %d with %q: %s %s", c.arguments, status, c.status, c.says, said, stderr)
		}
	}
}

// textOf is what a file holds.
func textOf(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Error(err)
	}
	return string(data)
}

// A run that ends when its flow is steady ends at the same step where it was killed on its
// way and goes on, from the surface as well, on other ranks.
func TestSteadyRunsGoOn(t *testing.T) {
	folder := t.TempDir()
	line := []string{"run", generated(t, "pipe", "--diameter", "6mm", "--length", "40mm"), "--spacing", "1mm", "--flow", "0.2L/min", "--viscosity", "60mm2/s"}
	want := succeed[*airflow.Summary](t, append(line, "--out", filepath.Join(folder, "alone"))...)
	if want.Steady == nil || !*want.Steady {
		t.Fatalf("the flow is not steady after %d steps", want.Steps)
	}
	out := filepath.Join(folder, "out")
	p := start(t, "", append(line, "--ranks", "2", "--out", out, "--checkpoint", "every=200")...)
	p.untilKept(t, out)
	p.Process.Kill()
	p.status(t)
	got := succeed[*airflow.Summary](t, "run", "--restart", out, "--ranks", "3")
	if !reflect.DeepEqual(like(t, got), like(t, want)) {
		t.Errorf("it ends with %+v, want %+v", like(t, got), like(t, want))
	}
	if is, was := textOf(t, filepath.Join(out, "history.csv")), textOf(t, filepath.Join(folder, "alone", "history.csv")); is != was {
		t.Error("it has another history")
	}
}
