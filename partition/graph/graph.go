package graph

import (
	"errors"
	"fmt"
	"math"

	"carina/internal/quantity"
	"carina/internal/random"
)

// ErrInvalid is wrapped by every error of [Graph.Validate].
var ErrInvalid = errors.New("invalid graph")

// Graph is an undirected graph with vertex and edge weights, in compressed
// adjacency rows. Every edge is stored in both directions with equal weight;
// self loops and parallel edges are not allowed.
type Graph struct {
	// Offsets has one entry per vertex and one more: the neighbours of v are
	// Neighbours[Offsets[v]:Offsets[v+1]].
	Offsets []int64
	// Neighbours are vertex numbers from 0.
	Neighbours []int32
	// VertexWeights has one weight ≥ 0 per vertex; nil means all one.
	VertexWeights []int64
	// EdgeWeights has one weight > 0 per entry of Neighbours; nil means all
	// one.
	EdgeWeights []int64
}

// Vertices returns the number of vertices.
func (g *Graph) Vertices() int { return max(len(g.Offsets)-1, 0) }

// Edges returns the number of undirected edges.
func (g *Graph) Edges() int { return len(g.Neighbours) / 2 }

// NeighboursOf returns the neighbours of v.
func (g *Graph) NeighboursOf(v int32) []int32 { return g.Neighbours[g.Offsets[v]:g.Offsets[v+1]] }

// TotalVertexWeight returns the sum of all vertex weights.
func (g *Graph) TotalVertexWeight() int64 {
	if g.VertexWeights == nil {
		return int64(g.Vertices())
	}
	var total int64
	for _, w := range g.VertexWeights {
		total += w
	}
	return total
}

// Heaviest returns the largest vertex weight stored.
func (g *Graph) Heaviest() int64 {
	var w int64
	for _, x := range g.VertexWeights {
		w = max(w, x)
	}
	return w
}

// PartWeights returns the sums of the vertex weights of k parts.
func (g *Graph) PartWeights(parts []int32, k int) []int64 {
	weights := make([]int64, k)
	for v, p := range parts {
		weights[p] += g.VertexWeight(int32(v))
	}
	return weights
}

// VertexWeight returns the weight of v whether or not weights are stored.
func (g *Graph) VertexWeight(v int32) int64 {
	if g.VertexWeights == nil {
		return 1
	}
	return g.VertexWeights[v]
}

// EdgeWeight returns the weight of adjacency entry e whether or not weights
// are stored.
func (g *Graph) EdgeWeight(e int64) int64 {
	if g.EdgeWeights == nil {
		return 1
	}
	return g.EdgeWeights[e]
}

// Validate checks that g is a sound undirected graph: rows in order,
// neighbours in range, no self loop, no parallel edge, every edge stored in
// both directions with one positive weight, no negative vertex weight, and
// sums of weights that fit 64 bits. The error names the vertex (from 0) and
// wraps [ErrInvalid].
func (g *Graph) Validate() error {
	if err := g.ValidateShape(); err != nil {
		return err
	}
	if err := g.ValidateWeights(); err != nil {
		return err
	}
	return g.validateEdges()
}

func invalid(format string, arguments ...any) error {
	return fmt.Errorf("%w: %s", ErrInvalid, fmt.Sprintf(format, arguments...))
}

// ValidateShape checks the lengths of the rows, in time linear in the number of
// vertices, but no edge.
func (g *Graph) ValidateShape() error {
	if len(g.Offsets) == 0 {
		if len(g.Neighbours) > 0 || len(g.VertexWeights) > 0 {
			return invalid("no offsets but %s and %s; give one offset per vertex and one more",
				quantity.Count(len(g.Neighbours), "neighbour"), quantity.Count(len(g.VertexWeights), "vertex weight"))
		}
		return nil
	}
	n := len(g.Offsets) - 1
	if n > math.MaxInt32 {
		return invalid("%d vertices; at most %d can be numbered", n, math.MaxInt32)
	}
	if g.Offsets[0] != 0 || g.Offsets[n] != int64(len(g.Neighbours)) {
		return invalid("offsets run from %d to %d; they must run from 0 to the %s",
			g.Offsets[0], g.Offsets[n], quantity.Count(len(g.Neighbours), "stored neighbour"))
	}
	for v := 0; v < n; v++ {
		if g.Offsets[v] > g.Offsets[v+1] {
			return invalid("offsets fall from %d to %d at vertex %d", g.Offsets[v], g.Offsets[v+1], v)
		}
	}
	if g.VertexWeights != nil && len(g.VertexWeights) != n {
		return invalid("%s for %s", quantity.Count(len(g.VertexWeights), "vertex weight"), quantity.Count(n, "vertex"))
	}
	if g.EdgeWeights != nil && len(g.EdgeWeights) != len(g.Neighbours) {
		return invalid("%s for %s", quantity.Count(len(g.EdgeWeights), "edge weight"), quantity.Count(len(g.Neighbours), "neighbour"))
	}
	return nil
}

