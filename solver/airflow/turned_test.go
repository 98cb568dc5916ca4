package airflow

import (
	"math"
	"slices"
	"testing"

	"carina/geometry"
	"carina/geometry/generate"
	"carina/internal/race"
	"carina/solver"
	"carina/solver/airflow/opening"
	"carina/solver/transport"

	"gonum.org/v1/gonum/spatial/r3"
)

// turn is one of the 48 turns and reflections of a box: axis a of what is turned is
// axis[a] of what was, the other way around where sign[a] is −1.
type turn struct {
	axis [3]int
	sign [3]int32
}

func (t turn) vector(v r3.Vec) r3.Vec {
	old := [3]float64{v.X, v.Y, v.Z}
	at := func(a int) float64 { return float64(t.sign[a]) * old[t.axis[a]] }
	return r3.Vec{X: at(0), Y: at(1), Z: at(2)}
}

// back is the cell of a box of a size that has become another.
func (t turn) back(size, cell [3]int32) (old [3]int32) {
	for a, n := range cell {
		if t.sign[a] < 0 {
			n = size[t.axis[a]] - 1 - n
		}
		old[t.axis[a]] = n
	}
	return old
}

// grid is a turned grid, with its lowest corner somewhere else.
func (t turn) grid(g *geometry.Grid, origin r3.Vec) *geometry.Grid {
	size, half := [3]int32{}, r3.Scale(g.Spacing/2, r3.Vec{X: float64(g.Size[0]), Y: float64(g.Size[1]), Z: float64(g.Size[2])})
	for a := range size {
		size[a] = g.Size[t.axis[a]]
	}
	middle := r3.Add(origin, r3.Scale(g.Spacing/2, r3.Vec{X: float64(size[0]), Y: float64(size[1]), Z: float64(size[2])}))
	openings := slices.Clone(g.Openings)
	for i := range openings {
		o := &openings[i]
		o.Normal, o.Center = t.vector(o.Normal), r3.Add(middle, t.vector(r3.Sub(o.Center, half)))
	}
	find, links := newCellFinder(g), &g.Links
	was := func(x, y, z int32) [3]int32 { return t.back(g.Size, [3]int32{x, y, z}) }
	turned := generate.LinkedGrid(size, g.Spacing, [3]bool{}, func(x, y, z int32) bool {
		c := was(x, y, z)
		return g.Contains(c[0], c[1], c[2])
	}, func(x, y, z int32, d geometry.Offset) (float64, int) {
		c, n := was(x, y, z), was(x+int32(d.X), y+int32(d.Y), z+int32(d.Z))
		i, _ := links.Search(int64(find.number(c[0], c[1], c[2])))
		direction := slices.Index(geometry.Directions[:], geometry.Offset{X: int8(n[0] - c[0]), Y: int8(n[1] - c[1]), Z: int8(n[2] - c[2])})
		link := links.Link(i, direction)
		return links.Fraction(link), int(links.Opening(link))
	}, openings)
	turned.Origin = origin
	return turned
}

// A turned or reflected geometry has the turned or reflected flow, with every kind of
// walls and openings, at angles to the grid, too.
func TestTurnedFlow(t *testing.T) {
	race.SkipArithmetic(t)
	for k, change := range []func(*Settings, turn){
		func(s *Settings, _ turn) {
			s.Profile = opening.Developed
			s.Conditions = map[int]opening.Condition{2: {Kind: opening.FlowShare, Share: 0.7}, 3: {Kind: opening.FlowShare, Share: 0.3}}
		},
		func(s *Settings, _ turn) {
			s.Lattice, s.Wall, s.Collision, s.Profile = D3Q27, Quadratic, TRT, opening.Parabolic
			s.Conditions = map[int]opening.Condition{2: {Kind: opening.Windkessel, ProximalResistance: 1e6, DistalResistance: 1e6, Compliance: 1e-10}}
		},
		func(s *Settings, by turn) {
			s.Collision, s.KinematicViscosity = Cumulant, 1e-7
			v := by.vector(r3.Vec{X: 0.01, Y: 0.02, Z: -0.03})
			s.Conditions = map[int]opening.Condition{2: {Kind: opening.MovingWall, Velocity: [3]float64{v.X, v.Y, v.Z}}}
		},
		func(s *Settings, by turn) {
			s.Collision, s.KinematicViscosity = Recursive, 1e-6
			v := by.vector(r3.Vec{X: 3, Y: -2, Z: 1})
			s.BodyForce = [3]float64{v.X, v.Y, v.Z}
			s.Conditions = map[int]opening.Condition{2: {Kind: opening.ImposedFlow, Flow: -5e-8}, 1: {Kind: opening.ImposedPressure, Pressure: 0.1}}
		},
	} {
		g := cave(uint64(k+1), [3]bool{})
		for i := range g.Openings {
			o := &g.Openings[i]
			o.Center = r3.Scale(g.Spacing, r3.Vec{X: max(0, o.Normal.X) * float64(g.Size[0]), Y: float64(g.Size[1]) / 2, Z: float64(g.Size[2]) / 2})
			o.Normal = r3.Unit(r3.Add(o.Normal, r3.Vec{Y: 0.2, Z: 0.3 * float64(i)}))
		}
		compute := func(g *geometry.Grid, by turn) *Fields {
			s := caveSettings(g)
			change(&s, by)
			s.Precision = Double
			r := must(NewRank(solver.WholeDomain(g), s, transport.NewLocal(1)[0]))
			defer r.Close()
			must(r.hashes(40))
			return must(r.Fields())
		}
		find, want := newCellFinder(g), compute(g, turn{[3]int{0, 1, 2}, [3]int32{1, 1, 1}})
		speed, highest := scaleOf(want)
		for _, by := range []turn{{[3]int{0, 1, 2}, [3]int32{1, -1, 1}}, {[3]int{1, 2, 0}, [3]int32{1, 1, 1}}, {[3]int{2, 1, 0}, [3]int32{-1, 1, -1}}} {
			turned := by.grid(g, r3.Vec{X: 0.3, Y: -0.7, Z: 0.11})
			got, n := compute(turned, by), 0
			var apart, pressureApart float64
			for _, run := range turned.Runs {
				for x := run.X0; x < run.X1; x++ {
					c := by.back(g.Size, [3]int32{x, run.Y, run.Z})
					i := find.number(c[0], c[1], c[2])
					apart = max(apart, r3.Norm(r3.Sub(got.velocity(n), by.vector(want.velocity(i)))))
					pressureApart = max(pressureApart, math.Abs(float64(got.Pressure[n]-want.Pressure[i])))
					n++
				}
			}
			if !(apart <= 1e-6*speed && pressureApart <= 1e-6*highest && speed > 0) {
				t.Errorf("case %d turned by %+v: velocities differ by %g of %g m/s, pressures by %g of %g Pa", k, by, apart, speed, pressureApart, highest)
			}
		}
	}
}

func (f *Fields) velocity(i int) r3.Vec {
	return r3.Vec{X: float64(f.Velocity[0][i]), Y: float64(f.Velocity[1][i]), Z: float64(f.Velocity[2][i])}
}

// scaleOf is the largest velocity and pressure.
func scaleOf(f *Fields) (speed, pressure float64) {
	for i, p := range f.Pressure {
		speed, pressure = max(speed, r3.Norm(f.velocity(i))), max(pressure, math.Abs(float64(p)))
	}
	return speed, pressure
}
