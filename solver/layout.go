package solver

import (
	"cmp"
	"errors"
	"math"
	"slices"
	"sort"
	"unsafe"

	"carina/geometry"
)

// Layout numbers the cells of a rank: its own from 0, in run order or, in the
// dense layout, box after box; ghosts, the cells of other ranks that its own
// touch, follow.
type Layout struct {
	Domain *Domain
	Rank   int32
	// Pieces are the own ones in run order, Stored the same in the order of
	// storage.
	Pieces, Stored []Piece
	// Cells is how many own cells are stored, Fluid how many are fluid.
	Cells, Fluid int
	// Ghosts is how many ghosts there are, Computed how many of them, the first ones, are
	// computed here, too, in some phases (Options.ExchangeEvery).
	Ghosts, Computed int
	// Blocks are the units of work, in the order of storage. They hold all own
	// cells that are fluid. Outer are those of computed ghosts, with the numbers behind.
	Blocks, Outer []Block
}

// Block is consecutive local cells, First ≤ cell < End.
type Block struct{ Number, First, End int32 }

const (
	// GroupCells is the number of neighbouring cells of a row that are looked at
	// together.
	GroupCells = 16
	// BlockCells is the least number of cells of a block, unless it is the last or a
	// gap follows; it has fewer than GroupCells more.
	BlockCells = 240
	// mostCells is how many cells a rank can number, with its ghosts.
	mostCells = math.MaxInt32 / 2
)

var errTooManyCells = errors.New("one rank cannot hold more than a billion cells; use more ranks")

// row is the pieces first ≤ i < end of one (y, z).
type row struct {
	y, z       int32
	first, end int32
}

// Finder is a layout with all that is needed to find neighbours, which is in
// memory only while something is prepared.
type Finder struct {
	*Layout
	all    []Piece // of all ranks
	rows   []row
	planes []int32 // by z, where its rows begin, and where the last ones end
	ghost  []ghostPiece
	// computed are the ghosts that are, by local number.
	computed []ghostPiece
	reach
	crossings []crossing
	boxes     []storedBox // in the dense layout
}

// ghostPiece is cells x0 ≤ x < x1 of piece number piece, known here as ghosts
// from number local on.
type ghostPiece struct{ piece, x0, x1, local, ring int32 }

// crossing is own cells in a row, x0 ≤ x < x1 of a piece, whose neighbours at one
// of the offsets are another rank's, in another piece from x on.
type crossing struct {
	offset       int32
	piece, other int32
	x0, x1, x    int32
}

// newFinder numbers the cells of a rank and the ghosts within reach.
func newFinder(domain *Domain, rank int, within reach, dense bool) (*Finder, error) {
	all, err := domain.Pieces(dense)
	if err != nil {
		return nil, err
	}
	b := &Finder{Layout: &Layout{Domain: domain, Rank: int32(rank)}, all: all, reach: within, planes: make([]int32, domain.Grid.Size[2]+1)}
	rows := 0
	for i := range all {
		if i == 0 || all[i].Y != all[i-1].Y || all[i].Z != all[i-1].Z {
			rows++
		}
	}
	b.rows = make([]row, 0, rows)
	var fluid int64
	for i := range all {
		if p := &all[i]; p.Owner == b.Rank {
			p.Local, p.Index = int32(fluid), int32(fluid)
			fluid += int64(p.Cells())
			if fluid > mostCells {
				return nil, errTooManyCells
			}
		}
		if n := len(b.rows); n == 0 || b.rows[n-1].y != all[i].Y || b.rows[n-1].z != all[i].Z {
			b.rows = append(b.rows, row{all[i].Y, all[i].Z, int32(i), int32(i)})
			b.planes[all[i].Z+1]++
		}
		b.rows[len(b.rows)-1].end++
	}
	for z := range domain.Grid.Size[2] {
		b.planes[z+1] += b.planes[z]
	}
	b.Cells, b.Fluid = int(fluid), int(fluid)
	if dense {
		if err := b.findBoxes(); err != nil {
			return nil, err
		}
	}
	b.findGhosts()
	return b, nil
}

