package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"carina/partition"
	"carina/partition/graph"
	"carina/partition/metis"
)

// gridFile writes an x·y mesh as a METIS graph.
func gridFile(t *testing.T, x, y int) string {
	t.Helper()
	var text strings.Builder
	fmt.Fprintf(&text, "%d %d\n", x*y, (x-1)*y+x*(y-1))
	for v := range x * y {
		if v%x > 0 {
			fmt.Fprintf(&text, "%d ", v)
		}
		if v%x < x-1 {
			fmt.Fprintf(&text, "%d ", v+2)
		}
		if v >= x {
			fmt.Fprintf(&text, "%d ", v-x+1)
		}
		if v+x < x*y {
			fmt.Fprintf(&text, "%d ", v+x+1)
		}
		text.WriteString("\n")
	}
	return written(t, "grid.graph", text.String())
}

func written(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// partsOf reads a part file back together with its graph.
func partsOf(t *testing.T, graphFile, partFile string, parts int) (*graph.Graph, []int32) {
	t.Helper()
	g, err := readGraph(graphFile)
	if err != nil {
		t.Fatal(err)
	}
	labels, err := readLabels(partFile, g, parts, metis.ReadParts)
	if err != nil {
		t.Fatal(err)
	}
	return g, labels
}

func TestGraphTargets(t *testing.T) {
	grid, out := gridFile(t, 20, 15), filepath.Join(t.TempDir(), "grid.part")
	for _, targets := range []string{"1,1,3", written(t, "targets", "1\n1\n3\n")} {
		r := succeed[graphResult](t, "graph", grid, "3", "--targets", targets, "-o", out)
		_, parts := partsOf(t, grid, out, 3)
		var weight [3]int
		for _, p := range parts {
			weight[p]++
		}
		// ⌈1.03·300·share/5⌉
		if weight[0] > 62 || weight[1] > 62 || weight[2] > 186 || !r.Feasible {
			t.Errorf("targets %s: weights %v", targets, weight)
		}
	}
}

func TestGraphFixed(t *testing.T) {
	grid, out := gridFile(t, 12, 12), filepath.Join(t.TempDir(), "grid.part")
	fixed := strings.Repeat("-1\n", 144)
	fixed = "2\n" + fixed[3:len(fixed)-3] + "2\n"
	succeed[graphResult](t, "graph", grid, "4", "--fixed", written(t, "fixed", fixed), "-o", out)
	if _, parts := partsOf(t, grid, out, 4); parts[0] != 2 || parts[143] != 2 {
		t.Errorf("fixed vertices are in parts %d and %d, want 2", parts[0], parts[143])
	}
}

func TestGraphRepartitions(t *testing.T) {
	grid := gridFile(t, 16, 16)
	var old strings.Builder
	for v := range 256 {
		part := v / 64
		if v == 255 {
			part = 0
		}
		fmt.Fprintln(&old, part)
	}
	from := written(t, "old.part", old.String())
	// Moving the stray vertex home gains two edges: worth a cost of 1, not of 5.
	for cost, want := range map[string]int64{"1": 1, "5": 0} {
		r := succeed[graphResult](t, "graph", grid, "4", "--from", from, "--migration-cost", cost, "--imbalance", "0.05")
		if r.MigratedWeight == nil || *r.MigratedWeight != want || *r.MigrationCost != want {
			t.Errorf("at a cost of %s: %+v, want weight %d to move", cost, r, want)
		}
	}
}

func TestGraphContiguous(t *testing.T) {
	// A star of paths, of which a connected part without the centre holds one
	// arm at most: the centre's part must take 31 of 61 vertices, and the limit
	// ⌈2.1·61/4⌉ is 33.
	var lines []string
	const arms, long = 6, 10
	centre := arms*long + 1
	var ends []string
	for arm := range arms {
		for i := range long {
			v := arm*long + i + 1
			inner := v - 1
			if i == 0 {
				inner = centre
				ends = append(ends, fmt.Sprint(v))
			}
			line := fmt.Sprint(inner)
			if i < long-1 {
				line += fmt.Sprint(" ", v+1)
			}
			lines = append(lines, line)
		}
	}
	lines = append(lines, strings.Join(ends, " "))
	star := written(t, "star.graph", fmt.Sprintf("%d %d\n%s\n", centre, centre-1, strings.Join(lines, "\n")))
	out := filepath.Join(t.TempDir(), "star.part")
	r := succeed[graphResult](t, "graph", star, "4", "--contiguous", "--imbalance", "1.1", "--preset", "fast", "-o", out)
	// Within ⌈1.1·61/4⌉ = 17 some part must hold pieces of two arms.
	if _, words, _ := invoke(t, "graph", star, "4", "--contiguous", "--imbalance", "0.1"); !strings.Contains(words, "more connected ones within the limits were not found") {
		t.Errorf("says nothing of pieces: %s", words)
	}
	g, parts := partsOf(t, star, out, 4)
	if n := partition.DisconnectedPartsOf(g, parts, 4); n != 0 || r.DisconnectedParts != 0 || !r.Feasible {
		t.Errorf("%d disconnected parts, reported %d, feasible %v", n, r.DisconnectedParts, r.Feasible)
	}
}

func TestGraphMapsToTopology(t *testing.T) {
	grid, out := gridFile(t, 24, 24), filepath.Join(t.TempDir(), "grid.part")
	r := succeed[graphResult](t, "graph", grid, "8", "--topology", "2x4", "--distances", "10,1", "-o", out)
	g, parts := partsOf(t, grid, out, 8)
	distances, err := partition.Hierarchy([]int{2, 4}, []int64{10, 1})
	if err != nil {
		t.Fatal(err)
	}
	want := partition.MappingCostOf(g, parts, distances)
	if r.MappingCost == nil || *r.MappingCost != want || r.Objective != "mapping" {
		t.Errorf("reported %+v, recomputed mapping cost %d", r, want)
	}
	// Straight cuts: 10·24 between the hosts, 24 + 2·12 within each.
	if straight := int64(240 + 96); want > straight*11/10 {
		t.Errorf("mapping cost %d, straight cuts %d", want, straight)
	}
}

func TestGraphObjectives(t *testing.T) {
	grid := gridFile(t, 20, 20)
	cut := succeed[graphResult](t, "graph", grid, "5")
	for _, objective := range []string{"cut", "volume", "bottleneck"} {
		r := succeed[graphResult](t, "graph", grid, "5", "--objective", objective)
		if r.Objective != objective || objective == "volume" && r.CommunicationVolume > cut.CommunicationVolume ||
			objective == "bottleneck" && r.BottleneckVolume > cut.BottleneckVolume {
			t.Errorf("%s: %+v; minimising the cut %+v", objective, r, cut)
		}
	}
	_, words, _ := invoke(t, "graph", grid, "5", "--objective", "volume")
	for _, word := range []string{"by volume", "communication volume", "heaviest part", "imbalance"} {
		if !strings.Contains(words, word) {
			t.Errorf("says nothing of %q: %s", word, words)
		}
	}
}

func TestGraphRefusals(t *testing.T) {
	grid := gridFile(t, 4, 4)
	labels := written(t, "labels", strings.Repeat("1\n", 16))
	tests := []struct {
		name, arguments, says string
		status                int
	}{
		{"targets", "2 --targets 1,x", "neither numbers", exitFailure},
		{"number of targets", "2 --targets 1,2,3", "3 targets for 2 parts", exitFailure},
		{"negative target", "2 --targets 1,-2", "target of part 1", exitFailure},
		{"targets file", "2 --targets " + grid + ".none", "neither numbers", exitFailure},
		{"fixed missing", "2 --fixed none.fixed", "none.fixed", exitFailure},
		{"fixed part", "2 --fixed " + written(t, "fixed", "-1\n7\n"), "line 2: part 7", exitFailure},
		{"fixed below", "2 --fixed " + written(t, "fixed", "-1\n-2\n"), "line 2", exitFailure},
		{"too few fixed", "2 --fixed " + written(t, "fixed", "-1\n1\n"), "2 parts for 16 vertices", exitFailure},
		{"previous part", "2 --from " + written(t, "old", "-1\n"), "line 1", exitFailure},
		{"cost without from", "2 --migration-cost 1", "--from", exitUsage},
		{"negative cost", "2 --from " + labels + " --migration-cost -1", "not negative", exitFailure},
		{"absurd cost", "2 --from " + labels + " --migration-cost 1e300", "at most", exitFailure},
		{"objective", "2 --objective beauty", "beauty", exitFailure},
		{"mapping without machine", "2 --objective mapping", "--topology", exitUsage},
		{"topology alone", "4 --topology 2x2", "--distances", exitUsage},
		{"topology", "4 --topology 2xtwo --distances 10,1", "two", exitFailure},
		{"distances", "4 --topology 2x2 --distances 10,near", "near", exitFailure},
		{"layers", "4 --topology 2x2 --distances 10", "one distance per layer", exitFailure},
		{"inside out", "4 --topology 2x2 --distances 1,10", "outermost", exitFailure},
		{"leaves", "5 --topology 2x2 --distances 10,1", "ask for 4 parts", exitFailure},
		{"huge topology", "5 --topology 3000000000x9000000000 --distances 10,1", "too many", exitFailure},
		{"many leaves", "5 --topology 60000x60000 --distances 10,1", "too many leaves", exitFailure},
		{"empty layer", "4 --topology 0x4 --distances 10,1", "layer 0", exitFailure},
		{"output over graph", "2 -o " + grid, "overwritten", exitFailure},
		{"preset", "2 --preset lazy", "lazy", exitFailure},
		{"parts", "0", "0 parts: ask for 1 to", exitFailure},
	}
	for _, test := range tests {
		arguments := append([]string{"graph", grid}, strings.Fields(test.arguments)...)
		status, stdout, stderr := invoke(t, arguments...)
		if status != test.status || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, test.says) {
			t.Errorf("%s: status %d, says %q; want %d and %q in one line", test.name, status, stderr, test.status, test.says)
		}
	}
}
