package balancebench

import (
	"slices"
	"time"

	"carina/cuboid"
	"carina/geometry"
	"carina/internal/machine"
	"carina/solver/lattice"
)

// rest is the population that does not move; the others follow
// geometry.Directions, so that opposite ones are neighbours.
const rest = 18

// populations is the number of populations of a D3Q19 cell.
const populations = 19

// plainRank computes cuboids in the plain layout, as OpenLB did for the
// source: every cuboid is a block with one layer of ghost cells around it, all
// cells are streamed, fluid ones collide too (BGK, double precision, two
// copies). What crosses between its own blocks is copied, what comes from other
// ranks is left as it is: the rank is timed alone.
type plainRank struct {
	blocks []*plainBlock
	copies []plainCopy
}

// plainBlock is one cuboid with its ghost cells.
type plainBlock struct {
	box     cuboid.Cuboid
	stride  [3]int
	offset  [populations]int
	cells   []uint8 // what each cell is
	f, next [populations][]float64
}

// The kinds of cells.
const (
	emptyCell = iota
	innerCell // fluid, no neighbour in this block is empty
	wallCell  // fluid, links to empty cells are bounced back
)

// plainCopy is one population that crosses between two blocks.
type plainCopy struct {
	from, to   *plainBlock
	population int
	cells      [][2]int32 // from a cell of one to a ghost cell of the other
}

// newPlainRank lays out the cuboids.
func newPlainRank(g *geometry.Grid, cuboids []cuboid.Cuboid) *plainRank {
	r := &plainRank{}
	for _, c := range cuboids {
		r.blocks = append(r.blocks, newPlainBlock(g, c))
	}
	for _, b := range r.blocks {
		for _, other := range r.blocks {
			if b != other {
				r.connect(b, other)
			}
		}
	}
	return r
}

func newPlainBlock(g *geometry.Grid, c cuboid.Cuboid) *plainBlock {
	size := c.Size()
	b := &plainBlock{box: c, stride: [3]int{1, int(size[0]) + 2, (int(size[0]) + 2) * (int(size[1]) + 2)}}
	n := b.stride[2] * (int(size[2]) + 2)
	for i, d := range geometry.Directions[:rest] {
		b.offset[i] = int(d.X) + int(d.Y)*b.stride[1] + int(d.Z)*b.stride[2]
	}
	b.cells = make([]uint8, n)
	for z := c.Min[2] - 1; z <= c.Max[2]; z++ {
		for y := c.Min[1] - 1; y <= c.Max[1]; y++ {
			for _, run := range g.Row(y, z) {
				for x := max(run.X0, c.Min[0]-1); x < min(run.X1, c.Max[0]+1); x++ {
					b.cells[b.index(x, y, z)] = innerCell
				}
			}
		}
	}
	b.each(func(i int) {
		for _, o := range b.offset[:rest] {
			if b.cells[i] != emptyCell && b.cells[i+o] == emptyCell {
				b.cells[i] = wallCell
			}
		}
	})
	for q := range populations {
		b.f[q], b.next[q] = make([]float64, n), make([]float64, n)
		w := lattice.D3Q19.Weights[(q+1)%populations]
		for i := range b.f[q] {
			b.f[q][i], b.next[q][i] = w, w
		}
	}
	return b
}

func (b *plainBlock) index(x, y, z int32) int {
	return int(x-b.box.Min[0]+1) + int(y-b.box.Min[1]+1)*b.stride[1] + int(z-b.box.Min[2]+1)*b.stride[2]
}

// each visits the cells that are no ghosts.
func (b *plainBlock) each(f func(i int)) {
	for z := b.box.Min[2]; z < b.box.Max[2]; z++ {
		for y := b.box.Min[1]; y < b.box.Max[1]; y++ {
			i := b.index(b.box.Min[0], y, z)
			for x := b.box.Min[0]; x < b.box.Max[0]; x++ {
				f(i)
				i++
			}
		}
	}
}

// connect lists what crosses from a block to another.
func (r *plainRank) connect(from, to *plainBlock) {
	grown := to.box
	for axis := range 3 {
		grown.Min[axis]--
		grown.Max[axis]++
	}
	shared := from.box.Intersect(grown)
	if shared.Cells() == 0 {
		return
	}
	var cells [rest][][2]int32
	for z := shared.Min[2]; z < shared.Max[2]; z++ {
		for y := shared.Min[1]; y < shared.Max[1]; y++ {
			for x := shared.Min[0]; x < shared.Max[0]; x++ {
				i := from.index(x, y, z)
				for q, d := range geometry.Directions[:rest] {
					if from.cells[i] != emptyCell && from.cells[i+from.offset[q]] != emptyCell && to.box.Contains(x+int32(d.X), y+int32(d.Y), z+int32(d.Z)) {
						cells[q] = append(cells[q], [2]int32{int32(i), int32(to.index(x, y, z))})
					}
				}
			}
		}
	}
	for q := range cells {
		if len(cells[q]) > 0 {
			r.copies = append(r.copies, plainCopy{from, to, q, cells[q]})
		}
	}
}

