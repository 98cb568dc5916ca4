package partition

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestMapParts(t *testing.T) {
	d, err := Hierarchy([]int{2, 2}, []int64{10, 1})
	if err != nil {
		t.Fatal(err)
	}
	// Parts 0 and 2, 1 and 3 exchange all: they belong side by side.
	g := fromEdges(4, [][3]int64{{0, 2, 5}, {1, 3, 5}})
	mapped, err := MapParts(g, []int32{0, 1, 2, 3}, d)
	if err != nil {
		t.Fatal(err)
	}
	if cost := MappingCostOf(g, mapped, d); cost != 10 {
		t.Errorf("mapped to %v at a cost of %d, want 10", mapped, cost)
	}
	rapid.Check(t, func(t *rapid.T) {
		s := drawState(t)
		k := s.k
		d := make([][]int64, k)
		for p := range d {
			d[p] = make([]int64, k)
			for q := range p {
				d[p][q] = rapid.Int64Range(0, 9).Draw(t, "distance")
				d[q][p] = d[p][q]
			}
		}
		mapped, err := MapParts(s.g, s.part, d)
		if err != nil {
			t.Fatal(err)
		}
		if a, b := MappingCostOf(s.g, mapped, d), MappingCostOf(s.g, s.part, d); a > b {
			t.Fatalf("the cost rose from %d to %d", b, a)
		}
		place := map[int32]int32{}
		for v, p := range s.part {
			if q, ok := place[p]; ok && q != mapped[v] {
				t.Fatalf("part %d was torn apart: %v from %v", p, mapped, s.part)
			}
			place[p] = mapped[v]
		}
	})
	if _, err := MapParts(g, []int32{0, 1, 2, 4}, d); err == nil || !strings.Contains(err.Error(), "vertex 3 is in part 4") {
		t.Errorf("error %v", err)
	}
}

// A change of places foretold must be the change of the cost.
func TestExchangeOfPlacesForetold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawState(t)
		if s.distance == nil {
			return
		}
		for p := range s.limit {
			s.limit[p] = s.g.TotalVertexWeight()
		}
		a := rapid.Int32Range(0, 2).Draw(t, "a")
		b := rapid.Int32Range(a+1, 3).Draw(t, "b")
		gain := newQuotient(s).exchangeGain(a, b)
		parts := append([]int32(nil), s.part...)
		for v, p := range parts {
			switch p {
			case a:
				parts[v] = b
			case b:
				parts[v] = a
			}
		}
		if now := MappingCostOf(s.g, parts, s.distance); now != s.cut-gain {
			t.Fatalf("gain %d foretold, the cost went from %d to %d", gain, s.cut, now)
		}
	})
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
