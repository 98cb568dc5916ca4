package mend

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"carina/geometry/mesh"
	"carina/internal/quantity"

	"gonum.org/v1/gonum/spatial/r3"
)

// Changes counts what was changed in a surface to make it whole.
type Changes struct {
	// WeldedVertices were merged with others within WeldTolerance metres.
	WeldedVertices int     `json:"welded_vertices"`
	WeldTolerance  float64 `json:"weld_tolerance_m"`
	// DegenerateTriangles had no area or two equal corners; Duplicates had the
	// same corners as another.
	DegenerateTriangles int `json:"degenerate_triangles"`
	DuplicateTriangles  int `json:"duplicate_triangles"`
	// FlippedTriangles were wound against their neighbours or inside out.
	FlippedTriangles int `json:"flipped_triangles"`
	// ClosedHoles were closed with HoleTriangles triangles.
	ClosedHoles   int `json:"closed_holes"`
	HoleTriangles int `json:"hole_triangles"`
	// CappedOpenings were open ends that were closed.
	CappedOpenings int `json:"capped_openings"`
	// DroppedTriangles belonged to the outer of two walls.
	DroppedTriangles int `json:"dropped_triangles"`
	// EnclosedBodies stood in obstacles and were dropped.
	EnclosedBodies int `json:"enclosed_bodies"`
	// CrossingObstacles and CrossingParts are closed bodies whose walls go through
	// the largest one's, taken for obstacles and for parts of the lumen.
	CrossingObstacles int `json:"crossing_obstacles"`
	CrossingParts     int `json:"crossing_parts"`
	// LooseTriangles is how many triangles most sides of which no other shares,
	// where that is most of them: they are not joined.
	LooseTriangles int `json:"loose_triangles,omitempty"`
}

func (m *Changes) count(obstacle bool) {
	if obstacle {
		m.CrossingObstacles++
	} else {
		m.CrossingParts++
	}
}

// String says in words what was mended, "nothing" for a sound surface.
func (m Changes) String() string {
	var parts []string
	add := func(n int, one, many string) {
		switch {
		case n == 1:
			parts = append(parts, "one "+one)
		case n > 1:
			parts = append(parts, fmt.Sprintf("%d %s", n, many))
		}
	}
	within := " welded within " + quantity.FormatLength(m.WeldTolerance)
	add(m.WeldedVertices, "vertex"+within, "vertices"+within)
	add(m.DegenerateTriangles, "degenerate triangle dropped", "degenerate triangles dropped")
	add(m.DuplicateTriangles, "duplicate triangle dropped", "duplicate triangles dropped")
	add(m.FlippedTriangles, "triangle turned over", "triangles turned over")
	add(m.ClosedHoles, "hole closed", "holes closed")
	add(m.CappedOpenings, "open end capped", "open ends capped")
	add(m.EnclosedBodies, "body inside an obstacle dropped", "bodies inside obstacles dropped")
	add(m.DroppedTriangles, "triangle of an outer wall dropped", "triangles of outer walls dropped")
	if len(parts) == 0 {
		return "nothing"
	}
	return strings.Join(parts, ", ")
}

// weldShare is the weld tolerance as a share of the diagonal of the bounding
// box: far below any detail of a lumen, far above the rounding of exporters.
const weldShare = 1e-5

// Mend returns a copy of the surface that is welded, free of degenerate and
// duplicate triangles, and wound consistently, outwards. Holes stay open; see
// Prepare for those.
func Mend(s *mesh.Mesh) (*mesh.Mesh, Changes) {
	var m Changes
	out := *s
	out.Triangles = slices.Clone(s.Triangles)
	out.Vertices = slices.Clone(s.Vertices)
	dropDegenerate(&out, &m)
	t := mesh.NewTopology(&out)
	if open, mixed := t.Count(); open > 0 || mixed > 0 {
		t = weldJoined(&out, &m)
	}
	if t.MayRepeat() {
		dropDuplicates(&out, &m)
	}
	if m.DuplicateTriangles > 0 {
		t = mesh.NewTopology(&out)
	}
	orient(&out, t, &m)
	return &out, m
}

// dropDegenerate removes triangles with two equal corners. Slivers with three
// different corners stay: without them their neighbours would gape.
func dropDegenerate(s *mesh.Mesh, m *Changes) {
	kept := s.Triangles[:0]
	for _, t := range s.Triangles {
		if t.V[0] != t.V[1] && t.V[1] != t.V[2] && t.V[2] != t.V[0] {
			kept = append(kept, t)
		}
	}
	m.DegenerateTriangles += len(s.Triangles) - len(kept)
	s.Triangles = kept
}

// dropDuplicates removes triangles with the same three corners as an earlier
// one, however wound.
func dropDuplicates(s *mesh.Mesh, m *Changes) {
	seen := make(map[[3]int32]bool, len(s.Triangles))
	kept := s.Triangles[:0]
	for _, t := range s.Triangles {
		key := t.V
		slices.Sort(key[:])
		if !seen[key] {
			seen[key] = true
			kept = append(kept, t)
		}
	}
	m.DuplicateTriangles += len(s.Triangles) - len(kept)
	s.Triangles = kept
}

// looseShare is the share of sides that belong to one triangle alone from which on
// a surface is taken for triangles that are not joined: ends and holes leave far
// fewer.
const looseShare = 0.2

