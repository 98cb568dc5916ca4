package balance_test

import (
	"bytes"
	"context"
	"encoding/xml"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"carina/balance"
	"carina/cuboid"
	"carina/geometry"
	"carina/geometry/generate"
	"carina/partition"
	"carina/partition/metis"
	"github.com/google/go-cmp/cmp"
)

func TestMETISFilesAreReadBack(t *testing.T) {
	p, _ := example(t)
	want, err := p.Weighted(generate.BallsGrid([3]int32{12, 10, 8}, 2, 5))
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := balance.WriteMETIS(&file, want); err != nil {
		t.Fatal(err)
	}
	got, err := metis.Read(&file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if cut := partition.EdgeCutOf(want, p.Owners); cut != p.Quality.BytesTotal {
		t.Errorf("cut %d, but %d bytes are sent", cut, p.Quality.BytesTotal)
	}
	var parts bytes.Buffer
	if err := p.WriteMETISParts(&parts); err != nil {
		t.Fatal(err)
	}
	if want := strings.Trim(strings.ReplaceAll(fmt.Sprint(p.Owners), " ", "\n"), "[]") + "\n"; parts.String() != want {
		t.Errorf("parts %q, want %q", parts.String(), want)
	}
}

func TestOpenLBFileHoldsTheCuboids(t *testing.T) {
	p, _ := example(t)
	var file bytes.Buffer
	if err := p.WriteOpenLB(&file); err != nil {
		t.Fatal(err)
	}
	var content struct {
		Geometry struct {
			Cuboid []struct {
				Extent string  `xml:"extent,attr"`
				Origin string  `xml:"origin,attr"`
				DeltaR float64 `xml:"deltaR,attr"`
				Weight int64   `xml:"weight,attr"`
			}
		} `xml:"CuboidGeometry"`
		Rank []string `xml:"LoadBalancer>Rank"`
	}
	if err := xml.Unmarshal(file.Bytes(), &content); err != nil {
		t.Fatal(err)
	}
	if len(content.Geometry.Cuboid) != len(p.Cuboids) || len(content.Rank) != len(p.Ranks) {
		t.Fatalf("%d cuboids and %d ranks, want %d and %d", len(content.Geometry.Cuboid), len(content.Rank), len(p.Cuboids), len(p.Ranks))
	}
	for i, c := range content.Geometry.Cuboid {
		var size [3]int32
		var origin [3]float64
		fmt.Sscan(c.Extent, &size[0], &size[1], &size[2])
		fmt.Sscan(c.Origin, &origin[0], &origin[1], &origin[2])
		if size != p.Cuboids[i].Size() || c.Weight != p.Counts[i].Fluid || c.DeltaR != p.Grid.Spacing {
			t.Errorf("cuboid %d is %+v, want %v with %d fluid cells", i, c, p.Cuboids[i], p.Counts[i].Fluid)
		}
		for axis := range 3 {
			// Back from the position of the first node to its cell.
			if cell := math.Round((origin[axis]-p.Grid.Origin[axis])/p.Grid.Spacing - 0.5); cell != float64(p.Cuboids[i].Min[axis]) {
				t.Errorf("cuboid %d begins at cell %g along axis %d, want %d", i, cell, axis, p.Cuboids[i].Min[axis])
			}
		}
	}
	for r, line := range content.Rank {
		for _, word := range strings.Fields(line) {
			var i int
			if _, err := fmt.Sscan(word, &i); err != nil || p.Owners[i] != int32(r) {
				t.Errorf("rank %d lists cuboid %q", r, word)
			}
		}
	}
}

func TestTableListsTheSlowestRank(t *testing.T) {
	p, err := balance.Make(context.Background(), generate.TreeGrid(60, 4), balance.Options{Ranks: 40, Balance: "lpt"})
	if err != nil {
		t.Fatal(err)
	}
	slowest := 0
	for r := range p.Quality.Ranks {
		if p.Quality.Ranks[r].Step > p.Quality.Ranks[slowest].Step {
			slowest = r
		}
	}
	var table bytes.Buffer
	if err := p.Quality.WriteTable(&table, 10); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(table.String(), "\n")
	found := 0
	for _, line := range lines[1:11] {
		var rank int
		fmt.Sscan(line, &rank)
		if rank == slowest {
			found++
		}
	}
	if found != 1 {
		t.Errorf("rank %d stands %d times in\n%s", slowest, found, table.String())
	}
}

// TestFitCostFindsTheCosts measures a rank that costs exactly what a cost
// model says.
func TestFitCostFindsTheCosts(t *testing.T) {
	want := balance.DefaultCost(balance.Dense)
	want.Fluid, want.Boundary, want.Empty, want.Lane, want.Cuboid = 20e-9, 35e-9, 7e-9, 2e-9, 3e-6
	var cases []balance.Case
	for _, g := range []*geometry.Grid{generate.FullGrid([3]int32{30, 30, 30}), generate.TreeGrid(60, 3), generate.BallsGrid([3]int32{30, 20, 40}, 4, 3), generate.NoiseGrid([3]int32{20, 20, 20}, 0.9, 1)} {
		for _, side := range [][3]int32{{100, 100, 100}, {10, 10, 10}, {5, 5, 5}, {100, 5, 5}, {4, 100, 100}} {
			bricks, err := cuboid.Bricks(g, side)
			if err != nil {
				t.Fatal(err)
			}
			cases = append(cases, balance.Case{Grid: g, Cuboids: bricks})
		}
	}
	measure := func(_ context.Context, g *geometry.Grid, cuboids []cuboid.Cuboid) (float64, error) {
		segments, err := cuboid.Label(g, cuboids)
		if err != nil {
			return 0, err
		}
		seconds := 0.0
		counts := cuboid.Count(g, cuboids, segments)
		balance.CountWindows(cuboids, segments, counts)
		for _, n := range counts {
			seconds += want.Seconds(n)
		}
		return seconds, nil
	}
	got, samples, err := balance.MeasureCost(context.Background(), balance.DefaultCost(balance.Dense), cases, measure, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(samples) != len(cases) {
		t.Errorf("%d samples of %d cases", len(samples), len(cases))
	}
	for _, f := range []struct {
		name      string
		got, want float64
	}{
		{"fluid", got.Fluid, want.Fluid}, {"boundary", got.Boundary, want.Boundary}, {"empty", got.Empty, want.Empty},
		{"lane", got.Lane, want.Lane}, {"cuboid", got.Cuboid, want.Cuboid},
	} {
		if math.Abs(f.got-f.want) > 1e-6*f.want {
			t.Errorf("%s costs %g s, want %g s", f.name, f.got, f.want)
		}
	}
	// Noise that would make a figure negative must not.
	for i := range samples {
		samples[i].Seconds = 1e-9 * float64(samples[i].Counts.Fluid) * (1 - 1e-3*float64(i%3))
	}
	if got, err = balance.FitCost(got, samples); err != nil || got.Cuboid < 0 || got.Empty < 0 || math.Abs(got.Fluid-1e-9) > 1e-11 {
		t.Errorf("fit %+v, error %v", got, err)
	}
}

func TestMachineFile(t *testing.T) {
	m := balance.NewMachine("desk", "one core")
	m.Costs = []balance.Cost{balance.DefaultCost(balance.Sparse), balance.DefaultCost(balance.Sparse)}
	m.Costs[1].BytesPerPopulation = 8
	m.Costs[1].BySize = []balance.SizeFactors{{Cells: 1000, Factor: 0.8, Empty: 0.5}, {Cells: 1_000_000, Factor: 1, Empty: 1}}
	path := filepath.Join(t.TempDir(), "machine.json")
	if err := m.WriteFile(path); err != nil {
		t.Fatal(err)
	}
	got, err := balance.ReadMachine(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(m, got); diff != "" {
		t.Error(diff)
	}
	if _, err := got.Cost(balance.Dense); err == nil {
		t.Error("a layout that was not measured: no error")
	}
	if c, err := got.Cost(balance.Sparse); err != nil || !cmp.Equal(c, m.Costs[0]) {
		t.Errorf("cost %+v, error %v", c, err)
	}
	if c, err := got.CostFor(balance.Sparse, 8); err != nil || !cmp.Equal(c, m.Costs[1]) {
		t.Errorf("cost in double precision %+v, error %v", c, err)
	}
	if _, err := got.CostFor(balance.Sparse, 2); err == nil {
		t.Error("a precision that was not measured: no error")
	}
	for _, text := range []string{"", "{}", `{"format":"carina machine","version":2}`, `{"format":"carina machine","version":1,"costs":[{}]}`, `{"format":"carina machine","version":1,"speeds":[0]}`,
		sizes(`{"cells":0,"factor":1,"empty_factor":1}`), sizes(`{"cells":9,"factor":1,"empty_factor":1},{"cells":9,"factor":1,"empty_factor":1}`), sizes(`{"cells":9,"factor":1}`)} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := balance.ReadMachine(path); err == nil {
			t.Errorf("%q: no error", text)
		}
	}
}

// sizes is a machine file whose costs depend on the cells that a rank stores.
func sizes(list string) string {
	return `{"format":"carina machine","version":1,"costs":[{"layout":"plain","fluid_s":1e-9,"bytes_per_population":8,"directions":18,"held":[` + list + `]}]}`
}

// TestCostsForFewCells checks the factors at, between and beyond the entries:
// the geometric mean of two numbers of cells gets the mean of their factors.
func TestCostsForFewCells(t *testing.T) {
	cost := balance.DefaultCost(balance.Plain)
	cost.BySize = []balance.SizeFactors{{Cells: 1000, Factor: 0.5, Empty: 0.1, Packing: 0.4}, {Cells: 100_000, Factor: 0.8, Empty: 0.5, Packing: 0.6}, {Cells: 1_000_000, Factor: 1, Empty: 1}}
	n := cuboid.Counts{Fluid: 100, Boundary: 20, Opening: 5}
	const empty = 50
	near := func(got, want float64) bool { return math.Abs(got-want) <= 1e-12*want }
	for _, c := range []struct{ cells, factor, empty, packing float64 }{
		{10, 0.5, 0.1, 0.4}, {1000, 0.5, 0.1, 0.4}, {10_000, 0.65, 0.3, 0.5}, {100_000, 0.8, 0.5, 0.6}, {1e6, 1, 1, 1}, {1e9, 1, 1, 1},
	} {
		got := cost.For(c.cells)
		with := n
		with.Empty = empty
		extra := 20*(cost.Boundary-cost.Fluid) + 5*(cost.Opening-cost.Boundary) // not scaled
		if want := c.factor*(cost.Seconds(n)-extra) + extra + c.empty*empty*cost.Empty; !near(got.Seconds(with), want) {
			t.Errorf("%g cells: a step of %g s, want %g s", c.cells, got.Seconds(with), want)
		}
		if !near(got.CopyPerByte, c.factor*cost.CopyPerByte) || got.BySize != nil {
			t.Errorf("%g cells: %+v", c.cells, got)
		}
		faster := (1 - c.packing) * cost.Packing // a byte of any message
		if !near(got.Packing, cost.Packing-faster) || !near(got.Inside.SecondsPerByte, cost.Inside.SecondsPerByte-faster) ||
			!near(got.Between.SecondsPerByte, cost.Between.SecondsPerByte-faster) || got.Between.Latency != cost.Between.Latency {
			t.Errorf("%g cells: packing %g s a byte, links %+v and %+v", c.cells, got.Packing, got.Inside, got.Between)
		}
	}
}

// TestMeasureSizeFactorsFindsThem measures a rank whose empty cells gain more
// from caches than all else.
func TestMeasureSizeFactorsFindsThem(t *testing.T) {
	cost := balance.DefaultCost(balance.Plain)
	cost.CopyPerByte = 0
	few := cost
	few.Fluid, few.Cuboid, few.Empty = 0.8*cost.Fluid, 0.8*cost.Cuboid, 0.5*cost.Empty
	few.Boundary, few.Opening = cost.Boundary-0.2*cost.Fluid, cost.Opening-0.2*cost.Fluid
	var cases []balance.Case
	for _, g := range []*geometry.Grid{generate.FullGrid([3]int32{20, 20, 20}), generate.TreeGrid(40, 3)} {
		cases = append(cases, balance.Case{Grid: g, Cuboids: []cuboid.Cuboid{cuboid.Box(g)}})
	}
	factors, _, err := balance.MeasureSizeFactors(context.Background(), &cost, cases, func(_ context.Context, g *geometry.Grid, cuboids []cuboid.Cuboid) (float64, error) {
		segments, err := cuboid.Label(g, cuboids)
		return few.Seconds(cuboid.Count(g, cuboids, segments)[0]), err
	})
	if err != nil || math.Abs(factors.Factor-0.8) > 0.02 || math.Abs(factors.Empty-0.5) > 0.02 {
		t.Errorf("%+v, error %v, want factors near 0.8 and 0.5", factors, err)
	}
}

func TestAssumedCostsAreSound(t *testing.T) {
	for _, c := range []balance.Cost{balance.DefaultCost(balance.Sparse), balance.DefaultCost(balance.Dense), balance.DefaultCost(balance.Plain), balance.GPUCost()} {
		if err := c.Check(); err != nil {
			t.Errorf("%s, %s layout: %v", c.Source, c.Layout, err)
		}
		if c.Between.SecondsPerByte < c.Inside.SecondsPerByte || c.Between.Latency < c.Inside.Latency {
			t.Errorf("%s, %s layout: messages between hosts cost less than inside", c.Source, c.Layout)
		}
		if c.Inside.SecondsPerByte < c.CopyPerByte {
			t.Errorf("%s, %s layout: what is packed, sent and unpacked costs less than a copy", c.Source, c.Layout)
		}
	}
}

// FuzzReadMachine checks that no machine file makes the reader panic.
func FuzzReadMachine(f *testing.F) {
	f.Add([]byte(`{"format":"carina machine","version":1,"costs":[{"layout":"sparse","fluid_s":1e-9,"bytes_per_population":8,"directions":18}]}`))
	f.Add([]byte(sizes(`{"cells":9,"factor":0.9,"empty_factor":0.5},{"cells":10,"factor":1,"empty_factor":1}`)))
	f.Add([]byte(`{"format":"carina machine"`))
	f.Fuzz(func(t *testing.T, text []byte) {
		path := filepath.Join(t.TempDir(), "machine.json")
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}
		if m, err := balance.ReadMachine(path); err == nil {
			for _, c := range m.Costs {
				if err := c.Check(); err != nil {
					t.Error(err)
				}
			}
		}
	})
}
