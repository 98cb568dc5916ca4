package stencil

import (
	"unsafe"

	"carina/solver/expression"
)

const (
	// line is one of the cache, in bytes.
	line = 64
	// cacheBytes is more than what processors keep of fields from one step to the next.
	cacheBytes = 64 << 20
)

// compiled is an update with its functions and what parameters make of its table.
type compiled[T float32 | float64] struct {
	*expression.Tabulator[T]
	function, past Function // past is nil where there is none
	functions      Functions
	reads, writes  int
	table          []T
}

func compile[T float32 | float64](u *Update, functions Functions) *compiled[T] {
	return &compiled[T]{Tabulator: expression.NewTabulator[T](u.Program), function: Best[T](functions), functions: functions, reads: len(u.Reads), writes: len(u.Writes)}
}

// prepare takes over the parameters that were set.
func (c *compiled[T]) prepare() { c.table = Spread(c.table, c.Table()) }

// run computes n cells.
func (c *compiled[T]) run(at []unsafe.Pointer, n int) {
	c.function(&at[0], n, unsafe.Pointer(unsafe.SliceData(c.table)))
}

// runPast computes n cells, in whole lines of the cache past it.
func (c *compiled[T]) runPast(at []unsafe.Pointer, n int) {
	c.past(&at[0], n, unsafe.Pointer(unsafe.SliceData(c.table)))
}

// pieceCells are those that pieces have at most.
const pieceCells = 32

// pieces are inputs of cells that follow each other although the inputs do not, or that are
// less than a line of the cache: together they are whole lines.
type pieces[T float32 | float64] struct {
	update *compiled[T]
	cells  int
	values []T              // pieceCells of each input
	to     []unsafe.Pointer // outputs of the first cell
	at     []unsafe.Pointer
}

func (p *pieces[T]) reserve(reads, writes int) {
	p.values, p.to, p.at = make([]T, reads*pieceCells), make([]unsafe.Pointer, writes), make([]unsafe.Pointer, reads+writes)
}

// run computes n cells, those in whole lines of the cache past it, and keeps the others. No
// pointer is left behind the end of what it points into.
func (p *pieces[T]) run(c *compiled[T], at []unsafe.Pointer, n int) {
	at = at[:c.reads+c.writes]
	size := int(unsafe.Sizeof(T(0)))
	before, whole := wholeLines(at[c.reads:], n, size)
	if whole == 0 {
		p.keep(c, at, 0, n)
		return
	}
	p.keep(c, at, 0, before)
	p.flush()
	advance(at, before*size)
	c.runPast(at, whole)
	p.keep(c, at, whole, n-before-whole)
}

// keep keeps n cells behind so many others.
func (p *pieces[T]) keep(c *compiled[T], at []unsafe.Pointer, skip, n int) {
	for n > 0 {
		p.start(c, at[c.reads:], skip, 1)
		some := min(n, pieceCells-p.cells)
		for i, from := range at[:c.reads] {
			copy(p.values[i*pieceCells+p.cells:], unsafe.Slice((*T)(from), skip+some)[skip:])
		}
		p.cells, skip, n = p.cells+some, skip+some, n-some
	}
}

// start makes room for at least so many cells, the first of which is skip behind where outputs
// are: those before are computed unless these follow them.
func (p *pieces[T]) start(c *compiled[T], to []unsafe.Pointer, skip, least int) {
	size := int(unsafe.Sizeof(T(0)))
	if p.cells+least > pieceCells || p.cells > 0 && (p.update != c || unsafe.Add(to[0], skip*size) != unsafe.Add(p.to[0], p.cells*size)) {
		p.flush()
	}
	if p.cells == 0 {
		p.update = c
		copy(p.to, to)
		advance(p.to, skip*size)
	}
}

// flush computes the cells that were kept.
func (p *pieces[T]) flush() {
	if p.cells == 0 {
		return
	}
	c, size, done := p.update, int(unsafe.Sizeof(T(0))), 0
	at := p.at[:c.reads+c.writes]
	for i := range c.reads {
		at[i] = unsafe.Pointer(&p.values[i*pieceCells])
	}
	copy(at[c.reads:], p.to)
	before, whole := p.cells, 0
	if c.past != nil {
		before, whole = wholeLines(at[c.reads:], p.cells, size)
	}
	for _, part := range []struct {
		cells int
		run   func(at []unsafe.Pointer, n int)
	}{{before, c.run}, {whole, c.runPast}, {p.cells - before - whole, c.run}} {
		if part.cells > 0 {
			advance(at, done*size)
			part.run(at, part.cells)
			done = part.cells
		}
	}
	p.cells = 0
}

// wholeLines tells how many of n values of some bytes lie before lines of the cache begin in all
// lists, and how many lie in whole lines behind; all before where lines begin elsewhere in each.
func wholeLines(lists []unsafe.Pointer, n, size int) (before, whole int) {
	begin := uintptr(lists[0]) % line
	for _, p := range lists {
		if uintptr(p)%line != begin {
			return n, 0
		}
	}
	before = min(n, int(line-begin)%line/size)
	return before, (n - before) * size / line * line / size
}

// advance goes on by so many bytes.
func advance(list []unsafe.Pointer, bytes int) {
	for i := range list {
		list[i] = unsafe.Add(list[i], bytes)
	}
}
