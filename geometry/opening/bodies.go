package opening

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/spatial/r3"
)

// Flat sides of bodies have much of what ends of tubes have: a wall goes back
// from them and there is lumen behind. They are told by what an end never has.

const (
	// An end has less than this share of the whole surface; a cube's side has a
	// sixth, that of a tube 1.5 diameters long an eighth.
	bodyShare = 0.125
	// Where the wall behind an end is, in so many sectors and in this share of
	// those with wall, itself taken for ends, both are sides of a body.
	bodySectors, bodySectorShare = 5, 0.4
	// The outline of a flat end is an edge at which the wall goes back. At so
	// much of it at most the surface goes on forwards: 0.05 was found at true
	// ends this flat, a sixth or more where a channel turns twice.
	turnsForward, turnsFlat = 0.08, 0.9
	// The two ends of a short tube are a large share of its surface as well, and
	// pieces of its wall may look like ends. They are the only two faces of which
	// one is opposite the other with an edge all around: each has so much of the
	// other's area, so large is the cosine between its normal and the way to the
	// other, and at so much of its outline the surface turns at an edge.
	pairArea, pairCos, pairEdge = 0.5, 0.9, 0.95
	// Smoothing leaves an end smaller than the section of its tube, the more so
	// the fewer triangles it has. An end of largeEnd of the surface has many and
	// is no less than largeAcross of the section, one of half of that share no
	// less than half as much, and so on. A clean
	// cut, flat and with wall in most sectors, may end a tube that widens.
	largeEnd, largeAcross, cutFlat, cutSectors = 0.02, 0.67, 0.98, 13
)

// cosEdge is the cosine of the angle between two sides from which on they join
// in an edge.
var cosEdge = math.Cos(45 * math.Pi / 180)

// withoutSides drops the flat sides of bodies from the ends found.
func (f *Finder) withoutSides(found []Patch) []Patch {
	var all float64
	for _, a := range f.size {
		all += a
	}
	owner := map[int32]int{}
	for i := range found {
		for _, t := range found[i].Triangles {
			owner[t] = i
		}
	}
	short := f.shortTube(found)
	side := make([]bool, len(found))
	for i := range found {
		p := &found[i]
		// Folded triangles count once.
		share := f.ClosedArea(p) / all
		side[i] = !short[i] && (share > bodyShare || f.walledByEnds(p, i, owner)) ||
			p.flat >= turnsFlat && f.outlineShare(p, f.goesForward) > turnsForward || f.narrowsAcross(p, share)
		side[i] = side[i] && !f.endsPrism(p)
	}
	kept := found[:0:0]
	for i := range found {
		if !side[i] {
			kept = append(kept, found[i])
		}
	}
	return kept
}

// shortTube returns which of the faces found are ends of a tube so short that
// they look like sides of a body.
func (f *Finder) shortTube(found []Patch) []bool {
	// The open ends have an edge all around.
	faces := slices.Concat(found, f.open)
	edged := make([]bool, len(faces))
	for i := range faces {
		edged[i] = i >= len(found) || f.outlineShare(&faces[i], f.isEdge) >= pairEdge
	}
	ends, pairs := make([]bool, len(faces)), 0
	for i := range faces {
		for j := range i {
			if edged[i] && edged[j] && opposite(&faces[i], &faces[j]) {
				ends[i], ends[j] = true, true
				pairs++
			}
		}
	}
	if pairs != 1 {
		clear(ends)
	}
	return ends
}

// faceShare is the least share of the surface that a face has.
const faceShare = 0.02

// faces returns the flat faces of a body, the largest first: with an edge
// all around, and no small ones.
func (f *Finder) faces() []Patch {
	var all float64
	for _, a := range f.size {
		all += a
	}
	var out []Patch
	for i := range f.cores {
		c := &f.cores[i]
		if c.Area >= faceShare*all && !f.taken[c.Triangles[0]] && f.outlineShare(c, f.isEdge) >= pairEdge {
			out = append(out, *c)
		}
	}
	return out
}

// opposite reports whether two faces are alike and one lies opposite the other.
func opposite(a, b *Patch) bool {
	way := r3.Unit(r3.Sub(a.Center, b.Center))
	return min(a.Area, b.Area) >= pairArea*max(a.Area, b.Area) &&
		r3.Dot(a.Normal, way) >= pairCos && r3.Dot(b.Normal, way) <= -pairCos
}

// narrowsAcross reports whether an end with a share of the whole surface is too
// small for the section behind it.
func (f *Finder) narrowsAcross(p *Patch, share float64) bool {
	least := largeAcross * min(share/largeEnd, 1)
	return 1/f.sectionShare(p, p.Normal, sectionBehind) < least && (p.flat < cutFlat || f.wallSectors(p) < cutSectors)
}

// isEdge reports whether the surface turns at an edge from a patch to a
// neighbouring triangle.
func (f *Finder) isEdge(p *Patch, side int32) bool {
	return r3.Dot(f.unit[f.topology.Mate[side]/3], p.Normal) < cosEdge
}

// goesForward reports whether it goes on forwards there.
func (f *Finder) goesForward(p *Patch, side int32) bool {
	a, b := f.mesh.Side(side)
	t := f.topology.Mate[side] / 3
	middle := r3.Scale(0.5, r3.Add(f.mesh.Vertices[a], f.mesh.Vertices[b]))
	return f.isEdge(p, side) && r3.Dot(r3.Sub(f.center[t], middle), p.Normal) > sliverDepth*f.edge[t]
}

// ownTriangle stands in seen for the triangles of the patch that is looked at.
const ownTriangle = -1

// outlineShare returns the share of a patch's outline at whose sides something
// holds.
func (f *Finder) outlineShare(p *Patch, holds func(p *Patch, side int32) bool) float64 {
	for _, t := range p.Triangles {
		f.seen[t] = ownTriangle
	}
	defer func() {
		for _, t := range p.Triangles {
			f.seen[t] = 0
		}
	}()
	var all, share float64
	for _, t := range p.Triangles {
		for side := 3 * t; side < 3*t+3; side++ {
			m := f.topology.Mate[side]
			if m < 0 {
				continue
			}
			if f.seen[m/3] == ownTriangle {
				continue
			}
			a, b := f.mesh.Side(side)
			length := r3.Norm(r3.Sub(f.mesh.Vertices[b], f.mesh.Vertices[a]))
			all += length
			if holds(p, side) {
				share += length
			}
		}
	}
	if all == 0 {
		return 0
	}
	return share / all
}

// walledByEnds reports whether the wall behind an end is made of other ends.
// owner tells which triangles belong to which end.
func (f *Finder) walledByEnds(p *Patch, number int, owner map[int32]int) bool {
	ends := f.view(p)
	all := f.tube(p, func(t int32) {
		if other, isEnd := owner[t]; isEnd && other != number {
			ends.add(f, t)
		}
	})
	wall, made := 0, 0
	for k := range all.wall {
		if all.wall[k] > all.other[k] {
			wall++
			if ends.wall[k] > all.wall[k]/2 {
				made++
			}
		}
	}
	return made >= bodySectors && float64(made) >= bodySectorShare*float64(wall)
}
