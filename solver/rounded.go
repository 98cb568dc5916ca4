package solver

import (
	"cmp"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"sync"

	"carina/cuboid"
	"carina/geometry"
	"carina/internal/crash"
	"carina/solver/transport"
)

// Rounded returns the domain with one owner for all cells of every cube of unit
// cells along a side, the largest unit that a rank asks for: the owner of most of
// them, the lowest of several. Moved is how many cells of the whole are another
// rank's than before. All ranks call it together; t is nil where there is one.
func Rounded(domain *Domain, unit int32, t transport.Transport) (rounded *Domain, moved int64, err error) {
	largest := []int64{int64(unit)}
	if t != nil {
		if err := t.Reduce(transport.Max, largest); err != nil {
			return nil, 0, fmt.Errorf("agreeing on the cells of one owner: %w", err)
		}
	}
	r := &rounding{domain: domain, unit: int32(largest[0]), all: t == nil}
	if r.unit == 1 || domain.Ranks == 1 || domain.unit > 0 && domain.unit%r.unit == 0 {
		return domain, 0, nil
	}
	if t != nil {
		r.rank = int32(t.Rank())
	}
	rounded, err = r.round()
	if err := transport.Agree(t, err); err != nil || t == nil {
		return rounded, r.moved, err
	}
	count := []int64{r.moved}
	if err := t.Reduce(transport.Sum, count); err != nil {
		return nil, 0, fmt.Errorf("counting the cells of other owners: %w", err)
	}
	return rounded, count[0], nil
}

// rounding gives cubes of cells to one owner.
type rounding struct {
	domain *Domain
	unit   int32
	// rank counts in moved the cells that it gets; all counts those of every rank.
	rank  int32
	all   bool
	moved int64
}

// roundedLayer is a layer of cubes, done on its own.
type roundedLayer struct {
	*rounding
	pieces []Piece
	width  int32 // in cubes
	// owners are by cube: noOwner, several or a rank.
	owners   []int32
	counts   map[int32]map[int32]int // cells by owner, of cubes with several
	segments []cuboid.Segment
	moved    int64
}

const (
	noOwner = -1 - iota
	several
)

// mostLayers is how many layers are rounded at a time: each needs room for all its
// cubes.
const mostLayers = 8

// round makes the domain.
func (r *rounding) round() (*Domain, error) {
	pieces, err := r.domain.Pieces(false)
	if err != nil {
		return nil, err
	}
	var layers []roundedLayer
	for from := 0; from < len(pieces); {
		to := from
		for to < len(pieces) && pieces[to].Z/r.unit == pieces[from].Z/r.unit {
			to++
		}
		layers = append(layers, roundedLayer{rounding: r, pieces: pieces[from:to]})
		from = to
	}
	workers := min(runtime.GOMAXPROCS(0), mostLayers, len(layers))
	var all sync.WaitGroup
	for w := range workers {
		all.Go(func() {
			defer crash.Guard()
			r.roundLayers(layers[len(layers)*w/workers : len(layers)*(w+1)/workers])
		})
	}
	all.Wait()
	d := *r.domain
	d.unit, d.Segments, d.Owners, d.Boxes = r.unit, nil, nil, nil
	for owner := range d.Ranks {
		d.Owners = append(d.Owners, int32(owner))
	}
	segments := make([][]cuboid.Segment, len(layers))
	for i := range layers {
		segments[i] = layers[i].segments
		r.moved += layers[i].moved
	}
	d.Segments = slices.Concat(segments...)
	return &d, nil
}

// roundLayers rounds layers one after the other.
func (r *rounding) roundLayers(layers []roundedLayer) {
	size := r.domain.Grid.Size
	width := (size[0]-1)/r.unit + 1
	owners := make([]int32, width*((size[1]-1)/r.unit+1))
	for i := range owners {
		owners[i] = noOwner
	}
	for i := range layers {
		l := &layers[i]
		l.width, l.owners = width, owners
		l.findOwners()
		l.segments = make([]cuboid.Segment, 0, len(l.pieces))
		for k := range l.pieces {
			l.add(&l.pieces[k], k > 0 && follows(&l.pieces[k-1], &l.pieces[k]))
		}
		l.each(l.pieces, func(_ *Piece, at, _, _ int32) { owners[at] = noOwner })
		l.owners, l.counts = nil, nil
	}
}

// follows tells whether a piece goes on in the same run as the one before it.
func follows(before, p *Piece) bool {
	return before.Y == p.Y && before.Z == p.Z && before.X1 == p.X0
}

// each calls f for the parts of pieces in the cubes.
func (r *roundedLayer) each(pieces []Piece, f func(p *Piece, at, x0, x1 int32)) {
	for i := range pieces {
		p := &pieces[i]
		row := p.Y / r.unit * r.width
		for x := p.X0; x < p.X1; {
			end := min(p.X1, (x/r.unit+1)*r.unit)
			f(p, row+x/r.unit, x, end)
			x = end
		}
	}
}

// findOwners finds the owners of the cubes.
func (r *roundedLayer) findOwners() {
	r.counts = map[int32]map[int32]int{}
	r.each(r.pieces, func(p *Piece, at, _, _ int32) {
		switch r.owners[at] {
		case noOwner:
			r.owners[at] = p.Owner
		case p.Owner, several:
		default:
			r.owners[at], r.counts[at] = several, map[int32]int{}
		}
	})
	if len(r.counts) == 0 {
		return
	}
	r.each(r.pieces, func(p *Piece, at, x0, x1 int32) {
		if r.owners[at] == several {
			r.counts[at][p.Owner] += int(x1 - x0)
		}
	})
	for at, count := range r.counts {
		r.owners[at] = mostOf(count)
	}
}

// add adds the segments of a piece; the first joins the last one, if the owner is
// the same, where the piece follows another.
func (r *roundedLayer) add(p *Piece, joins bool) {
	if len(r.counts) == 0 { // every cube has one owner already
		r.segments = append(r.segments, cuboid.Segment{Run: p.Run, Cuboid: p.Owner})
		return
	}
	r.each([]Piece{*p}, func(_ *Piece, at, x0, x1 int32) {
		owner := r.owners[at]
		if owner != p.Owner && (r.all || owner == r.rank) {
			r.moved += int64(x1 - x0)
		}
		if n := len(r.segments) - 1; joins && r.segments[n].Cuboid == owner {
			r.segments[n].X1 = x1
		} else {
			r.segments = append(r.segments, cuboid.Segment{Run: geometry.Run{X0: x0, X1: x1, Y: p.Y, Z: p.Z}, Cuboid: owner})
		}
		joins = true
	})
}

// mostOf returns the rank with the largest count, the lowest of several.
func mostOf(count map[int32]int) int32 {
	return slices.MaxFunc(slices.Sorted(maps.Keys(count)), func(a, b int32) int { return cmp.Compare(count[a], count[b]) })
}
