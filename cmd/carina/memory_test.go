package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

// unpacking writes a gzip file of a beginning and very many times a piece.
func unpacking(t *testing.T, name, begin, piece string, times int) string {
	t.Helper()
	member := func(text string) []byte {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		if _, err := z.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	path := filepath.Join(t.TempDir(), name)
	data := append(member(begin), bytes.Repeat(member(piece), times)...)
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// meshGraph is a METIS file of n³ vertices with up to six neighbours.
func meshGraph(n int) []byte {
	text := fmt.Appendf(nil, "%d %d\n", n*n*n, 3*n*n*(n-1))
	for v := range n * n * n {
		for at, step := v, 1; step < n*n*n; at, step = at/n, step*n {
			if at%n > 0 {
				text = append(strconv.AppendInt(text, int64(v-step+1), 10), ' ')
			}
			if at%n < n-1 {
				text = append(strconv.AppendInt(text, int64(v+step+1), 10), ' ')
			}
		}
		text = append(text, '\n')
	}
	return text
}

// Where the address space is limited, running out of it is foreseen: a sentence
// and status 1, no dump.
func TestMemoryThatIsLimited(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("limits of memory are read on Linux")
	}
	const facet = "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n"
	graph := filepath.Join(t.TempDir(), "long.graph")
	if err := os.WriteFile(graph, append([]byte("2000000000 1\n"), bytes.Repeat([]byte("\n"), 20_000_000)...), 0o644); err != nil {
		t.Fatal(err)
	}
	mesh := filepath.Join(t.TempDir(), "mesh.graph")
	if err := os.WriteFile(mesh, meshGraph(90), 0o644); err != nil {
		t.Fatal(err)
	}
	many := filepath.Join(t.TempDir(), "many.part.json")
	succeed[partitionResult](t, "partition", generated(t, "pipe"), "--spacing", "2mm", "--ranks", "600", "--decompose", "octree", "--balance", "lpt", "-o", many)
	for _, arguments := range [][]string{
		{"inspect", unpacking(t, "zeros.stl.gz", strings.Repeat("\x00", 84), strings.Repeat("\x00", 50<<14), 5000)},
		{"inspect", unpacking(t, "solid.stl.gz", "solid a\n", strings.Repeat(facet, 10_000), 5000)},
		{"inspect", unpacking(t, "rows.part.json.gz", `{"format":"carina partition","cuboids":[`, strings.Repeat("[0,0,0,1,1,1,0,1,1,0],", 50_000), 5000)},
		{"inspect", graph},
		{"graph", mesh, "16"},
		{"solve", many, "--steps", "2"},
	} {
		// Of these the program itself takes some 1,400,000, with one arena for all
		// threads of C.
		p := start(t, "export MALLOC_ARENA_MAX=1; ulimit -v 1650000", arguments...)
		status := p.status(t)
		if said := withoutNotes(p.stderr.String()); status != exitFailure || !strings.Contains(said, "memory") || strings.Count(said, "\n") != 1 {
			t.Errorf("%v: status %d, says %.300q", arguments, status, said)
		}
	}
}
