package graphtest

import (
	"math/rand/v2"
	"slices"

	"carina/partition/graph"

	"pgregory.net/rapid"
)

// FromEdges builds a graph of n vertices from weighted edges.
func FromEdges(n int, edges [][3]int64) *graph.Graph {
	rows := make([][][2]int64, n)
	for _, e := range edges {
		rows[e[0]] = append(rows[e[0]], [2]int64{e[1], e[2]})
		rows[e[1]] = append(rows[e[1]], [2]int64{e[0], e[2]})
	}
	g := &graph.Graph{Offsets: []int64{0}}
	for _, row := range rows {
		for _, entry := range row {
			g.Neighbours = append(g.Neighbours, int32(entry[0]))
			g.EdgeWeights = append(g.EdgeWeights, entry[1])
		}
		g.Offsets = append(g.Offsets, int64(len(g.Neighbours)))
	}
	return g
}

// Grid is the x·y·z mesh with unit weights and six neighbours.
func Grid(x, y, z int) *graph.Graph {
	g := &graph.Graph{Offsets: []int64{0}}
	at := func(i, j, k int) int32 { return int32((k*y+j)*x + i) }
	for k := 0; k < z; k++ {
		for j := 0; j < y; j++ {
			for i := 0; i < x; i++ {
				for _, d := range [][3]int{{-1, 0, 0}, {1, 0, 0}, {0, -1, 0}, {0, 1, 0}, {0, 0, -1}, {0, 0, 1}} {
					a, b, c := i+d[0], j+d[1], k+d[2]
					if a >= 0 && a < x && b >= 0 && b < y && c >= 0 && c < z {
						g.Neighbours = append(g.Neighbours, at(a, b, c))
					}
				}
				g.Offsets = append(g.Offsets, int64(len(g.Neighbours)))
			}
		}
	}
	return g
}

// WeightedGrid is a square grid with random weights.
func WeightedGrid(side int, r *rand.Rand) *graph.Graph {
	g := Grid(side, side, 1).Weighted()
	for v := range g.VertexWeights {
		g.VertexWeights[v] = 1 + r.Int64N(9)
		for e := g.Offsets[v]; e < g.Offsets[v+1]; e++ {
			g.EdgeWeights[e] = int64(1 + (v^int(g.Neighbours[e]))%7)
		}
	}
	return g
}

// PathEdges are those of a path of n vertices.
func PathEdges(n int) [][3]int64 {
	var edges [][3]int64
	for v := 1; v < n; v++ {
		edges = append(edges, [3]int64{int64(v - 1), int64(v), 1})
	}
	return edges
}

// StarEdges are those from vertex 0 to all others.
func StarEdges(n int) [][3]int64 {
	var edges [][3]int64
	for v := 1; v < n; v++ {
		edges = append(edges, [3]int64{0, int64(v), 1})
	}
	return edges
}

// CompleteEdges are those between any two of n vertices.
func CompleteEdges(n int) [][3]int64 {
	var edges [][3]int64
	for u := 0; u < n; u++ {
		for v := u + 1; v < n; v++ {
			edges = append(edges, [3]int64{int64(u), int64(v), 1})
		}
	}
	return edges
}

// Preferential lets every vertex choose as many others, each by its degree
// (Barabási and Albert 1999).
func Preferential(vertices, edges int, r *rand.Rand) *graph.Graph {
	var chosen []int32 // every vertex as often as it has edges
	joined := map[[2]int32]bool{}
	var list [][3]int64
	for v := int32(edges); int(v) < vertices; v++ {
		for range edges {
			u := r.Int32N(int32(edges))
			if len(chosen) > 0 {
				u = chosen[r.IntN(len(chosen))]
			}
			if u != v && !joined[[2]int32{u, v}] {
				joined[[2]int32{u, v}] = true
				list = append(list, [3]int64{int64(u), int64(v), 1})
				chosen = append(chosen, u, v)
			}
		}
	}
	return FromEdges(vertices, list)
}

// TubeTree returns a tree of tubes: every tube is a ladder two cells wide, and
// branches leave their parents anywhere. Weights differ as cuboids' do.
func TubeTree(r *rand.Rand, cells int) *graph.Graph {
	type edge struct {
		u, v int32
		w    int64
	}
	var edges []edge
	var weights []int64
	add := func(u, v int32) { edges = append(edges, edge{u, v, 1 + r.Int64N(9)}) }
	for len(weights)+2 <= cells {
		n := int32(len(weights))
		scale := int64(1) << r.IntN(4)
		weights = append(weights, scale*(1+r.Int64N(8)), scale*(1+r.Int64N(8)))
		add(n, n+1)
		if n == 0 {
			continue
		}
		parent := 2 * int32(r.IntN(int(n)/2))
		if r.IntN(2) == 0 {
			parent = n - 2
		}
		add(parent, n)
		add(parent+1, n+1)
	}
	g := &graph.Graph{Offsets: []int64{0}, VertexWeights: weights}
	for v := range int32(len(weights)) {
		for _, e := range edges {
			if e.u == v || e.v == v {
				g.Neighbours = append(g.Neighbours, e.u+e.v-v)
				g.EdgeWeights = append(g.EdgeWeights, e.w)
			}
		}
		g.Offsets = append(g.Offsets, int64(len(g.Neighbours)))
	}
	return g
}

