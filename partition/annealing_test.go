package partition

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// drawFeasible draws a state within its limits without distances, and which part a
// vertex is fixed to, or -1.
func drawFeasible(t *rapid.T) (*state, []int32) {
	drawn := drawState(t)
	limit := slices.Clone(drawn.limit)
	for p, w := range drawn.weight {
		limit[p] = max(limit[p], w)
	}
	fixed := make([]int32, len(drawn.part))
	for v, p := range drawn.part {
		fixed[v] = -1
		if rapid.IntRange(0, 9).Draw(t, "fixed") == 0 {
			fixed[v] = p
		}
	}
	return newState(&level{g: drawn.g, fixed: fixed}, slices.Clone(drawn.part), limit, nil), fixed
}

// Whatever is annealed, and whenever it is stopped, stays within its limits and,
// if asked to, in as few pieces, cuts no more than before, and what is kept about it is true.
func TestAnnealingKeepsPartsSound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, fixed := drawFeasible(t)
		pieces, cut, anyEmpty := len(fragments(s.g, s.part)), s.cut, slices.Contains(s.count, 0)
		heat := rapid.SampledFrom([]float64{0.5, 3, 16}).Draw(t, "heat") * s.meanCutEdge()
		rounds := rapid.IntRange(0, 30).Draw(t, "rounds until stopped")
		stop := func() bool { rounds--; return rounds < 0 }
		connected := rapid.Bool().Draw(t, "connected")
		newAnnealing(s, connected, newRandom(rapid.Uint64().Draw(t, "seed"))).run(20*triesPerTemperature, heat, stop)
		checkState(t, s)
		if now := len(fragments(s.g, s.part)); connected && now > pieces || s.overload() > 0 || s.cut > cut {
			t.Fatalf("%d pieces became %d, the cut of %d %d, overload %d", pieces, now, cut, s.cut, s.overload())
		}
		for v, p := range fixed {
			if p >= 0 && s.part[v] != p {
				t.Fatalf("vertex %d is fixed to part %d and was moved to %d", v, p, s.part[v])
			}
		}
		if slices.Contains(s.count, 0) && !anyEmpty {
			t.Fatalf("a part was emptied: %v", s.count)
		}
	})
}

// A tube has two necks, and the boundary lies in the wider one. The way to the
// other is longer than refinement looks, through partitions that cut more.
func TestAnnealingFindsTheNarrowerNeck(t *testing.T) {
	const long, wide, wideNeck, narrowNeck = 50, 10, 4, 2
	height := func(x int) int {
		switch x {
		case long / 3:
			return wideNeck
		case 2 * long / 3:
			return narrowNeck
		}
		return wide
	}
	number := map[[2]int]int64{}
	var parts []int32
	var edges [][3]int64
	for x := range long {
		for y := range height(x) {
			v := int64(len(parts))
			number[[2]int{x, y}] = v
			for _, before := range [][2]int{{x - 1, y}, {x, y - 1}} {
				if u, ok := number[before]; ok {
					edges = append(edges, [3]int64{u, v, 1})
				}
			}
			parts = append(parts, 0)
			if x > long/3 {
				parts[v] = 1
			}
		}
	}
	l := &level{g: fromEdges(len(parts), edges).weighted()}
	limit := []int64{int64(len(parts)) * 3 / 4, int64(len(parts)) * 3 / 4}
	c := presets[Eco].kway
	refined := newState(l, slices.Clone(parts), limit, nil)
	testTask().connectParts(refined, &c, newRandom(1), false)
	testTask().refineFlows(refined, &c, newRandom(1))
	if refined.cut != wideNeck {
		t.Errorf("refinement alone cuts %d: this test shows nothing", refined.cut)
	}
	s := newState(l, parts, limit, nil)
	newAnnealing(s, true, newRandom(1)).run(4_000_000, 3*s.meanCutEdge(), never)
	if s.cut != narrowNeck || s.overload() > 0 || len(fragments(s.g, s.part)) != 2 {
		t.Errorf("cut %d, overload %d, %d pieces; want %d, none, 2", s.cut, s.overload(), len(fragments(s.g, s.part)), narrowNeck)
	}
}

// From any division of a small tree of tubes into connected parts annealing
// comes to the least cut there is.
func TestAnnealingFindsTheLeastCut(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 20 {
		g := tubeTree(r, 14)
		opt := Options{Parts: 2, Imbalance: 0.2, Preset: Fast, Contiguous: true}
		res := mustPartition(t, g, opt)
		d := newDivider(g, 2, res.Limits[0])
		d.from(0, 0)
		if d.connected < 0 || !res.Feasible || res.DisconnectedParts > 0 {
			continue
		}
		s := newState(&level{g: g}, res.Parts, res.Limits, nil)
		least := int64(-1)
		for seed := range uint64(4) {
			newAnnealing(s, true, newRandom(seed)).run(20_000, 6*s.meanCutEdge(), never)
			least = s.cut
		}
		if least != d.connected {
			t.Errorf("cut %d; the least is %d", least, d.connected)
		}
	}
}