// finish adds the pieces and blocks.
func (b *Finder) finish() {
	own := 0
	for i := range b.all {
		if b.all[i].Owner == b.Rank {
			own++
		}
	}
	b.Pieces = make([]Piece, 0, own)
	for _, p := range b.all {
		if p.Owner == b.Rank {
			b.Pieces = append(b.Pieces, p)
		}
	}
	b.Stored = b.Pieces
	if b.boxes != nil {
		b.Stored = slices.Clone(b.Pieces)
		slices.SortFunc(b.Stored, func(p, q Piece) int { return int(p.Local - q.Local) })
	}
	b.findBlocks()
}

// findRow returns the pieces of row (y, z), wrapped where periodic.
func (b *Finder) findRow(y, z int32) row {
	size := b.Domain.Grid.Size
	if b.Domain.Periodic[1] {
		y = wrapped(y, size[1])
	}
	if b.Domain.Periodic[2] {
		z = wrapped(z, size[2])
	}
	if z < 0 || z >= size[2] {
		return row{}
	}
	first, end := int(b.planes[z]), int(b.planes[z+1])
	if first == end || y < b.rows[first].y || y > b.rows[end-1].y {
		return row{}
	}
	// Rows of a plane follow each other with few gaps: there are at most as many
	// on either side as values of y.
	first, end = max(first, end-1-int(b.rows[end-1].y-y)), min(end, first+1+int(y-b.rows[first].y))
	i, found := slices.BinarySearchFunc(b.rows[first:end], y, func(r row, y int32) int { return cmp.Compare(r.y, y) })
	if !found {
		return row{}
	}
	return b.rows[first+i]
}

// wrapped is the coordinate within a period of n cells.
func wrapped(x, n int32) int32 { return (x%n + n) % n }

// rowsAround are the rows around one.
type rowsAround struct {
	y, z int32
	near [9]row // 3×3, at 3(dz+1)+dy+1
}

// around returns the rows around (y, z).
func (b *Finder) around(y, z int32) (a rowsAround) {
	a.y, a.z = y, z
	for dz := int32(-1); dz <= 1; dz++ {
		for dy := int32(-1); dy <= 1; dy++ {
			a.near[3*(dz+1)+dy+1] = b.findRow(y+dy, z+dz)
		}
	}
	return a
}

// at returns the row at an offset.
func (b *Finder) at(a *rowsAround, o geometry.Offset) row {
	if o.Y < -1 || o.Y > 1 || o.Z < -1 || o.Z > 1 {
		return b.findRow(a.y+int32(o.Y), a.z+int32(o.Z))
	}
	return a.near[3*(int(o.Z)+1)+int(o.Y)+1]
}

// overlaps calls f for every part of row r in x0 ≤ x < x1, both wrapped where
// periodic, as often as needed; shift is what must be subtracted from the part's x to be in
// the unwrapped range.
func (b *Finder) overlaps(r row, x0, x1 int32, f func(piece, from, to, shift int32)) {
	part := func(x0, x1, shift int32) {
		for i := r.first; i < r.end && b.all[i].X0 < x1; i++ {
			if from, to := max(x0, b.all[i].X0), min(x1, b.all[i].X1); from < to {
				f(i, from, to, shift)
			}
		}
	}
	n := b.Domain.Grid.Size[0]
	if !b.Domain.Periodic[0] || x0 >= 0 && x1 <= n {
		part(x0, x1, 0)
		return
	}
	for from := x0; from < x1; {
		shift := wrapped(from, n) - from
		to := min(x1, n-shift)
		part(from+shift, to+shift, shift)
		from = to
	}
}

// findBlocks cuts the rank's cells into blocks.
func (b *Finder) findBlocks() {
	b.Blocks = make([]Block, 0, b.Fluid/BlockCells+1)
	block := Block{First: -1}
	finish := func() {
		if block.First >= 0 {
			block.Number = int32(len(b.Blocks))
			b.Blocks = append(b.Blocks, block)
		}
		block = Block{First: -1}
	}
	b.eachRow(func(s *storedRow) {
		for x := s.x0; x < s.x1; x += GroupCells {
			first, count := s.local+x-s.x0, min(GroupCells, s.x1-x)
			if !b.hasFluid(s, x, count) {
				continue
			}
			if block.First >= 0 && first+count-block.First >= BlockCells+GroupCells {
				finish()
			}
			if block.First < 0 {
				block.First = first
			}
			if block.End = first + count; block.End-block.First >= BlockCells {
				finish()
			}
		}
	})
	finish()
	b.findOuter()
}