// weldJoined welds within the usual tolerance. Where triangles stay apart, wider
// tolerances are tried, up to a twentieth of a short side, and the one is taken that
// joins most of them. It returns the topology then.
func weldJoined(s *mesh.Mesh, m *Changes) (t *mesh.Topology) {
	low, high := s.Bounds()
	read, before := *s, *m
	try := func(tolerance float64) (loose int) {
		*s, *m = read, before
		s.Triangles = slices.Clone(read.Triangles)
		weld(s, m, low, tolerance)
		dropDegenerate(s, m)
		t = mesh.NewTopology(s)
		open, _ := t.Count()
		return open
	}
	best := weldShare * r3.Norm(r3.Sub(high, low))
	isLoose := func(sides int) bool { return float64(sides) > looseShare*float64(3*len(s.Triangles)) }
	least := try(best)
	if !isLoose(least) {
		return t
	}
	widest := shortSide(&read) / 20
	for tolerance := 2 * best; tolerance <= widest; tolerance *= 2 {
		if loose := try(tolerance); loose < least {
			least, best = loose, tolerance
		}
	}
	if try(best); float64(least) > float64(3*len(s.Triangles))/2 {
		m.LooseTriangles = looseTriangles(t)
	}
	return t
}

// shortSide is a side that all but one of ten are longer than.
func shortSide(s *mesh.Mesh) float64 {
	var sides []float64
	for t := range s.Triangles {
		a, b, c := s.Corners(t)
		sides = append(sides, r3.Norm(r3.Sub(a, b)), r3.Norm(r3.Sub(b, c)), r3.Norm(r3.Sub(c, a)))
	}
	if len(sides) == 0 {
		return 0
	}
	slices.Sort(sides)
	return sides[len(sides)/10]
}

// looseTriangles counts triangles that share at most one side.
func looseTriangles(t *mesh.Topology) int {
	count := 0
	for sides := range slices.Chunk(t.Mate, 3) {
		open := 0
		for _, m := range sides {
			if m == mesh.OpenSide {
				open++
			}
		}
		if open > 1 {
			count++
		}
	}
	return count
}

// weld merges vertices closer than the tolerance, found with a grid of cells
// of that size.
func weld(s *mesh.Mesh, m *Changes, low r3.Vec, tolerance float64) {
	m.WeldTolerance = tolerance
	if tolerance == 0 {
		return
	}
	cell := func(v r3.Vec) [3]int64 {
		return [3]int64{
			int64(math.Floor((v.X - low.X) / tolerance)),
			int64(math.Floor((v.Y - low.Y) / tolerance)),
			int64(math.Floor((v.Z - low.Z) / tolerance)),
		}
	}
	// Most vertices are alone in cells that are much wider.
	const wider = 3                          // times, as a power of two
	last := map[[3]int64]int32{}             // the last vertex kept in a wide cell, from 1
	before := make([]int32, len(s.Vertices)) // the one kept before it there
	target := make([]int32, len(s.Vertices))
	for i, v := range s.Vertices {
		target[i] = int32(i)
		c := cell(v)
		best := tolerance
		for z := (c[2] - 1) >> wider; z <= (c[2]+1)>>wider; z++ {
			for y := (c[1] - 1) >> wider; y <= (c[1]+1)>>wider; y++ {
				for x := (c[0] - 1) >> wider; x <= (c[0]+1)>>wider; x++ {
					for k := last[[3]int64{x, y, z}] - 1; k >= 0; k = before[k] - 1 {
						d := r3.Norm(r3.Sub(s.Vertices[k], v))
						if d > best || d == best && target[i] == int32(i) || !touch(cell(s.Vertices[k]), c) {
							continue
						}
						// Of those at one distance the first counts, cell by cell.
						if d < best || inOrder(cell(s.Vertices[k]), cell(s.Vertices[target[i]]), k < target[i]) {
							best, target[i] = d, k
						}
					}
				}
			}
		}
		if target[i] == int32(i) {
			wide := [3]int64{c[0] >> wider, c[1] >> wider, c[2] >> wider}
			before[i], last[wide] = last[wide], int32(i)+1
		} else {
			m.WeldedVertices++
		}
	}
	for i := range s.Triangles {
		for k, v := range s.Triangles[i].V {
			s.Triangles[i].V[k] = target[v]
		}
	}
}

// inOrder reports whether a cell comes before another one, and what holds for a cell
// itself.
func inOrder(a, b [3]int64, same bool) bool {
	order := cmp.Or(cmp.Compare(a[2], b[2]), cmp.Compare(a[1], b[1]), cmp.Compare(a[0], b[0]))
	return order < 0 || order == 0 && same
}

// touch reports whether two cells are neighbours or one.
func touch(a, b [3]int64) bool {
	for axis := range a {
		if d := a[axis] - b[axis]; d < -1 || d > 1 {
			return false
		}
	}
	return true
}

// orient winds every component consistently: first each of its triangles like
// its neighbours, then the whole so that it is not inside out. It drops
// what stands in obstacles.
func orient(s *mesh.Mesh, t *mesh.Topology, m *Changes) {
	flip := make([]bool, len(s.Triangles))
	piece := make([]int32, len(s.Triangles))
	for i := range piece {
		piece[i] = -1
	}
	pieces := int32(0)
	for i := range s.Triangles {
		if piece[i] < 0 {
			t.Spread(s, int32(i), pieces, piece, flip)
			pieces++
		}
	}
	enclosed := turnOutwards(s, t, piece, int(pieces), flip, m)
	kept := s.Triangles[:0]
	for i, tr := range s.Triangles {
		if enclosed[piece[i]] {
			continue
		}
		if flip[i] {
			tr.V[1], tr.V[2] = tr.V[2], tr.V[1]
			m.FlippedTriangles++
		}
		kept = append(kept, tr)
	}
	s.Triangles = kept
}
