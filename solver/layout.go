package solver

import (
	"cmp"
	"errors"
	"math"
	"slices"
	"unsafe"

	"carina/geometry"
	"carina/solver/kernel"
	"carina/solver/lattice"
)

const (
	// windowCells is the number of neighbouring cells of a row that are
	// updated together: one AVX-512 register of single-precision numbers.
	windowCells = kernel.WindowCells
	// chunkCells is the least number of cells of a chunk. Its populations
	// stay in the first-level cache while links are corrected.
	chunkCells = kernel.ChunkCells
)

// layout is the storage of one rank. Its own cells are numbered from 0, in run
// order or, in the dense layout, box after box; ghosts, the cells of other ranks
// that its cells touch, follow.
//
// The update of cell x touches, in an odd step, for each moving population p,
// either slot p of the neighbour in direction c_p or, where that is not
// fluid, slot opposite(p) of x itself. No two cells touch the same location.
type layout struct {
	set *lattice.Set
	// pieces are the own ones in run order, stored the same in the order of
	// storage.
	pieces, stored []piece
	// cells is how many own cells are stored, fluid how many are fluid.
	cells, fluid int
	ghosts       int
	// chunks with a cell next to another rank come first.
	chunks   []chunk
	crossing int // how many chunks have a cell next to another rank
	windows  windows
	peers    []peer
	// near and far are the corrections of interpolated walls.
	near, far wallStream
	// reflections are the links of walls that take part in the collision's stress.
	reflections wallStream
	openings    []openingCell
}

