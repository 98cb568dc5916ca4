package partition

import (
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
			if fits := canFill(g, graph.Numbers(len(test.weights)), test.room); fits != test.fits {
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
	refused := 0
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.IntRange(1, 4).Draw(t, "parts")
		scale := rapid.SampledFrom([]int64{1, 7, 1 << 30}).Draw(t, "scale")
		weights := rapid.SliceOfN(rapid.Int64Range(0, 12), 1, 7).Draw(t, "weights")
		room := make([]int64, parts)
		for i := range weights {
			weights[i] *= scale
			room[rapid.IntRange(0, parts-1).Draw(t, "part")] += weights[i]
		}
		g := &graph.Graph{Offsets: make([]int64, len(weights)+1), VertexWeights: weights}
		if !canFill(g, graph.Numbers(len(weights)), room) {
			t.Fatal("a packing is there")
		}
		for p := range room {
			room[p] = max(0, room[p]+scale*rapid.Int64Range(-3, 3).Draw(t, "more room"))
		}
		if !canFill(g, graph.Numbers(len(weights)), room) {
			refused++
			if packsSomehow(weights, room) {
				t.Fatal("a packing was missed")
			}
		}
	})
	if refused == 0 {
		t.Error("nothing was refused")
	}
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
