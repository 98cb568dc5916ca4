package geometry

import (
	"context"
	"math"
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