// step computes one time step of all blocks.
func (r *plainRank) step() {
	for i := range r.copies {
		c := &r.copies[i]
		from, to := c.from.f[c.population], c.to.f[c.population]
		for _, cells := range c.cells {
			to[cells[1]] = from[cells[0]]
		}
	}
	for _, b := range r.blocks {
		b.step()
	}
}

// step streams all cells, pulling, and lets the fluid ones collide.
func (b *plainBlock) step() {
	size := b.box.Size()
	for z := range size[2] {
		for y := range size[1] {
			first := 1 + int(y+1)*b.stride[1] + int(z+1)*b.stride[2]
			for i := first; i < first+int(size[0]); i++ {
				switch b.cells[i] {
				case emptyCell:
					for q := range rest {
						b.next[q][i] = b.f[q][i-b.offset[q]]
					}
					b.next[rest][i] = b.f[rest][i]
				case innerCell:
					var p [populations]float64
					for q := range rest {
						p[q] = b.f[q][i-b.offset[q]]
					}
					p[rest] = b.f[rest][i]
					b.collide(i, &p)
				case wallCell:
					var p [populations]float64
					for q := range rest {
						if from := i - b.offset[q]; b.cells[from] != emptyCell {
							p[q] = b.f[q][from]
						} else {
							p[q] = b.f[q^1][i]
						}
					}
					p[rest] = b.f[rest][i]
					b.collide(i, &p)
				}
			}
		}
	}
	b.f, b.next = b.next, b.f
}

// collide relaxes towards equilibrium (BGK, τ = 1).
func (b *plainBlock) collide(i int, p *[populations]float64) {
	const omega = 1.0
	rho := p[rest]
	var u [3]float64
	for q, d := range &geometry.Directions {
		if q == rest {
			break
		}
		rho += p[q]
		u[0] += float64(d.X) * p[q]
		u[1] += float64(d.Y) * p[q]
		u[2] += float64(d.Z) * p[q]
	}
	inverse := 1 / rho
	u[0], u[1], u[2] = u[0]*inverse, u[1]*inverse, u[2]*inverse
	square := 1 - 1.5*(u[0]*u[0]+u[1]*u[1]+u[2]*u[2])
	for q, d := range &geometry.Directions {
		if q == rest {
			break
		}
		cu := 3 * (float64(d.X)*u[0] + float64(d.Y)*u[1] + float64(d.Z)*u[2])
		w := rho / 36
		if q < 6 {
			w = rho / 18
		}
		b.next[q][i] = p[q] + omega*(w*(square+cu+0.5*cu*cu)-p[q])
	}
	b.next[rest][i] = p[rest] + omega*(rho/3*square-p[rest])
}

// timePlain returns the seconds of one step of a rank in the plain layout: the
// fastest of several, after a warm-up, within the given time.
func timePlain(g *geometry.Grid, cuboids []cuboid.Cuboid, all time.Duration) float64 {
	r := newPlainRank(g, cuboids)
	r.step()
	return fastest(r.step, all)
}

// fastest returns the shortest time of some calls, in seconds of the processor:
// of at least seven, for as long as is given, and longer while it is not settled,
// since others on the machine may disturb.
// Short calls are repeated until they take long enough for the clock.
func fastest(f func(), all time.Duration) float64 {
	const (
		least  = 7
		enough = 2 * time.Millisecond
	)
	var times []float64
	for start := time.Now(); len(times) < least || time.Since(start) < all || unsettled(times, start, all); {
		calls := 0
		begin, used := time.Now(), machine.ProcessorTime()
		for time.Since(begin) < enough {
			f()
			calls++
		}
		times = append(times, (machine.ProcessorTime()-used).Seconds()/float64(calls))
	}
	return slices.Min(times)
}

// unsettled tells whether timing that should have ended after all should go on:
// while only the shortest time was not disturbed, or it too was, for all that is
// known. That ends at some time anyway.
func unsettled(times []float64, start time.Time, all time.Duration) bool {
	const (
		patience = 6
		near     = 1.02
	)
	shortest := slices.Min(times)
	undisturbed := 0
	for _, t := range times {
		if t < near*shortest {
			undisturbed++
		}
	}
	return undisturbed < 3 && time.Since(start) < patience*all
}
