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
	"syscall"
	"testing"
	"time"

	"carina/internal/race"
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

// skipAddressesOfRace skips a test that limits the address space under the race detector,
// which takes terabytes of it.
func skipAddressesOfRace(t *testing.T) {
	t.Helper()
	if race.Enabled {
		t.Skip("the race detector takes more addresses than are left here")
	}
}

// Where the address space is limited, running out of it is foreseen: a sentence
// and status 1, no dump.
func TestMemoryThatIsLimited(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("limits of memory are read on Linux")
	}
	skipAddressesOfRace(t)
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

// Where the address space is too small for the program itself, a sentence says so,
// and where it is a little larger, the program works or says what is too large.
func TestAddressSpaceThatIsLimited(t *testing.T) {
	if runtime.GOOS != "linux" || !limitsAddressSpace {
		t.Skip("built without C, in which alone this can be checked before Go begins")
	}
	skipAddressesOfRace(t)
	pipe := generated(t, "pipe")
	for _, megabytes := range []int{100, 200, 400, 600, 800, 1000, 1200, 1400} {
		for _, arguments := range [][]string{{"inspect", pipe}, {"run", pipe, "--spacing", "3mm"}, {"doctor"}, {"--help"}, {}} {
			p := start(t, fmt.Sprintf("ulimit -v %d", megabytes*1000), arguments...)
			status := p.status(t)
			if said := p.stderr.String(); status != exitFailure || !strings.Contains(said, "the address space is limited to") || strings.Count(said, "\n") != 1 || p.stdout.Len() > 0 {
				t.Errorf("%d MB, %v: status %d, says %.300q", megabytes, arguments, status, said)
			}
		}
	}
	for _, megabytes := range []int{1600, 1800} {
		for _, arguments := range [][]string{{"inspect", pipe}, {"doctor"}} {
			p := start(t, fmt.Sprintf("ulimit -v %d", megabytes*1000), arguments...)
			status := p.status(t)
			if said := p.stderr.String(); status != 0 && (status != exitFailure || !strings.Contains(said, "memory") || strings.Count(said, "\n") != 1) {
				t.Errorf("%d MB, %v: status %d, says %.300q", megabytes, arguments, status, said)
			}
		}
	}
}

// Files that were made to fill memory are refused soon.
func TestFilesThatUnpackToMuch(t *testing.T) {
	race.SkipArithmetic(t)
	const facet = "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n"
	many := filepath.Join(t.TempDir(), "many")
	zeros, spaces := strings.Repeat("\x00", 50<<14), strings.Repeat(" ", 50<<14)
	for _, line := range [][]string{
		{"inspect", unpacking(t, "zeros.stl.gz", strings.Repeat("\x00", 84), zeros, 5000)},
		{"inspect", unpacking(t, "solid.stl.gz", "solid a\n", strings.Repeat(facet, 10_000), 5000)},
		{"inspect", unpacking(t, "blank.stl.gz", "solid a\n", strings.Repeat("\n", 50<<14), 5000)},
		{"inspect", unpacking(t, "name.stl.gz", "solid ", strings.Repeat("a", 50<<14), 5000)},
		{"inspect", unpacking(t, "rows.part.json.gz", `{"format":"carina partition","cuboids":[`, strings.Repeat("[0,0,0,1,1,1,0,1,1,0],", 50_000), 5000)},
		{"inspect", unpacking(t, "spaces.part.json.gz", `{"format":"carina partition",`, spaces, 5000)},
		{"solve", unpacking(t, "nested.part.json.gz", `{"format":`, strings.Repeat("[", 50<<14), 5000)},
		{"run", unpacking(t, "zeros.stl.gz", strings.Repeat("\x00", 84), zeros, 5000), "--spacing", "1mm", "--out", many},
		{"voxelize", unpacking(t, "zeros.gz", strings.Repeat("\x00", 84), zeros, 5000), "--spacing", "1mm", "-o", many},
		{"view", unpacking(t, "zeros.stl.gz", strings.Repeat("\x00", 84), zeros, 5000), "-o", many},
	} {
		status, _, said := invoke(t, line...)
		if status != exitFailure || !strings.Contains(said, "unpacks to more than 200 times its size") || strings.Count(said, "\n") != 1 {
			t.Errorf("%v: status %d, says %.300q", line, status, said)
		}
	}
}

// Pipes and devices are no input: they may never end, or never begin.
func TestPipesAndDevicesAreNoInput(t *testing.T) {
	folder := t.TempDir()
	fifo := filepath.Join(folder, "fifo.stl")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Skip(err)
	}
	pipe, out := generated(t, "pipe"), filepath.Join(folder, "out")
	graph := written(t, "four.graph", "4 3\n2\n1 3\n2 4\n3\n")
	yaml := filepath.Join(folder, "case.yaml")
	if err := syscall.Mkfifo(yaml, 0o600); err != nil {
		t.Fatal(err)
	}
	part := partitioned(t, "--ranks", "2")
	for _, line := range [][]string{
		{"inspect", fifo}, {"inspect", "/dev/zero"}, {"run", fifo, "--spacing", "1mm", "--out", out}, {"run", yaml, "--out", out}, {"run", "/dev/null", "--spacing", "1mm", "--out", out},
		{"voxelize", fifo, "--spacing", "1mm", "-o", out}, {"partition", fifo, "--ranks", "2", "-o", out}, {"solve", fifo}, {"solve", part, "--case", yaml},
		{"solve", part, "--waveform", fifo, "--steps", "2"}, {"solve", part, "--waveform", "periodic:/dev/zero", "--steps", "2"}, {"export", fifo, "--to", "metis"}, {"view", fifo, "-o", out},
		{"graph", fifo, "2"}, {"graph", graph, "2", "--fixed", fifo}, {"graph", graph, "2", "--from", fifo}, {"graph", graph, "2", "--targets", fifo},
		{"partition", pipe, "--spacing", "3mm", "--ranks", "2", "--machine", fifo, "-o", out},
	} {
		done := make(chan struct{})
		go func() {
			defer close(done)
			if status, _, said := invoke(t, line...); status != exitFailure || strings.Count(withoutNotes(said), "\n") != 1 || !strings.Contains(said, "pipe or a device") && !strings.Contains(said, "targets") {
				t.Errorf("%v: status %d, says %q", line, status, said)
			}
		}()
		select {
		case <-done:
		case <-time.After(patience):
			t.Fatalf("%v hangs", line)
		}
	}
}

// Limits of open files and of their size are told with what to do, in the name of the file
// that was to be written.
func TestFilesThatAreLimited(t *testing.T) {
	folder := t.TempDir()
	surface := filepath.Join(folder, "pipe.stl")
	for _, test := range []struct {
		limit, says string
		arguments   []string
	}{
		{"ulimit -n 5", "only 5 files may be open at once", []string{"thermal", "sod", "--steps", "2", "--out", filepath.Join(folder, "out")}},
		{"ulimit -n 16", "raise the limit, for instance with ulimit -n 1024", []string{"generate", "pipe", "-o", surface}},
		{"ulimit -f 8", "writing " + surface + ": it would be larger than files may be", []string{"generate", "pipe", "-o", surface}},
	} {
		p := start(t, test.limit, test.arguments...)
		status := p.status(t)
		if said := p.stderr.String(); status != exitFailure || !strings.Contains(said, test.says) || strings.Count(said, "\n") != 1 {
			t.Errorf("%s: status %d, says %q", test.limit, status, said)
		}
		if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
			t.Errorf("%s: left %v, %v", test.limit, left, err)
		}
	}
}
