package partition

import (
	"cmp"
	"slices"
	"testing"

	"carina/internal/parallel"
	"carina/partition/graph"
	"pgregory.net/rapid"
)

// Vertices of few weights for parts that seem to have room enough, 97 ranks on
// hosts of three among them: a search would try millions of packings.
func TestPackingsThatCannotBeAreToldAtOnce(t *testing.T) {
	weights := slices.Concat(slices.Repeat([]int64{6000}, 18), slices.Repeat([]int64{3000}, 5))
	for name, test := range map[string]struct {
		weights []int64
		room    []int64
		fits    bool
	}{
		"no part can be filled":          {weights, []int64{20_610, 41_219, 61_829}, false},
		"filled to the last":             {weights, []int64{21_000, 42_000, 60_000}, true},
		"one unit short":                 {weights, []int64{20_999, 42_000, 60_000}, false},
		"one short of large units":       {times(weights, 1e12), []int64{21e15 - 1, 42e15, 60e15}, false},
		"a vertex too heavy":             {[]int64{5, 1}, []int64{4, 4}, false},
		"vertices without weight":        {[]int64{0, 0, 0}, []int64{0, 0}, true},
		"weights beyond all counting":    {[]int64{1 << 50, 1 << 50, 1<<50 + 1}, []int64{1<<51 - 1<<40, 1<<51 - 1<<40}, false},
		"told apart by less than a unit": {[]int64{1 << 50, 1 << 50, 1 << 50, 1<<50 + 1}, []int64{1 << 51, 1 << 51}, true},
	} {
		t.Run(name, func(t *testing.T) {
			g := &graph.Graph{Offsets: make([]int64, len(test.weights)+1), VertexWeights: test.weights}
			if fits := canFill(g, test.room); fits != test.fits {
				t.Errorf("canFill is %v", fits)
			}
		})
	}
}

func times(weights []int64, factor int64) []int64 {
	product := slices.Clone(weights)
	for i := range product {
		product[i] *= factor
	}
	return product
}

// What can be packed is never said to fit nowhere: weights and room come from a
// packing. What is said to fit nowhere is found nowhere by trying everything.
func TestCanFillIsNeverFalseInError(t *testing.T) {
	check := func(t *rapid.T) (refused bool) {
		parts := rapid.IntRange(1, 4).Draw(t, "parts")
		scale := rapid.SampledFrom([]int64{1, 7, 1 << 30}).Draw(t, "scale")
		weights := rapid.SliceOfN(rapid.Int64Range(0, 12), 1, 7).Draw(t, "weights")
		room := make([]int64, parts)
		for i := range weights {
			weights[i] *= scale
			room[rapid.IntRange(0, parts-1).Draw(t, "part")] += weights[i]
		}
		g := &graph.Graph{Offsets: make([]int64, len(weights)+1), VertexWeights: weights}
		if !canFill(g, room) {
			t.Fatal("a packing is there")
		}
		for p := range room {
			room[p] = max(0, room[p]+scale*rapid.Int64Range(-3, 3).Draw(t, "more room"))
		}
		if canFill(g, room) {
			return false
		}
		if packsSomehow(weights, room) {
			t.Fatal("a packing was missed")
		}
		return true
	}
	rapid.Check(t, func(t *rapid.T) { check(t) })
	// The same in every run, so that chance does not decide.
	refused := 0
	for seed := range 40 {
		if rapid.Custom(check).Example(seed) {
			refused++
		}
	}
	if refused == 0 {
		t.Error("nothing was refused")
	}
}

// canFill tells whether vertices may fit, as far as a filling knows.
func canFill(g *graph.Graph, room []int64) bool {
	all := graph.Numbers(g.Vertices())
	return newFilling(g, all, room).spare(g, all, room) >= 0
}

// packsSomehow tries every part for every weight.
func packsSomehow(weights, room []int64) bool {
	if len(weights) == 0 {
		return true
	}
	for p := range room {
		if room[p] >= weights[0] {
			room[p] -= weights[0]
			ok := packsSomehow(weights[1:], room)
			room[p] += weights[0]
			if ok {
				return true
			}
		}
	}
	return false
}

