package tiling

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Along Morton's curve tiles are ordered by the bits of their coordinates in turn, z
// before y before x.
func TestOrderIsMortons(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, side := range []int32{1, 3, 100, 5000, 1 << 20} {
		var s Set
		for range 500 {
			s.Position = append(s.Position, [3]int32{random.Int32N(side), random.Int32N(side), random.Int32N(side)})
		}
		before := func(a, b int32) int {
			p, q := s.Position[a], s.Position[b]
			for bit := 20; bit >= 0; bit-- {
				for axis := 2; axis >= 0; axis-- {
					if d := p[axis]>>bit&1 - q[axis]>>bit&1; d != 0 {
						return int(d)
					}
				}
			}
			return int(a - b) // those in the same place stay in their order
		}
		odd := func(tile int) bool { return tile%2 == 1 }
		order := s.mortonOrder(odd)
		if len(order) != len(s.Position)/2 || slices.ContainsFunc(order, func(n int32) bool { return n%2 == 0 }) {
			t.Fatalf("side %d: %d tiles are ordered, not the wanted ones", side, len(order))
		}
		if !slices.IsSortedFunc(order, before) {
			t.Errorf("side %d: %v is not ordered", side, order)
		}
	}
}