// Draw draws a random graph, often disconnected, with or without
// weights.
func Draw(t *rapid.T) *graph.Graph {
	n := rapid.IntRange(1, 60).Draw(t, "vertices")
	heaviest := rapid.SampledFrom([]int64{1, 3, 1000, 1 << 40, 1 << 54}).Draw(t, "heaviest")
	var edges [][3]int64
	seen := map[[2]int]bool{}
	for i := rapid.IntRange(0, 3*n).Draw(t, "edges"); i > 0; i-- {
		u, v := rapid.IntRange(0, n-1).Draw(t, "u"), rapid.IntRange(0, n-1).Draw(t, "v")
		if u > v {
			u, v = v, u
		}
		if u != v && !seen[[2]int{u, v}] {
			seen[[2]int{u, v}] = true
			edges = append(edges, [3]int64{int64(u), int64(v), rapid.Int64Range(1, heaviest).Draw(t, "weight")})
		}
	}
	g := FromEdges(n, edges)
	if rapid.Bool().Draw(t, "vertex weights") {
		g.VertexWeights = rapid.SliceOfN(rapid.Int64Range(0, heaviest), n, n).Draw(t, "vertex weights")
	}
	return g
}

// DrawFamily draws a graph of one of the families that partitioners trip
// over.
func DrawFamily(t *rapid.T) *graph.Graph {
	n := rapid.IntRange(1, 40).Draw(t, "size")
	var g *graph.Graph
	switch rapid.SampledFrom([]string{"any", "empty", "isolated", "path", "star", "complete", "halves", "mesh"}).Draw(t, "family") {
	case "any":
		return Draw(t)
	case "empty":
		return &graph.Graph{}
	case "isolated":
		g = FromEdges(n, nil)
	case "path":
		g = FromEdges(n, PathEdges(n))
	case "star":
		g = FromEdges(n, StarEdges(n))
	case "complete":
		g = FromEdges(min(n, 15), CompleteEdges(min(n, 15)))
	case "halves":
		edges := PathEdges(n)
		for _, e := range PathEdges(n) {
			edges = append(edges, [3]int64{e[0] + int64(n), e[1] + int64(n), 1})
		}
		g = FromEdges(2*n, edges)
	case "mesh":
		g = Grid(6, 1+n/6, 1)
	}
	switch rapid.SampledFrom([]string{"units", "zeros", "some zeros", "huge", "thousandfold"}).Draw(t, "weights") {
	case "zeros":
		g.VertexWeights = make([]int64, g.Vertices())
	case "some zeros":
		g.VertexWeights = rapid.SliceOfN(rapid.Int64Range(0, 1), g.Vertices(), g.Vertices()).Draw(t, "weights")
	case "huge":
		g.VertexWeights = slices.Repeat([]int64{1}, g.Vertices())
		g.VertexWeights[rapid.IntRange(0, g.Vertices()-1).Draw(t, "heavy")] = 1 << 40
	case "thousandfold":
		g.VertexWeights = rapid.SliceOfN(rapid.Int64Range(1, 1000), g.Vertices(), g.Vertices()).Draw(t, "weights")
	}
	return g
}

// DrawParts draws a part for every vertex, and limits: some kept, some not.
func DrawParts(t *rapid.T, g *graph.Graph, k int) (part []int32, limit []int64) {
	part = rapid.SliceOfN(rapid.Int32Range(0, int32(k)-1), g.Vertices(), g.Vertices()).Draw(t, "part")
	limit = make([]int64, k)
	for p := range limit {
		limit[p] = g.TotalVertexWeight()/int64(k) + rapid.Int64Range(0, 100).Draw(t, "slack")
	}
	return part, limit
}

// Cut is the weight of the edges between different parts, times the
// distance of these if there are any.
func Cut(g *graph.Graph, parts []int32, distance [][]int64) int64 {
	var twice int64
	for v, p := range parts {
		for e := g.Offsets[v]; e < g.Offsets[v+1]; e++ {
			apart, w := int64(1), int64(1)
			if distance != nil {
				apart = distance[p][parts[g.Neighbours[e]]]
			}
			if g.EdgeWeights != nil {
				w = g.EdgeWeights[e]
			}
			if parts[g.Neighbours[e]] != p {
				twice += w * apart
			}
		}
	}
	return twice / 2
}
