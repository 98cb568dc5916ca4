package partition

import (
	"slices"
	"testing"

	"carina/internal/race"
	"carina/partition/graphtest"
)

// On a mesh parts are nearly connected anyway: asking for it must cost next to
// nothing, and every part be in one piece, whatever else is asked for.
func TestContiguousCostsLittleOnAMesh(t *testing.T) {
	race.SkipArithmetic(t)
	g := graphtest.Grid(9, 8, 7)
	for _, preset := range []Preset{Fast, Eco} {
		opt := Options{Parts: 8, Imbalance: 0.03, Preset: preset}
		free := mustPartition(t, g, opt)
		opt.Contiguous = true
		res := mustPartition(t, g, opt)
		checkResult(t, g, opt, res)
		if res.DisconnectedParts > 0 || !res.Feasible || float64(res.Cut) > 1.05*float64(free.Cut) {
			t.Errorf("%v: cut %d, %d disconnected, feasible %v; free cut %d", preset, res.Cut, res.DisconnectedParts, res.Feasible, free.Cut)
		}
		moved := opt
		moved.Previous, moved.MigrationCosts = res.Parts, make([]int64, g.Vertices())
		for v := range moved.MigrationCosts {
			moved.MigrationCosts[v] = 1
		}
		g := *g
		g.VertexWeights = slices.Repeat([]int64{1}, g.Vertices())
		for v := range 60 {
			g.VertexWeights[v] = 2
		}
		res = mustPartition(t, &g, moved)
		checkResult(t, &g, moved, res)
		if res.DisconnectedParts > 0 || !res.Feasible {
			t.Errorf("%v, repartitioned: %d disconnected, feasible %v", preset, res.DisconnectedParts, res.Feasible)
		}
	}
}
