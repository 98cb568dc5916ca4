package gas

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func run(t *testing.T, c Case) *Flow {
	t.Helper()
	f, err := Run(context.Background(), c, nil)
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
			one := run(t, c).Summary()
			tolerance := map[string]float64{"double": 1e-12, "single": 1e-5}[precision]
			if !(math.Abs(one.Last.Mass/one.First.Mass-1) < tolerance) {
				t.Errorf("%s, %s: mass %.17g, then %.17g", scene, precision, one.First.Mass, one.Last.Mass)
			}
			for _, cut := range Cuts {
				c.Cut, c.Ranks = cut, 4
				if many := run(t, c).Summary(); many.Hash != one.Hash || many.Last != one.Last {
					t.Errorf("%s, %s: %+v in %s, %+v on one rank", scene, precision, many.Last, cut, one.Last)
				}
			}
		}
	}
}

// A wave of shear fades with exp(−νk²t); gas that is heated little is at rest and conducts.
func TestFigures(t *testing.T) {
	s := run(t, Case{Scene: "waves", Size: [2]int{64, 8}, Steps: 400}).Summary()
	want := math.Exp(-0.3 * middle * math.Pow(2*math.Pi/64, 2) * 400)
	if got := s.Last.Figure / s.First.Figure; !(math.Abs(got/want-1) < 3e-3) {
		t.Errorf("a wave fades to %g, want %g", got, want)
	}
	s = run(t, Case{Scene: heatedScene, Size: [2]int{24, 12}, Steps: 3000, Rayleigh: 500}).Summary()
	if !(math.Abs(s.Last.Figure-1) < 0.02) {
		t.Errorf("Nusselt number %g at rest", s.Last.Figure)
	}
}

// Dense gas above thin gas mixes, and thin gas does not rest below it.
func TestMixing(t *testing.T) {
	f := run(t, Case{Scene: "rayleigh-taylor", Size: [2]int{48, 96}, Steps: 1500, Every: 300})
	list := f.Samples()
	first, last := list[1], list[len(list)-1]
	if !(last.Figure > 1.5*first.Figure) || !(last.Kinetic > 5*first.Kinetic) {
		t.Errorf("mixed layer %g cells, then %g; kinetic energy %g, then %g", first.Figure, last.Figure, first.Kinetic, last.Kinetic)
	}
}

// The folder has a summary, tables and pictures, and nothing else.
func TestResults(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "results")
	f := run(t, Case{Scene: "sod", Size: [2]int{64, 8}, Steps: 20, Every: 5, Pictures: 2, Output: folder})
	if len(f.Files()) != 7 {
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

// Who wants it to stop is heard long before the next look, and no folder is left.
func TestStops(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "r")
	ctx, stop := context.WithCancel(context.Background())
	_, err := Run(ctx, Case{Scene: "sod", Size: [2]int{16, 8}, Steps: 1 << 40, Every: 1 << 40, Ranks: 2, Output: folder}, func(step, _ int) {
		if step > 0 {
			stop()
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := os.Stat(folder); err == nil {
		t.Error("a folder is left")
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
		{Case{Scene: "sod", Ranks: 9, Size: [2]int{64, 8}}, "give fewer"},
		{Case{Scene: "sod", Cut: "slices"}, "stripes or tiles"},
		{Case{Scene: "sod", Pictures: 1000}, "make every smaller"},
		{Case{Scene: "waves", Tau: 0.501, Size: [2]int{1 << 20, 1 << 20}}, "at most"},
		{Case{Scene: "waves", Size: [2]int{1 << 16, 1 << 14}}, "of memory"},
	} {
		if _, err := Run(context.Background(), c.c, nil); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.c, err, c.want)
		}
	}
	// What is left open fits few looks.
	if n := len(run(t, Case{Scene: "sod", Size: [2]int{64, 8}, Steps: 1, Pictures: SomePictures, Output: filepath.Join(t.TempDir(), "r")}).Files()); n != 5 {
		t.Errorf("%d files of one step, want 5", n)
	}
	// A box that is read has two sides.
	for _, text := range []string{"", "12", "12x", "x12", "12x-3", "12x3x4", "0x4", "axb"} {
		if size, err := ParseSize(text); err == nil {
			t.Errorf("%q is read as %v", text, size)
		}
	}
}
