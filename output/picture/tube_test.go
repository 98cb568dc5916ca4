package picture

import (
	"math"

	"carina/geometry"
	"carina/output"

	"gonum.org/v1/gonum/spatial/r3"
)

// branch is a straight tube with the mean speed of the air in it.
type branch struct {
	from, to r3.Vec
	radius   float64
	speed    float64
}

// windpipe is a branching tube of adult dimensions, in metres: a trachea that
// bends backwards, two main bronchi and four lobar ones.
var windpipe = []branch{
	{r3.Vec{X: 0.06, Y: 0.015, Z: 0.125}, r3.Vec{X: 0.06, Y: 0.02, Z: 0.08}, 0.008, 1},
	{r3.Vec{X: 0.06, Y: 0.02, Z: 0.08}, r3.Vec{X: 0.035, Y: 0.026, Z: 0.058}, 0.006, 0.9},
	{r3.Vec{X: 0.06, Y: 0.02, Z: 0.08}, r3.Vec{X: 0.085, Y: 0.03, Z: 0.052}, 0.0055, 0.95},
	{r3.Vec{X: 0.035, Y: 0.026, Z: 0.058}, r3.Vec{X: 0.012, Y: 0.02, Z: 0.06}, 0.004, 1},
	{r3.Vec{X: 0.035, Y: 0.026, Z: 0.058}, r3.Vec{X: 0.03, Y: 0.034, Z: 0.015}, 0.0045, 0.9},
	{r3.Vec{X: 0.085, Y: 0.03, Z: 0.052}, r3.Vec{X: 0.108, Y: 0.022, Z: 0.05}, 0.0038, 1.1},
	{r3.Vec{X: 0.085, Y: 0.03, Z: 0.052}, r3.Vec{X: 0.088, Y: 0.038, Z: 0.012}, 0.004, 0.9},
}

// tube fills the windpipe with cells, cells along z, and deals its slabs to
// ranks in turn. Speed falls like Poiseuille's parabola, pressure with height.
func tube(cells, ranks int) []*output.Piece {
	frame := output.Frame{Spacing: 0.13 / float64(cells)}
	for axis, extent := range []float64{0.12, 0.05, 0.13} {
		frame.Size[axis] = int32(math.Ceil(extent / frame.Spacing))
	}
	pieces := make([]*output.Piece, ranks)
	for i := range pieces {
		pieces[i] = &output.Piece{Frame: frame, Rank: i, Ranks: ranks}
	}
	slabs := int32(max(1, cells/(3*ranks)))
	for z := range frame.Size[2] {
		for y := range frame.Size[1] {
			for x := range frame.Size[0] {
				center := r3.Scale(frame.Spacing, r3.Vec{X: float64(x) + 0.5, Y: float64(y) + 0.5, Z: float64(z) + 0.5})
				velocity, inside := poiseuille(center)
				if !inside {
					continue
				}
				// Cuts across x as well, so that ranks share rows.
				p := pieces[int(z/slabs+x/slabs)%ranks]
				n := len(p.Runs)
				if n > 0 && p.Runs[n-1] == (geometry.Run{X0: p.Runs[n-1].X0, X1: x, Y: y, Z: z}) {
					p.Runs[n-1].X1++
				} else {
					p.Runs = append(p.Runs, geometry.Run{X0: x, X1: x + 1, Y: y, Z: z})
				}
				p.Velocity = append(p.Velocity, velocity)
				p.Pressure = append(p.Pressure, float32(20*(center.Z-0.05)))
			}
		}
	}
	return pieces
}

func poiseuille(at r3.Vec) (velocity [3]float32, inside bool) {
	best := 0.0
	for i, b := range windpipe {
		along := r3.Sub(b.to, b.from)
		t := r3.Dot(r3.Sub(at, b.from), along) / r3.Norm2(along)
		// Outer ends are flat, joints round.
		if i == 0 && t < 0 || i > 2 && t > 1 {
			continue
		}
		t = min(max(t, 0), 1)
		s := 1 - r3.Norm2(r3.Sub(at, r3.Add(b.from, r3.Scale(t, along))))/(b.radius*b.radius)
		if s <= 0 {
			continue
		}
		inside = true
		if s*b.speed > best {
			best = s * b.speed
			v := r3.Scale(2*best, r3.Unit(along))
			velocity = [3]float32{float32(v.X), float32(v.Y), float32(v.Z)}
		}
	}
	return velocity, inside
}

// ends are the openings of the windpipe.
func ends() []geometry.Opening {
	all := []geometry.Opening{{Number: 1, Name: "inlet_1", Role: geometry.Inlet, Center: windpipe[0].from,
		Normal: r3.Unit(r3.Sub(windpipe[0].from, windpipe[0].to)), Area: math.Pi * 64e-6}}
	for i, b := range windpipe[3:] {
		all = append(all, geometry.Opening{Number: i + 2, Role: geometry.Outlet, Center: b.to,
			Normal: r3.Unit(r3.Sub(b.to, b.from)), Area: math.Pi * b.radius * b.radius})
	}
	return all
}
