package generate

import (
	"math"
	"math/rand/v2"

	"carina/geometry"

	"gonum.org/v1/gonum/spatial/r3"
)

// Grid returns a voxel grid without a surface, openings or links: its fluid cells
// are those for which fluid is true. The spacing is 1 mm.
func Grid(size [3]int32, fluid func(x, y, z int32) bool) *geometry.Grid {
	g := &geometry.Grid{Spacing: 1e-3, Size: size, Origin: r3.Vec{X: 1, Y: -2, Z: 0.5}}
	for z := range size[2] {
		for y := range size[1] {
			for x := int32(0); x < size[0]; x++ {
				from := x
				for x < size[0] && fluid(x, y, z) {
					x++
				}
				if x > from {
					g.Runs = append(g.Runs, geometry.Run{X0: from, X1: x, Y: y, Z: z})
				}
			}
		}
	}
	return g
}

// FullGrid returns a grid whose every cell is fluid.
func FullGrid(size [3]int32) *geometry.Grid {
	return Grid(size, func(_, _, _ int32) bool { return true })
}

// NoiseGrid returns a grid of independent random cells: the hardest case for
// anything that works on runs.
func NoiseGrid(size [3]int32, share float64, seed uint64) *geometry.Grid {
	rng := rand.New(rand.NewPCG(seed, 1))
	return Grid(size, func(_, _, _ int32) bool { return rng.Float64() < share })
}

// BallsGrid returns a grid of a few random balls, which may touch, be cut off by
// the box or lie apart. At least one cell is fluid.
func BallsGrid(size [3]int32, count int, seed uint64) *geometry.Grid {
	rng := rand.New(rand.NewPCG(seed, 2))
	type ball struct{ x, y, z, r float64 }
	balls := make([]ball, count)
	for i := range balls {
		balls[i] = ball{
			rng.Float64() * float64(size[0]), rng.Float64() * float64(size[1]), rng.Float64() * float64(size[2]),
			(0.1 + 0.3*rng.Float64()) * float64(min(size[0], size[1], size[2])),
		}
	}
	return Grid(size, func(x, y, z int32) bool {
		for _, b := range balls {
			dx, dy, dz := float64(x)+0.5-b.x, float64(y)+0.5-b.y, float64(z)+0.5-b.z
			if dx*dx+dy*dy+dz*dz <= b.r*b.r {
				return true
			}
		}
		return x == size[0]/2 && y == size[1]/2 && z == size[2]/2
	})
}

// TreeGrid returns a branching tree of tubes in a box of the given height in
// cells: the shape of an airway, most of the box empty.
func TreeGrid(height int32, generations int) *geometry.Grid {
	size := [3]int32{height, height / 2, height}
	h := float64(height)
	var tubes []tube
	addTubes(&tubes, generations, r3.Vec{X: h / 2, Y: h / 4, Z: h}, math.Pi, 0.3*h, 0.07*h)
	return Grid(size, func(x, y, z int32) bool {
		p := r3.Vec{X: float64(x) + 0.5, Y: float64(y) + 0.5, Z: float64(z) + 0.5}
		for i := range tubes {
			if tubes[i].contains(p) {
				return true
			}
		}
		return false
	})
}

type tube struct {
	a, b   r3.Vec
	radius float64
}

func (t *tube) contains(p r3.Vec) bool {
	axis, d := r3.Sub(t.b, t.a), r3.Sub(p, t.a)
	s := math.Max(0, math.Min(1, r3.Dot(d, axis)/r3.Dot(axis, axis)))
	off := r3.Sub(d, r3.Scale(s, axis))
	return r3.Dot(off, off) <= t.radius*t.radius
}

// addTubes adds a tube at an angle from the vertical and its branches; diameters
// shrink by 2^(-1/3) a generation (Hess and Murray).
func addTubes(tubes *[]tube, generations int, from r3.Vec, angle, length, radius float64) {
	if generations == 0 {
		return
	}
	to := r3.Add(from, r3.Vec{X: length * math.Sin(angle), Y: 0.2 * length * math.Cos(7*angle), Z: length * math.Cos(angle)})
	*tubes = append(*tubes, tube{from, to, radius})
	for _, turn := range []float64{-0.6, 0.6} {
		addTubes(tubes, generations-1, to, angle+turn, 0.75*length, radius*math.Cbrt(0.5))
	}
}
