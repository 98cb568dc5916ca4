package main

import (
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What a new user mistypes or misplaces gets one line that says what to do, and
// leaves nothing behind.
func TestMistakesAreAnsweredWithAdvice(t *testing.T) {
	pipe, fork, folder := generated(t, "pipe"), generated(t, "airway"), t.TempDir()
	t.Chdir(folder)
	sound, err := os.ReadFile(pipe)
	if err != nil {
		t.Fatal(err)
	}
	nan := append([]byte(nil), sound...)
	binary.LittleEndian.PutUint32(nan[84+12:], math.Float32bits(float32(math.NaN())))
	for name, data := range map[string][]byte{"nan.stl": nan, "half.stl": sound[:len(sound)/2], "short.stl": sound[:40], "empty.stl": nil,
		"open.stl": []byte("solid a\nfacet normal 0 0 1\n"), "none.stl": []byte("solid a\nendsolid a\n"), "text.stl": []byte(strings.Repeat("Take the surface of an airway.\n", 9)),
		"typo.yaml": []byte("surface: nan.stl\nspacng: 1mm\n")} {
		if err := os.WriteFile(name, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	const again, missing = "export the surface again from the program that made it", "there is no such file or folder: check its name"
	grid := []string{"--unit", "mm", "--spacing", "3mm"}
	tests := []struct {
		arguments []string
		status    int
		says      string
	}{
		{[]string{"inspect", "far.stl"}, exitFailure, "far.stl: " + missing},
		{[]string{"run", "far.stl", "--spacing", "1mm"}, exitFailure, "far.stl: " + missing},
		{[]string{"run", "far.yaml"}, exitFailure, "far.yaml: " + missing},
		{[]string{"solve", "far.part.json"}, exitFailure, "far.part.json: " + missing},
		{[]string{"graph", "far.graph", "2"}, exitFailure, "far.graph: " + missing},
		{[]string{"inspect", "."}, exitFailure, "it is a folder: name a file"},
		{[]string{"inspect", "nan.stl/a.stl"}, exitFailure, "a part of this path is a file"},
		{[]string{"inspect", "nan.stl"}, exitFailure, "finite number: " + again},
		{[]string{"inspect", "half.stl"}, exitFailure, "truncated or not STL: its header promises 1248 triangles and 623 are there: " + again},
		{[]string{"inspect", "short.stl"}, exitFailure, "too few for an STL file: " + again},
		{[]string{"inspect", "empty.stl"}, exitFailure, "the file is empty: " + again},
		{[]string{"inspect", "open.stl"}, exitFailure, "no endsolid: " + again},
		{[]string{"inspect", "none.stl"}, exitFailure, "no triangles: " + again},
		{[]string{"inspect", "text.stl"}, exitFailure, "this is a text that does not begin as STL, OBJ, PLY or VTP does: name the file of the surface"},
		{append([]string{"partition", pipe, "-o", "a.part.json"}, grid...), exitUsage, "say how many ranks share the work, such as --ranks 4"},
		{append([]string{"partition", pipe, "-o", "a.part.json", "--ranks", "0"}, grid...), exitFailure, "0 ranks cannot share the work"},
		{[]string{"inspect", pipe, "--picture", "a.b.jpg"}, exitUsage, "a picture is written in the format PNG: give it a name such as a.b.png"},
		{append([]string{"run", pipe, "--collision", "magic"}, grid...), exitFailure, `there is no collision "magic"; choose one of auto, trt, bgk, regularized, recursive or cumulant`},
		{append([]string{"voxelize", fork, "-o", "a.grid"}, "--unit", "mm", "--spacing", "30mm"), exitFailure, "the lumen has no room for a cell of 30 mm: choose a smaller spacing"},
		{append([]string{"run", "far.stl", "--flow", "0L/min"}, grid...), exitFailure, "without a flow the program cannot tell how long to compute: give --time or --steps"},
		{[]string{"export", "a.part.json"}, exitUsage, "say --to metis, openlb or vtk"},
		{[]string{"export", "a.part.json", "--to", "foam"}, exitUsage, `there is no format "foam" to export: say --to metis, openlb or vtk`},
		{append([]string{"voxelize", pipe, "-o", "a.grid"}, "--unit", "mm", "--spacing", "999mm"), exitFailure, "the lumen has room for only 1 cell of 999 mm: choose a smaller spacing"},
		{[]string{"generate", "pipe", "-o", "a.obj"}, exitUsage, "a surface is written as STL: give it a name such as a.stl"},
		{[]string{"generate", "pipe", "-o", "a.stl.gz"}, exitUsage, "give it a name such as a.stl"},
		{append([]string{"voxelize", pipe, "-o", "a.part.json"}, grid...), exitUsage, "a grid is written as a grid file: give it a name such as a.part.grid"},
		{append([]string{"partition", pipe, "--ranks", "2", "-o", "a.grid"}, grid...), exitUsage, "a partition is written as JSON: give it a name such as a.part.json"},
		{[]string{"view", pipe, "-o", "a.png"}, exitUsage, "a page is written as HTML: give it a name such as a.html"},
		{[]string{"generate", "airway", "--seed", "3", "-o", "a.stl"}, exitUsage, "--seed is for --rule kitaoka"},
		{[]string{"generate", "airway", "--generations", "0", "-o", "a.stl"}, exitFailure, "--generations 0 cannot be meant"},
		{[]string{"generate", "pipe", "--diameter", "1e-300m", "-o", "a.stl"}, exitFailure, "1e-300 × 1e-300 × 5e-300 m, which cannot be meant"},
		{[]string{"generate", "pipe", "--diameter", "1e30m", "-o", "a.stl"}, exitFailure, "which cannot be meant"},
		{[]string{"graph", "none.graph", "99999999999"}, exitFailure, "ask for 1 to 2147483647"},
		{append([]string{"run", pipe, "--refine", "2"}, grid...), exitUsage, "got 2 arguments, write --refine=2 with an equals sign (see carina run --help)"},
		{append([]string{"run", pipe, "--statistics", "2"}, grid...), exitUsage, "got 2 arguments (see carina run --help)"},
		{[]string{"solve", ""}, exitUsage, "an argument is empty: give a value (see carina solve --help)"},
		{[]string{"inspect", ""}, exitUsage, "an argument is empty"},
		{[]string{"graph", "a.graph", ""}, exitUsage, "an argument is empty"},
		{[]string{"completion", "tcsh"}, exitUsage, "carina completion bash, fish, powershell or zsh"},
		{append([]string{"partition", pipe, "--ranks", "2", "-o", "a.part.json", "--min-side", "-1"}, grid...), exitFailure, "cuboids cannot have sides of -1 cells"},
		{append([]string{"partition", pipe, "--ranks", "2", "-o", "a.part.json", "--devices-per-host", "-1"}, grid...), exitFailure, "devices-per-host is -1"},
		{append([]string{"partition", pipe, "--ranks", "2", "-o", "a.part.json", "--speeds", "1,1e300"}, grid...), exitFailure, "give every rank one from 1e-12 to 1e12"},
		{[]string{"run", "typo.yaml"}, exitFailure, "line 2: there is no key spacng: did you mean spacing?"},
		{[]string{"inspct", pipe}, exitUsage, "there is no command inspct: did you mean inspect? (see carina --help)"},
		{[]string{"fly"}, exitUsage, "there is no command fly (see carina --help)"},
		{[]string{"help", "inspct"}, exitUsage, "did you mean inspect?"},
		{[]string{"bench", "sovler"}, exitUsage, "there is no command bench sovler: did you mean solver? (see carina bench --help)"},
		{[]string{"run", pipe, "--spacng", "1mm"}, exitUsage, "carina run has no flag --spacng: did you mean --spacing? (see carina run --help)"},
		{[]string{"run", pipe, "--ranks", "1.5"}, exitUsage, `--ranks takes a whole number, not "1.5" (see carina run --help)`},
		{[]string{"run", pipe, "--ranks", "99999999999999999999"}, exitUsage, "--ranks 99999999999999999999 is out of range: give a whole number that is nearer to 0"},
		{[]string{"run", pipe, "--seed", "-1"}, exitUsage, `--seed takes a whole number of at least 0, not "-1"`},
		{[]string{"bench", "gpu", "--devices", "x"}, exitUsage, `--devices takes whole numbers such as 1,2, not "x"`},
		{[]string{"partition", pipe, "--speeds", "1,x"}, exitUsage, `carina: --speeds: "x" is not a number (see carina partition --help)`},
		{[]string{"run", pipe, "--imbalance", "x"}, exitUsage, `--imbalance takes a number, not "x"`},
		{[]string{"run", pipe, "--improve=maybe"}, exitUsage, `--improve takes true or false, not "maybe"`},
		{[]string{"run", pipe, "--time-limit", "5"}, exitUsage, `--time-limit takes a time such as 30s, not "5"`},
		{[]string{"run", pipe, "--xyzzyx"}, exitUsage, "carina run has no flag --xyzzyx (see carina run --help)"},
		{[]string{"inspect", pipe, "--drop-opening", "99"}, exitFailure, "there is no opening 99 to drop: the surface has 2 openings, which carina inspect lists"},
		{[]string{"inspect", pipe, "--inlet", "99"}, exitFailure, "which carina inspect lists"},
		{append([]string{"run", pipe, "--drop-opening", "1,2"}, grid...), exitFailure, "as 2 openings were dropped, and air needs one of each at least: drop fewer"},
		{[]string{"inspect", pipe, "--drop-opening", "1,2"}, exitFailure, "it has 0 openings, as 2 were dropped, and air needs a way in and one out: drop fewer"},
		{[]string{"inspect", pipe, "--drop-opening", "1"}, exitFailure, "it has 1 opening, as 1 was dropped, and air"},
	}
	for _, test := range tests {
		status, _, stderr := invoke(t, append(test.arguments, "--json")...)
		if said := withoutNotes(stderr); status != test.status || !strings.Contains(said, test.says) || strings.Count(said, "\n") != 1 {
			t.Errorf("carina %v: status %d, says %q; want %q in one line", test.arguments, status, said, test.says)
		}
	}
	if entries, err := os.ReadDir("."); err != nil || len(entries) != 8 {
		t.Errorf("left %v behind", entries)
	}
}

// What cannot be written is told before anything is computed: here before the
// surface, which is damaged, is even read.
func TestUnwritableResultsAreToldFirst(t *testing.T) {
	folder := t.TempDir()
	t.Chdir(folder)
	if err := os.WriteFile("bad.stl", []byte("solid"), 0o644); err != nil {
		t.Fatal(err)
	}
	nowhere := filepath.Join(folder, "none", "a")
	for _, arguments := range [][]string{
		{"inspect", "bad.stl", "--picture", nowhere},
		{"voxelize", "bad.stl", "--spacing", "1mm", "-o", nowhere},
		{"partition", "bad.stl", "--spacing", "1mm", "--ranks", "2", "-o", nowhere},
		{"view", "bad.stl", "-o", nowhere},
		{"generate", "pipe", "-o", nowhere},
		{"run", "bad.stl", "--spacing", "1mm", "--out", filepath.Join("bad.stl", "out")},
		{"run", "bad.stl", "--spacing", "1mm", "--out", "/proc/none/out"},
	} {
		status, _, stderr := invoke(t, arguments...)
		if status != exitFailure || !strings.Contains(stderr, "name another place") && !strings.Contains(stderr, "name a folder for results") || strings.Count(stderr, "\n") != 1 {
			t.Errorf("carina %v: status %d, says %q", arguments, status, stderr)
		}
	}
	if entries, err := os.ReadDir("."); err != nil || len(entries) != 1 {
		t.Errorf("left %v behind", entries)
	}
}
