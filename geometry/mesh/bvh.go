package mesh

import (
	"math"
	"math/bits"
	"slices"

	"gonum.org/v1/gonum/spatial/r3"
)

// leafTriangles is the most triangles that a leaf of the hierarchy holds.
const leafTriangles = 6

// Hierarchy is a tree of bounding boxes over the triangles of a surface, for
// rays and winding numbers. Nodes are stored depth first: a node's first
// child follows it.
type Hierarchy struct {
	Mesh  *Mesh
	order []int32
	nodes []node
}

// node is a box around order[from:to]. second is the index of its second
// child, 0 for a leaf.
type node struct {
	low, high r3.Vec
	from, to  int32
	second    int32
}

// NewHierarchy makes the tree of a mesh, whose triangles must stay where they are.
func NewHierarchy(s *Mesh) *Hierarchy { return NewHierarchyWithout(s, make([]bool, len(s.Triangles))) }

// NewHierarchyWithout makes the tree of a mesh without the triangles marked.
func NewHierarchyWithout(s *Mesh, marked []bool) *Hierarchy {
	h := &Hierarchy{Mesh: s, order: make([]int32, 0, len(s.Triangles))}
	centers := make([]r3.Vec, len(s.Triangles))
	for i := range centers {
		if marked[i] {
			continue
		}
		h.order = append(h.order, int32(i))
		a, b, c := s.Corners(i)
		centers[i] = r3.Scale(1.0/3, r3.Add(a, r3.Add(b, c)))
	}
	if len(h.order) > 0 {
		h.build(centers, make([]sortKey, len(h.order)), 0, int32(len(h.order)))
	}
	return h
}

// Size is how many triangles there are.
func (h *Hierarchy) Size() int { return len(h.order) }

// sortKey is a triangle and where its centre lies along an axis.
type sortKey struct {
	at       float64
	triangle int32
}

// compare orders keys, those at the same place by their triangles.
func (k sortKey) compare(o sortKey) int {
	switch {
	case k.at < o.at:
		return -1
	case k.at > o.at:
		return 1
	}
	return int(k.triangle - o.triangle)
}

// halve puts the least keys before the middle, and sorts where a half is a leaf:
// the triangles of leaves are in order.
func halve(keys []sortKey, middle int) {
	const few = 16
	if middle > leafTriangles {
		// What divides badly is sorted.
		for rounds := 4 * bits.Len(uint(len(keys))); middle > 0 && len(keys) > few && rounds > 0; rounds-- {
			switch at := divide(keys); {
			case at > middle:
				keys = keys[:at]
			case at < middle:
				keys, middle = keys[at+1:], middle-at-1
			default:
				middle = 0
			}
		}
		if middle == 0 {
			return
		}
	}
	slices.SortFunc(keys, sortKey.compare)
}

// divide puts the lesser keys before one of them and the greater ones after it, and
// returns where that one is.
func divide(keys []sortKey) int {
	// The median of three comes last.
	last, middle := len(keys)-1, len(keys)/2
	if keys[middle].compare(keys[0]) < 0 {
		keys[middle], keys[0] = keys[0], keys[middle]
	}
	if keys[last].compare(keys[0]) < 0 {
		keys[last], keys[0] = keys[0], keys[last]
	}
	if keys[middle].compare(keys[last]) < 0 {
		keys[middle], keys[last] = keys[last], keys[middle]
	}
	pivot := keys[last]
	low, high := 0, last-1
	for {
		for low <= high && keys[low].compare(pivot) < 0 {
			low++
		}
		for low <= high && keys[high].compare(pivot) > 0 {
			high--
		}
		if low >= high {
			break
		}
		keys[low], keys[high] = keys[high], keys[low]
		low, high = low+1, high-1
	}
	keys[low], keys[last] = keys[last], keys[low]
	return low
}

// build makes the node of order[from:to] and those below it by halving the
// centres along the longest side of their box.
func (h *Hierarchy) build(centers []r3.Vec, keys []sortKey, from, to int32) {
	at := len(h.nodes)
	h.nodes = append(h.nodes, node{from: from, to: to})
	if to-from <= leafTriangles {
		h.nodes[at].low, h.nodes[at].high = h.bounds(from, to)
		return
	}
	inf := math.Inf(1)
	a, b := r3.Vec{X: inf, Y: inf, Z: inf}, r3.Vec{X: -inf, Y: -inf, Z: -inf}
	for _, t := range h.order[from:to] {
		a, b = MinVec(a, centers[t]), MaxVec(b, centers[t])
	}
	side, axis := r3.Sub(b, a), 0
	if side.Y >= side.X && side.Y >= side.Z {
		axis = 1
	} else if side.Z >= side.X {
		axis = 2
	}
	part := keys[from:to]
	for i, t := range h.order[from:to] {
		c := &centers[t]
		part[i] = sortKey{[3]float64{c.X, c.Y, c.Z}[axis], t}
	}
	middle := (from + to) / 2
	halve(part, int(middle-from))
	for i := range part {
		h.order[from+int32(i)] = part[i].triangle
	}
	h.build(centers, keys, from, middle)
	second := len(h.nodes)
	h.build(centers, keys, middle, to)
	n, one, other := &h.nodes[at], &h.nodes[at+1], &h.nodes[second]
	n.second = int32(second)
	n.low, n.high = MinVec(one.low, other.low), MaxVec(one.high, other.high)
}

