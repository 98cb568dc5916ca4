package geometry

import (
	"context"
	"math"
	"math/bits"
	"runtime"
	"sync"
	"sync/atomic"

	"carina/geometry/mesh"
	"carina/internal/crash"

	"golang.org/x/sync/errgroup"
	"gonum.org/v1/gonum/spatial/r3"
)

// A lattice is a surface in the coordinates of a grid: lengths in cells, the
// centre of cell (i, j, k) at (i, j, k).
type lattice struct {
	size      [3]int32
	points    [][3]float64
	triangles []mesh.Triangle
	// opening is the number of the opening that a triangle closes, 0 for wall.
	opening []uint16
	// slabs[first[i]:first[i+1]] are the triangles that reach into slab i.
	first []int32
	slabs []int32
	// thickness of a slab, in layers of cells along z.
	thickness int32
	// rounding is how far, in cells, coordinates may be off. See settle for inPlane,
	// whether a triangle lies in a plane of cell centres, and within, how near to a
	// line or a cell what crosses there lies on it, 0 where all is as it is.
	rounding float64
	inPlane  bool
	within   float64
	// repeated is how many cells the surface winds around more often than once, each
	// as often as it is too many, less those that it winds around the wrong way.
	repeated int64
}

// slabThickness is a compromise: thick slabs repeat little work on triangles
// that reach over their ends, thin ones keep their temporary memory in cache
// and the workers evenly busy.
const slabThickness = 16

// newLattice moves a surface into a grid's coordinates.
//
// The subtraction comes first, so that a surface far from the coordinates'
// origin loses nothing, and every vertex is rounded once: triangles that share
// a vertex share it exactly, which is all that the fill needs to be tight.
func newLattice(s *mesh.Mesh, opening []uint16, origin r3.Vec, spacing float64, size [3]int32) *lattice {
	l := &lattice{size: size, triangles: s.Triangles, opening: opening, thickness: slabThickness}
	l.points = make([][3]float64, len(s.Vertices))
	for i, v := range s.Vertices {
		d := r3.Sub(v, origin)
		l.points[i] = [3]float64{d.X/spacing - 0.5, d.Y/spacing - 0.5, d.Z/spacing - 0.5}
	}
	l.rounding = roundingOf(s, spacing)
	l.settle()
	l.binTriangles()
	return l
}

func (l *lattice) slabCount() int {
	return int((l.size[2] + l.thickness - 1) / l.thickness)
}

// layers returns the half-open range of layers of slab i.
func (l *lattice) layers(i int) (z0, z1 int32) {
	z0 = int32(i) * l.thickness
	return z0, min(z0+l.thickness, l.size[2])
}

// binTriangles lists for every slab the triangles that come within one cell
// of it.
func (l *lattice) binTriangles() {
	n := l.slabCount()
	slabs := func(t *mesh.Triangle) (int, int) {
		z := [3]float64{l.points[t.V[0]][2], l.points[t.V[1]][2], l.points[t.V[2]][2]}
		low, high := min(z[0], z[1], z[2])-1.5, max(z[0], z[1], z[2])+1.5
		a := int(math.Floor(low / float64(l.thickness)))
		b := int(math.Floor(high / float64(l.thickness)))
		return max(a, 0), min(b, n-1)
	}
	l.first = make([]int32, n+1)
	for i := range l.triangles {
		a, b := slabs(&l.triangles[i])
		for s := a; s <= b; s++ {
			l.first[s+1]++
		}
	}
	for s := 0; s < n; s++ {
		l.first[s+1] += l.first[s]
	}
	l.slabs = make([]int32, l.first[n])
	next := append([]int32(nil), l.first...)
	for i := range l.triangles {
		a, b := slabs(&l.triangles[i])
		for s := a; s <= b; s++ {
			l.slabs[next[s]] = int32(i)
			next[s]++
		}
	}
}

// inSlab returns the triangles that reach into slab i, ascending.
func (l *lattice) inSlab(i int) []int32 { return l.slabs[l.first[i]:l.first[i+1]] }

// eachSlab calls work for every slab, on the given number of workers, and
// progress, one call at a time, with the growing share done. Results must not
// depend on the order of calls.
func (l *lattice) eachSlab(ctx context.Context, workers int, progress func(float64), work func(slab int) error) error {
	n := l.slabCount()
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	group, ctx := errgroup.WithContext(ctx)
	var next atomic.Int64
	var lock sync.Mutex
	done := 0
	report := func() {
		if progress == nil {
			return
		}
		lock.Lock()
		defer lock.Unlock()
		done++
		progress(float64(done) / float64(n))
	}
	for w := 0; w < min(workers, n); w++ {
		group.Go(func() error {
			defer crash.Guard()
			for {
				i := int(next.Add(1)) - 1
				if i >= n {
					return nil
				}
				if err := ctx.Err(); err != nil {
					return err
				}
				if err := work(i); err != nil {
					return err
				}
				report()
			}
		})
	}
	return group.Wait()
}

