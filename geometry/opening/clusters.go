package opening

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/spatial/r3"
)

// clusters is a tree of the pieces of a surface: its leaves are the triangles,
// and two neighbouring pieces make one, those first that lose least of the length
// of their vector areas by it: so flat pieces grow whole before they
// grow over an edge, whatever their triangles, and noise averages out (Cohen-Steiner and
// others 2004, merged as Garland and others 2001).
type clusters struct {
	parts  [][2]int32 // of each piece that is no triangle
	parent []int32    // -1 for the last of a component
	sum    []clusterSum
	leaves int
}

// clusterSum is what is added up over the triangles of a piece.
type clusterSum struct {
	vector    r3.Vec  // vector area
	center    r3.Vec  // times area
	area      float64 // of the triangles
	square    float64 // of the distance from the surface's middle, times area
	triangles int32
}

func (c *clusterSum) add(o *clusterSum) clusterSum {
	return clusterSum{r3.Add(c.vector, o.vector), r3.Add(c.center, o.center), c.area + o.area, c.square + o.square, c.triangles + o.triangles}
}

// border is where two pieces meet.
type border struct {
	a, b int32
	loss float64
	draw uint64 // decides between equal losses
}

func (e *border) before(o *border) bool {
	return e.loss < o.loss || e.loss == o.loss && e.draw < o.draw
}

// newClusters makes the tree, in rounds in which all pieces merge that are the best
// neighbours of each other.
func newClusters(f *Finder) *clusters {
	n := len(f.unit)
	c := &clusters{leaves: n, sum: make([]clusterSum, n, 2*n), parent: make([]int32, n, 2*n)}
	low, high := f.mesh.Bounds()
	middle := r3.Scale(0.5, r3.Add(low, high))
	for t := range n {
		c.parent[t] = -1
		p := r3.Sub(f.center[t], middle)
		a, b, d := f.mesh.Corners(t)
		// The second moment of a triangle about its middle is that of its corners
		// over four.
		own := (r3.Norm2(r3.Sub(a, b)) + r3.Norm2(r3.Sub(b, d)) + r3.Norm2(r3.Sub(d, a))) / 36
		c.sum[t] = clusterSum{f.area[t], r3.Scale(f.size[t], p), f.size[t], f.size[t] * (r3.Norm2(p) + own), 1}
	}
	var borders []border
	for side, mate := range f.topology.Mate {
		if t, o := int32(side/3), mate/3; int(mate) > side && t != o && !f.taken[t] && !f.taken[o] {
			borders = append(borders, c.newBorder(t, o))
		}
	}
	m := merging{clusters: c, best: make([]int32, 2*n), begin: make([]int32, 2*n), last: make([]int32, 2*n), spare: make([]border, len(borders))}
	for t := range n {
		m.alive = append(m.alive, int32(t))
	}
	for len(borders) > 0 {
		borders = m.round(borders)
	}
	return c
}

// lossOf is how much shorter the vector area of two pieces is than those of both.
func lossOf(a, b *clusterSum) float64 {
	length := func(v r3.Vec) float64 { return math.Sqrt(r3.Norm2(v)) }
	return length(a.vector) + length(b.vector) - length(r3.Add(a.vector, b.vector))
}

func (c *clusters) newBorder(a, b int32) border {
	loss := lossOf(&c.sum[a], &c.sum[b])
	// Rounding must not order what is in one plane.
	const rounding = 1e-9
	if loss < rounding*(c.sum[a].area+c.sum[b].area) {
		loss = 0
	}
	draw := (uint64(min(a, b))<<32 | uint64(max(a, b))) * 0x9e3779b97f4a7c15
	return border{a, b, loss, draw ^ draw>>29}
}

// merging is what the rounds of merging need. Its lists have a place for each piece.
type merging struct {
	*clusters
	alive       []int32 // the pieces that have not merged, ascending
	best        []int32 // of their borders
	begin, last []int32 // where their borders begin, and with whom the last one is
	spare       []border
}

