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

// WritePast lets outputs go past the cache where fields of so many bytes on each of the ranks
// that share it do not stay in it anyway: it need not read what they overwrite. Each goes to a
// slot of the cell itself.
func (s *Stencil[T]) WritePast(bytes int64) { s.past = bytes*s.sharing > cacheBytes }

// compiled is an update with its functions and what parameters make of its table.
type compiled[T float32 | float64] struct {
	*expression.Tabulator[T]
	function, past Function // past is nil where there is none
	reads, writes  int
	table          []T
}

func compile[T float32 | float64](u *Update, functions Functions) *compiled[T] {
	return &compiled[T]{expression.NewTabulator[T](u.Program), Best[T](functions), best[T](functions, "Past"), len(u.Reads), len(u.Writes), nil}
}

// prepare takes over the parameters that were set.
func (c *compiled[T]) prepare() { c.table = Spread(c.table, c.Table()) }

// run computes n cells; if it may, with whole lines of the cache past it.
func (c *compiled[T]) run(places []unsafe.Pointer, n int, past bool) {
	at, table := places[:c.reads+c.writes], unsafe.Pointer(unsafe.SliceData(c.table))
	if past && c.past != nil {
		size := int(unsafe.Sizeof(T(0)))
		if before, whole := wholeLines(at[c.reads:], n, size); whole > 0 {
			if before > 0 {
				c.function(&at[0], before, table)
				advance(at, before*size)
			}
			c.past(&at[0], whole, table)
			advance(at, whole*size)
			n -= before + whole
		}
	}
	if n > 0 {
		c.function(&at[0], n, table)
	}
}

// wholeLines tells how many of n values of some bytes lie before lines of the cache begin in all
// lists, and how many lie in whole lines behind; none where lines begin elsewhere in each.
func wholeLines(lists []unsafe.Pointer, n, size int) (before, whole int) {
	begin := uintptr(lists[0]) % line
	for _, p := range lists {
		if uintptr(p)%line != begin {
			return 0, 0
		}
	}
	before = int(line-begin) % line / size
	return before, max(0, n-before) * size / line * line / size
}

// advance goes on by so many bytes.
func advance(list []unsafe.Pointer, bytes int) {
	for i := range list {
		list[i] = unsafe.Add(list[i], bytes)
	}
}
