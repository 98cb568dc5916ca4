package graph

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestValidate(t *testing.T) {
	for _, c := range []struct {
		name string
		g    Graph
		want string // part of the error, or "" if sound
	}{
		{"zero value", Graph{}, ""},
		{"no vertices", Graph{Offsets: []int64{0}}, ""},
		{"one edge", Graph{Offsets: []int64{0, 1, 2}, Neighbours: []int32{1, 0}}, ""},
		{"offsets missing", Graph{Neighbours: []int32{1, 0}}, "no offsets"},
		{"offsets short", Graph{Offsets: []int64{0, 1}, Neighbours: []int32{1, 0}}, "offsets run from 0 to 1"},
		{"offsets fall", Graph{Offsets: []int64{0, 2, 1, 2}, Neighbours: []int32{1, 0}}, "offsets fall"},
		{"neighbour out of range", Graph{Offsets: []int64{0, 1, 2}, Neighbours: []int32{2, 0}}, "vertex 0 has neighbour 2"},
		{"negative neighbour", Graph{Offsets: []int64{0, 1, 2}, Neighbours: []int32{-1, 0}}, "neighbour -1"},
		{"self loop", Graph{Offsets: []int64{0, 1, 2}, Neighbours: []int32{0, 0}}, "its own neighbour"},
		{"parallel", Graph{Offsets: []int64{0, 2, 4}, Neighbours: []int32{1, 1, 0, 0}}, "twice"},
		{"one way", Graph{Offsets: []int64{0, 1, 1}, Neighbours: []int32{1}}, "both directions"},
		{"one way, degrees equal", Graph{Offsets: []int64{0, 1, 2, 3}, Neighbours: []int32{1, 2, 0}}, "not the other way round"},
		{"weights differ", Graph{Offsets: []int64{0, 1, 2}, Neighbours: []int32{1, 0}, EdgeWeights: []int64{3, 4}}, "weight 3 one way and 4"},
		{"weights of two edges exchanged", Graph{Offsets: []int64{0, 1, 2, 4}, Neighbours: []int32{2, 2, 0, 1}, EdgeWeights: []int64{1, 2, 2, 1}}, "weight 1 one way and 2"},
		{"edge weight zero", Graph{Offsets: []int64{0, 1, 2}, Neighbours: []int32{1, 0}, EdgeWeights: []int64{0, 0}}, "must be positive"},
		{"vertex weight negative", Graph{Offsets: []int64{0, 0}, VertexWeights: []int64{-1}}, "must not be negative"},
		{"vertex weights short", Graph{Offsets: []int64{0, 0, 0}, VertexWeights: []int64{1}}, "1 vertex weight for 2"},
		{"weights overflow", Graph{Offsets: []int64{0, 0, 0}, VertexWeights: []int64{1 << 61, 1 << 61}}, "sum to more than"},
	} {
		err := c.g.Validate()
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", c.name, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || !errors.Is(err, ErrInvalid)):
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
	}
}

// Weights add up, and count one each where there are none.
func TestWeightsAddUp(t *testing.T) {
	weighted := Graph{Offsets: make([]int64, 5), VertexWeights: []int64{2, 3, 4, 8}}
	plain := Graph{Offsets: make([]int64, 5)}
	if a, b := weighted.TotalVertexWeight(), plain.TotalVertexWeight(); a != 17 || b != 4 {
		t.Errorf("total weights %d and %d, want 17 and 4", a, b)
	}
	parts := []int32{1, 0, 1, 2}
	if got := weighted.PartWeights(parts, 4); !slices.Equal(got, []int64{3, 6, 8, 0}) {
		t.Errorf("parts weigh %v", got)
	}
	if got := plain.PartWeights(parts, 4); !slices.Equal(got, []int64{1, 2, 1, 0}) {
		t.Errorf("parts of vertices without weights weigh %v", got)
	}
}
