package page

import (
	"math"
	"slices"
	"sort"

	"carina/cuboid"
	"carina/geometry"

	"gonum.org/v1/gonum/spatial/r3"
)

// What a page can hold and a browser still turns smoothly.
const (
	mostFaces  = 500_000
	mostVoxels = 3_000_000 // with fields
	mostSide   = 1200      // along the longest side of the box, to keep positions exact
)

// voxels are what a page shows of a grid: its cells, or cubes of factor³ of
// them.
type voxels struct {
	origin  r3.Vec
	spacing float64
	factor  int32
	size    [3]int32
	// runs are in run order and maximal; starts[i] is the number of the first
	// voxel of runs[i].
	runs   []geometry.Run
	starts []int
	// owner, pressure and velocity are those of every voxel, nil if unknown.
	owner    []int32
	pressure []float32
	velocity [][3]float32
}

// places are the middles of the voxels.
func (v *voxels) places() []r3.Vec {
	var all []r3.Vec
	for _, r := range v.runs {
		for x := r.X0; x < r.X1; x++ {
			all = append(all, r3.Add(v.origin, r3.Scale(v.spacing, r3.Vec{X: float64(x) + 0.5, Y: float64(r.Y) + 0.5, Z: float64(r.Z) + 0.5})))
		}
	}
	return all
}

// factorFor returns how many cells a voxel needs along its side so that the
// page stays small.
func factorFor(p *Page) int32 {
	g := p.Grid
	f := math.Sqrt(float64(outerFaces(g.Runs)) / mostFaces)
	f = max(f, float64(max(g.Size[0], g.Size[1], g.Size[2]))/mostSide)
	if p.Pressure != nil || p.Velocity[0] != nil {
		f = max(f, math.Cbrt(float64(g.Cells())/mostVoxels))
	}
	return max(1, int32(math.Ceil(f)))
}

// outerFaces is how many faces of cells have no cell beside them, of runs in run
// order.
func outerFaces(runs []geometry.Run) int64 {
	var cells, shared int64
	// beyond is the first run from i on that does not lie before x in a row.
	beyond := func(i int, x, y, z int32) int {
		for i < len(runs) && (runs[i].Z < z || runs[i].Z == z && (runs[i].Y < y || runs[i].Y == y && runs[i].X1 <= x)) {
			i++
		}
		return i
	}
	besideY, besideZ := 0, 0
	for _, r := range runs {
		cells += int64(r.X1 - r.X0)
		besideY, besideZ = beyond(besideY, r.X0, r.Y-1, r.Z), beyond(besideZ, r.X0, r.Y, r.Z-1)
		shared += common(runs[besideY:], r, r.Y-1, r.Z) + common(runs[besideZ:], r, r.Y, r.Z-1)
	}
	return 4*cells + 2*int64(len(runs)) - 2*shared
}

// common is how many cells of a row, with which runs begin, lie beside those of r.
func common(runs []geometry.Run, r geometry.Run, y, z int32) (n int64) {
	for _, b := range runs {
		if b.Y != y || b.Z != z || b.X0 >= r.X1 {
			break
		}
		n += int64(max(0, min(b.X1, r.X1)-max(b.X0, r.X0)))
	}
	return n
}

// tally sums what lies in one voxel.
type tally struct {
	cells int32
	// owner is the majority's, found as Boyer and Moore (1981) do.
	owner, votes int32
	pressure     float64
	velocity     [3]float64
}

// voxelsOf gathers the grid's cells into voxels. Those that are mostly empty
// are left out.
func voxelsOf(p *Page) *voxels {
	g, b := p.Grid, factorFor(p)
	v := &voxels{origin: g.Origin, spacing: g.Spacing * float64(b), factor: b}
	for i, n := range g.Size {
		v.size[i] = (n + b - 1) / b
	}
	plane := make([]tally, int(v.size[0])*int(v.size[1]))
	var touched []int32
	segments := p.Segments
	if segments == nil {
		segments = make([]cuboid.Segment, len(g.Runs))
		for i, r := range g.Runs {
			segments[i].Run = r
		}
	}
	cell := 0
	for i, s := range segments {
		owner := int32(0)
		if p.Segments != nil {
			owner = p.Owners[s.Cuboid]
		}
		for x := s.X0; x < s.X1; x++ {
			at := x/b + s.Y/b*v.size[0]
			t := &plane[at]
			if t.cells == 0 {
				touched = append(touched, at)
			}
			t.add(p, cell, owner)
			cell++
		}
		if i == len(segments)-1 || segments[i+1].Z/b != s.Z/b {
			v.close(p, s.Z/b, plane, touched)
			touched = touched[:0]
		}
	}
	v.starts = make([]int, len(v.runs)+1)
	for i, r := range v.runs {
		v.starts[i+1] = v.starts[i] + int(r.X1-r.X0)
	}
	return v
}

func (t *tally) add(p *Page, cell int, owner int32) {
	t.cells++
	switch {
	case t.votes == 0:
		t.owner, t.votes = owner, 1
	case t.owner == owner:
		t.votes++
	default:
		t.votes--
	}
	if p.Pressure != nil {
		t.pressure += float64(p.Pressure[cell])
	}
	for a, f := range p.Velocity {
		if f != nil {
			t.velocity[a] += float64(f[cell])
		}
	}
}

// close turns the tallies of layer z into voxels and clears them.
func (v *voxels) close(p *Page, z int32, plane []tally, touched []int32) {
	// Just over a third keeps thin tubes in one piece.
	least := int32(math.Ceil(0.35 * float64(v.factor) * float64(v.factor) * float64(v.factor)))
	slices.Sort(touched)
	for _, at := range touched {
		t := plane[at]
		plane[at] = tally{}
		if t.cells < least {
			continue
		}
		x, y := at%v.size[0], at/v.size[0]
		if n := len(v.runs); n > 0 && v.runs[n-1] == (geometry.Run{X0: v.runs[n-1].X0, X1: x, Y: y, Z: z}) {
			v.runs[n-1].X1++
		} else {
			v.runs = append(v.runs, geometry.Run{X0: x, X1: x + 1, Y: y, Z: z})
		}
		cells := float64(t.cells)
		if p.Segments != nil {
			v.owner = append(v.owner, t.owner)
		}
		if p.Pressure != nil {
			v.pressure = append(v.pressure, float32(t.pressure/cells))
		}
		if p.Velocity[0] != nil {
			v.velocity = append(v.velocity, [3]float32{float32(t.velocity[0] / cells), float32(t.velocity[1] / cells), float32(t.velocity[2] / cells)})
		}
	}
}

// count is the number of voxels.
func (v *voxels) count() int { return v.starts[len(v.runs)] }

// at returns the number of voxel (x, y, z), or −1 if it is empty.
func (v *voxels) at(x, y, z int32) int {
	i := sort.Search(len(v.runs), func(i int) bool {
		r := &v.runs[i]
		return r.Z > z || r.Z == z && (r.Y > y || r.Y == y && r.X1 > x)
	})
	if i == len(v.runs) || v.runs[i].Z != z || v.runs[i].Y != y || v.runs[i].X0 > x {
		return -1
	}
	return v.starts[i] + int(x-v.runs[i].X0)
}

// speed is the magnitude of the velocity of every voxel, nil if unknown.
func (v *voxels) speed() []float32 {
	if v.velocity == nil {
		return nil
	}
	speed := make([]float32, len(v.velocity))
	for i, u := range v.velocity {
		x, y, z := float64(u[0]), float64(u[1]), float64(u[2])
		speed[i] = float32(math.Sqrt(x*x + y*y + z*z))
	}
	return speed
}
