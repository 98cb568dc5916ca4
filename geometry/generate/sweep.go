package generate

import (
	"fmt"
	"math"
	"sort"

	"carina/geometry"
	"carina/geometry/mesh"

	"gonum.org/v1/gonum/spatial/r3"
)

// ringStep is the distance between the rings of a tube, in their edges. A tube
// is straight for most of its length; a longer step costs no accuracy.
const ringStep = 1.5

// rowStep is the distance between the rows of a junction along the crotch, in
// edges of the daughters. On the outer sides the rows are closer together.
const rowStep = 1.4

// stitchStep is the distance from the last ring of a branch to the ring where
// its daughters begin, in edges of the last ring.
const stitchStep = 0.8

// sweep makes the closed surface of the tree that begins with trunk, and the
// list of its flat ends: the inlet at the trunk's beginning, then the
// outlets, the largest first.
func sweep(trunk *branch) (*geometry.Surface, []geometry.Opening, error) {
	ends := listEnds(trunk)
	numbers := make(map[*branch]int, len(ends))
	for i, b := range ends {
		numbers[b] = i + 2
	}
	m := newBuilder()
	first := m.ring(trunk, 0, trunk.segments, func(psi float64) float64 { return trunk.line.to })
	base := trunk.base
	openings := make([]geometry.Opening, len(ends)+1)
	openings[0] = geometry.Opening{
		Number: 1,
		Name:   "inlet",
		Role:   geometry.Inlet,
		Center: base.origin,
		Normal: r3.Scale(-1, base.along),
		Area:   circleArea(trunk),
	}
	m.cap(first, base.origin, true, "inlet")
	rows := map[*branch][]int32{trunk: first}
	err := trunk.walk(func(b *branch) error {
		row := rows[b]
		delete(rows, b)
		if b.junction == nil {
			o := outlet(b, numbers[b])
			openings[o.Number-1] = o
			m.cap(m.tube(b, row, b.line.length), o.Center, false, o.Name)
			return nil
		}
		edge := 2 * math.Pi * b.line.to / float64(b.segments)
		lower := m.tube(b, row, b.line.length-stitchStep*edge)
		arms, err := m.divide(b, lower)
		if err != nil {
			return fmt.Errorf("branch of generation %d: %w", b.generation, err)
		}
		for d, daughter := range b.daughters {
			rows[daughter] = arms[d]
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	return &geometry.Surface{
		Mesh:       mesh.Mesh{Vertices: m.vertices, Triangles: m.triangles, Solids: m.solids},
		Unit:       geometry.Metre,
		UnitReason: "generated in metres",
	}, openings, nil
}

// listEnds returns the branches with a flat end, thickest first, otherwise in
// the order of the walk.
func listEnds(trunk *branch) []*branch {
	var ends []*branch
	_ = trunk.walk(func(b *branch) error {
		if b.junction == nil {
			ends = append(ends, b)
		}
		return nil
	})
	sort.SliceStable(ends, func(i, k int) bool { return circleArea(ends[i]) > circleArea(ends[k]) })
	return ends
}

func circleArea(b *branch) float64 {
	r := b.nominalRadius()
	return math.Pi * r * r
}

func outlet(b *branch, number int) geometry.Opening {
	f := b.end()
	return geometry.Opening{
		Number: number,
		Name:   fmt.Sprintf("outlet_%02d", number),
		Role:   geometry.Outlet,
		Center: f.origin,
		Normal: f.along,
		Area:   circleArea(b),
	}
}

// start is the station from which the branch is a tube of its own: 0 for the
// trunk, else the carina's tip.
func (b *branch) start() float64 {
	if b.parent == nil {
		return 0
	}
	return b.parent.junction.tip[b.side()]
}

// side says which of its parent's daughters b is.
func (b *branch) side() int { return int(b.path & 1) }

// tube adds the rings of b from its start, where row is, to station end, and
// returns the last one.
func (m *builder) tube(b *branch, row []int32, end float64) []int32 {
	start := b.start()
	edge := 2 * math.Pi * b.line.to / float64(b.segments)
	steps := max(1, int(math.Round((end-start)/(ringStep*edge))))
	for i := 1; i <= steps; i++ {
		s := start + (end-start)*float64(i)/float64(steps)
		next := m.ring(b, s, b.segments, func(psi float64) float64 {
			if b.parent == nil {
				return b.line.to
			}
			return b.parent.junction.surface(b.side(), s, psi)
		})
		m.strip(row, next)
		row = next
	}
	return row
}

// divide adds the junction at the end of b, whose last ring is lower, and
// returns the rings at which the daughters' own tubes start.
func (m *builder) divide(b *branch, lower []int32) ([2][]int32, error) {
	j := b.junction
	counts := [2]int{b.daughters[0].segments, b.daughters[1].segments}
	edge := math.Pi * (j.lines[0].to/float64(counts[0]) + j.lines[1].to/float64(counts[1]))
	points, err := j.crotch(rowStep * edge)
	if err != nil {
		return [2][]int32{}, err
	}
	base := b.daughters[0].base
	front, back := make([]int32, len(points)), make([]int32, len(points))
	for i, p := range points {
		front[i] = m.add(base.world(p.place))
		back[i] = front[i]
		if i < len(points)-1 {
			p.place.Y = -p.place.Y
			back[i] = m.add(base.world(p.place))
		}
	}
	var arms, first [2][]int32
	for d, daughter := range b.daughters {
		ends := [2][]int32{back, front}
		if d == 1 {
			ends = [2][]int32{front, back}
		}
		rows := m.arm(daughter, d, points, ends)
		for i := range len(rows) - 1 {
			m.strip(rows[i], rows[i+1])
		}
		first[d], arms[d] = rows[0], rows[len(rows)-1]
	}
	m.stitchTo(b, lower, first)
	return arms, nil
}

// arm adds the part of daughter d's surface between its parent's end and the
// tip of the carina: one row for every point of the crotch, from its back to
// its front end.
func (m *builder) arm(b *branch, d int, points []crotchPoint, ends [2][]int32) [][]int32 {
	j := b.parent.junction
	n := b.segments
	last := len(points) - 1
	rows := make([][]int32, len(points))
	for r, p := range points {
		row := make([]int32, n+1)
		row[0], row[n] = ends[0][r], ends[1][r]
		outer := j.tip[d] * float64(r) / float64(last)
		for i := 1; i < n; i++ {
			// Even steps on the outer side, those of the crotch beside it.
			across := 2*float64(i)/float64(n) - 1
			s := outer + across*across*(p.station[d]-outer)
			psi := p.angle[d] * across
			row[i] = m.add(b.base.world(b.line.ray(s, psi).at(j.surface(d, s, psi))))
		}
		rows[r] = row
	}
	return rows
}

// stitchTo joins the last ring of b to the ring that the first rows of its
// two daughters form.
func (m *builder) stitchTo(b *branch, lower []int32, first [2][]int32) {
	below := m.angled(b, lower)
	upper := angledRing{vertices: append(append([]int32{}, first[0]...), first[1][1:]...)}
	above := m.angled(b, upper.vertices)
	m.stitch(below, above)
}

// angled measures the angles of a ring about the end of b.
func (m *builder) angled(b *branch, ring []int32) angledRing {
	f := b.end()
	angles := make([]float64, len(ring))
	for i, v := range ring {
		p := r3.Sub(m.vertices[v], f.origin)
		angles[i] = math.Atan2(r3.Dot(p, f.across), r3.Dot(p, f.side))
		if i > 0 && angles[i] < angles[i-1] {
			angles[i] += 2 * math.Pi
		}
	}
	return angledRing{ring, angles}
}
