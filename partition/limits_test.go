package partition

import (
	"slices"
	"testing"

	"carina/partition/graph"
)

// Fixed vertices raise the limits of parts that they are too heavy for, and no
// others.
func TestLimitsRiseForFixedVertices(t *testing.T) {
	g := &graph.Graph{Offsets: make([]int64, 6), VertexWeights: []int64{5, 4, 3, 2, 1}}
	l := &limits{effective: []int64{8, 8, 8}}
	l.raiseForFixed(g, &Options{Parts: 3, Fixed: []int32{0, 0, 1, -1, 1}})
	if !slices.Equal(l.effective, []int64{9, 8, 8}) {
		t.Errorf("limits %v, want 9, 8 and 8", l.effective)
	}
}