func (h *Hierarchy) bounds(from, to int32) (low, high r3.Vec) {
	inf := math.Inf(1)
	low, high = r3.Vec{X: inf, Y: inf, Z: inf}, r3.Vec{X: -inf, Y: -inf, Z: -inf}
	for _, t := range h.order[from:to] {
		for _, v := range h.Mesh.Triangles[t].V {
			low, high = MinVec(low, h.Mesh.Vertices[v]), MaxVec(high, h.Mesh.Vertices[v])
		}
	}
	return low, high
}

// MinVec returns the lower of every two coordinates.
func MinVec(a, b r3.Vec) r3.Vec {
	return r3.Vec{X: min(a.X, b.X), Y: min(a.Y, b.Y), Z: min(a.Z, b.Z)}
}

// MaxVec returns the higher of every two coordinates.
func MaxVec(a, b r3.Vec) r3.Vec {
	return r3.Vec{X: max(a.X, b.X), Y: max(a.Y, b.Y), Z: max(a.Z, b.Z)}
}

// Ray returns how far from a point along a direction the first triangle lies,
// in lengths of the direction, and which it is; +Inf and -1 when there is
// none within limit.
func (h *Hierarchy) Ray(from, direction r3.Vec, limit float64) (float64, int32) {
	return h.cast(from, direction, limit, false)
}

// Blocked reports whether any triangle lies before a point in a direction.
func (h *Hierarchy) Blocked(from, direction r3.Vec) bool {
	_, hit := h.cast(from, direction, math.Inf(1), true)
	return hit >= 0
}

// cast follows a ray to the first triangle, of those at one distance to the first in
// the tree's order, or to any. Boxes that it enters sooner are searched first.
func (h *Hierarchy) cast(from, direction r3.Vec, limit float64, anyHit bool) (float64, int32) {
	// A finite limit, so that no box lies at an infinite distance within it.
	best, hit, place := min(limit, math.MaxFloat64), int32(-1), int32(0)
	inverse := inverseOf(direction)
	var stack [64]int32
	var entered [64]float64 // where the ray enters their boxes
	depth := 0
	if len(h.nodes) > 0 {
		depth = 1
	}
	for depth > 0 {
		depth--
		if entered[depth] > best {
			continue
		}
		at := stack[depth]
		n := &h.nodes[at]
		if n.second != 0 {
			sooner, later := at+1, n.second
			near, crossed := h.nodes[sooner].enter(&from, &inverse, best)
			far, also := h.nodes[later].enter(&from, &inverse, best)
			if crossed && also && far < near {
				sooner, later, near, far = later, sooner, far, near
			}
			if also {
				stack[depth], entered[depth] = later, far
				depth++
			}
			if crossed {
				stack[depth], entered[depth] = sooner, near
				depth++
			}
			continue
		}
		for k := n.from; k < n.to; k++ {
			t := h.order[k]
			if d, ok := h.Mesh.rayTriangle(t, from, direction); ok && (d < best || d == best && hit >= 0 && k < place) {
				best, hit, place = d, t, k
			}
		}
		if anyHit && hit >= 0 {
			break
		}
	}
	if hit < 0 {
		return math.Inf(1), -1
	}
	return best, hit
}

func inverseOf(direction r3.Vec) r3.Vec {
	return r3.Vec{X: 1 / direction.X, Y: 1 / direction.Y, Z: 1 / direction.Z}
}

// enter returns how far along a ray the node's box is entered, and whether it is
// before a finite limit.
func (n *node) enter(from, inverse *r3.Vec, limit float64) (near float64, crossed bool) {
	if near, limit = clip(from.X, inverse.X, n.low.X, n.high.X, 0, limit); near > limit {
		return near, false
	}
	if near, limit = clip(from.Y, inverse.Y, n.low.Y, n.high.Y, near, limit); near > limit {
		return near, false
	}
	near, limit = clip(from.Z, inverse.Z, n.low.Z, n.high.Z, near, limit)
	return near, near <= limit
}

// clip narrows a range of a ray to where it is between two bounds along an axis.
// Along a bound itself it divides zero by zero: comparisons with that do
// not hold and leave the range as it is.
func clip(from, inverse, low, high, near, far float64) (float64, float64) {
	a, b := (low-from)*inverse, (high-from)*inverse
	if inverse < 0 {
		a, b = b, a
	}
	if a > near {
		near = a
	}
	if b < far {
		far = b
	}
	return near, far
}

// rayTriangle returns where a ray hits triangle t (Möller and Trumbore 1997).
func (s *Mesh) rayTriangle(t int32, from, direction r3.Vec) (float64, bool) {
	a, b, c := s.Corners(int(t))
	e1, e2 := r3.Sub(b, a), r3.Sub(c, a)
	p := r3.Cross(direction, e2)
	det := r3.Dot(e1, p)
	if det == 0 {
		return 0, false
	}
	d := r3.Sub(from, a)
	u := r3.Dot(d, p) / det
	if u < 0 || u > 1 {
		return 0, false
	}
	q := r3.Cross(d, e1)
	v := r3.Dot(direction, q) / det
	if v < 0 || u+v > 1 {
		return 0, false
	}
	at := r3.Dot(e2, q) / det
	return at, at > 0
}
