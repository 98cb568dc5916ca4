package partition

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"carina/partition/graph"
	"carina/partition/graphtest"
)

func TestInShares(t *testing.T) {
	for _, n := range []int{0, 5, 1 << 16, 1<<16 + 1, 1<<18 + 3} {
		var sum atomic.Int64
		inRanges(n, 1<<16, func(begin, end int) {
			for v := begin; v < end; v++ {
				sum.Add(int64(v))
			}
		})
		if got, want := sum.Load(), int64(n)*int64(n-1)/2; got != want {
			t.Errorf("sum below %d is %d, want %d", n, got, want)
		}
	}
}

// A part is connected if a search within it reaches all of it.
func TestDisconnectedPartsOf(t *testing.T) {
	path := graphtest.FromEdges(6, graphtest.PathEdges(6))
	for _, c := range []struct {
		parts []int32
		want  int
	}{
		{[]int32{0, 0, 0, 1, 1, 1}, 0},
		{[]int32{0, 1, 0, 1, 1, 1}, 2},
		{[]int32{0, 0, 1, 1, 0, 2}, 1},
	} {
		if got := DisconnectedPartsOf(path, c.parts, 3); got != c.want {
			t.Errorf("%v: %d disconnected parts, want %d", c.parts, got, c.want)
		}
	}
}

// Figures must be the same counted side by side as one edge and one vertex at a
// time, on graphs whose numbering is close to their shape and on shuffled ones.
func TestFiguresOfLargeGraphs(t *testing.T) {
	const side, k = 45, 9
	r := rand.New(rand.NewPCG(7, 8))
	grid := graphtest.Grid(side, side, side)
	grid.EdgeWeights = slices.Repeat([]int64{1}, len(grid.Neighbours))
	grid.VertexWeights = slices.Repeat([]int64{1}, grid.Vertices())
	for v := range grid.VertexWeights {
		grid.VertexWeights[v] = r.Int64N(9)
	}
	for _, strays := range []float64{0, 0.001, 1} { // share of the vertices
		parts := make([]int32, grid.Vertices())
		for v := range parts {
			parts[v] = int32(v * (k - 1) / len(parts)) // slabs; the last part remains for strays
			if r.Float64() < strays {
				parts[v] = r.Int32N(k)
			}
		}
		checkCounts(t, fmt.Sprintf("%v strays", strays), grid, parts, k)
		g, parts := shuffled(grid, parts, r)
		checkCounts(t, fmt.Sprintf("%v strays, shuffled", strays), g, parts, k)
	}
}

// shuffled numbers the vertices anew, at random.
func shuffled(g *graph.Graph, parts []int32, r *rand.Rand) (*graph.Graph, []int32) {
	number, vertex := make([]int32, g.Vertices()), r.Perm(g.Vertices())
	for i, v := range vertex {
		number[v] = int32(i)
	}
	next, nextParts := &graph.Graph{Offsets: []int64{0}}, []int32(nil)
	for _, v := range vertex {
		nextParts = append(nextParts, parts[v])
		for e := g.Offsets[v]; e < g.Offsets[v+1]; e++ {
			next.Neighbours = append(next.Neighbours, number[g.Neighbours[e]])
			next.EdgeWeights = append(next.EdgeWeights, g.EdgeWeights[e])
		}
		next.Offsets = append(next.Offsets, int64(len(next.Neighbours)))
		next.VertexWeights = append(next.VertexWeights, g.VertexWeights[v])
	}
	return next, nextParts
}

func checkCounts(t *testing.T, name string, g *graph.Graph, parts []int32, k int) {
	want, cut := make([]figures, k), int64(0)
	for v, p := range parts {
		want[p].vertices++
		want[p].weight += g.VertexWeights[v]
		others := map[int32]bool{}
		for e := g.Offsets[v]; e < g.Offsets[v+1]; e++ {
			if q := parts[g.Neighbours[e]]; q != p {
				others[q] = true
				want[p].cut += g.EdgeWeights[e]
			}
		}
		want[p].volume += int64(len(others))
	}
	var total, bottleneck int64
	for p, got := range figuresOf(g, nil, parts, k) {
		if got != want[p] {
			t.Errorf("%s: part %d has %+v, want %+v", name, p, got, want[p])
		}
		cut += want[p].cut
		total += want[p].volume
		bottleneck = max(bottleneck, want[p].volume)
	}
	if got := EdgeCutOf(g, parts); got != cut/2 {
		t.Errorf("%s: cut %d, want %d", name, got, cut/2)
	}
	pieces, broken := make([]int, k), 0
	for _, piece := range graph.Pieces(g, parts) {
		if pieces[parts[piece[0]]]++; pieces[parts[piece[0]]] == 2 {
			broken++
		}
	}
	if got := DisconnectedPartsOf(g, parts, k); got != broken {
		t.Errorf("%s: %d disconnected parts, want %d", name, got, broken)
	}
}
