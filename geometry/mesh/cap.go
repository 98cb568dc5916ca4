package mesh

import (
	"gonum.org/v1/gonum/spatial/r3"
)

// EarLimit is the longest loop that is triangulated by cutting ears, whose
// cost grows with the cube of the length; longer ones get a fan.
const EarLimit = 600

// CapLoop closes a loop with triangles and returns their numbers. They are
// wound so that the loop's edges are balanced.
func CapLoop(s *Mesh, loop []int32, solid int32) []int32 {
	first := int32(len(s.Triangles))
	if len(loop) <= EarLimit {
		s.Triangles = append(s.Triangles, EarCap(s, loop, solid)...)
	} else {
		center, _ := LoopPlane(s.corners(loop))
		hub := int32(len(s.Vertices))
		s.Vertices = append(s.Vertices, center)
		for i, v := range loop {
			s.Triangles = append(s.Triangles, Triangle{V: [3]int32{loop[(i+1)%len(loop)], v, hub}, Solid: solid})
		}
	}
	numbers := make([]int32, int32(len(s.Triangles))-first)
	for i := range numbers {
		numbers[i] = first + int32(i)
	}
	return numbers
}

// EarCap returns two triangles less than a loop has corners, which close it.
func EarCap(s *Mesh, loop []int32, solid int32) []Triangle {
	points := s.corners(loop)
	center, normal := LoopPlane(points)
	e1, e2 := Perpendicular(normal)
	var out []Triangle
	for _, t := range triangulate(planar(points, center, e1, e2)) {
		out = append(out, Triangle{V: [3]int32{loop[t[2]], loop[t[1]], loop[t[0]]}, Solid: solid})
	}
	return out
}

func (s *Mesh) corners(loop []int32) []r3.Vec {
	points := make([]r3.Vec, len(loop))
	for i, v := range loop {
		points[i] = s.Vertices[v]
	}
	return points
}
