package airflow

import (
	"slices"
	"sort"
	"unsafe"

	"carina/geometry"
	"carina/solver"
	"carina/solver/airflow/kernel"
	"carina/solver/lattice"
)

// location is slot p of a cell.
type location struct {
	cell int32
	p    uint8
}

// curve makes the linear corrections of walls quadratic, after every step.
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
type curve struct {
	links []curveLink
	// blocks is where the links of every block begin and end.
	blocks [][2]int32
	// received is what others have sent.
	received []byte
}

// curveLink is a wall link with two fluid cells behind it.
type curveLink struct {
	// cell is x, second x−c_i and third x−2c_i, or −1 − the index of the last term
	// among what was asked for.
	cell, second, third int32
	back                uint8 // ī
	far                 bool  // q ≥ ½
	share               float32
}

// middle and last are the slots of the second and third term before a step.
// What arrives at a cell along a population, or has left the cell against it,
// is in one of two slots, by parity.
func (l *curveLink) middle(odd bool) location {
	if odd == l.far {
		return location{l.cell, uint8(lattice.Opposite(int(l.back)))}
	}
	return location{l.second, l.back}
}

func (l *curveLink) last(odd bool) location {
	if odd == l.far {
		return location{l.second, uint8(lattice.Opposite(int(l.back)))}
	}
	return location{l.third, l.back}
}

// newCurve finds the links of a rank and what it asks for.
func newCurve(b *solver.Binding, l *layout, bytesPerValue int) *curve {
	f := curveFinder{Binding: b, layout: l, curve: &curve{}}
	f.find()
	c := f.curve
	c.received = make([]byte, max(1, len(f.asks))*bytesPerValue)
	for step := range 2 {
		b.Ask(step, streamPhase, f.asks, c.received)
	}
	c.links = slices.Clip(c.links)
	slices.SortStableFunc(c.links, func(a, b curveLink) int { return int(a.cell - b.cell) })
	from := func(cell int32) int32 {
		return int32(sort.Search(len(c.links), func(i int) bool { return c.links[i].cell >= cell }))
	}
	for _, block := range l.Blocks {
		c.blocks = append(c.blocks, [2]int32{from(block.First), from(block.End)})
	}
	return c
}

// bytes is the memory held.
func (c *curve) bytes() int64 {
	if c == nil {
		return 0
	}
	return size(c.links) + size(c.blocks) + size(c.received)
}

func (s *populations[T, S]) curve(links []curveLink, odd bool, received []byte) {
	values := unsafe.Slice((*S)(unsafe.Pointer(unsafe.SliceData(received))), len(received)/int(unsafe.Sizeof(S(0))))
	value := func(at location) T { return kernel.Load[T](&s.Values[s.Offset[at.p]+int(at.cell)]) }
	for i := range links {
		l := &links[i]
		var last T
		if l.third < 0 {
			last = kernel.Load[T](&values[-1-l.third])
		} else {
			last = value(l.last(odd))
		}
		back, rest := &s.Values[s.Offset[l.back]+int(l.cell)], &s.Values[s.Offset[0]+int(l.cell)]
		before := kernel.Load[T](back)
		bend := T(before-T(2*value(l.middle(odd)))) + last
		after := kernel.Store(back, before-T(T(l.share)*bend))
		kernel.Store(rest, kernel.Load[T](rest)-(after-before))
	}
}

// curveFinder goes over the wall links of a rank.
type curveFinder struct {
	*solver.Binding
	layout *layout
	curve  *curve
	asks   []solver.Ask
}

// find goes over the links.
func (f *curveFinder) find() {
	l := &f.Domain.Grid.Links
	opening := 0
	for k := range f.Pieces {
		p := &f.Pieces[k]
		i, _ := slices.BinarySearch(l.Cells, p.Global)
		for ; i < len(l.Cells) && l.Cells[i] < p.Global+int64(p.Cells()); i++ {
			x := int32(l.Cells[i] - p.Global)
			for link := l.First[i]; link < l.First[i+1]; link++ {
				for opening < len(l.Openings) && l.Openings[opening].Link < link {
					opening++
				}
				meets := opening < len(l.Openings) && l.Openings[opening].Link == link
				if along := l.Direction(i, link) + 1; along < f.layout.set.Q && !meets {
					f.add(p, x, along, l.Fraction(link))
				}
			}
		}
	}
}

// add adds the link of a cell of a piece along population i, if two cells are
// behind it.
func (f *curveFinder) add(p *solver.Piece, x int32, i int, q float64) {
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
	l := curveLink{cell: p.Local + x, second: second.Local, third: third.Local, back: uint8(back), far: q >= 0.5, share: float32((1 - 2*q) / 2)}
	// The last term is what arrives at the second cell along i or, far, at the
	// third along ī. Where both are others' the owner is asked.
	known, value := second, i
	if l.far {
		l.share = float32((2*q - 1) / (2*q + 1))
		known, value = third, back
	}
	if second.Owner != f.Rank && known.Owner != f.Rank {
		l.third = -1 - int32(len(f.asks))
		f.asks = append(f.asks, solver.Ask{Cell: known.Global, Value: int32(value)})
	}
	f.curve.links = append(f.curve.links, l)
}
