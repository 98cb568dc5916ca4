package mesh

import (
	"math"

	"gonum.org/v1/gonum/spatial/r3"
)

// Perpendicular returns two unit vectors that make a right-handed frame with
// the unit vector n as its third.
func Perpendicular(n r3.Vec) (e1, e2 r3.Vec) {
	axis := r3.Vec{X: 1}
	if math.Abs(n.X) > 0.6 {
		axis = r3.Vec{Y: 1}
	}
	e1 = r3.Unit(r3.Cross(axis, n))
	return e1, r3.Cross(n, e1)
}

// planar shows points in a plane: as coordinates along e1 and e2 around a
// centre.
func planar(points []r3.Vec, center, e1, e2 r3.Vec) [][2]float64 {
	return appendPlanar(make([][2]float64, 0, len(points)), points, center, e1, e2)
}

// appendPlanar adds the points as planar shows them to a list.
func appendPlanar(list [][2]float64, points []r3.Vec, center, e1, e2 r3.Vec) [][2]float64 {
	for _, p := range points {
		d := r3.Sub(p, center)
		list = append(list, [2]float64{r3.Dot(d, e1), r3.Dot(d, e2)})
	}
	return list
}

func cross2(a, b, c [2]float64) float64 {
	return (b[0]-a[0])*(c[1]-a[1]) - (b[1]-a[1])*(c[0]-a[0])
}

// polygonArea returns the signed area, positive when counter-clockwise.
func polygonArea(p [][2]float64) float64 {
	var sum float64
	for i := range p {
		a, b := p[i], p[(i+1)%len(p)]
		sum += a[0]*b[1] - a[1]*b[0]
	}
	return sum / 2
}

// polygonContains reports whether a polygon winds around a point.
func polygonContains(p [][2]float64, at [2]float64) bool {
	inside := false
	for i := range p {
		a, b := p[i], p[(i+1)%len(p)]
		if (a[1] > at[1]) != (b[1] > at[1]) && at[0] < a[0]+(at[1]-a[1])/(b[1]-a[1])*(b[0]-a[0]) {
			inside = !inside
		}
	}
	return inside
}

// triangulate divides a simple polygon into triangles of its corners by
// cutting off ears, always the roundest one, and keeps its direction. A
// polygon that crosses itself comes out with overlaps but complete.
func triangulate(p [][2]float64) [][3]int {
	sign := 1.0
	if polygonArea(p) < 0 {
		sign = -1
	}
	left := make([]int, len(p))
	for i := range left {
		left[i] = i
	}
	var out [][3]int
	for len(left) > 3 {
		best, bestShape := -1, math.Inf(-1)
		for i := range left {
			if shape := earShape(p, left, i, sign); shape > bestShape {
				best, bestShape = i, shape
			}
		}
		n := len(left)
		out = append(out, [3]int{left[(best+n-1)%n], left[best], left[(best+1)%n]})
		left = append(left[:best], left[best+1:]...)
	}
	if len(left) == 3 {
		out = append(out, [3]int{left[0], left[1], left[2]})
	}
	return out
}

// earShape rates cutting off corner i: its area over its longest side
// squared, less when it is no ear.
func earShape(p [][2]float64, left []int, i int, sign float64) float64 {
	n := len(left)
	a, b, c := p[left[(i+n-1)%n]], p[left[i]], p[left[(i+1)%n]]
	area := sign * cross2(a, b, c)
	longest := max(distance2(a, b), distance2(b, c), distance2(c, a))
	if longest == 0 {
		return 0
	}
	shape := area / longest
	if area <= 0 {
		return shape - 10
	}
	for _, k := range left {
		q := p[k]
		if q == a || q == b || q == c {
			continue
		}
		if sign*cross2(a, b, q) >= 0 && sign*cross2(b, c, q) >= 0 && sign*cross2(c, a, q) >= 0 {
			return shape - 5
		}
	}
	return shape
}

func distance2(a, b [2]float64) float64 {
	return (a[0]-b[0])*(a[0]-b[0]) + (a[1]-b[1])*(a[1]-b[1])
}