// round merges and returns the borders that are left.
func (m *merging) round(borders []border) []border {
	best := m.best
	for _, p := range m.alive {
		best[p] = -1
	}
	for i := range borders {
		for _, end := range [2]int32{borders[i].a, borders[i].b} {
			if best[end] < 0 || borders[i].before(&borders[best[end]]) {
				best[end] = int32(i)
			}
		}
	}
	for i := range borders {
		e := &borders[i]
		if best[e.a] != int32(i) || best[e.b] != int32(i) {
			continue
		}
		node := int32(len(m.sum))
		m.sum = append(m.sum, m.sum[e.a].add(&m.sum[e.b]))
		m.parts = append(m.parts, [2]int32{e.a, e.b})
		m.parent = append(m.parent, -1)
		m.parent[e.a], m.parent[e.b] = node, node
		m.alive = append(m.alive, node)
	}
	m.alive = slices.DeleteFunc(m.alive, func(p int32) bool { return m.parent[p] >= 0 })
	left := borders[:0]
	top := func(p int32) int32 {
		if m.parent[p] >= 0 {
			return m.parent[p]
		}
		return p
	}
	for _, e := range borders {
		a, b := top(e.a), top(e.b)
		if a == b {
			continue
		}
		if a != e.a || b != e.b {
			e = m.newBorder(a, b)
		}
		left = append(left, e)
	}
	return m.withoutDoubles(left)
}

// withoutDoubles keeps one border of any two pieces, in the order of their lower ones.
func (m *merging) withoutDoubles(borders []border) []border {
	for _, p := range m.alive {
		m.begin[p], m.last[p] = 0, -1
	}
	for i := range borders {
		if borders[i].a > borders[i].b {
			borders[i].a, borders[i].b = borders[i].b, borders[i].a
		}
		m.begin[borders[i].a]++
	}
	next := int32(0)
	for _, p := range m.alive {
		m.begin[p], next = next, next+m.begin[p]
	}
	sorted := m.spare[:len(borders)]
	for _, e := range borders {
		sorted[m.begin[e.a]] = e
		m.begin[e.a]++
	}
	out := borders[:0]
	for _, e := range sorted {
		if m.last[e.b] != e.a {
			m.last[e.b] = e.a
			out = append(out, e)
		}
	}
	return out
}

// triangles lists those of a piece.
func (c *clusters) triangles(node int32) []int32 {
	out := make([]int32, 0, c.sum[node].triangles)
	stack := []int32{node}
	for len(stack) > 0 {
		at := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if int(at) < c.leaves {
			out = append(out, at)
			continue
		}
		stack = append(stack, c.parts[int(at)-c.leaves][:]...)
	}
	return out
}

const (
	// A piece may be an end when its vector area has this share of its area, when
	// it is this round (the second moment over that of a disc: 1.25 for
	// an ellipse twice as long as wide), and when it meets what it merges with at
	// this angle in the mean.
	pieceFlat, pieceRound = 0.8, 2.2
	pieceTurn             = 10 * math.Pi / 180
	// It has so many triangles, and loses this share of its area.
	pieceTriangles, pieceLoss = 4, 0.008
)

// candidates lists the pieces that are flat and round and end at an edge.
func (c *clusters) candidates() []int32 {
	var out []int32
	for node := range c.sum {
		s := &c.sum[node]
		if s.triangles < pieceTriangles || c.parent[node] < 0 || r3.Norm(s.vector) < pieceFlat*s.area {
			continue
		}
		spread := s.square/s.area - r3.Norm2(s.center)/(s.area*s.area)
		if spread > pieceRound*s.area/(2*math.Pi) {
			continue
		}
		parent := c.parent[node]
		sibling := c.parts[int(parent)-c.leaves][0]
		if int(sibling) == node {
			sibling = c.parts[int(parent)-c.leaves][1]
		}
		o := &c.sum[sibling]
		if r3.Dot(r3.Unit(s.vector), r3.Unit(o.vector)) > math.Cos(pieceTurn) || lossOf(s, o) < pieceLoss*s.area {
			continue
		}
		out = append(out, int32(node))
	}
	return out
}
