package mend

import (
	"math"
	"slices"

	"carina/geometry/mesh"

	"gonum.org/v1/gonum/spatial/r3"
)

// A double-walled surface encloses the tissue between its walls; the air is in
// the pocket that the inner wall makes, outside of what is enclosed. A
// triangle belongs to an inner wall when, seen from its outer side, other
// triangles hide the surroundings in nearly all directions.
const (
	hiddenRays  = 24
	hiddenShare = 0.8
	// So many triangles are tried to see whether there is an inner wall. It must
	// have the first share of the area, or the second where it makes a pocket.
	doubleSample = 400
	doubleShare  = 0.2
	pocketShare  = 0.04
	// The walls stand apart by no more than this share of the pocket's width:
	// vessels packed side by side are no double wall.
	wallThickness = 1.0
)

// InnerWall returns the triangles of the inner wall of a double-walled
// surface, nil for ordinary surfaces. Where it is but a small part of the surface
// it is one only if PocketLumen finds a lumen.
func InnerWall(s *mesh.Mesh, h *mesh.Hierarchy) (inner []int32, small bool) {
	step := max(len(s.Triangles)/doubleSample, 1)
	var found []int32
	var area float64
	for t := 0; t < len(s.Triangles); t += step {
		area += r3.Norm(s.AreaVector(t))
		if exposureOf(h, int32(t)) == hiddenWall {
			found = append(found, int32(t))
		}
	}
	hidden := s.AreaOf(found)
	if hidden < pocketShare*area {
		return nil, false
	}
	topology := mesh.NewTopology(s)
	if small = hidden < doubleShare*area; small {
		// Obstacles are hidden by the lumen around them.
		obstacles, _ := Obstacles(s, topology)
		found = slices.DeleteFunc(found, func(t int32) bool { return obstacles[t] })
		if s.AreaOf(found) < pocketShare*area {
			return nil, false
		}
	}
	exposures := make([]exposure, len(s.Triangles))
	for t := range exposures {
		exposures[t] = exposureOf(h, int32(t))
	}
	chosen := spreadInner(topology, exposures)
	smoothChoice(topology, chosen)
	return largestPart(s, topology, chosen), small
}

// spreadOver returns the chosen triangles connected to one of them, which are
// chosen no longer.
func spreadOver(t *mesh.Topology, chosen []bool, from int32) []int32 {
	chosen[from] = false
	part := []int32{from}
	for k := 0; k < len(part); k++ {
		for side := 3 * part[k]; side < 3*part[k]+3; side++ {
			if m := t.Mate[side]; m >= 0 && chosen[m/3] {
				chosen[m/3] = false
				part = append(part, m/3)
			}
		}
	}
	return part
}

// InnerLumen returns the lumen that an inner wall makes: that wall, turned
// over.
func InnerLumen(s *mesh.Mesh, inner []int32) *mesh.Mesh {
	out := *s
	out.Triangles = nil
	for _, t := range inner {
		tr := s.Triangles[t]
		tr.V[1], tr.V[2] = tr.V[2], tr.V[1]
		out.Triangles = append(out.Triangles, tr)
	}
	return &out
}

// exposure is what lies in front of a triangle's outer side.
type exposure byte

const (
	// openWall sees nothing opposite.
	openWall exposure = iota
	// facedWall sees another wall opposite, farther than its own thickness.
	facedWall
	// hiddenWall is faced and sees walls nearly all around.
	hiddenWall
)

// exposureOf casts rays from the outer side of a triangle.
func exposureOf(h *mesh.Hierarchy, t int32) exposure {
	v := h.Mesh.AreaVector(int(t))
	length := r3.Norm(v)
	if length == 0 {
		return openWall
	}
	n := r3.Scale(1/length, v)
	a, b, c := h.Mesh.Corners(int(t))
	center := r3.Scale(1.0/3, r3.Add(a, r3.Add(b, c)))
	from := r3.Add(center, r3.Scale(1e-4*math.Sqrt(length), n))
	across, hit := h.Ray(from, n, math.Inf(1))
	if hit < 0 {
		return openWall
	}
	behind, _ := h.Ray(r3.Sub(center, r3.Scale(1e-4*math.Sqrt(length), n)), r3.Scale(-1, n), math.Inf(1))
	if behind > wallThickness*across {
		return openWall
	}
	e1, e2 := mesh.Perpendicular(n)
	blocked := 0
	golden := math.Pi * (3 - math.Sqrt(5))
	for i := 0; i < hiddenRays; i++ {
		// Directions spread like the light on a matt surface (Malley's method).
		r := math.Sqrt((float64(i) + 0.5) / hiddenRays)
		sin, cos := math.Sincos(golden * float64(i))
		d := r3.Add(r3.Scale(math.Sqrt(1-r*r), n), r3.Add(r3.Scale(r*cos, e1), r3.Scale(r*sin, e2)))
		if h.Blocked(from, d) {
			blocked++
		}
	}
	if float64(blocked) >= hiddenShare*hiddenRays {
		return hiddenWall
	}
	return facedWall
}

// spreadInner takes the hidden walls and what faced walls are connected to
// them: those near the pocket's mouth, which see out.
func spreadInner(t *mesh.Topology, exposures []exposure) []bool {
	inner := make([]bool, len(exposures))
	var queue []int32
	for i, v := range exposures {
		if v == hiddenWall {
			inner[i] = true
			queue = append(queue, int32(i))
		}
	}
	for len(queue) > 0 {
		at := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		for side := 3 * at; side < 3*at+3; side++ {
			if m := t.Mate[side]; m >= 0 && !inner[m/3] && exposures[m/3] == facedWall {
				inner[m/3] = true
				queue = append(queue, m/3)
			}
		}
	}
	return inner
}

// smoothChoice lets every triangle follow two of its neighbours that differ
// from it, a few times, so that the chosen parts have clean borders.
func smoothChoice(t *mesh.Topology, chosen []bool) {
	for round := 0; round < 10; round++ {
		next := make([]bool, len(chosen))
		for i := range chosen {
			votes := 0
			for side := 3 * i; side < 3*i+3; side++ {
				if m := t.Mate[side]; m >= 0 && chosen[m/3] != chosen[i] {
					votes++
				}
			}
			next[i] = chosen[i] != (votes >= 2)
		}
		copy(chosen, next)
	}
}

// largestPart returns the connected chosen triangles with the largest area.
func largestPart(s *mesh.Mesh, t *mesh.Topology, chosen []bool) []int32 {
	left := slices.Clone(chosen)
	var best []int32
	var bestArea float64
	for i := range left {
		if !left[i] {
			continue
		}
		part := spreadOver(t, left, int32(i))
		if a := s.AreaOf(part); a > bestArea {
			best, bestArea = part, a
		}
	}
	return best
}
