package mesh

import (
	"math"

	"gonum.org/v1/gonum/spatial/r3"
)

// WindingField evaluates the generalised winding number of a surface: the
// share of the sphere around a point that the surface covers from inside, 1
// inside and 0 outside of closed surfaces and in between near holes (Jacobson
// et al. 2013). Far groups of triangles count as one dipole (Barill et al.
// 2018, eq. 6, without the higher terms).
type WindingField struct {
	hierarchy *Hierarchy
	dipoles   []dipole
}

// dipole stands for the triangles of a node: their summed vector area at their
// centre of area, with the reach of the node from there.
type dipole struct {
	area   r3.Vec
	center r3.Vec
	reach  float64
}

// farAway is the distance, in reaches of a node, beyond which its dipole
// stands for it: the β of Barill et al., who use 2 with higher terms.
const farAway = 2.5

// NewWindingField makes the field of a mesh.
func NewWindingField(s *Mesh) *WindingField {
	w := &WindingField{hierarchy: NewHierarchy(s)}
	w.dipoles = make([]dipole, len(w.hierarchy.nodes))
	for i := range w.hierarchy.nodes {
		n := &w.hierarchy.nodes[i]
		d := &w.dipoles[i]
		var area float64
		for _, t := range w.hierarchy.order[n.from:n.to] {
			v := s.AreaVector(int(t))
			a := r3.Norm(v)
			p, q, r := s.Corners(int(t))
			area += a
			d.area = r3.Add(d.area, v)
			d.center = r3.Add(d.center, r3.Scale(a/3, r3.Add(p, r3.Add(q, r))))
		}
		if area > 0 {
			d.center = r3.Scale(1/area, d.center)
		} else {
			d.center = r3.Scale(0.5, r3.Add(n.low, n.high))
		}
		far := MaxVec(r3.Sub(n.high, d.center), r3.Sub(d.center, n.low))
		d.reach = r3.Norm(far)
	}
	return w
}

// At returns the winding number around a point.
func (w *WindingField) At(p r3.Vec) float64 {
	var sum float64
	var stack [64]int32
	for depth := 1; depth > 0; {
		depth--
		i := stack[depth]
		d := &w.dipoles[i]
		to := r3.Sub(d.center, p)
		distance := r3.Norm2(to)
		if distance > farAway*farAway*d.reach*d.reach {
			sum += r3.Dot(d.area, to) / (distance * math.Sqrt(distance))
			continue
		}
		n := &w.hierarchy.nodes[i]
		if n.second != 0 {
			stack[depth], stack[depth+1] = n.second, i+1
			depth += 2
			continue
		}
		for _, t := range w.hierarchy.order[n.from:n.to] {
			sum += w.hierarchy.Mesh.SolidAngle(t, p)
		}
	}
	return sum / (4 * math.Pi)
}

// SolidAngle returns the signed solid angle of triangle t seen from a point,
// positive from inside (van Oosterom and Strackee 1983, eq. 8).
func (s *Mesh) SolidAngle(t int32, from r3.Vec) float64 {
	a, b, c := s.Corners(int(t))
	a, b, c = r3.Sub(a, from), r3.Sub(b, from), r3.Sub(c, from)
	la, lb, lc := length(a), length(b), length(c)
	det := r3.Dot(a, r3.Cross(b, c))
	div := la*lb*lc + r3.Dot(a, b)*lc + r3.Dot(b, c)*la + r3.Dot(c, a)*lb
	return 2 * math.Atan2(det, div)
}

// length is r3.Norm in less time where its square is neither too large nor too small for
// a number.
func length(v r3.Vec) float64 {
	if square := r3.Norm2(v); square > 1e-200 && square < 1e200 {
		return math.Sqrt(square)
	}
	return r3.Norm(v)
}
