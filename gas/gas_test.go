package gas

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"carina"
	"carina/internal/race"
)

func finished(t *testing.T, c Case) *Flow {
	t.Helper()
	return computed(t, c, Options{})
}

// computed is a case after Run.
func computed(t *testing.T, c Case, o Options) *Flow {
	t.Helper()
	f, err := Open(context.Background(), c, o)
	if err == nil {
		err = f.Run(context.Background())
	}
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// Every scene is the same, bit for bit, on one rank and on many, in stripes and tiles, and
// its mass is constant.
func TestScenes(t *testing.T) {
	for _, scene := range SceneNames() {
		for _, precision := range Precisions {
			c := Case{Scene: scene, Size: [2]int{32, 24}, Steps: 40, Every: 20, Precision: precision, Rayleigh: map[bool]float64{true: 3000}[scene == heatedScene]}
			one := finished(t, c).Summary()
			tolerance := map[string]float64{"double": 1e-12, "single": 1e-5}[precision]
			if !(math.Abs(one.Last.Mass/one.First.Mass-1) < tolerance) {
				t.Errorf("%s, %s: mass %.17g, then %.17g", scene, precision, one.First.Mass, one.Last.Mass)
			}
			for _, cut := range Cuts {
				c.Cut, c.Ranks = cut, 4
				if many := finished(t, c).Summary(); many.Hash != one.Hash || many.Last != one.Last {
					t.Errorf("%s, %s: %+v in %s, %+v on one rank", scene, precision, many.Last, cut, one.Last)
				}
			}
		}
	}
}

// A wave of shear fades with exp(−νk²t); gas that is heated little is at rest and conducts.
func TestFigures(t *testing.T) {
	race.SkipArithmetic(t)
	s := finished(t, Case{Scene: "waves", Size: [2]int{64, 8}, Steps: 400}).Summary()
	want := math.Exp(-0.3 * middle * math.Pow(2*math.Pi/64, 2) * 400)
	if got := s.Last.Figure / s.First.Figure; !(math.Abs(got/want-1) < 3e-3) {
		t.Errorf("a wave fades to %g, want %g", got, want)
	}
	s = finished(t, Case{Scene: heatedScene, Size: [2]int{24, 12}, Steps: 3000, Rayleigh: 500}).Summary()
	if !(math.Abs(s.Last.Figure-1) < 0.02) {
		t.Errorf("Nusselt number %g at rest", s.Last.Figure)
	}
}

// Dense gas above thin gas mixes, and thin gas does not rest below it.
func TestMixing(t *testing.T) {
	race.SkipArithmetic(t)
	f := finished(t, Case{Scene: "rayleigh-taylor", Size: [2]int{48, 96}, Steps: 1500, Every: 300})
	list := f.Samples()
	first, last := list[1], list[len(list)-1]
	if !(last.Figure > 1.5*first.Figure) || !(last.Kinetic > 5*first.Kinetic) {
		t.Errorf("mixed layer %g cells, then %g; kinetic energy %g, then %g", first.Figure, last.Figure, first.Kinetic, last.Kinetic)
	}
}

// The folder has a summary, tables and pictures, and nothing else.
func TestResults(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "results")
	f := finished(t, Case{Scene: "sod", Size: [2]int{64, 8}, Steps: 20, Every: 5, Pictures: 2, Output: folder})
	if len(f.Files()) != 8 {
		t.Errorf("files %v", f.Files())
	}
	data, err := os.ReadFile(filepath.Join(folder, summaryFile))
	var s Summary
	if err != nil || json.Unmarshal(data, &s) != nil || s.Hash != f.Summary().Hash {
		t.Errorf("summary %s (%v)", data, err)
	}
	history, _ := os.ReadFile(filepath.Join(folder, historyFile))
	if lines := strings.Count(string(history), "\n"); lines != 6 {
		t.Errorf("history of %d lines:\n%s", lines, history)
	}
}

