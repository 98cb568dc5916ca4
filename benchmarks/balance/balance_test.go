package balancebench

import (
	"context"
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"carina/balance"
	"carina/cuboid"
	"carina/geometry"
	"carina/geometry/generate"

	"gonum.org/v1/plot/plotter"
)

// fields returns the populations of every cell of a plain rank.
func fields(g *geometry.Grid, r *plainRank) map[[3]int32][populations]float64 {
	all := make(map[[3]int32][populations]float64)
	for _, b := range r.blocks {
		for _, run := range g.Runs {
			for x := run.X0; x < run.X1; x++ {
				if b.box.Contains(x, run.Y, run.Z) {
					var p [populations]float64
					for q := range p {
						p[q] = b.f[q][b.index(x, run.Y, run.Z)]
					}
					all[[3]int32{x, run.Y, run.Z}] = p
				}
			}
		}
	}
	return all
}

// disturb gives every cell populations that depend on its place.
func disturb(g *geometry.Grid, r *plainRank) {
	for _, b := range r.blocks {
		for _, run := range g.Runs {
			for x := run.X0; x < run.X1; x++ {
				if b.box.Contains(x, run.Y, run.Z) {
					for q := range populations {
						b.f[q][b.index(x, run.Y, run.Z)] *= 1 + 0.01*math.Sin(float64(x+3*run.Y+7*run.Z+int32(q)))
					}
				}
			}
		}
	}
}

func TestPlainBlocksComputeWhatOneBlockDoes(t *testing.T) {
	g := generate.TreeGrid(40, 3)
	one := newPlainRank(g, []cuboid.Cuboid{cuboid.Box(g)})
	bricks, err := cuboid.Bricks(g, [3]int32{7, 9, 8})
	if err != nil {
		t.Fatal(err)
	}
	many := newPlainRank(g, bricks)
	disturb(g, one)
	disturb(g, many)
	mass := func(f map[[3]int32][populations]float64) (sum float64) {
		for _, p := range f {
			for _, v := range p {
				sum += v
			}
		}
		return sum
	}
	before := mass(fields(g, one))
	for range 5 {
		one.step()
		many.step()
	}
	a, b := fields(g, one), fields(g, many)
	if len(a) != len(b) || int64(len(a)) != g.Cells() {
		t.Fatalf("%d and %d cells, want %d", len(a), len(b), g.Cells())
	}
	for cell, p := range a {
		if b[cell] != p {
			t.Fatalf("cell %v differs: %v and %v", cell, p, b[cell])
		}
	}
	if after := mass(a); math.Abs(after-before) > 1e-9*before {
		t.Errorf("mass went from %g to %g", before, after)
	}
	segments, err := cuboid.Label(g, bricks)
	if err != nil {
		t.Fatal(err)
	}
	var crossing int64
	for _, c := range cuboid.Crossings(segments, 18) {
		crossing += 2 * c.Populations
	}
	var copied int64
	for _, c := range many.copies {
		copied += int64(len(c.cells))
	}
	if copied != crossing {
		t.Errorf("%d populations are copied, %d cross", copied, crossing)
	}
}

// TestEdgeWeightsAreTheBytesSent compares the weights of the graph with what
// the solver's ranks hand to the transport (Fietz 2011, table 5.1).
func TestEdgeWeightsAreTheBytesSent(t *testing.T) {
	g := generate.TreeGrid(60, 4)
	for _, decompose := range []string{"bricks", "shrink", "octree"} {
		for _, ranks := range []int{2, 7} {
			p, err := balance.Make(context.Background(), g, balance.Options{Ranks: ranks, Decompose: decompose, Balance: "graph"})
			if err != nil {
				t.Fatal(err)
			}
			pairs, err := CompareBytes(context.Background(), g, p)
			if err != nil {
				t.Fatal(err)
			}
			var total int64
			if !slices.IsSortedFunc(pairs, func(a, b PairBytes) int { return a.From*ranks + a.To - b.From*ranks - b.To }) {
				t.Errorf("%s, %d ranks: not by sender and receiver: %+v", decompose, ranks, pairs)
			}
			for _, c := range pairs {
				if want := int64(p.Cost.BytesPerPopulation) * c.Populations; c.Sent != want {
					t.Errorf("%s, %d ranks: rank %d sends %d bytes to rank %d, the graph says %d", decompose, ranks, c.From, c.Sent, c.To, want)
				}
				total += c.Sent
			}
			if total != p.Quality.BytesTotal || total == 0 {
				t.Errorf("%s, %d ranks: %d bytes sent, the partition says %d", decompose, ranks, total, p.Quality.BytesTotal)
			}
		}
	}
}

