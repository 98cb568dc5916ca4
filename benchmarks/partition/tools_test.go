package partitionbench

import (
	"bufio"
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"carina/partition"
	"carina/partition/graph"

	"golang.org/x/sys/unix"
)

// path is a path of three vertices.
func path() *graph.Graph {
	return &graph.Graph{Offsets: []int64{0, 1, 3, 4}, Neighbours: []int32{1, 0, 2, 1}}
}

// Graphs for Scotch are written as its user's guide has them.
func TestScotchFormat(t *testing.T) {
	edges, vertices := []int64{7, 7, 9, 9}, []int64{4, 5, 6}
	for _, c := range []struct {
		edges, vertices []int64
		want            string
	}{
		{nil, nil, "0\n3 4\n0 000\n1 1\n2 0 2\n1 1\n"},
		{nil, vertices, "0\n3 4\n0 001\n4 1 1\n5 2 0 2\n6 1 1\n"},
		{edges, nil, "0\n3 4\n0 010\n1 7 1\n2 7 0 9 2\n1 9 1\n"},
		{edges, vertices, "0\n3 4\n0 011\n4 1 7 1\n5 2 7 0 9 2\n6 1 9 1\n"},
	} {
		g := path()
		g.EdgeWeights, g.VertexWeights = c.edges, c.vertices
		var text strings.Builder
		w := bufio.NewWriter(&text)
		if err := writeScotch(w, g); err != nil {
			t.Fatal(err)
		}
		if w.Flush(); text.String() != c.want {
			t.Errorf("wrote %q, want %q", text.String(), c.want)
		}
	}
}

// A mapping names the part of every vertex, in any order.
func TestScotchMappings(t *testing.T) {
	file := filepath.Join(t.TempDir(), "mapping")
	for text, want := range map[string][]int32{
		"3\n0 1\n2 0\n1 1\n":  {1, 1, 0},
		"2\n0 1\n1 0\n":       nil,
		"3\n0 1\n1 0\n":       nil,
		"3\n0 1\n1 0\n3 0\n":  nil,
		"3\n0 1\n1 0\n-1 0\n": nil,
		"3\n0 1\n1 0\n2 2\n":  nil,
		"3\n0 1\n1 0\n2 -1\n": nil,
	} {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		got, err := readScotchMapping(file, 3, 2)
		if !slices.Equal(got, want) || (err == nil) != (want != nil) {
			t.Errorf("%q: parts %v, error %v; want %v", text, got, err, want)
		}
	}
}

// program writes a shell script that notes its arguments in a file beside it,
// and then runs the given commands.
func program(t *testing.T, name, commands string) (path, arguments string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), name)
	arguments = path + ".arguments"
	if err := os.WriteFile(path, []byte("#!/bin/sh\necho \"$@\" > "+arguments+"\n"+commands), 0o755); err != nil {
		t.Fatal(err)
	}
	return path, arguments
}

// Other programs are given the tolerance in their own units, and a seed.
func TestArgumentsOfOtherPrograms(t *testing.T) {
	work := t.TempDir()
	metisProgram, metisArguments := program(t, "gpmetis", "printf '1\\n0\\n1\\n' > "+work+"/metis.graph.part.2\n")
	scotchProgram, scotchArguments := program(t, "scotch_gpart", "printf '3\\n0 1\\n1 0\\n2 1\\n' > \"$3\"\n")
	for _, c := range []struct {
		run             func(context.Context, *graph.Graph, int, float64, uint64) ([]int32, error)
		file, arguments string
	}{
		{gpmetis{path: metisProgram, work: work}.run, metisArguments, "-ufactor=30 -seed=6 " + work + "/metis.graph 2\n"},
		{gpmetis{metisProgram, work, true}.run, metisArguments, "-contig -ufactor=30 -seed=6 " + work + "/metis.graph 2\n"},
		{scotch{scotchProgram, work}.run, scotchArguments, "2 " + work + "/scotch.grf " + work + "/scotch.map -b0.03\n"},
	} {
		parts, err := c.run(context.Background(), path(), 2, 0.03, 5)
		if err != nil || !slices.Equal(parts, []int32{1, 0, 1}) {
			t.Errorf("parts %v, error %v", parts, err)
		}
		if text, err := os.ReadFile(c.file); string(text) != c.arguments {
			t.Errorf("arguments %q, want %q (%v)", text, c.arguments, err)
		}
	}
}

