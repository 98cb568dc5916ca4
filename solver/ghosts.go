package solver

import (
	"cmp"
	"slices"

	"carina/geometry"
)

// reach is how far the cells lie that those of a rank touch.
type reach struct {
	// offsets are those at which own cells touch others.
	offsets []geometry.Offset
	// rings are the offsets at which cells touch those of the next ring of ghosts: own
	// cells the first, these and the first ring the second, and so on; computed of them
	// have cells that are computed here. Without rings there is one, at the offsets.
	rings    [][]geometry.Offset
	computed int
}

// EachGhost calls f for all ghosts with their local numbers and coordinates.
func (b *Finder) EachGhost(f func(cell, x, y, z int32)) {
	for _, g := range b.ghost {
		p := &b.all[g.piece]
		for x := g.x0; x < g.x1; x++ {
			f(g.local+x-g.x0, x, p.Y, p.Z)
		}
	}
}

// findGhosts collects the cells of other ranks that are touched, ring after ring.
func (b *Finder) findGhosts() {
	if b.Domain.Ranks == 1 {
		return
	}
	for ring := range max(1, len(b.rings)) {
		offsets := b.offsets
		if ring < len(b.rings) {
			offsets = b.rings[ring]
		}
		b.addRing(int32(ring), offsets, ring >= len(b.rings)-1)
	}
	for ring := range max(1, len(b.rings)) {
		for i := range b.ghost {
			if g := &b.ghost[i]; int(g.ring) == ring {
				g.local = int32(b.Cells + b.Ghosts)
				b.Ghosts += int(g.x1 - g.x0)
			}
		}
		if ring+1 == b.reach.computed {
			b.Computed = b.Ghosts
		}
	}
	for _, g := range b.ghost {
		if int(g.ring) < b.reach.computed {
			b.computed = append(b.computed, g)
		}
	}
	slices.SortFunc(b.computed, func(g, h ghostPiece) int { return cmp.Compare(g.local, h.local) })
}

// addRing adds the cells of other ranks that lie at offsets from own cells and from the
// ghosts so far; the last ring lists what own cells touch.
func (b *Finder) addRing(ring int32, offsets []geometry.Offset, last bool) {
	var found []ghostPiece
	around := rowsAround{y: -1, z: -1}
	grow := func(i, x0, x1 int32) {
		p := &b.all[i]
		if p.Y != around.y || p.Z != around.z {
			around = b.around(p.Y, p.Z)
		}
		for k, o := range offsets {
			b.overlaps(b.at(&around, o), x0+int32(o.X), x1+int32(o.X), func(j, from, to, shift int32) {
				if b.all[j].Owner == b.Rank {
					return
				}
				found = append(found, ghostPiece{piece: j, x0: from, x1: to, ring: ring})
				if own := from - shift - int32(o.X); last && k < len(b.offsets) && p.Owner == b.Rank {
					b.crossings = append(b.crossings, crossing{int32(k), i, j, own, own + to - from, from})
				}
			})
		}
	}
	for i := range b.all {
		if p := &b.all[i]; p.Owner == b.Rank {
			grow(int32(i), p.X0, p.X1)
		}
	}
	for _, g := range b.ghost {
		grow(g.piece, g.x0, g.x1)
	}
	sortGhosts(found)
	b.ghost = append(b.ghost, without(found, b.ghost)...)
	sortGhosts(b.ghost)
}

// without joins ghosts that overlap, and leaves out known ones; both are sorted.
func without(found, known []ghostPiece) (added []ghostPiece) {
	piece, done := int32(-1), int32(0)
	for _, g := range found {
		if g.piece != piece {
			piece, done = g.piece, g.x0
		}
		for g.x0 = max(g.x0, done); g.x0 < g.x1; g.x0 = done {
			for len(known) > 0 && (known[0].piece < g.piece || known[0].piece == g.piece && known[0].x1 <= g.x0) {
				known = known[1:]
			}
			part := g
			if len(known) > 0 && known[0].piece == g.piece {
				part.x1 = min(g.x1, known[0].x0)
			}
			if part.x1 <= part.x0 {
				done = known[0].x1
				continue
			}
			if n := len(added); n > 0 && added[n-1].piece == part.piece && added[n-1].x1 == part.x0 {
				added[n-1].x1 = part.x1
			} else {
				added = append(added, part)
			}
			done = part.x1
		}
	}
	return added
}

func sortGhosts(list []ghostPiece) { slices.SortFunc(list, compareGhosts) }

// compareGhosts orders ghosts by piece and x.
func compareGhosts(a, b ghostPiece) int {
	return cmp.Or(cmp.Compare(a.piece, b.piece), cmp.Compare(a.x0, b.x0))
}

// eachNumber calls f for those of the cells from ≤ x < to of piece i that are known here, in
// rows of cells that follow each other, with the local number of the first.
func (b *Finder) eachNumber(i, from, to int32, f func(from, to, local int32)) {
	if p := &b.all[i]; p.Owner == b.Rank {
		f(from, to, p.Local+from-p.X0)
		return
	}
	j, found := slices.BinarySearchFunc(b.ghost, ghostPiece{piece: i, x0: from}, compareGhosts)
	if !found && j > 0 && b.ghost[j-1].piece == i {
		j--
	}
	for ; j < len(b.ghost) && b.ghost[j].piece == i && b.ghost[j].x0 < to; j++ {
		g := &b.ghost[j]
		if first, end := max(from, g.x0), min(to, g.x1); first < end {
			f(first, end, g.local+first-g.x0)
		}
	}
}

// number returns the local number of cell x of piece i, own or ghost, −1 where it is
// neither.
func (b *Finder) number(i, x int32) int32 {
	n := int32(-1)
	b.eachNumber(i, x, x+1, func(_, _, local int32) { n = local })
	return n
}

// findOuter cuts the ghosts that are computed into blocks, each of one ring.
func (b *Finder) findOuter() {
	ring := int32(-1)
	for _, g := range b.computed {
		for first, end := g.local, g.local+g.x1-g.x0; first < end; {
			n := len(b.Outer)
			if n == 0 || g.ring != ring || b.Outer[n-1].End-b.Outer[n-1].First == BlockCells {
				b.Outer = append(b.Outer, Block{int32(len(b.Blocks) + n), first, first})
				ring, n = g.ring, n+1
			}
			block := &b.Outer[n-1]
			block.End = min(end, block.First+BlockCells)
			first = block.End
		}
	}
}

// outer is the blocks of the first so many rings.
func (b *Finder) outer(rings int) []Block {
	end := b.Cells
	for _, g := range b.computed {
		if int(g.ring) < rings {
			end = max(end, int(g.local+g.x1-g.x0))
		}
	}
	n := 0
	for n < len(b.Outer) && int(b.Outer[n].First) < end {
		n++
	}
	return b.Outer[:n]
}
