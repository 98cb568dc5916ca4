package geometry

import (
	"context"
	"math"
	"math/bits"
	"slices"

	"gonum.org/v1/gonum/spatial/r3"
)

// halfWay is Distance of a link with q = ½.
const halfWay = 32767

// encodeFraction turns a fraction into Links.Distance, never past its ends.
func encodeFraction(q float64) uint16 {
	return uint16(min(max(math.Round(q*65536)-1, 0), 65535))
}

// buildLinks lists the links that leave the fluid and measures them against
// the triangles. directions is 18 or 26. It also counts the pairs of fluid
// face neighbours with a wall, two triangles, between them.
func (l *lattice) buildLinks(ctx context.Context, runs []Run, index *rowIndex, directions, workers int, progress func(float64)) (Links, int64, error) {
	links := Links{Directions: directions}
	count := make([]slabCounts, l.slabCount()+1)
	report := func(from, share float64) func(float64) {
		if progress == nil {
			return nil
		}
		return func(done float64) { progress(from + share*done) }
	}
	err := l.eachSlab(ctx, workers, report(0, 0.1), func(slab int) error {
		m := newMasker(runs, index, directions)
		c := slabCounts{}
		from, to := l.slabRuns(index, slab)
		for i := from; i < to; i++ {
			c.fluid += int64(runs[i].X1 - runs[i].X0)
			m.run(int(i), func(_ int32, mask uint32) {
				c.cells++
				c.links += int64(bits.OnesCount32(mask))
			})
		}
		count[slab+1] = c
		return nil
	})
	if err != nil {
		return links, 0, err
	}
	for i := 1; i < len(count); i++ {
		count[i].add(count[i-1])
	}
	total := count[len(count)-1]
	links.cells = make([]int64, total.cells)
	links.Mask = make([]uint32, total.cells)
	links.first = make([]int64, total.cells)
	links.Distance = make([]uint16, total.links)
	crossed := make([][]OpeningLink, l.slabCount())
	joined := make([]int64, l.slabCount())
	err = l.eachSlab(ctx, workers, report(0.1, 0.9), func(slab int) error {
		w := newSlabLinks(l, &links, slab, count[slab], count[slab+1])
		w.runs, w.index = runs, index
		w.fill()
		w.measure()
		crossed[slab] = w.finish()
		joined[slab] = w.joined
		return nil
	})
	if err != nil {
		return links, 0, err
	}
	links.Openings = slices.Concat(crossed...)
	var between int64
	for _, n := range joined {
		between += n
	}
	return links, (between + 1) / 2, nil
}

// slabCounts counts what lies in a slab, or before it.
type slabCounts struct{ fluid, cells, links int64 }

func (c *slabCounts) add(o slabCounts) {
	c.fluid += o.fluid
	c.cells += o.cells
	c.links += o.links
}

// slabRuns returns the range of the runs of a slab.
func (l *lattice) slabRuns(index *rowIndex, slab int) (from, to int32) {
	z0, z1 := l.layers(slab)
	return index.start[int(z0)*int(index.ny)], index.start[int(z1)*int(index.ny)]
}

// slabLinks fills the part of the links that belongs to one slab.
type slabLinks struct {
	lattice *lattice
	links   *Links
	z0, z1  int32
	before  slabCounts
	// The slab's own parts of Links: cells, masks, first links.
	cells []int64
	mask  []uint32
	first []int64
	// x of every boundary cell, and the first boundary cell of every row.
	x   []int32
	row []int32
	// Of every link: the distance found so far, 1 + q·65536 clamped, 0 for
	// none; and the opening crossed there.
	nearest []float32
	opening []uint16
	// The fluid, and how many triangles lie between two of its cells.
	runs   []Run
	index  *rowIndex
	joined int64
}

func newSlabLinks(l *lattice, links *Links, slab int, before, after slabCounts) *slabLinks {
	z0, z1 := l.layers(slab)
	w := &slabLinks{lattice: l, links: links, z0: z0, z1: z1, before: before}
	w.cells = links.cells[before.cells:after.cells]
	w.mask = links.Mask[before.cells:after.cells]
	w.first = links.first[before.cells:after.cells]
	w.x = make([]int32, 0, len(w.cells))
	w.row = make([]int32, int(z1-z0)*int(l.size[1])+1)
	n := after.links - before.links
	w.nearest = make([]float32, n)
	for i := range w.nearest {
		w.nearest[i] = 2
	}
	w.opening = make([]uint16, n)
	return w
}

