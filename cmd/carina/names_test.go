package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"carina/internal/race"
	"carina/solver/airflow"
)

// copied copies a file under another name and returns the path.
func copied(t *testing.T, from, name string) string {
	t.Helper()
	data, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	return written(t, name, string(data))
}

// Every step takes files of any name to the same flow.
func TestFileNamesOfAnyBytes(t *testing.T) {
	pipe := generated(t, "pipe")
	want := succeed[*airflow.Summary](t, "solve", partitioned(t, "--ranks", "2"), "--flow", "1L/min", "--steps", "4").StateHash
	names := []string{"a\n\x1b[31mb \xff", "caf\xe9", "r[", `%41 "ö'`}
	for _, name := range race.Few(names[:1], names) {
		surface := copied(t, pipe, name+".stl")
		folder := filepath.Dir(surface)
		grid, part, beside := filepath.Join(folder, name+".grid"), filepath.Join(folder, name+".part.json"), filepath.Join(folder, "2"+name+".part.json.gz")
		succeed[map[string]any](t, "voxelize", surface, "--spacing", "3mm", "-o", grid)
		succeed[partitionResult](t, "partition", grid, "--ranks", "2", "-o", part)
		succeed[partitionResult](t, "partition", surface, "--spacing", "3mm", "--ranks", "2", "-o", beside)
		out := filepath.Join(folder, name+"-out")
		for _, file := range []string{part, beside} {
			if s := succeed[*airflow.Summary](t, "solve", file, "--flow", "1L/min", "--steps", "4"); s.StateHash != want {
				t.Errorf("%q ends in state %s, want %s", file, s.StateHash, want)
			}
			succeed[inspectedPartition](t, "inspect", file)
		}
		if s := succeed[*airflow.Summary](t, "run", surface, "--spacing", "3mm", "--ranks", "2", "--flow", "1L/min", "--steps", "4", "--out", out); s.StateHash != want {
			t.Errorf("run of %q ends in state %s, want %s", surface, s.StateHash, want)
		}
		succeed[map[string]any](t, "view", part, "-o", filepath.Join(folder, name+".html"))
	}
}

func TestLongNamesOfSolidsDoNotSpoilTheGrid(t *testing.T) {
	long := strings.Repeat("very ", 2000) + "long"
	text := asciiBox(long)
	grid := filepath.Join(t.TempDir(), "grid")
	v := succeed[map[string]any](t, "voxelize", written(t, "box.stl", text), "--unit", "mm", "--spacing", "2mm", "-o", grid)
	if notes, _ := v["notes"].([]any); len(notes) == 0 {
		t.Errorf("nothing is said of the long name: %v", v["notes"])
	}
	if openings := fmt.Sprint(succeed[map[string]any](t, "inspect", grid)["openings"]); !strings.Contains(openings, "very very") {
		t.Errorf("no opening has the long name: %s", openings)
	}
}

// asciiBox is a box of 10×10×20 mm with its low end as a solid of the given name
// and its high end as the solid "high".
func asciiBox(low string) string {
	corner := func(i int) string {
		return []string{"0 0 0", "10 0 0", "10 10 0", "0 10 0", "0 0 20", "10 0 20", "10 10 20", "0 10 20"}[i]
	}
	var w strings.Builder
	solid := func(name string, faces ...[3]int) {
		w.WriteString("solid " + name + "\n")
		for _, f := range faces {
			w.WriteString("facet normal 0 0 0\nouter loop\n")
			for _, c := range f {
				w.WriteString("vertex " + corner(c) + "\n")
			}
			w.WriteString("endloop\nendfacet\n")
		}
		w.WriteString("endsolid\n")
	}
	solid("wall", [3]int{0, 1, 5}, [3]int{0, 5, 4}, [3]int{1, 2, 6}, [3]int{1, 6, 5}, [3]int{2, 3, 7}, [3]int{2, 7, 6}, [3]int{3, 0, 4}, [3]int{3, 4, 7})
	solid(low, [3]int{0, 2, 1}, [3]int{0, 3, 2})
	solid("high", [3]int{4, 5, 6}, [3]int{4, 6, 7})
	return w.String()
}

func TestByteOrderMarksAreSkipped(t *testing.T) {
	const mark = "\ufeff"
	read := func(path string) string {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	part := partitioned(t, "--ranks", "2")
	marked := filepath.Join(filepath.Dir(part), "marked.part.json")
	if err := os.WriteFile(marked, []byte(mark+read(part)), 0o644); err != nil {
		t.Fatal(err)
	}
	waveform := written(t, "waveform.csv", mark+"0,1\n1,1\n")
	for _, arguments := range [][]string{
		{"inspect", marked},
		{"solve", marked, "--steps", "2", "--waveform", waveform},
		{"run", written(t, "case.yaml", mark+read(caseFile(t, "steps: 2"))), "--out", filepath.Join(t.TempDir(), "out")},
		{"inspect", written(t, "box.stl", mark+asciiBox("low"))},
		{"inspect", written(t, "ring", mark+"4 4\n2 4\n1 3\n2 4\n1 3\n")},
		{"graph", written(t, "ring.graph", mark+"4 4\n2 4\n1 3\n2 4\n1 3\n"), "2", "--from", written(t, "old.part", mark+"0\n0\n1\n1\n"), "--targets", written(t, "targets", mark+"1 1\n")},
	} {
		if arguments[0] == "run" {
			surface := filepath.Join(filepath.Dir(arguments[1]), "pipe.stl")
			if err := os.WriteFile(surface, []byte(read(generated(t, "pipe"))), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if status, stdout, stderr := invoke(t, arguments...); status != 0 || stdout == "" {
			t.Errorf("carina %v: status %d, says %q", arguments, status, stderr)
		}
	}
}
