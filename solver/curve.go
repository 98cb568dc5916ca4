package solver

import (
	"fmt"
	"slices"
	"sort"
	"unsafe"

	"carina/geometry"
	"carina/solver/lattice"
	"carina/solver/transport"
)

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
// in the next step at x or at x−c_i, the last one is known to the rank of
// x−c_i, which sends it where x is another's. What is added is taken from the
// population at rest, as with the linear correction.
type curve struct {
	links []curveLink
	// chunks is where the links of every chunk of the layout begin and end.
	chunks [][2]int32
	peers  []*curvePeer
	// received is what others have sent, messages the exchange of each parity.
	received []byte
	messages []transport.Message
	// update is the work of one chunk before an even and an odd step.
	update [2]func(i int, w *workspace)
}

// curveLink is a wall link with two fluid cells behind it.
type curveLink struct {
	// cell is x, second x−c_i and third x−2c_i. Where second belongs to another
	// rank, third is −1 − the index of what that rank sends.
	cell, second, third int32
	back                uint8 // ī
	far                 bool  // q ≥ ½
	share               float32
}

// curvePeer is a rank with which values are exchanged.
type curvePeer struct {
	rank int
	// lent are the slots sent before an even and an odd step.
	lent [2][]location
	// borrowed is how many values come.
	borrowed int
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

// newCurve finds the links of a rank and what it exchanges.
func newCurve(r *Rank) (*curve, error) {
	b, err := newLayoutBuilder(r.domain, r.Number(), r.set, r.settings.Layout)
	if err != nil {
		return nil, err
	}
	f := curveFinder{layoutBuilder: b, curve: &curve{}, peers: map[int]*curvePeer{}}
	f.find()
	return f.finish(r), nil
}

// bytes is the memory held.
func (c *curve) bytes() int64 {
	if c == nil {
		return 0
	}
	bytes := size(c.links) + size(c.chunks) + size(c.received)
	for i, p := range c.peers {
		bytes += size(p.lent[0]) + size(p.lent[1]) + size(c.messages[i].Send)
	}
	return bytes
}

// run applies the corrections before the next step, which is odd or not.
func (c *curve) run(r *Rank, odd bool) error {
	parity := 0
	if odd {
		parity = 1
	}
	if len(c.peers) > 0 {
		for i, p := range c.peers {
			r.state.pack(p.lent[parity], c.messages[i].Send)
		}
		if err := r.transport.Exchange(c.messages); err != nil {
			return fmt.Errorf("exchanging what quadratic walls need: %w", err)
		}
	}
	r.pool.run(0, len(c.chunks), c.update[parity])
	return nil
}

func (s *populations[T, S]) curve(links []curveLink, odd bool, received []byte) {
	values := unsafe.Slice((*S)(unsafe.Pointer(unsafe.SliceData(received))), len(received)/s.bytesPerValue())
	value := func(at location) T { return load[T](&s.f[s.offset[at.p]+int(at.cell)]) }
	for i := range links {
		l := &links[i]
		var last T
		if l.third < 0 {
			last = load[T](&values[-1-l.third])
		} else {
			last = value(l.last(odd))
		}
		back, rest := &s.f[s.offset[l.back]+int(l.cell)], &s.f[s.offset[0]+int(l.cell)]
		before := load[T](back)
		bend := T(before-T(2*value(l.middle(odd)))) + last
		after := store(back, before-T(T(l.share)*bend))
		store(rest, load[T](rest)-(after-before))
	}
}

// curveFinder goes over the wall links of the whole grid, so that both sides
// of an exchange list them in the same order.
type curveFinder struct {
	*layoutBuilder
	curve *curve
	peers map[int]*curvePeer // by rank
	// remote are the links whose last term comes from another rank, with that
	// rank.
	remote []remoteLink
}

// remoteLink is the index of a link, and which value of a rank it needs.
type remoteLink struct{ link, rank, value int }

// find goes over the links.
func (f *curveFinder) find() {
	l := &f.domain.Grid.Links
	piece, opening := 0, 0
	for i, cell := range l.Cells {
		for cell >= f.all[piece].global+int64(f.all[piece].cells()) {
			piece++
		}
		p := &f.all[piece]
		x := p.X0 + int32(cell-p.global)
		for link := l.First[i]; link < l.First[i+1]; link++ {
			for opening < len(l.Openings) && l.Openings[opening].Link < link {
				opening++
			}
			meets := opening < len(l.Openings) && l.Openings[opening].Link == link
			if k := linkPopulation(l, i, link); k < f.set.Q && !meets {
				f.add(int32(piece), x, k, l.Fraction(link))
			}
		}
	}
}

// add adds the link of cell x of a piece along population i.
func (f *curveFinder) add(number, x int32, i int, q float64) {
	p := &f.all[number]
	c := geometry.Directions[i-1]
	secondPiece, secondX := f.at(x-int32(c.X), p.Y-int32(c.Y), p.Z-int32(c.Z))
	thirdPiece, thirdX := f.at(x-2*int32(c.X), p.Y-2*int32(c.Y), p.Z-2*int32(c.Z))
	if secondPiece < 0 || thirdPiece < 0 {
		return
	}
	second := &f.all[secondPiece]
	if p.owner != f.rank && second.owner != f.rank {
		return
	}
	l := curveLink{back: uint8(lattice.Opposite(i)), far: q >= 0.5, share: float32((1 - 2*q) / 2)}
	if l.far {
		l.share = float32((2*q - 1) / (2*q + 1))
	}
	if second.owner == f.rank {
		l.second, l.third = f.number(secondPiece, secondX), f.number(thirdPiece, thirdX)
	}
	if p.owner != f.rank {
		peer := f.peerOf(int(p.owner))
		for odd := range peer.lent {
			peer.lent[odd] = append(peer.lent[odd], l.last(odd == 1))
		}
		return
	}
	l.cell = p.local + x - p.X0
	if second.owner != f.rank {
		l.second = f.number(secondPiece, secondX)
		peer := f.peerOf(int(second.owner))
		f.remote = append(f.remote, remoteLink{len(f.curve.links), peer.rank, peer.borrowed})
		peer.borrowed++
	}
	f.curve.links = append(f.curve.links, l)
}

// at returns the piece that holds a cell and its x there, both wrapped where
// periodic, or −1.
func (f *curveFinder) at(x, y, z int32) (piece, at int32) {
	piece = -1
	if n := f.domain.Grid.Size[0]; f.domain.Periodic[0] {
		x = (x + n) % n
	}
	f.overlaps(f.findRow(y, z), x, x+1, func(i, from, _, _ int32) { piece, at = i, from })
	return piece, at
}

func (f *curveFinder) peerOf(rank int) *curvePeer {
	p, ok := f.peers[rank]
	if !ok {
		p = &curvePeer{rank: rank}
		f.peers[rank] = p
	}
	return p
}

// finish prepares the exchange and the work of every chunk.
func (f *curveFinder) finish(r *Rank) *curve {
	c := f.curve
	for _, p := range f.peers {
		c.peers = append(c.peers, p)
	}
	slices.SortFunc(c.peers, func(a, b *curvePeer) int { return a.rank - b.rank })
	first := map[int]int{} // value of every rank
	values := 0
	for _, p := range c.peers {
		// MPI sends no empty messages.
		p.borrowed = max(p.borrowed, 1)
		first[p.rank] = values
		values += p.borrowed
	}
	bytes := r.state.bytesPerValue()
	c.received = newMessage(values * bytes)
	for _, p := range c.peers {
		from := first[p.rank] * bytes
		c.messages = append(c.messages, transport.Message{Peer: p.rank,
			Send: newMessage(max(len(p.lent[0]), 1) * bytes), Receive: c.received[from : from+p.borrowed*bytes]})
	}
	for _, l := range f.remote {
		c.links[l.link].third = -1 - int32(first[l.rank]+l.value)
	}
	c.links = slices.Clip(c.links)
	slices.SortStableFunc(c.links, func(a, b curveLink) int { return int(a.cell - b.cell) })
	from := func(cell int32) int32 {
		return int32(sort.Search(len(c.links), func(i int) bool { return c.links[i].cell >= cell }))
	}
	for _, chunk := range r.layout.chunks {
		c.chunks = append(c.chunks, [2]int32{from(chunk.cell), from(chunk.cellEnd)})
	}
	for odd := range c.update {
		c.update[odd] = func(i int, _ *workspace) {
			r.state.curve(c.links[c.chunks[i][0]:c.chunks[i][1]], odd == 1, c.received)
		}
	}
	return c
}
