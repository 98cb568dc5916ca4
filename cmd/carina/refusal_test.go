package main

import (
	"bytes"
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestOpeningsOfACaseMayLackCoordinates(t *testing.T) {
	pipe, folder := generated(t, "pipe"), t.TempDir()
	for _, opening := range []string{"{name: a, radius: 3mm}", "{name: a, radius: 3mm, center: [1, 2]}", "{}"} {
		path := filepath.Join(folder, "case.yaml")
		if err := os.WriteFile(path, []byte("surface: "+pipe+"\nspacing: 3mm\nranks: 1\nopenings: ["+opening+"]\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		status, _, stderr := invoke(t, "run", path, "--out", filepath.Join(folder, "out"))
		if status != exitFailure || !strings.Contains(stderr, "opening") {
			t.Errorf("%s: status %d, says %q", opening, status, stderr)
		}
	}
}

func TestBadInputGetsOneSentence(t *testing.T) {
	pipe := generated(t, "pipe")
	folder := t.TempDir()
	sound, err := os.ReadFile(pipe)
	if err != nil {
		t.Fatal(err)
	}
	withNaN := bytes.Clone(sound)
	const firstVertex = 84 + 12
	binary.LittleEndian.PutUint32(withNaN[firstVertex:], math.Float32bits(float32(math.NaN())))
	file := func(name string, data []byte) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	tests := []struct {
		name      string
		arguments []string
		says      string
	}{
		{"missing file", []string{"none.stl", "--spacing", "1mm"}, "none.stl"},
		{"empty file", []string{file("empty.stl", nil), "--spacing", "1mm"}, "empty"},
		{"empty solid", []string{file("none.stl", []byte("solid a\nendsolid a\n")), "--spacing", "1mm"}, "no triangle"},
		{"truncated", []string{file("short.stl", sound[:len(sound)/2]), "--spacing", "1mm"}, "truncated"},
		{"NaN", []string{file("nan.stl", withNaN), "--spacing", "1mm"}, "finite"},
		{"too coarse", []string{pipe, "--spacing", "1m"}, "spacing"},
		{"too fine", []string{pipe, "--spacing", "0.1um"}, "spacing"},
		{"too many cells", []string{pipe, "--spacing", "5um"}, "memory"},
		{"no spacing", []string{pipe}, "spacing"},
		{"zero spacing", []string{pipe, "--spacing", "0mm"}, "above zero"},
		{"no unit", []string{pipe, "--spacing", "1"}, "unit"},
		{"zero ranks", []string{pipe, "--spacing", "2mm", "--ranks", "0"}, "ranks"},
		{"negative ranks", []string{pipe, "--spacing", "2mm", "--ranks", "-3"}, "ranks"},
		{"more ranks than cells", []string{pipe, "--spacing", "5mm", "--ranks", "100000"}, "ranks"},
		{"no such inlet", []string{pipe, "--spacing", "2mm", "--inlet", "7"}, "7"},
		{"no such decomposition", []string{pipe, "--spacing", "2mm", "--decompose", "slices"}, "slices"},
		{"no such balancer", []string{pipe, "--spacing", "2mm", "--balance", "luck"}, "luck"},
		{"no such collision", []string{pipe, "--spacing", "2mm", "--collision", "hard"}, "hard"},
		{"no such layout", []string{pipe, "--spacing", "2mm", "--layout", "loose"}, "loose"},
		{"dense layout on a GPU", []string{pipe, "--spacing", "2mm", "--layout", "dense", "--device", "gpu"}, "GPU"},
		{"negative steps", []string{pipe, "--spacing", "2mm", "--steps", "-1"}, "steps"},
		{"wrong flow", []string{pipe, "--spacing", "2mm", "--flow", "fast"}, "flow"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "out")
			status, stdout, stderr := invoke(t, append([]string{"run", "--out", out, "--json"}, test.arguments...)...)
			said := withoutNotes(stderr)
			if status != exitFailure || !strings.Contains(said, test.says) || strings.Count(said, "\n") != 1 {
				t.Errorf("status %d, says %q; want %q in one line", status, said, test.says)
			}
			if stdout != "" {
				t.Errorf("printed %q although it failed", stdout)
			}
			if entries, err := os.ReadDir(out); err == nil && len(entries) > 0 {
				t.Errorf("left %v behind", entries)
			}
		})
	}
}

// withoutNotes leaves out what the program told on the way to its failure.
func withoutNotes(stderr string) string {
	var kept strings.Builder
	for line := range strings.Lines(stderr) {
		if !strings.HasPrefix(line, "note: ") {
			kept.WriteString(line)
		}
	}
	return kept.String()
}

func TestTooFastFlowIsWarnedOfAndStopped(t *testing.T) {
	pipe := generated(t, "pipe")
	status, _, stderr := invoke(t, "run", pipe, "--spacing", "2mm", "--flow", "3000L/min", "--time-step", "10us", "--steps", "20000", "--out", t.TempDir())
	if status != exitFailure {
		t.Errorf("status %d, want %d", status, exitFailure)
	}
	for _, words := range []string{"warning:", "Mach number", "relaxation time", "carina: ", "step"} {
		if !strings.Contains(stderr, words) {
			t.Errorf("says nothing of %q:\n%s", words, stderr)
		}
	}
}

func TestWrongUsage(t *testing.T) {
	tests := [][]string{{"fly"}, {"run"}, {"run", "a.stl", "b.stl"}, {"run", "a.stl", "--wings", "2"}, {"generate", "bird", "-o", "x.stl"}, {"graph", "a.graph"}, {"voxelize", "a.stl"},
		{"generate", "pipe", "--rule", "weibel", "-o", filepath.Join(t.TempDir(), "pipe.stl")}, {"help", "nonsense"},
		{"partition", "a.grid", "--ranks", "", "-o", "b"}}
	for _, arguments := range tests {
		if status, _, stderr := invoke(t, arguments...); status != exitUsage || stderr == "" {
			t.Errorf("carina %v: status %d, says %q", arguments, status, stderr)
		}
	}
}

func TestFlagsThatMeanNothingAreRefused(t *testing.T) {
	pipe, folder := generated(t, "pipe"), t.TempDir()
	grid := filepath.Join(folder, "pipe.grid")
	if status, _, stderr := invoke(t, "voxelize", pipe, "--spacing", "3mm", "-o", grid); status != 0 {
		t.Fatal(stderr)
	}
	tests := []struct {
		arguments []string
		says      string
	}{
		{[]string{"inspect", grid, "--unit", "mm"}, "--unit means nothing for a grid file"},
		{[]string{"view", grid, "--unit", "mm", "-o", filepath.Join(folder, "pipe.html")}, "--unit means nothing for a grid file"},
		{[]string{"partition", grid, "--ranks", "2", "--max-side", "8", "-o", filepath.Join(folder, "pipe.part.json")}, "max-side) is for the octree decomposition only"},
		{[]string{"partition", grid, "--ranks", "2", "--balance", "lpt", "--preset", "eco", "-o", filepath.Join(folder, "pipe.part.json")}, "a preset is for the graph balancer only"},
		{[]string{"partition", grid, "--ranks", "2", "--time-limit", "-1s", "-o", filepath.Join(folder, "pipe.part.json")}, "give --time-limit a positive time"},
		{[]string{"run", grid, "--unit", "mm", "--out", filepath.Join(folder, "out")}, "unit is settled"},
		{[]string{"run", grid, "--spacing", "1mm", "--out", filepath.Join(folder, "out")}, "spacing is settled"},
	}
	for _, test := range tests {
		if status, _, stderr := invoke(t, test.arguments...); status == 0 || !strings.Contains(stderr, test.says) {
			t.Errorf("%v: status %d, says %q; want %q", test.arguments, status, stderr, test.says)
		}
	}
}

func TestPartitionFileThatDoesNotFit(t *testing.T) {
	pipe := generated(t, "pipe")
	folder := t.TempDir()
	make := func(name, spacing string) string {
		path := filepath.Join(folder, name+".part.json")
		succeed[partitionResult](t, "partition", pipe, "--spacing", spacing, "--ranks", "2", "-o", path)
		return path
	}
	coarse, fine := make("coarse", "3mm"), make("fine", "2mm")
	grid, err := os.ReadFile(strings.TrimSuffix(fine, ".part.json") + ".grid")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(strings.TrimSuffix(coarse, ".part.json")+".grid", grid, 0o644); err != nil {
		t.Fatal(err)
	}
	if status, _, stderr := invoke(t, "solve", coarse, "--steps", "2"); status != exitFailure || !strings.Contains(stderr, "spacing") {
		t.Errorf("another grid: status %d, says %q", status, stderr)
	}
	data, err := os.ReadFile(fine)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(fine, data[:len(data)/2], 0o644); err != nil {
		t.Fatal(err)
	}
	if status, _, stderr := invoke(t, "solve", fine, "--steps", "2"); status != exitFailure || stderr == "" {
		t.Errorf("truncated: status %d, says %q", status, stderr)
	}
}

func TestSolveRefusesWhatCannotBeComputed(t *testing.T) {
	pipe, folder := generated(t, "pipe"), t.TempDir()
	part := filepath.Join(folder, "pipe.part.json")
	succeed[partitionResult](t, "partition", pipe, "--spacing", "3mm", "--ranks", "2", "-o", part)
	tests := []struct {
		name      string
		arguments []string
		says      string
	}{
		{"no such case file", []string{"--case", filepath.Join(folder, "none.txt")}, "none.txt"},
		{"partition as case", []string{"--case", part}, "pipe.part.json"},
		{"endless", []string{"--time", "1e30s"}, "steps"},
		{"too many steps", []string{"--steps", "9223372036854775807"}, "steps"},
		{"negative steps", []string{"--steps", "-1"}, "steps"},
		{"steps and time", []string{"--steps", "2", "--time", "1s"}, "either"},
		{"no time", []string{"--time-step", "1e-300s", "--steps", "2"}, "time step"},
		{"absurd flow", []string{"--flow", "1e300L/min", "--steps", "2"}, "flow"},
		{"absurd viscosity", []string{"--viscosity", "1e300m2/s", "--steps", "2"}, "viscosity"},
		{"cumulant without its links", []string{"--collision", "cumulant", "--steps", "2"}, "26"},
	}
	for _, test := range tests {
		status, stdout, stderr := invoke(t, append([]string{"solve", part, "--json"}, test.arguments...)...)
		last := strings.TrimSpace(stderr[strings.LastIndex(strings.TrimSpace(stderr), "\n")+1:])
		if status != exitFailure || stdout != "" || !strings.HasPrefix(last, "carina: ") || !strings.Contains(last, test.says) {
			t.Errorf("%s: status %d, says %q, prints %q; want %q", test.name, status, stderr, stdout, test.says)
		}
	}
}

func TestInputIsNotOverwritten(t *testing.T) {
	pipe := generated(t, "pipe")
	before, err := os.ReadFile(pipe)
	if err != nil {
		t.Fatal(err)
	}
	for _, arguments := range [][]string{
		{"voxelize", pipe, "--spacing", "3mm", "-o", pipe},
		{"partition", pipe, "--spacing", "3mm", "--ranks", "2", "-o", pipe},
		{"view", pipe, "-o", pipe},
	} {
		if status, _, stderr := invoke(t, arguments...); status != exitFailure || !strings.Contains(stderr, "overwritten") {
			t.Errorf("carina %v: status %d, says %q", arguments[0], status, stderr)
		}
	}
	if after, err := os.ReadFile(pipe); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the surface changed: %v", err)
	}
}
