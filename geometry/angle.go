package geometry

import (
	"math"

	"gonum.org/v1/gonum/spatial/r3"
)

// solidAngle returns the signed solid angle of triangle t seen from a point,
// positive from inside (van Oosterom and Strackee 1983, eq. 8).
func (s *Surface) solidAngle(t int32, from r3.Vec) float64 {
	a, b, c := s.Corners(int(t))
	a, b, c = r3.Sub(a, from), r3.Sub(b, from), r3.Sub(c, from)
	la, lb, lc := r3.Norm(a), r3.Norm(b), r3.Norm(c)
	det := r3.Dot(a, r3.Cross(b, c))
	div := la*lb*lc + r3.Dot(a, b)*lc + r3.Dot(b, c)*la + r3.Dot(c, a)*lb
	return 2 * math.Atan2(det, div)
}