// chunk is the unit of work: consecutive cells and their windows, by kind.
type chunk struct {
	cell, cellEnd       int32
	inner, innerEnd     int32
	walled, walledEnd   int32
	opening, openingEnd int32
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

// row is the pieces first ≤ i < end of one (y, z).
type row struct {
	y, z       int32
	first, end int32
}

// layoutBuilder holds what is needed only while a layout is made.
type layoutBuilder struct {
	*layout
	domain *Domain
	rank   int32
	all    []piece // of all ranks
	rows   []row
	ghost  []ghostPiece
	pairs  []crossingPair
	boxes  []storedBox // in the dense layout
	blank  []uint32    // room for one regular window
}

// ghostPiece is cells x0 ≤ x < x1 of piece number piece, known here as ghosts
// from number local on.
type ghostPiece struct{ piece, x0, x1, local int32 }

// crossingPair is an own cell and its neighbour in direction p on another rank.
type crossingPair struct {
	peer         int32
	p            uint8
	cell, ghost  int32
	globalCell   int64
	globalGhosts int64
}

// newLayout numbers the cells of a rank and finds their neighbours.
func newLayout(domain *Domain, rank int, set *lattice.Set, kind Layout) (*layout, error) {
	b, err := newLayoutBuilder(domain, rank, set, kind)
	if err != nil {
		return nil, err
	}
	b.findWindows()
	b.findPeers()
	for _, p := range b.all {
		if p.owner == b.rank {
			b.pieces = append(b.pieces, p)
		}
	}
	b.stored = b.pieces
	if kind == Dense {
		b.stored = slices.Clone(b.pieces)
		slices.SortFunc(b.stored, func(p, q piece) int { return int(p.local - q.local) })
	}
	return b.layout, nil
}

// newLayoutBuilder numbers the cells of a rank and the ghosts.
func newLayoutBuilder(domain *Domain, rank int, set *lattice.Set, kind Layout) (*layoutBuilder, error) {
	all, err := domain.pieces(kind == Dense)
	if err != nil {
		return nil, err
	}
	b := &layoutBuilder{layout: &layout{set: set}, domain: domain, rank: int32(rank), all: all}
	var fluid int64
	for i := range all {
		if p := &all[i]; p.owner == b.rank {
			p.local, p.index = int32(fluid), int32(fluid)
			fluid += int64(p.cells())
			if fluid > mostCells {
				return nil, errTooManyCells
			}
		}
		if n := len(b.rows); n == 0 || b.rows[n-1].y != all[i].Y || b.rows[n-1].z != all[i].Z {
			b.rows = append(b.rows, row{all[i].Y, all[i].Z, int32(i), int32(i)})
		}
		b.rows[len(b.rows)-1].end++
	}
	b.cells, b.fluid = int(fluid), int(fluid)
	if kind == Dense {
		if err := b.findBoxes(); err != nil {
			return nil, err
		}
	}
	b.findGhosts()
	return b, nil
}

// mostCells is how many cells a rank can number, with its ghosts.
const mostCells = math.MaxInt32 / 2

var errTooManyCells = errors.New("one rank cannot hold more than a billion cells; use more ranks")

// findRow returns the pieces of row (y, z), wrapped where periodic.
func (b *layoutBuilder) findRow(y, z int32) row {
	size := b.domain.Grid.Size
	if b.domain.Periodic[1] {
		y = (y + size[1]) % size[1]
	}
	if b.domain.Periodic[2] {
		z = (z + size[2]) % size[2]
	}
	i, found := slices.BinarySearchFunc(b.rows, row{y: y, z: z}, func(a, b row) int {
		return cmp.Or(cmp.Compare(a.z, b.z), cmp.Compare(a.y, b.y))
	})
	if !found {
		return row{}
	}
	return b.rows[i]
}

// neighbourRows returns the 3×3 rows around (y, z), at index 3(dz+1)+dy+1.
func (b *layoutBuilder) neighbourRows(y, z int32) (rows [9]row) {
	for dz := int32(-1); dz <= 1; dz++ {
		for dy := int32(-1); dy <= 1; dy++ {
			rows[3*(dz+1)+dy+1] = b.findRow(y+dy, z+dz)
		}
	}
	return rows
}

func rowIndex(d geometry.Offset) int { return int(3*(d.Z+1) + d.Y + 1) }

// overlaps calls f for every part of row r in x0 ≤ x < x1, both wrapped where
// periodic; shift is what must be subtracted from the part's x to be in the
// unwrapped range.
func (b *layoutBuilder) overlaps(r row, x0, x1 int32, f func(piece, from, to, shift int32)) {
	part := func(x0, x1, shift int32) {
		for i := r.first; i < r.end && b.all[i].X0 < x1; i++ {
			if from, to := max(x0, b.all[i].X0), min(x1, b.all[i].X1); from < to {
				f(i, from, to, shift)
			}
		}
	}
	part(x0, x1, 0)
	if n := b.domain.Grid.Size[0]; b.domain.Periodic[0] {
		if x0 < 0 {
			part(x0+n, n, n)
		}
		if x1 > n {
			part(0, x1-n, -n)
		}
	}
}

// findGhosts collects the cells of other ranks that own cells touch.
func (b *layoutBuilder) findGhosts() {
	var found []ghostPiece
	b.eachOwnPiece(func(number int32, rows *[9]row) {
		p := &b.all[number]
		for _, d := range geometry.Directions[:b.set.Q-1] {
			b.overlaps(rows[rowIndex(d)], p.X0+int32(d.X), p.X1+int32(d.X), func(i, from, to, _ int32) {
				if b.all[i].owner != b.rank {
					found = append(found, ghostPiece{i, from, to, 0})
				}
			})
		}
	})
	slices.SortFunc(found, func(a, b ghostPiece) int {
		return cmp.Or(cmp.Compare(a.piece, b.piece), cmp.Compare(a.x0, b.x0))
	})
	for _, g := range found {
		if n := len(b.ghost); n > 0 && b.ghost[n-1].piece == g.piece && b.ghost[n-1].x1 >= g.x0 {
			b.ghost[n-1].x1 = max(b.ghost[n-1].x1, g.x1)
		} else {
			b.ghost = append(b.ghost, g)
		}
	}
	for i := range b.ghost {
		g := &b.ghost[i]
		g.local = int32(b.cells + b.ghosts)
		b.ghosts += int(g.x1 - g.x0)
	}
}

// eachOwnPiece calls f for the rank's pieces in run order, by their number among
// all, with the rows around.
func (b *layoutBuilder) eachOwnPiece(f func(number int32, rows *[9]row)) {
	var rows [9]row
	y, z := int32(-1), int32(-1)
	for i := range b.all {
		p := &b.all[i]
		if p.owner != b.rank {
			continue
		}
		if p.Y != y || p.Z != z {
			y, z = p.Y, p.Z
			rows = b.neighbourRows(y, z)
		}
		f(int32(i), &rows)
	}
}

// number returns the local number of cell x of piece i.
func (b *layoutBuilder) number(i, x int32) int32 {
	if p := &b.all[i]; p.owner == b.rank {
		return p.local + x - p.X0
	}
	j, found := slices.BinarySearchFunc(b.ghost, ghostPiece{piece: i, x0: x}, func(a, b ghostPiece) int {
		return cmp.Or(cmp.Compare(a.piece, b.piece), cmp.Compare(a.x0, b.x0))
	})
	if !found {
		j--
	}
	return b.ghost[j].local + x - b.ghost[j].x0
}

// findWindows cuts the rank's pieces into windows and chunks.
func (b *layoutBuilder) findWindows() {
	q := b.set.Q
	// The neighbours of up to windowCells cells, by direction and cell.
	neighbours := make([]int32, (q-1)*windowCells)
	b.blank = make([]uint32, walledWidth(q))
	var inner, crossing []chunk
	c := chunk{cell: -1, cellEnd: -1}
	crosses := false
	finish := func() {
		w := &b.windows
		c.innerEnd = int32(len(w.inner) / innerWidth(q))
		c.walledEnd = int32(len(w.walled) / walledWidth(q))
		if c.cell >= 0 {
			if crosses {
				crossing = append(crossing, c)
			} else {
				inner = append(inner, c)
			}
		}
		c = chunk{cell: -1, cellEnd: -1, inner: c.innerEnd, walled: c.walledEnd}
		crosses = false
	}
	b.eachSpan(func(s *span, rows *[9]row) {
		for x := s.x0; x < s.x1; x += windowCells {
			cell, count := s.local+x-s.x0, min(windowCells, s.x1-x)
			fluid, touches := b.findNeighbours(neighbours, s, x, count, rows)
			if !fluid {
				continue
			}
			if c.cell >= 0 && cell+count-c.cell >= chunkCells+windowCells {
				finish()
			}
			for lane := int32(0); lane < count; {
				if c.cell < 0 {
					c.cell = cell + lane
				}
				lane = b.addWindow(neighbours, cell, lane, count)
				crosses = crosses || touches
				if c.cellEnd = cell + lane; c.cellEnd-c.cell >= chunkCells {
					finish()
				}
			}
		}
	})
	finish()
	b.windows.inner = inHugePages(b.windows.inner, kernel.WindowsAhead*innerWidth(b.set.Q))
	b.windows.walled = inHugePages(b.windows.walled, kernel.WindowsAhead*walledWidth(b.set.Q))
	b.chunks = append(crossing, inner...)
	b.crossing = len(crossing)
}

// findNeighbours fills index with the neighbours of count cells from x of a
// span on, notes those on other ranks, and reports whether there are any and
// whether any of the cells is fluid.
func (b *layoutBuilder) findNeighbours(index []int32, s *span, x, count int32, rows *[9]row) (fluid, crosses bool) {
	for i := range index {
		index[i] = -1
	}
	for i := s.pieces.first; i < s.pieces.end; i++ {
		p := &b.all[i]
		if from, to := max(x, p.X0), min(x+count, p.X1); from < to && p.cuboid == s.cuboid {
			fluid = true
			if b.findPieceNeighbours(index[from-x:], p, from, to-from, rows) {
				crosses = true
			}
		}
	}
	return fluid, crosses
}

// findPieceNeighbours does this for cells of one piece.
func (b *layoutBuilder) findPieceNeighbours(index []int32, p *piece, x, count int32, rows *[9]row) (crosses bool) {
	for di, d := range geometry.Directions[:b.set.Q-1] {
		lanes := index[di*windowCells:][:count]
		from := x + int32(d.X)
		b.overlaps(rows[rowIndex(d)], from, from+count, func(i, x0, x1, shift int32) {
			number := b.number(i, x0)
			lane := x0 - shift - from
			for k := range x1 - x0 {
				lanes[lane+k] = number + k
			}
			if other := &b.all[i]; other.owner != b.rank {
				crosses = true
				for k := range x1 - x0 {
					in := x + lane + k - p.X0
					b.pairs = append(b.pairs, crossingPair{other.owner, uint8(di + 1), p.local + in, number + k,
						p.global + int64(in), other.global + int64(x0+k-other.X0)})
				}
			}
		})
	}
	return crosses
}

// addWindow adds the longest window from a lane on in which one offset serves
// each direction, given the neighbours of count cells, and returns its end.
func (b *layoutBuilder) addWindow(neighbours []int32, cell, lane, count int32) (end int32) {
	q := b.set.Q
	words := b.blank
	clear(words)
	words[0] = uint32(cell + lane)
	masks := words[2+q-1:]
	for end = lane; end < count; end++ {
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
		b.windows.inner = append(b.windows.inner, words[:innerWidth(q)]...)
	} else {
		b.windows.walled = append(b.windows.walled, words...)
	}
	return end
}

// serves tells whether the offsets of a window that begins at lane first are
// those of another lane, too, in every direction in which it has a neighbour.
func (b *layoutBuilder) serves(words []uint32, neighbours []int32, cell, first, lane int32) bool {
	masks := words[2+b.set.Q-1:]
	for d := range b.set.Q - 1 {
		n := neighbours[d*windowCells+int(lane)]
		if n >= 0 && masks[d/2]>>(16*(d%2))&0xffff != 0 && uint32(n-cell-lane) != words[2+d] {
			return false
		}
	}
	return true
}

// bytes returns the memory that the layout holds.
func (l *layout) bytes() int64 {
	bytes := size(l.windows.inner) + size(l.windows.walled) +
		size(l.pieces) + size(l.chunks) + size(l.near) + size(l.far) + size(l.reflections) + size(l.openings)
	for i := range l.peers {
		bytes += size(l.peers[i].borrowed) + size(l.peers[i].lent)
	}
	return bytes
}

// size is the memory behind a slice.
func size[T any](s []T) int64 {
	var element T
	return int64(cap(s)) * int64(unsafe.Sizeof(element))
}
