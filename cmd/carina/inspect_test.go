package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"carina/internal/race"
	"carina/partition"
)

func TestInspectTellsKindsApart(t *testing.T) {
	pipe, folder := generated(t, "pipe"), t.TempDir()
	grid, part := filepath.Join(folder, "pipe.grid"), filepath.Join(folder, "pipe.part.json.gz")
	succeed[map[string]any](t, "voxelize", pipe, "--spacing", "2mm", "-o", grid)
	succeed[partitionResult](t, "partition", grid, "--ranks", "3", "-o", part)
	graph := filepath.Join(folder, "path")
	if err := os.WriteFile(graph, []byte("% a path\n3 2\n2\n1 3\n2\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	tests := []struct{ path, field string }{
		{pipe, "triangles"}, {grid, "fluid_cells"}, {part, "work_max_over_mean"}, {graph, "vertices"},
	}
	for _, test := range tests {
		fields := succeed[map[string]any](t, "inspect", test.path)
		if _, ok := fields[test.field]; !ok {
			t.Errorf("inspect %s has no %s: %v", filepath.Base(test.path), test.field, fields)
		}
		if status, words, stderr := invoke(t, "inspect", test.path); status != 0 || words == "" {
			t.Errorf("inspect %s in words: status %d, %s", filepath.Base(test.path), status, stderr)
		}
	}
	if _, words, _ := invoke(t, "inspect", part); !strings.Contains(words, "sound") {
		t.Errorf("a sound partition is not called so:\n%s", words)
	}
	if err := os.Remove(grid); err != nil {
		t.Fatal(err)
	}
	if status, words, stderr := invoke(t, "inspect", part); status != exitFailure || !strings.Contains(words, "cannot be solved") || !strings.Contains(stderr, "cannot be solved") {
		t.Errorf("a partition without its grid is not complained of: status %d, says %q\n%s", status, stderr, words)
	}
}

func TestInspectDescribesGraphs(t *testing.T) {
	path := filepath.Join(t.TempDir(), "star.graph")
	// A star of four with weights of the vertices, and a fifth vertex alone.
	if err := os.WriteFile(path, []byte("5 3 10\n7 2 3 4\n2 1\n9 1\n2 1\n1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	want := graphDescription{Vertices: 5, Edges: 3, VertexWeight: 21, HeaviestVertex: 9, LargestDegree: 3, MeanDegree: 1.2, IsolatedVertices: 1}
	if got := succeed[graphDescription](t, "inspect", path); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestInspectFailsWhereNothingCanBeSolved(t *testing.T) {
	cavity := generated(t, "cavity", "--length", "20mm")
	lines := [][]string{{"inspect", cavity}, {"inspect", cavity, "--json"}}
	for _, arguments := range race.Few(lines[:1], lines) {
		status, stdout, stderr := invoke(t, arguments...)
		if status != exitFailure || !strings.Contains(stderr, "cannot be solved as it is") || strings.Count(stderr, "\n") != 1 || !strings.Contains(stdout, "openings") {
			t.Errorf("%v: status %d, says %q, prints\n%s", arguments[2:], status, stderr, stdout)
		}
	}
	if status, stdout, stderr := invoke(t, "inspect", generated(t, "pipe")); status != 0 || strings.Contains(stdout+stderr, "cannot") {
		t.Errorf("a pipe: status %d, says %q", status, stderr)
	}
}

func TestExportedGraphIsReadBack(t *testing.T) {
	pipe, folder := generated(t, "pipe"), t.TempDir()
	part := filepath.Join(folder, "pipe.part.json")
	p := succeed[partitionResult](t, "partition", pipe, "--spacing", "2mm", "--ranks", "3", "--decompose", "shrink", "-o", part)
	files := succeed[map[string][]string](t, "export", part, "--to", "metis")["files"]
	graph, err := readGraph(files[0])
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(files[1])
	if err != nil {
		t.Fatal(err)
	}
	var parts []int32
	for _, line := range strings.Fields(string(text)) {
		parts = append(parts, int32(line[0]-'0'))
	}
	if graph.Vertices() != p.Cuboids || len(parts) != p.Cuboids {
		t.Fatalf("%d vertices and %d parts for %d cuboids", graph.Vertices(), len(parts), p.Cuboids)
	}
	// What crosses a cut is sent both ways.
	if cut := partition.EdgeCutOf(graph, parts); cut != p.BytesTotal {
		t.Errorf("the exported graph's cut is %d, the partition sends %d bytes", cut, p.BytesTotal)
	}
	for _, format := range []string{"openlb", "vtk"} {
		for _, file := range succeed[map[string][]string](t, "export", part, "--to", format)["files"] {
			if info, err := os.Stat(file); err != nil || info.Size() == 0 {
				t.Errorf("%s: %v", file, err)
			}
		}
	}
}

func TestGraphWritesItsParts(t *testing.T) {
	folder := t.TempDir()
	graph, parts := filepath.Join(folder, "ring.graph"), filepath.Join(folder, "ring.part")
	if err := os.WriteFile(graph, []byte("4 4\n2 4\n1 3\n2 4\n1 3\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	r := succeed[graphResult](t, "graph", graph, "2", "-o", parts)
	if r.Cut != 2 || !r.Feasible || r.Parts != 2 || r.Vertices != 4 || r.Edges != 4 {
		t.Errorf("a ring of four in two: %+v", r)
	}
	text, err := os.ReadFile(parts)
	if err != nil || strings.Count(string(text), "\n") != 4 || strings.Count(string(text), "1") != 2 {
		t.Errorf("the part file holds %q, %v", text, err)
	}
}

func TestDoctor(t *testing.T) {
	d := succeed[doctorResult](t, "doctor")
	if d.Cores < 1 || d.BandwidthBytesPerSecond < 1e6 {
		t.Errorf("%+v", d)
	}
}
