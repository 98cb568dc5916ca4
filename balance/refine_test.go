package balance

import (
	"slices"
	"testing"

	"carina/geometry/generate"
	"carina/partition"
	"pgregory.net/rapid"
)

func TestRefineCutNeverCutsMore(t *testing.T) {
	checkAndHappens(t, func(t *rapid.T) int {
		cost, ranks, counts, crossings, owners := randomProblem(t)
		p := &Problem{Graph: Graph(cost, counts, crossings), Ranks: ranks, Imbalance: rapid.Float64Range(0, 0.3).Draw(t, "imbalance")}
		before, was := partition.EdgeCutOf(p.Graph, owners), slices.Clone(owners)
		refineCut(p, owners)
		after := partition.EdgeCutOf(p.Graph, owners)
		if after > before {
			t.Fatalf("cut rose from %d to %d", before, after)
		}
		limit := max(1+p.Imbalance, 1+imbalance(p.Graph.VertexWeights, was, ranks))
		for r, load := range loads(p, owners) {
			if share := targets(ranks)[r] * float64(sum(p.Graph.VertexWeights)); float64(load) > limit*share*(1+1e-9) {
				t.Fatalf("rank %d weighs %d, its share is %g", r, load, share)
			}
			if !slices.Contains(owners, int32(r)) {
				t.Fatalf("rank %d was emptied", r)
			}
		}
		return int(before - after)
	})
}

func TestHilbertKeysAreNeighbours(t *testing.T) {
	// The curve visits every cell of a cube of side 8 once and each step goes to
	// a neighbour.
	const side = 8
	type place struct {
		key uint64
		x   [3]uint32
	}
	var places []place
	for z := range uint32(side) {
		for y := range uint32(side) {
			for x := range uint32(side) {
				places = append(places, place{hilbertKey([3]uint32{x, y, z}), [3]uint32{x, y, z}})
			}
		}
	}
	slices.SortFunc(places, func(a, b place) int {
		switch {
		case a.key < b.key:
			return -1
		case a.key > b.key:
			return 1
		}
		return 0
	})
	for i := 1; i < len(places); i++ {
		distance := 0
		for axis := range 3 {
			distance += max(int(places[i].x[axis])-int(places[i-1].x[axis]), int(places[i-1].x[axis])-int(places[i].x[axis]))
		}
		if distance != 1 || places[i].key == places[i-1].key {
			t.Fatalf("step %d goes from %v to %v", i, places[i-1].x, places[i].x)
		}
	}
}

// TestStretchesAreBest compares with all ways to cut a short list.
func TestStretchesAreBest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		weights := rapid.SliceOfN(rapid.Int64Range(1, 20), 3, 9).Draw(t, "weights")
		share := make([]float64, 3)
		all := 0.0
		equal := rapid.Bool().Draw(t, "equal")
		for i := range share {
			share[i] = 1
			if !equal {
				share[i] = float64(rapid.IntRange(1, 3).Draw(t, "speed"))
			}
			all += share[i]
		}
		for i := range share {
			share[i] /= all
		}
		bottleneck := func(ends []int) float64 {
			worst, from := 0.0, 0
			for r, to := range ends {
				worst = max(worst, float64(sum(weights[from:to]))/share[r])
				from = to
			}
			return worst
		}
		got := stretches(weights, share)
		best := -1.0
		for a := 1; a < len(weights)-1; a++ {
			for b := a + 1; b < len(weights); b++ {
				if x := bottleneck([]int{a, b, len(weights)}); best < 0 || x < best {
					best = x
				}
			}
		}
		if got[0] < 1 || got[1] <= got[0] || got[2] != len(weights) || got[1] >= got[2] {
			t.Fatalf("stretches end at %v", got)
		}
		// So that no share stays empty a slow one may get an entry too heavy
		// for it.
		room := 1.0
		if !equal {
			room += float64(slices.Max(weights)) / slices.Min(share)
		}
		if x := bottleneck(got); x > best*(1+1e-6)+room {
			t.Fatalf("stretches %v of %v have bottleneck %g, %g is possible", got, weights, x, best)
		}
	})
}

func TestLPTStaysWithinItsBound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		weights := rapid.SliceOfN(rapid.Int64Range(1, 1000), 1, 60).Draw(t, "weights")
		ranks := make([]Rank, rapid.IntRange(1, 9).Draw(t, "ranks"))
		for r := range ranks {
			ranks[r].Speed = 1
		}
		load := make([]int64, len(ranks))
		for v, o := range lptOwners(weights, ranks) {
			load[o] += weights[v]
		}
		// Lower bounds of the optimum; Graham's bound is relative to it.
		optimum := max(float64(sum(weights))/float64(len(ranks)), float64(slices.Max(weights)))
		n := float64(len(ranks))
		if worst := float64(slices.Max(load)); worst > (4./3-1/(3*n))*optimum+float64(slices.Max(weights)) {
			t.Fatalf("makespan %g, the optimum is at least %g", worst, optimum)
		}
	})
}

func TestLinearGivesEqualNumbers(t *testing.T) {
	g := generate.FullGrid([3]int32{10, 10, 10})
	for _, ranks := range []int{1, 3, 7, 64, 97} {
		opt := Options{Ranks: ranks, Decompose: "bricks", MinSide: 2, Balance: "linear"}
		p, err := Make(t.Context(), g, opt)
		if err != nil {
			t.Fatal(err)
		}
		count := make([]int, ranks)
		for i, o := range p.Owners {
			count[o]++
			if i > 0 && o < p.Owners[i-1] {
				t.Fatalf("%d ranks: cuboid %d goes back to rank %d", ranks, i, o)
			}
		}
		for r, n := range count {
			if low := len(p.Cuboids) / ranks; n != low && n != low+1 {
				t.Errorf("%d ranks: rank %d has %d of %d cuboids", ranks, r, n, len(p.Cuboids))
			}
		}
	}
}