// hasFluid tells whether any of count cells of a row from x on is fluid; but for the
// dense layout all are.
func (b *Finder) hasFluid(s *storedRow, x, count int32) bool {
	if b.boxes == nil {
		return true
	}
	for i := s.pieces.first; i < s.pieces.end; i++ {
		if p := &b.all[i]; p.Cuboid == s.cuboid && max(x, p.X0) < min(x+count, p.X1) {
			return true
		}
	}
	return false
}

// Group is up to GroupCells stored cells of a row.
type Group struct {
	// First is the local number of the first cell, Count how many there are.
	First, Count int32
	Block        int32 // number
	finder       *Finder
	row          *storedRow
	x            int32
	around       rowsAround
}

// EachGroup calls f for the groups of all blocks, in order.
func (b *Finder) EachGroup(f func(g *Group)) {
	g := Group{finder: b, around: rowsAround{y: -1, z: -1}}
	b.eachRow(func(s *storedRow) {
		if g.row = s; g.around.y != s.pieces.y || g.around.z != s.pieces.z {
			g.around = b.around(s.pieces.y, s.pieces.z)
		}
		for g.x = s.x0; g.x < s.x1; g.x += GroupCells {
			g.First, g.Count = s.local+g.x-s.x0, min(GroupCells, s.x1-g.x)
			if !b.hasFluid(s, g.x, g.Count) {
				continue
			}
			if g.First >= b.Blocks[g.Block].End {
				g.Block++
			}
			f(&g)
		}
	})
}

// Neighbours fills list with the local numbers of the neighbours of the group's
// cells at an offset, −1 where there is none.
func (g *Group) Neighbours(o geometry.Offset, list []int32) {
	list = list[:g.Count]
	for i := range list {
		list[i] = -1
	}
	b := g.finder
	for i := g.row.pieces.first; i < g.row.pieces.end; i++ {
		p := &b.all[i]
		if from, to := max(g.x, p.X0), min(g.x+g.Count, p.X1); from < to && p.Cuboid == g.row.cuboid {
			b.neighbours(b.at(&g.around, o), from+int32(o.X), list[from-g.x:to-g.x])
		}
	}
}

// neighbours fills list with the local numbers of the cells of a row from x on,
// and leaves it as it is where there is none.
func (b *Finder) neighbours(r row, x int32, list []int32) {
	b.overlaps(r, x, x+int32(len(list)), func(i, from, to, shift int32) {
		b.eachNumber(i, from, to, func(from, to, number int32) {
			lanes := list[from-shift-x:][:to-from]
			for k := range lanes {
				lanes[k] = number + int32(k)
			}
		})
	})
}

// EachCell calls f for all own cells with their local numbers and coordinates.
func (l *Layout) EachCell(f func(cell, x, y, z int32)) {
	for i := range l.Pieces {
		p := &l.Pieces[i]
		for x := p.X0; x < p.X1; x++ {
			f(p.Local+x-p.X0, x, p.Y, p.Z)
		}
	}
}

// Found is a cell that was looked for.
type Found struct {
	Owner  int32
	Global int64
	// Local is the number on this rank, as an own cell or a ghost; −1 where it is
	// neither.
	Local int32
}

// Cell finds the cell at (x, y, z), wrapped where periodic; ok tells whether there
// is one.
func (b *Finder) Cell(x, y, z int32) (found Found, ok bool) {
	if n := b.Domain.Grid.Size[0]; b.Domain.Periodic[0] {
		x = wrapped(x, n)
	}
	b.overlaps(b.findRow(y, z), x, x+1, func(i, from, _, _ int32) {
		p := &b.all[i]
		found, ok = Found{p.Owner, p.Global + int64(from-p.X0), b.number(i, from)}, true
	})
	return found, ok
}