// A packing that cannot be is not searched for.
func TestPackBySearchAsksFirst(t *testing.T) {
	weights := slices.Repeat([]int64{5000}, 26)
	g := &graph.Graph{Offsets: make([]int64, len(weights)+1), VertexWeights: weights}
	l := &limits{effective: []int64{33_252, 33_252, 33_252, 33_252}}
	asked := 0
	stop := func() bool { asked++; return false }
	if packBySearch(g, nil, l, graph.Numbers(len(weights)), stop) != nil || asked > 0 {
		t.Errorf("it searched on %d times", asked)
	}
	l.effective[3] += 9000
	if p := packBySearch(g, nil, l, graph.Numbers(len(weights)), parallel.Never); p == nil || slices.Max(p.weight) != 40_000 {
		t.Errorf("it packed %v", p)
	}
}

// repeated is so many of each weight, heaviest first.
func repeated(counts map[int64]int) (weights []int64) {
	for w, n := range counts {
		weights = append(weights, slices.Repeat([]int64{w}, n)...)
	}
	slices.SortFunc(weights, func(a, b int64) int { return cmp.Compare(b, a) })
	return weights
}

// Weights of three or four kinds are searched over in few placements: rooms that have
// failed are not tried again, nor those of which too much cannot be filled.
func TestFewKindsOfWeightsTakeFewSteps(t *testing.T) {
	const most = 20_000 // without either they were millions
	for _, c := range []struct {
		counts map[int64]int
		parts  int
		limit  int64
		fits   bool
	}{
		{map[int64]int{110: 15, 922: 19, 2746: 10}, 6, 7929, false},
		{map[int64]int{2051: 16, 6062: 16, 6841: 16}, 10, 24204, false},
		{map[int64]int{755: 17, 5980: 22, 8661: 15}, 11, 25433, false},
		{map[int64]int{572: 23, 6104: 24, 7854: 17}, 10, 29567, false},
		{map[int64]int{660: 19, 1472: 22, 3625: 15, 7893: 11}, 11, 17118, true},
	} {
		weights := repeated(c.counts)
		g := &graph.Graph{Offsets: make([]int64, len(weights)+1), VertexWeights: weights}
		l := &limits{effective: slices.Repeat([]int64{c.limit}, c.parts)}
		steps := 0
		p := packBySearch(g, nil, l, graph.Numbers(len(weights)), func() bool { steps++; return steps > most })
		if (p != nil) != c.fits || steps > most {
			t.Errorf("%v in %d parts of %d: packed %v after %d placements", c.counts, c.parts, c.limit, p != nil, steps)
		}
	}
}

// What is packed lies within the limits, and what is not is packed by trying
// everything neither.
func TestPackBySearchFindsWhatThereIs(t *testing.T) {
	check := func(t *rapid.T) (found bool) {
		kinds := rapid.SliceOfN(rapid.Int64Range(1, 40), 2, 3).Draw(t, "kinds")
		weights := rapid.SliceOfN(rapid.SampledFrom(kinds), 4, 8).Draw(t, "weights")
		slices.SortFunc(weights, func(a, b int64) int { return cmp.Compare(b, a) })
		l := &limits{}
		for range rapid.IntRange(2, 4).Draw(t, "parts") {
			l.effective = append(l.effective, rapid.Int64Range(0, 90).Draw(t, "limit"))
		}
		g := &graph.Graph{Offsets: make([]int64, len(weights)+1), VertexWeights: weights}
		p := packBySearch(g, nil, l, graph.Numbers(len(weights)), parallel.Never)
		if there := packsSomehow(weights, slices.Clone(l.effective)); there != (p != nil) {
			t.Fatalf("a packing is there: %v, found: %v", there, p != nil)
		}
		if p == nil {
			return false
		}
		taken := make([]int64, len(l.effective))
		for v, q := range p.parts {
			taken[q] += weights[v]
		}
		if !slices.Equal(taken, p.weight) || slices.ContainsFunc(graph.Numbers(len(taken)), func(q int32) bool { return taken[q] > l.effective[q] }) {
			t.Fatalf("parts of %v hold %v and are said to hold %v", l.effective, taken, p.weight)
		}
		return true
	}
	rapid.Check(t, func(t *rapid.T) { check(t) })
	// The same in every run, so that chance does not decide.
	found, missing := 0, 0
	for seed := range 40 {
		if rapid.Custom(check).Example(seed) {
			found++
		} else {
			missing++
		}
	}
	if found == 0 || missing == 0 {
		t.Errorf("%d packed, %d not", found, missing)
	}
}