// A gas is the same, bit for bit, with the same history, while its cells change owner, and
// where it was stopped, long before the next look, and goes on from a checkpoint on other
// ranks, of a partition file.
func TestStopsAndGoesOn(t *testing.T) {
	c := Case{Scene: "rayleigh-taylor", Size: [2]int{24, 32}, Steps: 420, Every: 140, Pictures: 3}
	c.Output = filepath.Join(t.TempDir(), "one")
	one := finished(t, c)
	same := func(name string, f *Flow) {
		if f.Summary().Hash != one.Summary().Hash || !slices.Equal(f.Samples(), one.Samples()) || f.Summary().First != one.Summary().First {
			t.Errorf("%s: %+v, want %+v", name, f.Summary(), one.Summary())
		}
	}
	for ranks, how := range map[int][2]string{2: {"bricks", "graph"}, 3: {"regular", "linear"}} {
		d := c
		d.Output, d.Ranks, d.Decompose, d.Balance = "", ranks, how[0], how[1]
		same(how[0], computed(t, d, Options{Rebalance: carina.Rebalancing{On: true, Every: 100}}))
	}
	d := c
	d.Output, d.Ranks, d.Cut = filepath.Join(t.TempDir(), "out"), 4, "tiles"
	ctx, stop := context.WithCancel(context.Background())
	f, err := Open(ctx, d, Options{Checkpoints: carina.Checkpoints{End: true}, Progress: func(step, _ int) {
		if step > 200 {
			stop()
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	var stopped *carina.StoppedError
	if err := f.Run(ctx); !errors.As(err, &stopped) || !f.Summary().Interrupted || f.Summary().Steps > 300 {
		t.Fatalf("was stopped: %v after %d steps", err, f.Summary().Steps)
	}
	from, err := carina.OpenCheckpoint(d.Output)
	if err != nil {
		t.Fatal(err)
	}
	e, err := CheckpointCase(from)
	if err != nil || !reflect.DeepEqual(e, d) {
		t.Fatalf("the checkpoint is of %+v (%v), want %+v", e, err, d)
	}
	partition := filepath.Join(t.TempDir(), "p.part.json")
	if err := f.Partition().WriteFile(partition); err != nil {
		t.Fatal(err)
	}
	e.Cut, e.Partition = "", partition
	again := computed(t, e, Options{Restart: from})
	same("from a checkpoint", again)
	for _, name := range []string{pictureName("density", 140), pictureName("temperature", 420), partitionFile} {
		if _, err := os.Stat(filepath.Join(d.Output, name)); err != nil {
			t.Error(err)
		}
	}
	e.Steps, e.Pictures = 140, 0
	if f, err = Open(context.Background(), e, Options{Restart: from}); err == nil {
		err = f.Run(context.Background())
	}
	if err == nil || !strings.Contains(err.Error(), "more --steps") {
		t.Errorf("to an earlier step: %v", err)
	}
}

// What makes no sense is refused with what to do.
func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		c    Case
		want string
	}{
		{Case{Scene: "rayleigh-bernard"}, "give rayleigh-benard"},
		{Case{Scene: "sod", Size: [2]int{64, 2}}, "at least 8"},
		{Case{Scene: "sod", Steps: -1}, "above zero"},
		{Case{Scene: "sod", Tau: 0.5}, "from 0.501"},
		{Case{Scene: "sod", Tau: math.NaN()}, "from 0.501"},
		{Case{Scene: "sod", Rayleigh: 1e4}, "leave it out"},
		{Case{Scene: heatedScene, Tau: 0.6}, "give that alone"},
		{Case{Scene: heatedScene, Rayleigh: 1e9}, "more rows"},
		{Case{Scene: heatedScene, Rayleigh: -3}, "above zero"},
		{Case{Scene: "sod", PartitionCase: carina.PartitionCase{Ranks: 9}, Size: [2]int{64, 8}}, "give fewer"},
		{Case{Scene: "sod", PartitionCase: carina.PartitionCase{Balance: "rcb"}, Cut: "tiles"}, "give one of them"},
		{Case{Scene: "sod", Cut: "slices"}, "tiles"},
		{Case{Scene: "sod", Pictures: 1000}, "make every smaller"},
		{Case{Scene: "sod", Snapshots: "5ms", Output: "r"}, "every=1000"},
		{Case{Scene: "sod", Snapshots: "every=10"}, "name one"},
		{Case{Scene: "waves", Tau: 0.501, Size: [2]int{1 << 20, 1 << 20}}, "at most"},
		{Case{Scene: "waves", Size: [2]int{1 << 16, 1 << 14}}, "of memory"},
	} {
		if _, err := Open(context.Background(), c.c, Options{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.c, err, c.want)
		}
	}
	// What is left open fits few looks.
	if n := len(finished(t, Case{Scene: "sod", Size: [2]int{64, 8}, Steps: 1, Pictures: SomePictures, Output: filepath.Join(t.TempDir(), "r")}).Files()); n != 6 {
		t.Errorf("%d files of one step, want 6", n)
	}
	// A box that is read has two sides.
	for _, text := range []string{"", "12", "12x", "x12", "12x-3", "12x3x4", "0x4", "axb"} {
		if size, err := ParseSize(text); err == nil {
			t.Errorf("%q is read as %v", text, size)
		}
	}
}
