package geometry

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"carina/internal/race"

	"gonum.org/v1/gonum/spatial/r3"
)

// halfDouble is a tube of 10 mm radius and 180 mm length with a wall of some
// thickness over a part from the one end on, where a rim joins the two; at the other
// end it is open. Lengths are in millimetres.
func halfDouble(thick, double float64, n int) *Surface {
	const radius, length = 10.0, 180.0
	var line [][2]float64
	add := func(r0, z0, r1, z1 float64, k int) {
		for i := range k {
			f := float64(i) / float64(k)
			line = append(line, [2]float64{1e-3 * (r0 + f*(r1-r0)), 1e-3 * (z0 + f*(z1-z0))})
		}
	}
	add(0.001, double, radius-thick, double, 4) // the bottom of the pocket
	add(radius-thick, double, radius-thick, 0, n)
	add(radius-thick, 0, radius, 0, 2) // the rim
	add(radius, 0, radius, length, 2*n)
	line = append(line, [2]float64{1e-3 * radius, 1e-3 * length})
	return revolved(line, n, false, even)
}

// Where a tube has two walls in a part, its lumen is what the inner one encloses
// there and the only one elsewhere, however thick the wall, coarse or rough.
func TestWallThatIsDoubleInAPart(t *testing.T) {
	race.SkipArithmetic(t)
	for _, thick := range []float64{0.5, 1, 2, 3, 5} {
		for _, n := range []int{16, 32} {
			for _, noise := range []float64{0, 0.1} {
				for _, double := range []float64{72, 108} {
					s := halfDouble(thick, double, n)
					random := rand.New(rand.NewPCG(1, uint64(n)))
					for i := range s.Vertices {
						s.Vertices[i] = r3.Add(s.Vertices[i], r3.Scale(noise*1e-3, r3.Vec{X: random.NormFloat64(), Y: random.NormFloat64(), Z: random.NormFloat64()}))
					}
					name := fmt.Sprintf("wall of %g mm over %g mm, %d sides, noise %g", thick, double, n, noise)
					p, err := Prepare(s, Options{})
					if err != nil {
						t.Errorf("%s: %v", name, err)
						continue
					}
					section := float64(n) / 2 * math.Sin(2*math.Pi/float64(n)) * 1e-9
					want := section * (double*(10-thick)*(10-thick) + (180-double)*100)
					const tolerance = 0.04 // where the wall passes from one to the other, most for thick ones
					if len(p.Openings) != 2 || !p.PartlyDoubleWalled || math.Abs(p.Volume/want-1) > tolerance {
						t.Errorf("%s: %d ends, partly double %v, %.4g mL, want %.4g", name, len(p.Openings), p.PartlyDoubleWalled, 1e6*p.Volume, 1e6*want)
					}
				}
			}
		}
	}
}

// Closed bodies in a tube are obstacles, whichever way they are wound in the file: each
// counted once, those inside others not at all, and those that reach through the
// wall or an end where most of them lies inside. Of these the volume is not asked: the
// mesh counts what lies outside, too.
func TestBodiesInATube(t *testing.T) {
	race.SkipArithmetic(t)
	tube := func() *Surface { return tubeSurface(r3.Vec{}, r3.Vec{X: 99e-3}, 10e-3, 60, 40, false) }
	ball := func(x, y, r float64) *Surface { return sphereSurface(r3.Vec{X: x * 1e-3, Y: y * 1e-3}, r*1e-3, 12) }
	rod := func(x0, y0, x1, y1 float64) *Surface {
		return tubeSurface(r3.Vec{X: x0 * 1e-3, Y: y0 * 1e-3}, r3.Vec{X: x1 * 1e-3, Y: y1 * 1e-3}, 3e-3, 24, 20, false)
	}
	plain := tube().Volume()
	of := func(bodies ...*Surface) (volume float64) {
		for _, b := range bodies {
			volume += math.Abs(b.Volume())
		}
		return volume
	}
	for _, turned := range []bool{false, true} {
		turn := func(s *Surface) *Surface {
			if turned {
				return insideOut(s)
			}
			return s
		}
		for _, c := range []struct {
			name      string
			surface   *Surface
			obstacles int
			taken     float64 // volume, below zero where a part of the body lies outside
		}{
			{"two", joined(tube(), turn(ball(30, 0, 3)), ball(60, 2, 4)), 2, of(ball(0, 0, 3), ball(0, 0, 4))},
			{"one in another", joined(tube(), ball(50, 0, 6), turn(ball(50, 0, 3))), 1, of(ball(0, 0, 6))},
			{"one in another, the inner first", joined(turn(ball(50, 0, 3)), ball(50, 0, 6), tube()), 1, of(ball(0, 0, 6))},
			{"three in each other", joined(turn(ball(50, 0, 3)), ball(50, 0, 6), tube(), turn(ball(50, 0, 1))), 1, of(ball(0, 0, 6))},
			{"one at the wall", joined(tube(), turn(ball(50, 6, 4))), 1, of(ball(0, 0, 4))},
			{"one through the wall", joined(tube(), turn(ball(50, 8, 4))), 1, -1},
			{"one through an end", joined(tube(), turn(ball(98, 0, 4))), 1, -1},
			{"a rod up to an end", joined(tube(), turn(rod(60, 0, 99, 0))), 1, of(rod(60, 0, 99, 0))},
			{"a rod across", joined(tube(), turn(rod(50, -15, 50, 15))), 1, -1},
			{"one outside", joined(tube(), turn(ball(50, 30, 4))), 0, 0},
		} {
			p, err := Prepare(c.surface, Options{})
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
				continue
			}
			want := plain - c.taken
			if c.obstacles == 0 || c.taken < 0 {
				want = p.Volume // beside the lumen, or in a part
			}
			if len(p.Openings) != 2 || p.Obstacles != c.obstacles || math.Abs(p.Volume/want-1) > 1e-3 {
				t.Errorf("%s, turned %v: %d ends, %d obstacles, %.4g mL; want 2, %d, %.4g", c.name, turned, len(p.Openings), p.Obstacles, 1e6*p.Volume, c.obstacles, 1e6*want)
			}
		}
	}
}