// EachPiece calls f for the parts of the rank's pieces that lie in from ≤ cell
// < to, in the order of storage.
func (l *Layout) EachPiece(from, to int32, f func(p *Piece, from, to int32)) {
	i := sort.Search(len(l.Stored), func(i int) bool { return l.Stored[i].Local+l.Stored[i].Cells() > from })
	for ; i < len(l.Stored) && l.Stored[i].Local < to; i++ {
		p := &l.Stored[i]
		f(p, max(from, p.Local), min(to, p.Local+p.Cells()))
	}
}

// PieceOf is the rank's piece that holds an own cell by its index among the fluid
// cells.
func (l *Layout) PieceOf(index int32) *Piece {
	return &l.Pieces[sort.Search(len(l.Pieces), func(i int) bool { return l.Pieces[i].Index > index })-1]
}

// EachGlobal calls f for the fluid cells of a block with their global numbers.
func (l *Layout) EachGlobal(b *Block, f func(cell int32, global int64)) {
	l.EachPiece(b.First, b.End, func(p *Piece, from, to int32) {
		for cell := from; cell < to; cell++ {
			f(cell, p.Global+int64(cell-p.Local))
		}
	})
}

// BlockOf is the number of the block that holds an own cell.
func (l *Layout) BlockOf(cell int32) int {
	return sort.Search(len(l.Blocks), func(i int) bool { return l.Blocks[i].End > cell })
}

// Local returns the local number of an own cell by its global one.
func (l *Layout) Local(global int64) (cell int32, ok bool) {
	p := holding(l.Pieces, global)
	if p == nil {
		return 0, false
	}
	return p.Local + int32(global-p.Global), true
}

// Index returns the number of an own cell among the own ones in ascending order.
func (l *Layout) Index(global int64) (index int32, ok bool) {
	p := holding(l.Pieces, global)
	if p == nil {
		return 0, false
	}
	return p.Index + int32(global-p.Global), true
}

// Cut returns own cells in pieces, whose indices are numbers among them.
func (l *Layout) Cut(cells []CellRange) (pieces []Piece) {
	index, at := int32(0), 0
	for _, c := range cells {
		for global := c.First; global < c.First+c.Count; {
			// Cells mostly follow each other.
			if at == len(l.Pieces) || l.Pieces[at].Global > global || l.Pieces[at].Global+int64(l.Pieces[at].Cells()) <= global {
				at = sort.Search(len(l.Pieces), func(i int) bool { return l.Pieces[i].Global+int64(l.Pieces[i].Cells()) > global })
			}
			p := l.Pieces[at]
			at++
			before := int32(global - p.Global)
			p.X0, p.Local, p.Global, p.Index = p.X0+before, p.Local+before, global, index
			p.X1 = min(p.X1, p.X0+int32(c.First+c.Count-global))
			pieces = append(pieces, p)
			index, global = index+p.Cells(), global+int64(p.Cells())
		}
	}
	return pieces
}

// Coordinates returns those of an own cell by its global number.
func (l *Layout) Coordinates(global int64) (at [3]int32, ok bool) {
	p := holding(l.Pieces, global)
	if p == nil {
		return at, false
	}
	return [3]int32{p.X0 + int32(global-p.Global), p.Y, p.Z}, true
}

// holding finds the piece that holds a cell by its global number, nil if there is
// none.
func holding(pieces []Piece, global int64) *Piece {
	i := sort.Search(len(pieces), func(i int) bool { return pieces[i].Global+int64(pieces[i].Cells()) > global })
	if i == len(pieces) || pieces[i].Global > global {
		return nil
	}
	return &pieces[i]
}

const (
	pieceBytes = int64(unsafe.Sizeof(Piece{}))
	blockBytes = int64(unsafe.Sizeof(Block{}))
)

// bytes is the memory held.
func (l *Layout) bytes() int64 {
	return pieceBytes*int64(cap(l.Pieces)) + blockBytes*int64(cap(l.Blocks)+cap(l.Outer))
}
