package geometry

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
	// Smoothing leaves an end smaller than the section of its tube, the more so
	// the fewer triangles it has. An end of largeEnd of the surface has many and
	// is no less than largeAcross of the section, one of half of that share no
	// less than half as much, and so on. A clean
	// cut, flat and with wall in most sectors, may end a tube that widens.
	largeEnd, largeAcross, cutFlat, cutSectors = 0.02, 0.67, 0.98, 13
)

// cosEdge is the cosine of the angle between two sides from which on they meet
// in an edge.
var cosEdge = math.Cos(45 * math.Pi / 180)

// withoutSides drops the flat sides of bodies from the ends found.
func (f *capFinder) withoutSides(found []patch) []patch {
	var all float64
	for _, a := range f.area {
		all += r3.Norm(a)
	}
	owner := map[int32]int{}
	for i := range found {
		for _, t := range found[i].triangles {
			owner[t] = i
		}
	}
	side := make([]bool, len(found))
	for i := range found {
		p := &found[i]
		// Folded triangles count once.
		var sum r3.Vec
		for _, t := range p.triangles {
			sum = r3.Add(sum, f.area[t])
		}
		share := r3.Norm(sum) / all
		side[i] = share > bodyShare || p.flat >= turnsFlat && f.forward(p) > turnsForward || f.walledByEnds(p, i, owner) ||
			f.narrowsAcross(p, share)
	}
	kept := found[:0:0]
	for i := range found {
		if !side[i] {
			kept = append(kept, found[i])
		}
	}
	return kept
}

// narrowsAcross reports whether an end with a share of the whole surface is too
// small for the section behind it.
func (f *capFinder) narrowsAcross(p *patch, share float64) bool {
	least := largeAcross * min(share/largeEnd, 1)
	return 1/f.sectionShare(p, p.normal, sectionBehind) < least && (p.flat < cutFlat || f.wallSectors(p) < cutSectors)
}

// forward returns the share of a patch's outline at which the surface goes on
// forwards, at an edge.
func (f *capFinder) forward(p *patch) float64 {
	var all, forward float64
	for _, t := range p.triangles {
		for side := 3 * t; side < 3*t+3; side++ {
			m := f.topology.mate[side]
			if m < 0 {
				continue
			}
			if _, own := slices.BinarySearch(p.triangles, m/3); own {
				continue
			}
			a, b := f.surface.side(side)
			from, to := f.surface.Vertices[a], f.surface.Vertices[b]
			length := r3.Norm(r3.Sub(to, from))
			all += length
			middle := r3.Scale(0.5, r3.Add(from, to))
			rise := r3.Dot(r3.Sub(f.centroid(m/3), middle), p.normal)
			if r3.Dot(f.unit[m/3], p.normal) < cosEdge && rise > sliverDepth*f.edge[m/3] {
				forward += length
			}
		}
	}
	if all == 0 {
		return 0
	}
	return forward / all
}

// walledByEnds reports whether the wall behind an end is made of other ends.
// owner tells which triangles belong to which end.
func (f *capFinder) walledByEnds(p *patch, number int, owner map[int32]int) bool {
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
