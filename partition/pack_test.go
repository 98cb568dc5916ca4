package partition

import (
	"math/rand/v2"
	"slices"
	"testing"

	"carina/internal/parallel"
	"carina/partition/graphtest"
)

// A partition of a mesh of which a few parts hold two vertices that weigh nearly
// as much as a part each: mending it moves few others, none that is fixed, and
// ends within the limits.
func TestPackInPlaceMovesFew(t *testing.T) {
	const parts, heavyParts = 500, 10
	g := graphtest.Grid(20, 20, 20)
	g.VertexWeights = slices.Repeat([]int64{1}, g.Vertices())
	random := rand.New(rand.NewPCG(1, 2))
	at := make([]int32, g.Vertices())
	for v := range at {
		at[v] = int32(v * parts / len(at))
		g.VertexWeights[v] = 50 + random.Int64N(100)
	}
	for p := range heavyParts { // sixteen vertices become two
		first := (parts / heavyParts * p) * 16
		for v := first; v < first+16; v++ {
			g.VertexWeights[v] = 1
			if v < first+2 {
				g.VertexWeights[v] = 1400
			}
		}
	}
	fixed := make([]int32, len(at))
	for v := range fixed {
		fixed[v] = -1
	}
	fixed[0] = at[0]
	for _, imbalance := range []float64{0.05, 0.3} {
		l := newLimits(g, &Options{Parts: parts, Imbalance: imbalance, Fixed: fixed}, parallel.Never)
		p := packInPlace(g, fixed, l, at, parallel.Never)
		weight, moved := make([]int64, parts), 0
		for v, q := range p.parts {
			weight[q] += g.VertexWeights[v]
			if q != at[v] {
				moved++
			}
		}
		for q, w := range weight {
			if w != p.weight[q] || w > l.effective[q] {
				t.Errorf("imbalance %g: part %d weighs %d, said to weigh %d, of at most %d", imbalance, q, w, p.weight[q], l.effective[q])
			}
		}
		if p.over != 0 || p.parts[0] != at[0] || moved == 0 || moved > len(at)/10 {
			t.Errorf("imbalance %g: %d of %d vertices moved, the fixed one to %d, %d too much", imbalance, moved, len(at), p.parts[0], p.over)
		}
	}
}

// A packing that is stopped is none.
func TestPackInPlaceStops(t *testing.T) {
	g := graphtest.Grid(4, 4, 1)
	l := newLimits(g, &Options{Parts: 4, Imbalance: 0.03}, parallel.Never)
	if packInPlace(g, nil, l, make([]int32, 16), func() bool { return true }) != nil {
		t.Error("it went on")
	}
}
