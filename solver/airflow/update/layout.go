package update

import (
	"carina/geometry"
	"carina/solver"
	"carina/solver/airflow/kernel"
	"carina/solver/airflow/opening"
	"carina/solver/airflow/wall"
	"carina/solver/lattice"
)

const (
	// windowCells is the number of neighbouring cells of a row that are
	// updated together: one AVX-512 register of single-precision numbers.
	windowCells = kernel.WindowCells
	// blockCells is the least number of cells of a block. Its populations
	// stay in the first-level cache while links are corrected.
	blockCells = kernel.BlockCells
)

// Kernels and the engine must mean the same groups and blocks of cells.
var (
	_ [windowCells]struct{} = [solver.GroupCells]struct{}{}
	_ [blockCells]struct{}  = [solver.BlockCells]struct{}{}
)

// Layout is how the cells of a rank are streamed and where their walls and
// openings are.
//
// The update of cell x touches, in an odd step, for each moving population p,
// either slot p of the neighbour in direction c_p or, where that is not
// fluid, slot opposite(p) of x itself. No two cells touch the same location.
type Layout struct {
	*solver.Layout
	set *lattice.Set
	// blocks are those of the engine's layout, with their windows.
	blocks  []block
	windows windows
	// near and far are the corrections of interpolated walls.
	near, far wall.Links
	// reflections are the links of walls that take part in the collision's stress.
	reflections wall.Links
	// edge is the links of walls at the edges of openings.
	edge wall.Edge
	// Openings are the cells at openings.
	Openings *opening.Cells
	// openingsExpected is about how many of them there will be.
	openingsExpected int
}

// block is a block with its windows, by kind.
type block struct {
	cell, cellEnd       int32
	inner, innerEnd     int32
	walled, walledEnd   int32
	opening, openingEnd int32
	edge, edgeEnd       int32 // of Layout.edge
	// where its corrections begin
	near, far, reflections int64
}

// windows lists the neighbours of up to windowCells consecutive cells. In all
// kinds, the first two words are the first cell and the number of cells.
type windows struct {
	// inner windows have only fluid neighbours, at cell+lane+offset; one
	// offset per direction follows.
	inner []uint32
	// walled windows are followed by one offset per direction and then one
	// mask per direction, two to a word, of the lanes whose neighbour is
	// fluid.
	walled []uint32
}

// Widths of the windows for q populations, in words.
func innerWidth(q int) int  { return 2 + (q - 1) }
func walledWidth(q int) int { return 2 + (q - 1) + (q-1)/2 }

// windowBuilder is what is needed only while windows are made.
type windowBuilder struct {
	*Layout
	// neighbours are those of a group's cells, by direction and cell.
	neighbours []int32
	blank      []uint32 // room for one regular window
}

// NewLayout finds the windows of a rank's blocks. Its tables are taken to be about as large
// as those of so many cells elsewhere, if any are known.
func NewLayout(f *solver.Finder, set *lattice.Set, like Sizes) *Layout {
	l := &Layout{Layout: f.Layout, set: set, blocks: make([]block, len(f.Blocks))}
	b := windowBuilder{Layout: l, neighbours: make([]int32, (set.Q-1)*windowCells), blank: make([]uint32, walledWidth(set.Q))}
	for i, block := range f.Blocks {
		l.blocks[i].cell, l.blocks[i].cellEnd = block.First, block.End
	}
	l.reserve(like)
	f.EachGroup(func(g *solver.Group) {
		for d, c := range geometry.Directions[:set.Q-1] {
			g.Neighbours(c, b.neighbours[d*windowCells:])
		}
		c := &l.blocks[g.Block]
		if g.First == c.cell {
			c.inner, c.walled = int32(len(l.windows.inner)/innerWidth(set.Q)), int32(len(l.windows.walled)/walledWidth(set.Q))
		}
		for lane := int32(0); lane < g.Count; {
			lane = b.addWindow(b.neighbours, g.First, lane, g.Count)
		}
		c.innerEnd, c.walledEnd = int32(len(l.windows.inner)/innerWidth(set.Q)), int32(len(l.windows.walled)/walledWidth(set.Q))
	})
	w := &l.windows
	w.inner = settled(w.inner, kernel.WindowsAhead*innerWidth(set.Q))
	w.walled = settled(w.walled, kernel.WindowsAhead*walledWidth(set.Q))
	return l
}