// fill writes the slab's boundary cells, masks and first links.
func (w *slabLinks) fill() {
	runs, index := w.runs, w.index
	m := newMasker(runs, index, w.links.Directions)
	ny := int(index.ny)
	global, cell, link := w.before.fluid, 0, w.before.links
	for row := 0; row < len(w.row)-1; row++ {
		w.row[row] = int32(cell)
		from, to := index.row(int32(row%ny), w.z0+int32(row/ny))
		for i := from; i < to; i++ {
			m.run(int(i), func(x int32, mask uint32) {
				w.cells[cell] = global + int64(x-runs[i].X0)
				w.mask[cell] = mask
				w.first[cell] = link
				w.x = append(w.x, x)
				link += int64(bits.OnesCount32(mask))
				cell++
			})
			global += int64(runs[i].X1 - runs[i].X0)
		}
	}
	w.row[len(w.row)-1] = int32(cell)
}

// link returns the number, within the slab, of the link that leaves cell
// (x, y, z) in direction d, or -1.
func (w *slabLinks) link(x, y, z int32, d int) int {
	ny := w.lattice.size[1]
	if z < w.z0 || z >= w.z1 || uint32(y) >= uint32(ny) {
		return -1
	}
	row := int(z-w.z0)*int(ny) + int(y)
	from, to := w.row[row], w.row[row+1]
	for from < to {
		middle := (from + to) >> 1
		if w.x[middle] < x {
			from = middle + 1
		} else {
			to = middle
		}
	}
	if from == w.row[row+1] || w.x[from] != x {
		return -1
	}
	mask := w.mask[from]
	if mask>>d&1 == 0 {
		return -1
	}
	return int(w.first[from]-w.before.links) + bits.OnesCount32(mask&(1<<d-1))
}

// cross records that the link leaving cell (x, y, z) in direction d crosses a
// triangle after the fraction q. The nearest counts; where two are equally
// near, the opening with the highest number, whatever the order of triangles.
// It reports whether there is such a link in the slab.
func (w *slabLinks) cross(x, y, z int32, d int, q float64, opening uint16) bool {
	i := w.link(x, y, z, d)
	if i < 0 {
		return false
	}
	switch f := float32(q); {
	case f < w.nearest[i]:
		w.nearest[i], w.opening[i] = f, opening
	case f == w.nearest[i]:
		w.opening[i] = max(w.opening[i], opening)
	}
	return true
}

// finish encodes the distances and lists the links that cross openings.
func (w *slabLinks) finish() []OpeningLink {
	var crossed []OpeningLink
	distance := w.links.Distance[w.before.links:]
	for i, q := range w.nearest {
		if q > 1 {
			distance[i] = halfWay
			continue
		}
		distance[i] = encodeFraction(float64(q))
		if n := w.opening[i]; n > 0 {
			crossed = append(crossed, OpeningLink{Link: w.before.links + int64(i), Number: n})
		}
	}
	return crossed
}

// End is the cells that have a link to an opening, by their global numbers.
type End struct {
	Cells []int32
	// far are the distances of their middles from that of the opening, in cells.
	far []float64
}

// Ends lists the cells at all openings.
func (g *Grid) Ends() []End {
	ends := make([]End, len(g.Openings))
	starts := g.Starts()
	run := 0
	for _, o := range g.Links.Openings {
		at := g.Links.Cell(g.Links.CellOf(o.Link))
		e := &ends[o.Number-1]
		if n := len(e.Cells); n > 0 && e.Cells[n-1] == int32(at) {
			continue
		}
		for starts[run+1] <= at {
			run++
		}
		r := &g.Runs[run]
		e.Cells = append(e.Cells, int32(at))
		center := r3.Vec{X: float64(r.X0) + float64(at-starts[run]) + 0.5, Y: float64(r.Y) + 0.5, Z: float64(r.Z) + 0.5}
		e.far = append(e.far, r3.Norm(r3.Sub(center, r3.Scale(1/g.Spacing, r3.Sub(g.Openings[o.Number-1].Center, g.Origin)))))
	}
	return ends
}

// Tip is the cell next to the middle of the opening among those that are not taken, false
// where there is none.
func (e *End) Tip(taken map[int32]int) (tip int32, ok bool) {
	nearest := math.Inf(1)
	for i, cell := range e.Cells {
		if _, is := taken[cell]; !is && e.far[i] < nearest {
			tip, nearest, ok = cell, e.far[i], true
		}
	}
	return tip, ok
}