const (
	// coordinateRounding is how far coordinates of STL files lie from what was
	// meant, as a part of the largest: two units in the last place of 32 bits, for
	// what was rounded more than once.
	coordinateRounding = 0x1p-22
	// mostRounding bounds that, in cells.
	mostRounding = 1. / 32
	// leastAligned is the share of walls along the axes from which all that crosses
	// lines is settled.
	leastAligned = 1. / 8
)

// roundingOf is how far, in cells, coordinates may differ that are meant to be
// equal.
func roundingOf(s *mesh.Mesh, spacing float64) float64 {
	low, high := s.Bounds()
	largest := max(-low.X, high.X, -low.Y, high.Y, -low.Z, high.Z)
	return min(max(coordinateRounding*largest/spacing, tie), mostRounding)
}

// settle moves what lies in planes of cell centres but for rounding exactly there:
// triangles in one, edges in two, vertices in three. So the tie rule decides there,
// alike wherever the body lies, and not what was rounded. Where much of the wall is
// parallel to an axis, all that crosses lines is settled, too: there edges meet links,
// and walls at 45° cells. All else stays as it is.
func (l *lattice) settle() {
	near, move := make([]uint8, len(l.points)), make([]uint8, len(l.points))
	for i := range l.points {
		for axis, x := range l.points[i] {
			if math.Abs(x-math.Round(x)) <= l.rounding {
				near[i] |= 1 << axis
			}
		}
	}
	// planes are those that hold all vertices, as a set of axes, and how many.
	planes := func(vertices ...int32) (set uint8, count int) {
		set = near[vertices[0]]
		for _, v := range vertices[1:] {
			set &= near[v]
		}
		for axis := 0; axis < 3 && set != 0; axis++ {
			for _, v := range vertices[1:] {
				if math.Round(l.points[v][axis]) != math.Round(l.points[vertices[0]][axis]) {
					set &^= 1 << axis
				}
			}
		}
		return set, bits.OnesCount8(set)
	}
	for i := range l.triangles {
		v := l.triangles[i].V
		if near[v[0]]|near[v[1]]|near[v[2]] == 0 {
			continue
		}
		if set, count := planes(v[:]...); count > 0 {
			move[v[0]], move[v[1]], move[v[2]] = move[v[0]]|set, move[v[1]]|set, move[v[2]]|set
			l.inPlane = true
		}
		for k, a := range v {
			b := v[(k+1)%3]
			if set, count := planes(a, b); count > 1 {
				move[a], move[b] = move[a]|set, move[b]|set
			}
			if near[a] == 1<<3-1 {
				move[a] = near[a]
			}
		}
	}
	if l.alignedShare() >= leastAligned {
		l.within = l.rounding
	}
	for i, set := range move {
		for axis := range 3 {
			if set>>axis&1 == 1 {
				l.points[i][axis] = math.Round(l.points[i][axis])
			}
		}
	}
}

// alignedShare is the part of the walls that is parallel to an axis, as far as the
// directions of its triangles are known.
func (l *lattice) alignedShare() float64 {
	var aligned, all float64
	for t := range l.triangles {
		if l.opening[t] > 0 {
			continue
		}
		v := l.triangles[t].V
		a, b, c := l.points[v[0]], l.points[v[1]], l.points[v[2]]
		e1 := r3.Vec{X: b[0] - a[0], Y: b[1] - a[1], Z: b[2] - a[2]}
		e2 := r3.Vec{X: c[0] - a[0], Y: c[1] - a[1], Z: c[2] - a[2]}
		vector := r3.Cross(e1, e2)
		area := r3.Norm(vector)
		all += area
		const known = 1. / 64
		unknown := l.rounding * max(r3.Norm(e1), r3.Norm(e2), r3.Norm(r3.Sub(e2, e1)))
		if least := min(math.Abs(vector.X), math.Abs(vector.Y), math.Abs(vector.Z)); least <= unknown && unknown <= known*area {
			aligned += area
		}
	}
	if all == 0 {
		return 0
	}
	return aligned / all
}
