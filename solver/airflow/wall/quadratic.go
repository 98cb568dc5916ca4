package wall

import (
	"slices"
	"sort"
	"unsafe"

	"carina/geometry"
	"carina/solver"
	"carina/solver/airflow/kernel"
	"carina/solver/lattice"
)

// slot is that of a population of a cell.
type slot struct {
	cell       int32
	population uint8
}

// Quadratic makes the linear corrections of walls quadratic, after every step.
//
// With population i leaving cell x towards the wall at the fraction q of the
// link, the quadratic interpolation of Bouzidi, Firdaouss and Lallemand (2001,
// eq. 5) differs from the linear one by
//
//	−q(1−2q)         (f*_i(x) − 2f*_i(x−c_i) + f*_i(x−2c_i))  for q < ½
//	−(2q−1)/(2q+1)   (f_ī(x)  − 2f*_ī(x)     + f*_ī(x−c_i))   for q ≥ ½
//
// where f_ī(x) is what the linear one brings back. In the first case the
// linear correction is still to come when this is done, and multiplies what is
// added by 2q: so half of 1−2q is used. The term in the middle is what arrives
// in the next step at x or at x−c_i; the last one is asked for where it is known
// to other ranks alone. What is added is taken from the
// population at rest, as with the linear correction.
type Quadratic struct {
	links []quadraticLink
	// blocks is where the links of every block begin and end.
	blocks [][2]int32
	// received is what others have sent.
	received []byte
}

// quadraticLink is a wall link with two fluid cells behind it.
type quadraticLink struct {
	// cell is x, second x−c_i and third x−2c_i, or −1 − the index of the last term
	// among what was asked for.
	cell, second, third int32
	back                uint8 // ī
	far                 bool  // q ≥ ½
	factor              float32
}

// middle and last are the slots of the second and third term before a step.
// What arrives at a cell along a population, or has left the cell against it,
// is in one of two slots, by parity.
func (l *quadraticLink) middle(odd bool) slot {
	if odd == l.far {
		return slot{l.cell, uint8(lattice.Opposite(int(l.back)))}
	}
	return slot{l.second, l.back}
}

func (l *quadraticLink) last(odd bool) slot {
	if odd == l.far {
		return slot{l.second, uint8(lattice.Opposite(int(l.back)))}
	}
	return slot{l.third, l.back}
}

// NewQuadratic finds the links of a rank and what it asks for after a phase.
func NewQuadratic(b *solver.Binding, set *lattice.Set, phase, bytesPerValue int) *Quadratic {
	f := quadraticFinder{Binding: b, set: set, quadratic: &Quadratic{}}
	f.find()
	c := f.quadratic
	c.received = make([]byte, max(1, len(f.asks))*bytesPerValue)
	for step := range 2 {
		b.Ask(step, phase, f.asks, c.received)
	}
	c.links = slices.Clip(c.links)
	slices.SortStableFunc(c.links, func(a, b quadraticLink) int { return int(a.cell - b.cell) })
	from := func(cell int32) int32 {
		return int32(sort.Search(len(c.links), func(i int) bool { return c.links[i].cell >= cell }))
	}
	for _, block := range b.Blocks {
		c.blocks = append(c.blocks, [2]int32{from(block.First), from(block.End)})
	}
	return c
}

// Bytes is the memory of its tables.
func (c *Quadratic) Bytes() int64 {
	if c == nil {
		return 0
	}
	return kernel.SizeOf(c.links) + kernel.SizeOf(c.blocks) + kernel.SizeOf(c.received)
}

// CorrectQuadratic makes the corrections of the links in a block quadratic.
func CorrectQuadratic[T kernel.Real, S kernel.Stored](slots *kernel.Slots[S], c *Quadratic, block int32, odd bool) {
	received := unsafe.Slice((*S)(unsafe.Pointer(unsafe.SliceData(c.received))), len(c.received)/int(unsafe.Sizeof(S(0))))
	value := func(at slot) T { return kernel.Load[T](slots.At(int(at.population), at.cell)) }
	links := c.links[c.blocks[block][0]:c.blocks[block][1]]
	for i := range links {
		l := &links[i]
		var last T
		if l.third < 0 {
			last = kernel.Load[T](&received[-1-l.third])
		} else {
			last = value(l.last(odd))
		}
		back, rest := slots.At(int(l.back), l.cell), slots.At(0, l.cell)
		before := kernel.Load[T](back)
		difference := T(before-T(2*value(l.middle(odd)))) + last
		after := kernel.Store(back, before-T(T(l.factor)*difference))
		kernel.Store(rest, kernel.Load[T](rest)-(after-before))
	}
}

// quadraticFinder goes over the wall links of a rank.
type quadraticFinder struct {
	*solver.Binding
	set       *lattice.Set
	quadratic *Quadratic
	asks      []solver.Ask
}

// find goes over the links.
func (f *quadraticFinder) find() {
	l := &f.Domain.Grid.Links
	opening := 0
	for k := range f.Pieces {
		p := &f.Pieces[k]
		first := f.Domain.InGrid(p.Global)
		i, _ := l.Search(first)
		for ; i < l.Len() && l.Cell(i) < first+int64(p.Cells()); i++ {
			x := int32(l.Cell(i) - first)
			for link, end := l.Range(i); link < end; link++ {
				for opening < len(l.Openings) && l.Openings[opening].Link < link {
					opening++
				}
				ends := opening < len(l.Openings) && l.Openings[opening].Link == link
				if along := l.Direction(i, link) + 1; along < f.set.Q && !ends {
					f.add(p, x, along, l.Fraction(link))
				}
			}
		}
	}
}

// add adds the link of a cell of a piece along population i, if two cells are
// behind it.
func (f *quadraticFinder) add(p *solver.Piece, x int32, i int, q float64) {
	c := geometry.Directions[i-1]
	behind := func(n int32) (solver.Found, bool) {
		return f.Cell(p.X0+x-n*int32(c.X), p.Y-n*int32(c.Y), p.Z-n*int32(c.Z))
	}
	second, ok := behind(1)
	if !ok {
		return
	}
	third, ok := behind(2)
	if !ok {
		return
	}
	back := lattice.Opposite(i)
	l := quadraticLink{cell: p.Local + x, second: second.Local, third: third.Local, back: uint8(back), far: q >= 0.5, factor: float32((1 - 2*q) / 2)}
	// The last term is what arrives at the second cell along i or, far, at the
	// third along ī. Where both are others' the owner is asked.
	known, value := second, i
	if l.far {
		l.factor = float32((2*q - 1) / (2*q + 1))
		known, value = third, back
	}
	if second.Owner != f.Rank && known.Owner != f.Rank {
		l.third = -1 - int32(len(f.asks))
		f.asks = append(f.asks, solver.Ask{Cell: known.Global, Value: int32(value)})
	}
	f.quadratic.links = append(f.quadratic.links, l)
}
