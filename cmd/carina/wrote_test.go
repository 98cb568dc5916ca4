package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Whatever a command writes, it says so, and by the name that was given.
func TestCommandsSayWhatTheyWrote(t *testing.T) {
	pipe, part := generated(t, "pipe"), partitioned(t, "--ranks", "2")
	ring := written(t, "ring.graph", ringOfEight)
	for _, line := range [][]string{
		{"generate", "cavity", "-o", "cavity.stl"},
		{"inspect", pipe, "--picture", "pipe.png"},
		{"voxelize", pipe, "--spacing", "3mm", "-o", "pipe.grid"},
		{"partition", pipe, "--spacing", "3mm", "--ranks", "2", "-o", "pipe.part.json"},
		{"view", pipe, "-o", "pipe.html"},
		{"export", part, "--to", "metis", "-o", "pipe"},
		{"export", part, "--to", "openlb", "-o", "pipe"},
		{"export", part, "--to", "vtk", "-o", "pipe"},
		{"graph", ring, "2", "-o", "ring.part"},
		{"solve", part, "--steps", "2", "--out", "."},
		{"bench", "partition", "--graphs", filepath.Dir(ring), "--seeds", "1", "--quick", "--parts", "2", "--tools", "fast", "--out", "."},
		{"bench", "validate", "--cases", "duct", "--quick", "--out", "."},
	} {
		t.Chdir(t.TempDir())
		status, words, stderr := invoke(t, line...)
		if status != 0 {
			t.Fatalf("%v: %s", line, stderr)
		}
		var said strings.Builder
		for line := range strings.Lines(words) {
			if strings.HasPrefix(line, "wrote ") {
				said.WriteString(line)
			}
		}
		// The pieces of flow.pvtu are of no use alone.
		files, err := filepath.Glob("[^.]*")
		files = slices.DeleteFunc(files, func(name string) bool { return strings.HasPrefix(name, "flow_") })
		if err != nil || len(files) == 0 {
			t.Fatalf("%v wrote %q, %v", line, files, err)
		}
		for _, name := range files {
			if !strings.Contains(said.String(), name) {
				t.Errorf("%v wrote %s and says %q", line, name, &said)
			}
		}
	}
}

// The grid is said to be written where it was made, not where it was given.
func TestPartitionSaysWhatItWrote(t *testing.T) {
	pipe, folder := generated(t, "pipe"), t.TempDir()
	in := func(name string) string { return filepath.Join(folder, name) }
	of := func(arguments ...string) string {
		t.Helper()
		status, words, stderr := invoke(t, append([]string{"partition"}, arguments...)...)
		if status != 0 {
			t.Fatal(stderr)
		}
		lines := strings.Split(strings.TrimSpace(words), "\n")
		return lines[len(lines)-1]
	}
	made := of(pipe, "--spacing", "3mm", "--ranks", "2", "-o", in("a.part.json"))
	_, grid, beside := strings.Cut(made, "beside it, the grid ")
	if !beside || !strings.HasPrefix(made, "wrote "+in("a.part.json")) {
		t.Fatalf("of a surface it says %q", made)
	}
	before, err := os.Stat(in(grid))
	if err != nil {
		t.Fatal(err)
	}
	output := in("b.part.json")
	if said, want := of(in(grid), "--ranks", "3", "-o", output), "wrote "+output+", which belongs to the grid "+in(grid); said != want {
		t.Errorf("of a grid it says %q, want %q", said, want)
	}
	elsewhere := t.TempDir()
	output = filepath.Join(elsewhere, "c.part.json")
	if said, want := of(in(grid), "--ranks", "3", "-o", output), "wrote "+output+" and, beside it, the grid "; !strings.HasPrefix(said, want) {
		t.Errorf("of a grid elsewhere it says %q, want %q", said, want)
	} else if _, err := os.Stat(filepath.Join(elsewhere, strings.TrimPrefix(said, want))); err != nil {
		t.Error(err)
	}
	if after, err := os.Stat(in(grid)); err != nil || !after.ModTime().Equal(before.ModTime()) || after.Size() != before.Size() {
		t.Errorf("the grid was written anew: %v, %v", after, err)
	}
}
