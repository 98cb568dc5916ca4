package geometry

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"carina/internal/race"

	"gonum.org/v1/gonum/spatial/r3"
)

// overlap is a group of closed tubes that overlap, with the ends of the whole.
type overlap struct {
	name string
	legs [][2]r3.Vec // the axes of the tubes, in radii of 5 mm
	ends []r3.Vec    // the true ends among their ends
}

// overlaps are tubes as they come from a program that draws solids and does not
// unite them.
var overlaps = []overlap{
	{"T of two", [][2]r3.Vec{{{X: -10}, {X: 10}}, {{}, {Y: 9}}}, []r3.Vec{{X: -10}, {X: 10}, {Y: 9}}},
	{"Y of three", [][2]r3.Vec{{{}, {Z: -10}}, {{}, {X: 7, Z: 7}}, {{}, {X: -7, Z: 7}}}, []r3.Vec{{Z: -10}, {X: 7, Z: 7}, {X: -7, Z: 7}}},
	{"tubes in a row", [][2]r3.Vec{{{}, {X: 8}}, {{X: 7}, {X: 16}}}, []r3.Vec{{}, {X: 16}}},
	{"cross of three", [][2]r3.Vec{{{X: -10}, {X: 10}}, {{}, {Y: 9}}, {{X: 2}, {X: 2, Y: -9}}}, []r3.Vec{{X: -10}, {X: 10}, {Y: 9}, {X: 2, Y: -9}}},
}

// surface makes the tubes, the later ones narrower, turned at random and with rough
// walls, and the true ends as they lie then.
func (o *overlap) surface(random *rand.Rand, noise float64) (*Surface, []r3.Vec) {
	const radius = 5e-3
	turn := r3.NewRotation(2*math.Pi*random.Float64(), r3.Vec{X: random.NormFloat64(), Y: random.NormFloat64(), Z: random.NormFloat64()})
	var tubes []*Surface
	for i, leg := range o.legs {
		tubes = append(tubes, tubeSurface(turn.Rotate(r3.Scale(radius, leg[0])), turn.Rotate(r3.Scale(radius, leg[1])), radius*(1-0.06*float64(i)), 14+random.IntN(24), 12+random.IntN(20), false))
	}
	s := joined(tubes...)
	for i := range s.Vertices {
		s.Vertices[i] = r3.Add(s.Vertices[i], r3.Scale(noise*radius, r3.Vec{X: random.NormFloat64(), Y: random.NormFloat64(), Z: random.NormFloat64()}))
	}
	ends := make([]r3.Vec, len(o.ends))
	for i, e := range o.ends {
		ends[i] = turn.Rotate(r3.Scale(radius, e))
	}
	return s, ends
}

// The ends of tubes inside of others are no openings, which is said, and air
// passes from one tube to the next.
func TestEndsInsideOfOtherBodies(t *testing.T) {
	race.SkipArithmetic(t)
	for _, o := range overlaps {
		for _, noise := range []float64{0, 0.005} {
			for seed := range uint64(3) {
				name := fmt.Sprintf("%s, noise %g, seed %d", o.name, noise, seed)
				s, ends := o.surface(rand.New(rand.NewPCG(seed, 7)), noise)
				p, err := Prepare(s, Options{})
				if err != nil {
					t.Fatal(err)
				}
				if len(p.Openings) != len(ends) || p.InnerEnds == 0 {
					t.Errorf("%s: %d openings and %d inner ends, want %d and some", name, len(p.Openings), p.InnerEnds, len(ends))
				}
				for _, e := range ends {
					if !slices.ContainsFunc(p.Openings, func(found Opening) bool { return r3.Norm(r3.Sub(found.Center, e)) < 1e-3 }) {
						t.Errorf("%s: no opening at %v", name, e)
					}
				}
				if said := strings.Join(p.Remarks(), "\n"); !strings.Contains(said, "inside of") || !strings.Contains(said, "where tubes overlap") {
					t.Errorf("%s: says %q", name, said)
				}
				if _, filled, err := VoxelizePrepared(context.Background(), p, Options{Spacing: 0.8e-3}); err != nil || len(filled.LostOpenings) > 0 {
					t.Errorf("%s: lost %v, %v", name, filled.LostOpenings, err)
				}
			}
		}
	}
}

// A closed body beside another one keeps both of its ends.
func TestEndsBesideOtherBodiesStay(t *testing.T) {
	tube := func(x, y float64) *Surface {
		return tubeSurface(r3.Vec{X: x}, r3.Vec{X: x, Y: y}, 5e-3, 24, 20, false)
	}
	p, err := Prepare(joined(tube(0, 60e-3), tube(11e-3, 30e-3)), Options{})
	if err != nil || len(p.Openings) != 4 || p.InnerEnds != 0 {
		t.Errorf("%d openings, %d inner ends, %v; want 4 and none", len(p.Openings), p.InnerEnds, err)
	}
}