// addWindow adds the longest window from a lane on in which one offset serves
// each direction, given the neighbours of count cells, and returns its end.
func (b *windowBuilder) addWindow(neighbours []int32, cell, lane, count int32) (end int32) {
	q := b.set.Q
	words := b.blank
	clear(words)
	words[0] = uint32(cell + lane)
	masks := words[2+q-1:]
	if end = count; !b.serveAll(words, neighbours, cell, lane, count) {
		clear(words[2:])
		end = lane
	}
	for ; end < count; end++ {
		if !b.serves(words, neighbours, cell, lane, end) {
			break
		}
		for d := range q - 1 {
			if n := neighbours[d*windowCells+int(end)]; n >= 0 {
				words[2+d] = uint32(n - cell - end)
				masks[d/2] |= 1 << (end - lane) << (16 * (d % 2))
			}
		}
	}
	words[1] = uint32(end - lane)
	full := uint32(1)<<words[1] - 1
	inner := true
	for d := range q - 1 {
		inner = inner && masks[d/2]>>(16*(d%2))&0xffff == full
	}
	if inner {
		b.windows.inner = append(b.room(b.windows.inner, innerWidth(q), cell), words[:innerWidth(q)]...)
	} else {
		b.windows.walled = append(b.room(b.windows.walled, len(words), cell), words...)
	}
	return end
}

// room makes room for more values of a list at a cell. Where it moves the list it takes
// the cells that follow to need as many as those before, so that it seldom does.
func (l *Layout) room(list []uint32, more int, cell int32) []uint32 {
	if len(list)+more <= cap(list) {
		return list
	}
	const few = 1 << 14
	size := len(list) + len(list)/8 + more + few
	if cell > few {
		size = max(size, int(1.05*float64(len(list))*float64(l.Cells)/float64(cell)))
	}
	return append(make([]uint32, 0, size), list...)
}

// serveAll fills in the offsets and masks of a window of all lanes from the first on,
// and tells whether one offset serves each direction.
func (b *windowBuilder) serveAll(words []uint32, neighbours []int32, cell, first, count int32) bool {
	masks := words[2+b.set.Q-1:]
	for d := range b.set.Q - 1 {
		lanes := neighbours[d*windowCells+int(first):][:count-first]
		offset, mask := int32(0), uint32(0)
		for i, n := range lanes {
			if n < 0 {
				continue
			}
			o := n - cell - first - int32(i)
			if mask != 0 && o != offset {
				return false
			}
			offset = o
			mask |= 1 << i
		}
		words[2+d] = uint32(offset)
		masks[d/2] |= mask << (16 * (d % 2))
	}
	return true
}

// serves tells whether the offsets of a window that begins at lane first are
// those of another lane, too, in every direction in which it has a neighbour.
func (b *windowBuilder) serves(words []uint32, neighbours []int32, cell, first, lane int32) bool {
	masks := words[2+b.set.Q-1:]
	for d := range b.set.Q - 1 {
		n := neighbours[d*windowCells+int(lane)]
		if n >= 0 && masks[d/2]>>(16*(d%2))&0xffff != 0 && uint32(n-cell-lane) != words[2+d] {
			return false
		}
	}
	return true
}

// Bytes returns the memory of the layout beside the engine's.
func (l *Layout) Bytes() int64 {
	return kernel.SizeOf(l.windows.inner) + kernel.SizeOf(l.windows.walled) +
		kernel.SizeOf(l.blocks) + kernel.SizeOf(l.near) + kernel.SizeOf(l.far) + kernel.SizeOf(l.reflections) + kernel.SizeOf(l.edge) + kernel.SizeOf(l.Openings.List)
}

// Windows is the number of windows that are updated in an odd step.
func (l *Layout) Windows() int {
	return len(l.windows.inner)/innerWidth(l.set.Q) + len(l.windows.walled)/walledWidth(l.set.Q)
}
