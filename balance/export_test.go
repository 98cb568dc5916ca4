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
	"carina/internal/gridtest"
	"carina/partition"
	"github.com/google/go-cmp/cmp"
)

func TestMETISFilesAreReadBack(t *testing.T) {
	p, _ := example(t)
	want, err := p.Weighted(gridtest.Balls([3]int32{12, 10, 8}, 2, 5))
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := balance.WriteMETIS(&file, want); err != nil {
		t.Fatal(err)
	}
	got, err := partition.ReadMETIS(&file)
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
	p, err := balance.Make(context.Background(), gridtest.Tree(60, 4), balance.Options{Ranks: 40, Balance: "lpt"})
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
	want.Fluid, want.Boundary, want.Empty, want.Cuboid, want.CopyPerByte = 20e-9, 35e-9, 7e-9, 3e-6, 0.2e-9
	var cases []balance.Case
	for _, g := range []*geometry.Grid{gridtest.Full([3]int32{30, 30, 30}), gridtest.Tree(60, 3), gridtest.Balls([3]int32{30, 20, 40}, 4, 3), gridtest.Noise([3]int32{20, 20, 20}, 0.9, 1)} {
		for _, side := range []int32{100, 10, 5} {
			bricks, err := cuboid.Bricks(g, [3]int32{side, side, side})
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
		for _, n := range cuboid.Count(g, cuboids, segments) {
			seconds += want.Seconds(n)
		}
		for _, c := range cuboid.Crossings(segments, 18) {
			seconds += want.CopyPerByte * float64(want.Bytes(c))
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
		{"cuboid", got.Cuboid, want.Cuboid}, {"copy", got.CopyPerByte, want.CopyPerByte},
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
	if c, err := got.Cost(balance.Sparse); err != nil || c != m.Costs[0] {
		t.Errorf("cost %+v, error %v", c, err)
	}
	if c, err := got.CostFor(balance.Sparse, 8); err != nil || c != m.Costs[1] {
		t.Errorf("cost in double precision %+v, error %v", c, err)
	}
	if _, err := got.CostFor(balance.Sparse, 2); err == nil {
		t.Error("a precision that was not measured: no error")
	}
	for _, text := range []string{"", "{}", `{"format":"carina machine","version":2}`, `{"format":"carina machine","version":1,"costs":[{}]}`, `{"format":"carina machine","version":1,"speeds":[0]}`} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := balance.ReadMachine(path); err == nil {
			t.Errorf("%q: no error", text)
		}
	}
}

func TestAssumedCostsAreSound(t *testing.T) {
	for _, c := range []balance.Cost{balance.DefaultCost(balance.Sparse), balance.DefaultCost(balance.Dense), balance.GPUCost()} {
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
