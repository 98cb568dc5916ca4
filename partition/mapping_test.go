package partition

import (
	"strings"
	"testing"

	"carina/partition/graphtest"

	"pgregory.net/rapid"
)

func TestMapParts(t *testing.T) {
	d, err := Hierarchy([]int{2, 2}, []int64{10, 1})
	if err != nil {
		t.Fatal(err)
	}
	// Parts 0 and 2, 1 and 3 exchange all: they belong side by side.
	g := graphtest.FromEdges(4, [][3]int64{{0, 2, 5}, {1, 3, 5}})
	mapped, err := MapParts(g, []int32{0, 1, 2, 3}, d)
	if err != nil {
		t.Fatal(err)
	}
	if cost := MappingCostOf(g, mapped, d); cost != 10 {
		t.Errorf("mapped to %v at a cost of %d, want 10", mapped, cost)
	}
	rapid.Check(t, func(t *rapid.T) {
		g := graphtest.DrawFamily(t).Weighted()
		for e := range g.EdgeWeights {
			g.EdgeWeights[e] = min(g.EdgeWeights[e], 1<<20)
		}
		k := rapid.IntRange(1, 5).Draw(t, "parts")
		parts, _ := graphtest.DrawParts(t, g, k)
		d := make([][]int64, k)
		for p := range d {
			d[p] = make([]int64, k)
			for q := range p {
				d[p][q] = rapid.Int64Range(0, 9).Draw(t, "distance")
				d[q][p] = d[p][q]
			}
		}
		mapped, err := MapParts(g, parts, d)
		if err != nil {
			t.Fatal(err)
		}
		if a, b := MappingCostOf(g, mapped, d), MappingCostOf(g, parts, d); a > b {
			t.Fatalf("the cost rose from %d to %d", b, a)
		}
		place := map[int32]int32{}
		for v, p := range parts {
			if q, ok := place[p]; ok && q != mapped[v] {
				t.Fatalf("part %d was torn apart: %v from %v", p, mapped, parts)
			}
			place[p] = mapped[v]
		}
	})
	if _, err := MapParts(g, []int32{0, 1, 2, 4}, d); err == nil || !strings.Contains(err.Error(), "vertex 3 is in part 4") {
		t.Errorf("error %v", err)
	}
}

func TestLayersOfMachines(t *testing.T) {
	machine := func(counts []int, distances []int64) (*task, []int32) {
		d, err := Hierarchy(counts, distances)
		if err != nil {
			t.Fatal(err)
		}
		parts := make([]int32, len(d))
		for p := range parts {
			parts[p] = int32(p)
		}
		return &task{distance: d}, parts
	}
	for _, c := range []struct {
		counts    []int
		distances []int64
		layers    int
	}{{[]int{8}, []int64{1}, 1}, {[]int{4, 8}, []int64{10, 1}, 2}, {[]int{2, 3, 5}, []int64{100, 10, 1}, 3}, {[]int{4, 8}, []int64{1, 1}, 1}} {
		task, parts := machine(c.counts, c.distances)
		if !task.layered(parts) || task.layers(parts) != c.layers {
			t.Errorf("%v apart %v: layered %v, %d layers, want %d", c.counts, c.distances, task.layered(parts), task.layers(parts), c.layers)
		}
	}
	ring, parts := machine([]int{4}, []int64{1})
	ring.distance = [][]int64{{0, 1, 2, 1}, {1, 0, 1, 2}, {2, 1, 0, 1}, {1, 2, 1, 0}}
	if ring.layered(parts) {
		t.Error("a ring was taken for a hierarchy")
	}
}
