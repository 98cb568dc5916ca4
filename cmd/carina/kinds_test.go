package main

import (
	"os"
	"strings"
	"testing"
)

// A command that is given a file of another of our own kinds says in one line what
// it is, what takes it, and what to give instead.
func TestFilesOfOtherKindsAreNamed(t *testing.T) {
	pipe := generated(t, "pipe")
	t.Chdir(t.TempDir())
	for _, arguments := range [][]string{
		{"voxelize", pipe, "--unit", "mm", "--spacing", "6mm", "-o", "a.grid"},
		{"partition", "a.grid", "--ranks", "2", "-o", "a.part.json"},
	} {
		if status, _, stderr := invoke(t, arguments...); status != 0 {
			t.Fatal(stderr)
		}
	}
	sound, err := os.ReadFile(pipe)
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string]string{
		"binary.stl": string(sound), "text.stl": "solid a\nendsolid a\n", "a.graph": "2 1\n2\n1\n", "comment": "% vertices and edges\n2 1\n2\n1\n",
		"a.yaml": "unit: mm\nsurface: a.stl\n", "a.share": "carina share 1\n...", "a.state": "carina state\n...", "checkpoint": "carina checkpoint\n{}",
	} {
		if err := os.WriteFile(name, []byte(data), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	files := map[string]struct{ kind, takes string }{
		"binary.stl": {"a surface", "carina run,"}, "text.stl": {"a surface", "carina run,"},
		"a.grid": {"a grid file", "carina run,"}, "a.part.json": {"a partition file", "carina solve,"},
		"a.graph": {"a METIS graph", "carina graph"}, "comment": {"a METIS graph", "carina graph"},
		"a.yaml": {"a case file", "carina run,"}, "a.share": {"one rank's share of a grid", "carina solve"},
		"a.state": {"the state of a run", "--restart"}, "checkpoint": {"the state of a run", "--restart"},
	}
	for _, command := range []struct {
		arguments []string // FILE stands for the file
		takes     string   // these kinds
	}{
		{[]string{"graph", "FILE", "2"}, "a METIS graph"},
		{[]string{"graph", "a.graph", "2", "--from", "FILE"}, ""},
		{[]string{"graph", "a.graph", "2", "--fixed", "FILE"}, ""},
		{[]string{"solve", "FILE", "--steps", "1"}, "a partition file"},
		{[]string{"export", "FILE", "--to", "metis"}, "a partition file"},
		{[]string{"inspect", "FILE"}, "a surface, a grid file, a partition file, a METIS graph"},
		{[]string{"view", "FILE", "-o", "page.html"}, "a surface, a grid file, a partition file"},
		{[]string{"run", "FILE", "--steps", "1"}, "a surface, a grid file, a case file"},
		{[]string{"voxelize", "FILE", "--spacing", "6mm", "-o", "b.grid"}, "a surface, a grid file, a case file"},
		{[]string{"partition", "FILE", "--spacing", "6mm", "--ranks", "2", "-o", "b.part.json"}, "a surface, a grid file, a case file"},
	} {
		for file, is := range files {
			if strings.Contains(command.takes, is.kind) {
				continue
			}
			arguments := strings.Split(strings.ReplaceAll(strings.Join(command.arguments, "\n"), "FILE", file), "\n")
			status, _, stderr := invoke(t, arguments...)
			if status != exitFailure || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, file+" is "+is.kind+", which ") ||
				!strings.Contains(stderr, is.takes) || !strings.Contains(stderr, ": give a") {
				t.Errorf("carina %v: status %d, says %q", arguments, status, stderr)
			}
		}
	}
	// What is JSON and no partition is not called one.
	if err := os.WriteFile("summary.json", []byte(`{"steps": 3}`), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, _, stderr := invoke(t, "graph", "summary.json", "2"); strings.Contains(stderr, "is a partition") {
		t.Errorf("says %q", stderr)
	}
}