// counted hears the progress of a suite, which counts once over all stages.
type counted struct {
	t      *testing.T
	stages []string
	last   float64
}

func newCounted(t *testing.T, hear *func(stage string, done float64)) *counted {
	c := &counted{t: t}
	*hear = func(stage string, done float64) {
		if done < c.last || done > 1 || len(c.stages) == 0 && done != 0 {
			t.Errorf("%s: %g after %g", stage, done, c.last)
		}
		c.last = done
		if !slices.Contains(c.stages, stage) {
			c.stages = append(c.stages, stage)
		}
	}
	return c
}

// check checks that at least so many stages were told, and that the last piece
// began this near the end.
func (c *counted) check(stages int, begun float64) {
	c.t.Helper()
	if len(c.stages) < stages || c.last < begun {
		c.t.Errorf("%g was told last, of the stages %q", c.last, c.stages)
	}
}

func TestSuitesWriteTheirResults(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the suites")
	}
	folder := t.TempDir()
	opt := Options{Folder: folder, FluidCells: 5_000, Ranks: []int{8}, Quick: true, Measured: true, Preset: "fast"}
	count := newCounted(t, &opt.Progress)
	if err := Balance(context.Background(), opt); err != nil {
		t.Fatal(err)
	}
	count.check(4, 0.9)
	var text strings.Builder
	for _, name := range []string{"balance.md", "balance-airway.md", "balance-bifurcation-large.md"} {
		part, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		text.Write(part)
	}
	for _, want := range []string{"table 5.1", "table 5.2", "table 5.5", "table 5.6", "table 5.7", "; 0 of ", "## The solver's dense layout", "Plain layout, measured, at 8 ranks and up", "bricks + graph, improved"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("the tables have no %q", want)
		}
	}
	file, err := os.Open(filepath.Join(folder, "balance-airway.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(lines) < len(opt.Ranks)*len(sparseStrategies) || len(lines[0]) != len(columns) {
		t.Errorf("balance-airway.csv has %d lines of %d columns", len(lines), len(lines[0]))
	}
	for _, name := range []string{"balance-airway-plain.png", "balance-airway-dense.png", "balance-airway-bytes.png", "balance-bifurcation-large-dense.png"} {
		if info, err := os.Stat(filepath.Join(folder, name)); err != nil || info.Size() < 1000 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestRefusals(t *testing.T) {
	for _, opt := range []Options{{}, {Folder: t.TempDir(), Ranks: []int{0}}, {Folder: t.TempDir(), Geometries: []string{"no such file.stl"}}} {
		if err := Balance(context.Background(), opt); err == nil {
			t.Errorf("%+v: no error", opt)
		}
	}
}

// One number of ranks alone, the first of the study of scaling, can be plotted.
func TestASinglePointIsPlotted(t *testing.T) {
	for _, logarithmic := range []bool{false, true} {
		path := filepath.Join(t.TempDir(), "point.png")
		if err := savePlot(path, "one rank", "efficiency", logarithmic, []curve{{name: "a point", xys: plotter.XYs{{X: 1, Y: 0.5}}}}); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(path); err != nil || info.Size() == 0 {
			t.Errorf("logarithmic %v: no picture: %v", logarithmic, err)
		}
	}
}

// A number of ranks that is no power of ten is labelled, too.
func TestNumbersOfRanksAreLabelled(t *testing.T) {
	var labels []string
	for _, tick := range rankTicks([]curve{{xys: plotter.XYs{{X: 1}, {X: 32}}}, {xys: plotter.XYs{{X: 32}, {X: 7}}}, {}}) {
		labels = append(labels, tick.Label)
	}
	if got := strings.Join(labels, " "); got != "1 7 32" {
		t.Errorf("ticks %s, want 1 7 32", got)
	}
}
