package mesh

import "gonum.org/v1/gonum/spatial/r3"

// Shared returns the triangles that more than one of some cuts passes.
func Shared(cuts []*Cut) []int32 {
	by := map[int32]*Cut{}
	listed := map[int32]bool{}
	var shared []int32
	for _, c := range cuts {
		for _, t := range c.Section.Triangles {
			if other, passed := by[t]; passed && other != c && !listed[t] {
				listed[t] = true
				shared = append(shared, t)
			}
			by[t] = c
		}
	}
	return shared
}

// Halved returns the mesh with triangles halved at the middles of their longest
// sides, and those beyond these sides with them, so that it stays closed. A
// triangle is halved once at most: of two neighbours the one named first. Halves
// have the number of the triangle and that which the map gives for it.
func Halved(s *Mesh, topology *Topology, triangles []int32) (out *Mesh, other map[int32]int32) {
	copied := *s
	out = &copied
	out.Vertices = append([]r3.Vec(nil), s.Vertices...)
	out.Triangles = append([]Triangle(nil), s.Triangles...)
	other = map[int32]int32{}
	halve := func(side, middle int32) {
		t, k := side/3, side%3
		from, to := out.Triangles[t], out.Triangles[t]
		from.V[(k+1)%3], to.V[k] = middle, middle
		other[t] = int32(len(out.Triangles))
		out.Triangles[t] = from
		out.Triangles = append(out.Triangles, to)
	}
	for _, t := range triangles {
		longest, length := 3*t, 0.0
		for side := 3 * t; side < 3*t+3; side++ {
			a, b := s.Side(side)
			if l := r3.Norm(r3.Sub(s.Vertices[a], s.Vertices[b])); l > length {
				longest, length = side, l
			}
		}
		mate := topology.Mate[longest]
		if mate < 0 {
			continue
		}
		_, halved := other[t]
		if _, beyond := other[mate/3]; halved || beyond {
			continue
		}
		a, b := s.Side(longest)
		middle := int32(len(out.Vertices))
		out.Vertices = append(out.Vertices, r3.Scale(0.5, r3.Add(s.Vertices[a], s.Vertices[b])))
		halve(longest, middle)
		halve(mate, middle)
	}
	return out, other
}