// A program that fails is named with the end of what it said.
func TestFailuresOfOtherPrograms(t *testing.T) {
	path, _ := program(t, "gpmetis", "echo "+strings.Repeat("x", 500)+" no memory; exit 3\n")
	err := runProgram(context.Background(), path)
	if err == nil || !strings.HasPrefix(err.Error(), "gpmetis: exit status 3: xx") || !strings.HasSuffix(err.Error(), "x no memory") || len(err.Error()) > 230 {
		t.Errorf("error %v", err)
	}
}

// A row has the means over all seeds, the least cut and the worst imbalance.
func TestMeasureSumsUpSeeds(t *testing.T) {
	g := path()
	g.Neighbours, g.Offsets = append(g.Neighbours[:3], 1, 3, 2), []int64{0, 1, 3, 5, 6} // four vertices
	runs := [][]int32{{0, 0, 0, 1}, {0, 1, 0, 1}, {0, 0, 1, 1}, {0, 0, 0, 0}}
	tool := tool{"fixed", allSeeds, func(_ context.Context, _ *graph.Graph, _ int, _ float64, seed uint64) ([]int32, error) {
		return runs[seed], nil
	}}
	for seeds, want := range map[int]Row{
		1: {Runs: 1, MeanCut: 1, BestCut: 1, WorstImbalance: 0.5},
		2: {Runs: 2, MeanCut: 2, BestCut: 1, WorstImbalance: 0.5},
		3: {Runs: 3, MeanCut: 5. / 3, BestCut: 1, WorstImbalance: 0.5},
		4: {Runs: 4, MeanCut: 5. / 4, BestCut: 0, WorstImbalance: 1, Infeasible: 1, EmptyParts: 1},
	} {
		row, err := measure(context.Background(), tool, "path", g, 2, &Options{Seeds: seeds, Imbalance: 0.03})
		if err != nil {
			t.Fatal(err)
		}
		want.Graph, want.Parts, want.Tool = "path", 2, "fixed"
		row.MeanSeconds, row.MeanCPUSeconds = 0, 0
		if row != want {
			t.Errorf("%d seeds: %+v, want %+v", seeds, row, want)
		}
	}
}

// The time of the processor is the system's clock of it.
func TestProcessorSecondsAreTheSystems(t *testing.T) {
	clock := func() float64 {
		var now unix.Timespec
		if err := unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &now); err != nil {
			t.Skip(err)
		}
		return time.Duration(now.Nano()).Seconds()
	}
	zeros, err := os.Open("/dev/zero")
	if err != nil {
		t.Skip(err)
	}
	defer zeros.Close()
	buffer := make([]byte, 1<<20)
	ours, system := processorSeconds(), clock()
	for clock() < system+0.2 { // in the system, mostly
		if _, err := zeros.Read(buffer); err != nil {
			t.Fatal(err)
		}
	}
	if ours, system = processorSeconds()-ours, clock()-system; math.Abs(ours-system) > 0.05 {
		t.Errorf("%.3f s of the processor, the system says %.3f", ours, system)
	}
}

// gpmetis is told to have done wrong where parts are in pieces or too heavy.
func TestUnsoundPartsOfGpmetis(t *testing.T) {
	ring := &graph.Graph{Offsets: []int64{0, 2, 4, 6, 8}, Neighbours: []int32{1, 3, 0, 2, 1, 3, 0, 2}}
	for parts, want := range map[string]FeatureRow{
		"0 0 1 1": {Metis: 2},
		"0 1 0 1": {Metis: 4, MetisUnsound: 1},
		"0 0 0 0": {Metis: 0, MetisUnsound: 1},
	} {
		work := t.TempDir()
		path, _ := program(t, "gpmetis", "for p in "+parts+"; do echo $p; done > "+work+"/metis.graph.part.2\n")
		t.Setenv("PATH", filepath.Dir(path)+":"+os.Getenv("PATH"))
		row := FeatureRow{Parts: 2}
		c := comparison{g: ring, options: partition.Options{Parts: 2, Imbalance: 0.03}, seeds: 1, work: work}
		if err := c.metis(context.Background(), &row); err != nil {
			t.Fatal(err)
		}
		if want.Parts = 2; row != want {
			t.Errorf("parts %s: %+v, want %+v", parts, row, want)
		}
	}
}
