package generate

import (
	"math"
	"sort"

	"carina/geometry/mesh"

	"gonum.org/v1/gonum/spatial/r3"
)

// A builder makes a surface row by row. A row is a list of vertices, in
// counter-clockwise order when one looks against the flow out of the trunk; a
// ring is a row whose last vertex is its first.
type builder struct {
	vertices  []r3.Vec
	triangles []mesh.Triangle
	solids    []string
}

// wallSolid is the index of the wall among the solids.
const wallSolid = 0

func newBuilder() *builder { return &builder{solids: []string{"wall"}} }

// add adds a vertex.
func (m *builder) add(p r3.Vec) int32 {
	m.vertices = append(m.vertices, p)
	return int32(len(m.vertices) - 1)
}

func (m *builder) triangle(a, b, c, solid int32) {
	m.triangles = append(m.triangles, mesh.Triangle{V: [3]int32{a, b, c}, Solid: solid})
}

// strip joins two rows of equally many vertices, upper lying further along
// the branch.
func (m *builder) strip(lower, upper []int32) {
	for i := range len(lower) - 1 {
		a, b, c, d := lower[i], lower[i+1], upper[i+1], upper[i]
		switch {
		case c == b:
			m.triangle(a, b, d, wallSolid)
		case a == d:
			m.triangle(a, b, c, wallSolid)
		case m.squared(a, c) <= m.squared(b, d):
			m.triangle(a, b, c, wallSolid)
			m.triangle(a, c, d, wallSolid)
		default:
			m.triangle(a, b, d, wallSolid)
			m.triangle(b, c, d, wallSolid)
		}
	}
}

func (m *builder) squared(a, b int32) float64 {
	return r3.Norm2(r3.Sub(m.vertices[a], m.vertices[b]))
}

// An angledRing is a ring on a circle with the angles of its vertices, all
// measured from the same direction, ascending, the last 2π above the first.
type angledRing struct {
	vertices []int32
	angles   []float64
}

// stitch joins two rings of any numbers of vertices about the same axis.
func (m *builder) stitch(lower, upper angledRing) {
	upper = upper.startingNear(lower.angles[0])
	i, k := 0, 0
	for i < len(lower.vertices)-1 || k < len(upper.vertices)-1 {
		last, first := i == len(lower.vertices)-1, k == len(upper.vertices)-1
		if first || !last && lower.angles[i+1]+lower.angles[i] <= upper.angles[k+1]+upper.angles[k] {
			m.triangle(lower.vertices[i], lower.vertices[i+1], upper.vertices[k], wallSolid)
			i++
		} else {
			m.triangle(lower.vertices[i], upper.vertices[k+1], upper.vertices[k], wallSolid)
			k++
		}
	}
}

// startingNear returns the ring turned so that it starts with the vertex
// nearest to angle.
func (r angledRing) startingNear(angle float64) angledRing {
	n := len(r.vertices) - 1
	turned := angledRing{make([]int32, 0, n+1), make([]float64, 0, n+1)}
	// Angles relative to the start, in [−π, π).
	offset := make([]float64, n)
	order := make([]int, n)
	for i := range n {
		turns := math.Floor((r.angles[i]-angle)/(2*math.Pi) + 0.5)
		offset[i] = r.angles[i] - angle - turns*2*math.Pi
		order[i] = i
	}
	sort.Slice(order, func(a, b int) bool { return offset[order[a]] < offset[order[b]] })
	start := 0
	for i, o := range order {
		if math.Abs(offset[o]) < math.Abs(offset[order[start]]) {
			start = i
		}
	}
	for i := range n + 1 {
		o := order[(start+i)%n]
		a := angle + offset[o]
		if start+i >= n {
			a += 2 * math.Pi
		}
		turned.vertices = append(turned.vertices, r.vertices[o])
		turned.angles = append(turned.angles, a)
	}
	return turned
}

// ring adds a ring of n vertices on the circle with the given radius about
// station s of b, starting on the inner side of its bend.
func (m *builder) ring(b *branch, s float64, n int, distance func(psi float64) float64) []int32 {
	row := make([]int32, n+1)
	for i := range n {
		psi := -math.Pi + 2*math.Pi*float64(i)/float64(n)
		row[i] = m.add(b.base.world(b.line.ray(s, psi).at(distance(psi))))
	}
	row[n] = row[0]
	return row
}

// cap closes a ring by a flat fan around its centre. A start cap looks
// against the branch's direction, an end cap along it.
func (m *builder) cap(ring []int32, center r3.Vec, start bool, name string) {
	solid := int32(len(m.solids))
	m.solids = append(m.solids, name)
	c := m.add(center)
	for i := range len(ring) - 1 {
		a, b := ring[i], ring[i+1]
		if start {
			a, b = b, a
		}
		m.triangle(c, a, b, solid)
	}
}
