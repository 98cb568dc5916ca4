package opening

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/spatial/r3"
)

const (
	// A piece that is no end may be one when it is so sure, or when it is this flat
	// with an edge so far around, whatever its profile says: that of an end cut aslant
	// where its branch has hardly left another tells nothing.
	perhapsSure, perhapsFlat, perhapsCrease = 0.2, 0.65, 0.65
	// Where a tube leans so much against the piece by this cosine, the edge may be shorter.
	perhapsSteep, steepCrease = 0.5, 0.6
	// An end of fewer triangles and of less than this share of the typical squared edge
	// length, which is the area of one triangle, is a scrap.
	scrapTriangles, scrapArea = 6, 0.433
	// A corner of a bevel has less than this share of the piece that it bounds, and is
	// turned from it by more than this cosine says.
	cornerShare, cornerCos = 0.25, 0.5
	// What has less than this share of a piece says nothing about it.
	speckShare = 0.1
	// Where no ends are open, nor need a tip have an edge that has so much of the section
	// of its tube, which has walls in so many directions, and is less than so round: less where the lumen
	// is closed behind, as that of a dome.
	tipAcross, tipWalls, tipRound, tipClosed = 0.5, 0.9, 0.5, 0.4
)

// mayEnd reports whether a piece that is not taken for an end, of a profile if
// any, may be one.
func (f *Finder) mayEnd(p *Patch, q *profile) bool {
	if p.closed {
		return false
	}
	if q != nil && f.isTip(p, q) {
		return true
	}
	crease := perhapsCrease
	if p.axis != (r3.Vec{}) && r3.Dot(p.axis, p.Normal) < perhapsSteep {
		crease = steepCrease
	}
	return p.sure >= perhapsSure || len(p.Triangles) >= refutedTriangles && f.ClosedArea(p) > plainFlat*p.Area &&
		f.coreShare(p) >= perhapsFlat && f.creased(p) >= crease
}

// isTip reports whether a piece is a tip of a tube that is hardly round.
func (f *Finder) isTip(p *Patch, q *profile) bool {
	most := tipRound
	if q.closed {
		most = tipClosed
	}
	return len(f.open) == 0 && q.walls >= tipWalls && q.across >= tipAcross && roundness(f.ClosedArea(p)/p.Area, q.across) < most
}

// perhapsBeside returns which pieces may be ends beside those found, the surest and
// then the largest first, and of those that overlap one.
func (f *Finder) perhapsBeside(ends, pieces []Patch) []Patch {
	slices.SortStableFunc(pieces, func(a, b Patch) int {
		return cmp.Or(cmp.Compare(b.sure, a.sure), cmp.Compare(b.Area, a.Area))
	})
	others := slices.Concat(f.open, ends)
	var out []Patch
	for _, p := range pieces {
		// An end that may be a corner of the piece's bevel does not stand for it.
		hides := slices.DeleteFunc(slices.Clone(others), func(o Patch) bool {
			corner := cornerShare*p.Area > o.Area && p.sure >= perhapsSure && r3.Dot(p.Normal, o.Normal) < cornerCos
			return o.Loop == nil && (corner || speckShare*p.Area > o.Area)
		})
		if !p.overlapsAny(hides) && !p.besideAny(others, pieceBeside, 2) {
			out, others = append(out, p), append(others, p)
		}
	}
	return out
}

// withoutScraps parts ends from what other signs take for ends and is no larger than a
// triangle, or lies in the circle of a larger end and faces another way: corners of its
// bevel are like that. A scrap may be an end all the same.
func (f *Finder) withoutScraps(found []Patch) (ends, scraps []Patch) {
	for i := range found {
		p := &found[i]
		scrap := len(p.Triangles) < scrapTriangles && p.Area < scrapArea*f.typical*f.typical && !f.endsPrism(p)
		for j := range found {
			o := &found[j]
			scrap = scrap || p.Area < o.Area && r3.Dot(p.Normal, o.Normal) < planeCos &&
				r3.Norm(r3.Sub(p.Center, o.Center)) < (math.Sqrt(p.Area)+math.Sqrt(o.Area))/math.Sqrt(math.Pi)
		}
		if scrap {
			scraps = append(scraps, *p)
		} else {
			ends = append(ends, *p)
		}
	}
	return ends, scraps
}
