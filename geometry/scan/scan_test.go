package scan

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// tetrahedron draws one whose corners often lie on lines and on planes of lines.
func tetrahedron(t *rapid.T) [4]Point {
	coordinate := rapid.OneOf(rapid.Map(rapid.IntRange(-6, 6), func(n int) float64 { return float64(n) / 2 }), rapid.Float64Range(-4, 4))
	var corners [4]Point
	for i := range corners {
		corners[i] = Point{U: coordinate.Draw(t, "u"), W: coordinate.Draw(t, "w"), T: coordinate.Draw(t, "t")}
	}
	return corners
}

// faces are those of a tetrahedron, wound alike.
func faces(c [4]Point) [4]Triangle {
	return [4]Triangle{{c[0], c[2], c[1]}, {c[0], c[1], c[3]}, {c[0], c[3], c[2]}, {c[1], c[2], c[3]}}
}

// inside tells whether a point lies in a tetrahedron and is not near its faces, by
// the volumes that it cuts it into.
func inside(c [4]Point, at Point) (in, sure bool) {
	volume := func(a, b, c, d Point) float64 {
		x, y, z := [3]float64{b.U - a.U, b.W - a.W, b.T - a.T}, [3]float64{c.U - a.U, c.W - a.W, c.T - a.T}, [3]float64{d.U - a.U, d.W - a.W, d.T - a.T}
		return x[0]*(y[1]*z[2]-y[2]*z[1]) - x[1]*(y[0]*z[2]-y[2]*z[0]) + x[2]*(y[0]*z[1]-y[1]*z[0])
	}
	whole := volume(c[0], c[1], c[2], c[3])
	in, sure = true, math.Abs(whole) > 1e-6
	for i := range c {
		part := c
		part[i] = at
		share := volume(part[0], part[1], part[2], part[3]) / whole
		in = in && share > 0
		sure = sure && math.Abs(share) > 1e-6
	}
	return in, sure
}

// Along every line a tetrahedron is entered as often as it is left, and what lies
// between is what an independent test finds inside.
func TestLinesLeaveWhatTheyEnter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		corners := tetrahedron(t)
		type line struct{ u, w int }
		crossings := map[line][]struct {
			at   float64
			sign int
		}{}
		for _, face := range faces(corners) {
			from, to := face.Planes(-10, 10)
			for w := from; w < to; w++ {
				s, ok := face.Cut(float64(w), 0)
				for u := s.First; ok && u < s.End; u++ {
					l := line{u, w}
					crossings[l] = append(crossings[l], struct {
						at   float64
						sign int
					}{s.At(u), int(s.Sign)})
				}
			}
		}
		for u := -5; u <= 5; u++ {
			for w := -5; w <= 5; w++ {
				for at := -4.75; at < 5; at += 0.5 {
					all, before := 0, 0
					for _, c := range crossings[line{u, w}] {
						all += c.sign
						if c.at < at {
							before += c.sign
						}
					}
					if all != 0 {
						t.Fatalf("line %d, %d is crossed with signs that sum to %d", u, w, all)
					}
					if in, sure := inside(corners, Point{U: float64(u), W: float64(w), T: at}); sure && in != (before != 0) {
						t.Fatalf("line %d, %d at %g: inside %v, crossings before it sum to %d", u, w, at, in, before)
					}
				}
			}
		}
	})
}

// Within keeps the lines that cross a segment in a range, and few besides.
func TestWithinKeepsWhatIsInRange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		for _, face := range faces(tetrahedron(t)) {
			low := rapid.Float64Range(-5, 5).Draw(t, "low")
			high := low + rapid.Float64Range(0, 3).Draw(t, "range")
			from, to := face.Planes(-10, 10)
			for w := from; w < to; w++ {
				s, ok := face.Cut(float64(w), 0)
				if !ok {
					continue
				}
				first, end := s.Within(low, high)
				if first < s.First || end > s.End {
					t.Fatalf("lines %d to %d of %d to %d", first, end, s.First, s.End)
				}
				for u := s.First; u < s.End; u++ {
					at := s.At(u)
					switch in := at >= low && at <= high; {
					case in && (u < first || u >= end):
						t.Fatalf("line %d, which crosses at %g, is left out of %g to %g", u, at, low, high)
					case u > first+2 && u < end-3 && (at < low-1e-9 || at > high+1e-9):
						t.Fatalf("line %d, which crosses at %g, is kept in %g to %g", u, at, low, high)
					}
				}
			}
		}
	})
}