// ValidateWeights checks the signs and sums of the weights.
func (g *Graph) ValidateWeights() error {
	var total int64
	for v, w := range g.VertexWeights {
		if w < 0 {
			return invalid("vertex %d has weight %d; weights must not be negative", v, w)
		}
		if total > math.MaxInt64/4-w {
			return invalid("the vertex weights sum to more than 2^61; divide them by a common factor")
		}
		total += w
	}
	total = 0
	for e, w := range g.EdgeWeights {
		if w <= 0 {
			return invalid("entry %d of the edge weights is %d; weights must be positive", e, w)
		}
		if total > math.MaxInt64/4-w {
			return invalid("the edge weights sum to more than 2^61; divide them by a common factor")
		}
		total += w
	}
	return nil
}

// validateEdges checks range, self loops, parallel edges and symmetry in time
// linear in the size of the graph: the transpose, built row by row, lists
// every row's neighbours in ascending order and must equal the graph itself.
func (g *Graph) validateEdges() error {
	n := g.Vertices()
	degree := make([]int64, n+1)
	seenFrom := make([]int32, n)
	for v := 0; v < n; v++ {
		for e := g.Offsets[v]; e < g.Offsets[v+1]; e++ {
			u := g.Neighbours[e]
			switch {
			case u < 0 || int(u) >= n:
				return invalid("vertex %d has neighbour %d; vertices run from 0 to %d", v, u, n-1)
			case int(u) == v:
				return invalid("vertex %d is its own neighbour; remove self loops", v)
			case seenFrom[u] == int32(v)+1:
				return invalid("vertex %d lists neighbour %d twice; merge parallel edges", v, u)
			}
			seenFrom[u] = int32(v) + 1
			degree[u]++
		}
	}
	return g.validateSymmetry(degree)
}

func (g *Graph) validateSymmetry(degree []int64) error {
	n := g.Vertices()
	for v := 0; v < n; v++ {
		if have := g.Offsets[v+1] - g.Offsets[v]; degree[v] != have {
			return invalid("vertex %d lists %s but is listed by %d; store every edge in both directions", v, quantity.Count(have, "neighbour"), degree[v])
		}
	}
	// Edge (u,v) with u<v adds its weight times a hash of the pair, (v,u)
	// subtracts it: a cheap first pass; only when it fails is the culprit
	// searched for.
	var sum uint64
	for v := 0; v < n; v++ {
		for e := g.Offsets[v]; e < g.Offsets[v+1]; e++ {
			u := int(g.Neighbours[e])
			low, high := min(u, v), max(u, v)
			h := random.Mix(uint64(low)<<32|uint64(high)) ^ random.Mix(uint64(g.EdgeWeight(e)))
			if v < u {
				sum += random.Mix(h)
			} else {
				sum -= random.Mix(h)
			}
		}
	}
	if sum == 0 {
		return nil
	}
	for v := 0; v < n; v++ {
		for e := g.Offsets[v]; e < g.Offsets[v+1]; e++ {
			if err := g.validateReverse(int32(v), e); err != nil {
				return err
			}
		}
	}
	return nil
}

func (g *Graph) validateReverse(v int32, e int64) error {
	u := g.Neighbours[e]
	for r := g.Offsets[u]; r < g.Offsets[u+1]; r++ {
		if g.Neighbours[r] != v {
			continue
		}
		if g.EdgeWeight(r) != g.EdgeWeight(e) {
			return invalid("edge between vertices %d and %d has weight %d one way and %d the other", v, u, g.EdgeWeight(e), g.EdgeWeight(r))
		}
		return nil
	}
	return invalid("vertex %d lists neighbour %d but not the other way round; store every edge in both directions", v, u)
}

// Weighted returns g with both weight slices present, sharing what g has.
func (g *Graph) Weighted() *Graph {
	w := *g
	if w.VertexWeights == nil {
		w.VertexWeights = ones(g.Vertices())
	}
	if w.EdgeWeights == nil {
		w.EdgeWeights = ones(len(g.Neighbours))
	}
	return &w
}

func ones(n int) []int64 {
	w := make([]int64, n)
	for i := range w {
		w[i] = 1
	}
	return w
}

// Numbers returns 0..n-1.
func Numbers(n int) []int32 {
	order := make([]int32, n)
	for i := range order {
		order[i] = int32(i)
	}
	return order
}
