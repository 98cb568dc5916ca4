package opening

import (
	"cmp"
	"math"
	"slices"

	"carina/geometry/mesh"

	"gonum.org/v1/gonum/spatial/r3"
)

const (
	// Pieces are ends when they are sure, but beside open ends, and those whose vector
	// area has this share of their area when they are so sure, which is doubtful.
	pieceSure, plainFlat = 0.6, 0.9
	// Those of so much of the surface are as flat or as sure and have an edge so far around.
	largePiece, largeFlat, largeCrease, largeSure = 0.045, 0.85, 0.65, 0.95
	// Sure is how sure an end is at least that is not doubtful.
	Sure = 0.7
	// Less than this is no end, whatever else speaks for it.
	leastWalls, leastAcross, mostBegins = 0.55, 0.25, 0.6
	// What other signs make an end and its profile does not is dropped when it is
	// less sure than this and has so many triangles that its shape is known.
	refuted, refutedTriangles = 0.35, 12
	// An end found by other signs stands for the piece around it when it has so
	// much of its area and faces the same way, by this cosine, and else gives way.
	sameShare, sameCos, sameReach = 0.25, 0.9, 0.35
	// Ends of two branches that touch lie in one plane, and no less than so different
	// in size.
	planeShare, planeCos = 0.15, 0.95
	// A plane cut across a tube is found by the other signs, which know the turns of
	// channels and the sides of boxes and plates.
	exactlyFlat, acrossCos = 1 - 1e-6, 0.95
	// An end found by other signs that is so many times as large as the piece that most
	// of it lies on is not about that piece, which is a part of it.
	wholeShare = 1.3
	// A piece that overlaps another end is one when it is so sure.
	alone = 0.9
	// A body ends within so many reaches of its side.
	wholeBody = 6.5
	// A tree has so many sure ends.
	treeSure = 8
	// What has no profile is an end when so much of its outline is an edge.
	leastCrease, fullCrease = 0.3, 0.55
	// The core of a patch lies within this share of its radius of a plane and turns
	// from it by 15° at most. Its rim is so many triangles wide.
	coreHeight, rimRows = 0.07, 2.5
	// A core of a lesser share is not looked for.
	leastCore = 0.12
	// Waves of a cut through voxels leave little of a patch in one plane. It is as flat
	// as without when it is hardly round, with the wall so many radii behind its rim at
	// most, unlike a tip that is round, and an edge so far around.
	leastRound, mostRound, leastBevel, mostBevel = 0.2, 0.5, 0.15, 0.35
	leastCut, fullCut                            = 0.6, 0.9
	// The rim of a patch is so many of its radii from its centre, and its bevel so many.
	pieceBeside, oldBeside, within = 1.5, 2, 0.6
)

// Ends turned by so much less lie in one plane.
var cosOnePlane = math.Cos(10 * math.Pi / 180)

var cosCorePiece = math.Cos(15 * math.Pi / 180)

// ramp grows from 0 at one value to 1 at another.
func ramp(x, from, to float64) float64 { return min(max((x-from)/(to-from), 0), 1) }

// sureOf says from 0 to 1 how sure it is that a patch is the end of a tube with a
// profile: a logistic function of what speaks against it, whose weights part 2,500
// ends of generated trunks, cut at up to 60°, coarse, rough and smoothed, from 600
// flat spots of their walls, of bulges and domes.
func (f *Finder) sureOf(p *Patch, q *profile) float64 {
	if q == nil || q.walls < leastWalls || q.across < leastAcross || q.begins > mostBegins {
		return 0
	}
	// A patch of few triangles is mostly rim.
	flat, n := 1.0, math.Sqrt(float64(len(p.Triangles)))
	if expected := math.Pow(max(1-rimRows/n, 0), 2); expected > leastCore {
		flat = min(f.coreShare(p)/expected, 1)
		if alike := f.cutAlike(p, q); alike > flat {
			flat = max(flat, alike*ramp(f.creased(p), leastCut, fullCut))
		}
	}
	// A cut aslant speaks against a patch of few triangles, of which walls have many.
	aslant := min(10.7*(1-r3.Dot(q.axis, p.Normal)), 2+30*max(1/n-0.1, 0))
	against := 4*max(q.begins, 0) + 7*(1-min(q.across, 1/q.across)) + 8.5*(1-q.walls) + 4.5*(1-ramp(q.length, 0.3, 1.2)) +
		8.4*(1-flat) + aslant + 8/n + 24*(1-f.ClosedArea(p)/p.Area)
	return 1 / (1 + math.Exp(against-9.3))
}

// cutAlike says how much a patch with waves is like a cut, from 0 to 1: it is hardly
// round, and the wall begins at its rim.
func (f *Finder) cutAlike(p *Patch, q *profile) float64 {
	if q.closed {
		return 0
	}
	round := ramp(roundness(f.ClosedArea(p)/p.Area, q.across), leastRound, mostRound)
	return (1 - round) * (1 - ramp(q.begins, leastBevel, mostBevel))
}

// roundness compares how much a patch at the tip of a tube is curved with a ball's part
// of the same share of the tube's section: 0 for a flat one, 1 for the ball's. The part
// up to an angle has the square of its sine of the section and (1+cos)/2 of its area
// for its vector area.
func roundness(closed, across float64) float64 {
	return (1 - closed) / ((1 - math.Sqrt(max(1-across, 0))) / 2)
}

// coreShare is the share of a patch's area that lies in one plane.
func (f *Finder) coreShare(p *Patch) float64 {
	height := coreHeight * math.Sqrt(p.Area/math.Pi)
	at, normal, best := p.Center, p.Normal, 0.0
	for range 4 {
		var m moments
		for _, t := range p.Triangles {
			if r3.Dot(f.unit[t], normal) > cosCorePiece && math.Abs(r3.Dot(normal, r3.Sub(f.center[t], at))) < height {
				m.add(f, t)
			}
		}
		if m.area == 0 {
			break
		}
		best = max(best, m.area/p.Area)
		at, normal = r3.Scale(1/m.area, m.center), r3.Unit(m.normal)
	}
	return best
}

// flatPieces are the flat pieces of a surface that are not too large to be ends, and
// what was taken when they were found.
type flatPieces struct {
	list  []flatPiece
	taken []bool
}

// flatPiece is a flat piece and what lies behind it, nil where no tube can be followed.
type flatPiece struct {
	Patch
	behind *profile
}

// across is the area of a section across the tube: a cut aslant is larger. By less than
// 35° it is not told.
func (p *flatPiece) across() float64 {
	const told = 0.82
	if p.behind == nil {
		return p.Area
	}
	return p.Area * min(r3.Dot(p.behind.axis, p.Normal)/told, 1)
}

// piecesOf returns the flat pieces of a surface of so much area. They are those known if
// the same triangles are taken.
func (f *Finder) piecesOf(all float64) []flatPiece {
	if f.pieces != nil && slices.Equal(f.pieces.taken, f.taken) {
		return f.pieces.list
	}
	f.pieces = &flatPieces{taken: slices.Clone(f.taken)}
	tree := newClusters(f)
	for _, node := range tree.candidates() {
		p := flatPiece{Patch: Patch{Triangles: tree.triangles(node), coreID: -1}}
		slices.Sort(p.Triangles)
		f.fit(&p.Patch)
		// A cut aslant is flat and at most twice as large as its tube's section.
		if large := p.Area / (bodyShare * all); large > 2 || large > 1 && f.ClosedArea(&p.Patch) < plainFlat*p.Area {
			continue
		}
		if p.behind = f.profileOf(&p.Patch); p.behind != nil {
			p.axis, p.sure = p.behind.axis, f.sureOf(&p.Patch, p.behind)
		}
		if p.across() > bodyShare*all {
			continue
		}
		f.pieces.list = append(f.pieces.list, p)
	}
	return f.pieces.list
}

// findPieces returns the flat pieces that close tubes, of those that overlap the
// one that fits its tube best, and those that may be ends.
func (f *Finder) findPieces() (ends, perhaps []Patch) {
	var all float64
	for _, a := range f.size {
		all += a
	}
	var boxes *bodies
	var likely []Patch
	for _, piece := range f.piecesOf(all) {
		p, q := piece.Patch, piece.behind
		if q == nil {
			if f.mayEnd(&p, q) {
				perhaps = append(perhaps, p)
			}
			continue
		}
		if q.closed && !f.strict && boxes == nil {
			boxes = f.bodyBoxes()
		}
		// Beside open ends a pinched branch is closed behind its wall, too.
		p.closed = q.closed && (f.strict || f.isWhole(&p, boxes))
		flat := f.ClosedArea(&p) > plainFlat*p.Area
		if flat && p.sure >= pieceSure || !f.strict && p.sure >= Sure {
			p.flat = f.coreShare(&p)
			if piece.across() > largePiece*all && (p.flat < largeFlat && p.sure < largeSure || f.creased(&p) < largeCrease) {
				if f.mayEnd(&p, q) {
					perhaps = append(perhaps, p)
				}
				continue
			}
			p.fits = p.sure * (1 + p.flat) / 2 * math.Sqrt(min(q.across, 1/q.across))
			p.core.At, p.core.Normal = p.Center, p.Normal
			p.known = f.ClosedArea(&p) > exactlyFlat*p.Area && r3.Dot(q.axis, p.Normal) > acrossCos
			likely = append(likely, p)
		} else if f.mayEnd(&p, q) {
			perhaps = append(perhaps, p)
		}
	}
	slices.SortStableFunc(likely, func(a, b Patch) int { return cmp.Compare(b.fits, a.fits) })
	owned := map[int32]bool{}
	likely = slices.DeleteFunc(likely, func(p Patch) bool {
		if slices.ContainsFunc(p.Triangles, func(t int32) bool { return owned[t] }) {
			return true
		}
		for _, t := range p.Triangles {
			owned[t] = true
		}
		return false
	})
	likely = slices.DeleteFunc(likely, func(p Patch) bool { return p.besideAny(likely, pieceBeside, 2) })
	if len(likely) == 2 && r3.Dot(likely[0].axis, likely[1].axis) < -acrossCos {
		return likely, perhaps
	}
	return slices.DeleteFunc(likely, func(p Patch) bool { return p.closed }), perhaps
}

// bodies are the boxes around the parts of a surface that hang together.
type bodies struct {
	of        []int32 // each triangle
	low, high []r3.Vec
}

func (f *Finder) bodyBoxes() *bodies {
	b := &bodies{}
	var count int
	b.of, count = f.mesh.Components()
	b.low, b.high = make([]r3.Vec, count), make([]r3.Vec, count)
	for i := range b.low {
		b.low[i], b.high[i] = r3.Vec{X: math.Inf(1), Y: math.Inf(1), Z: math.Inf(1)}, r3.Vec{X: math.Inf(-1), Y: math.Inf(-1), Z: math.Inf(-1)}
	}
	for t, i := range b.of {
		for _, v := range f.mesh.Triangles[t].V {
			b.low[i], b.high[i] = mesh.MinVec(b.low[i], f.mesh.Vertices[v]), mesh.MaxVec(b.high[i], f.mesh.Vertices[v])
		}
	}
	return b
}

// isWhole reports whether there is little more of the body that a patch is of than
// could lie behind a side of it.
func (f *Finder) isWhole(p *Patch, b *bodies) bool {
	i := b.of[p.Triangles[0]]
	far := mesh.MaxVec(r3.Sub(p.Center, b.low[i]), r3.Sub(b.high[i], p.Center))
	return r3.Norm(far) < wholeBody*f.reach(p)
}

// besideAny reports whether a patch lies on one of some, or at the rim of one so
// many times as large and faces another way.
func (p *Patch) besideAny(others []Patch, reach, larger float64) bool {
	return slices.ContainsFunc(others, func(o Patch) bool {
		far := r3.Norm(r3.Sub(p.Center, o.Center)) / math.Sqrt(o.Area/math.Pi)
		return p.Area < o.Area && far > 0 && far < within || larger*p.Area < o.Area && far < reach && r3.Dot(p.Normal, o.Normal) < rimCos
	})
}

// withPieces adds to the ends found by other signs the pieces that close tubes, and
// says of all how sure they are. It drops what has no such piece around it and
// does not close a tube by its own profile.
func (f *Finder) withPieces(found, pieces []Patch) (ends, scraps []Patch) {
	owner := map[int32]int{}
	for i := range pieces {
		for _, t := range pieces[i].Triangles {
			owner[t] = i
		}
	}
	stands := make([]int, len(pieces)) // for it, an end of kept, from 1
	shields := slices.Clone(pieces)    // or the ends that stand for them
	var kept []Patch
	for i := range found {
		p := &found[i]
		around, overlaps := f.pieceAround(p, owner)
		q := f.profileOf(p)
		p.sure = f.sureOf(p, q)
		switch {
		case around >= 0 && stands[around] == 0 && p.standsFor(&pieces[around]):
			p.sure = max(p.sure, pieces[around].sure)
			shields[around] = *p
		case around >= 0 && stands[around] > 0 && p.besideInPlane(&kept[stands[around]-1]):
			if r3.Dot(p.Normal, kept[stands[around]-1].Normal) > cosOnePlane && !f.partsFrom(p, &kept[stands[around]-1], pieces[around].axis) {
				continue
			}
			p.sure = max(p.sure, f.rimSure(p))
		case around >= 0 && !pieces[around].known && p.Area < wholeShare*pieces[around].Area, around < 0 && p.besideAny(shields, oldBeside, 8):
			continue
		case q == nil || around >= 0:
			p.sure = max(p.sure, f.rimSure(p))
		}
		if max(p.sure, f.rimSure(p)) < refuted && len(p.Triangles) >= refutedTriangles && !f.endsPrism(p) {
			continue
		}
		kept = append(kept, *p)
		for _, o := range overlaps {
			if stands[o] == 0 {
				stands[o] = len(kept)
			}
		}
	}
	others := slices.Clone(kept)
	for i := range pieces {
		if stands[i] == 0 && !pieces[i].known && (pieces[i].sure >= alone || !pieces[i].overlapsAny(others)) {
			kept = append(kept, pieces[i])
		}
	}
	f.trustTree(kept)
	return f.withoutScraps(kept)
}

// overlapsAny reports whether the circles of an end and of one of some overlap.
func (p *Patch) overlapsAny(others []Patch) bool {
	return slices.ContainsFunc(others, func(o Patch) bool {
		return r3.Norm(r3.Sub(p.Center, o.Center)) < (math.Sqrt(p.Area)+math.Sqrt(o.Area))/math.Sqrt(math.Pi)
	})
}

// rimSure is how sure it is by other signs than its profile, and the edge around
// it, that a patch is an end.
func (f *Finder) rimSure(p *Patch) float64 {
	return f.signsSure(p) * ramp(f.creased(p), leastCrease, fullCrease)
}

// trustTree takes the other signs for ends of few triangles, whose profiles say
// little, where so many ends are sure that every branch is expected to have one.
func (f *Finder) trustTree(ends []Patch) {
	sure := 0
	for i := range ends {
		if ends[i].sure >= Sure {
			sure++
		}
	}
	for i := range ends {
		if p := &ends[i]; sure >= treeSure && p.sure < Sure && len(p.Triangles) < refutedTriangles {
			p.sure = max(p.sure, f.rimSure(p))
		}
	}
}

// pieceAround returns the piece that has most of a patch, or -1, and all that have
// any.
func (f *Finder) pieceAround(p *Patch, owner map[int32]int) (most int, all []int) {
	most = -1
	share := map[int]float64{}
	for _, t := range p.Triangles {
		o, ok := owner[t]
		if !ok {
			continue
		}
		if share[o] == 0 {
			all = append(all, o)
		}
		if share[o] += f.size[t]; most < 0 || share[o] > share[most] {
			most = o
		}
	}
	return most, all
}

// standsFor reports whether an end found by other signs is about the piece around it.
func (p *Patch) standsFor(piece *Patch) bool {
	return p.Area >= sameShare*piece.Area && r3.Dot(p.Normal, piece.Normal) >= sameCos &&
		r3.Norm(r3.Sub(p.Center, piece.Center)) <= sameReach*math.Sqrt(piece.Area/math.Pi)
}

// partsFrom reports whether the tubes behind two ends in one plane part before they
// join another: a section around the axis of one is none around that of the other.
func (f *Finder) partsFrom(p, o *Patch, axis r3.Vec) bool {
	const step, deep, rounding = 0.25, 3.0, 1e-6
	radius := math.Sqrt((p.Area + o.Area) / math.Pi)
	back := r3.Scale(radius/r3.Dot(axis, o.Normal), axis)
	for depth := step; depth < deep; depth += step {
		behind := func(e *Patch) *mesh.Section {
			inPlane := r3.Sub(e.Center, r3.Scale(r3.Dot(r3.Sub(e.Center, o.Center), o.Normal), o.Normal))
			return f.hierarchy.SectionAround(mesh.Plane{At: r3.Sub(inPlane, r3.Scale(depth, back)), Normal: o.Normal}, 4*radius)
		}
		one, other := behind(p), behind(o)
		if one == nil || other == nil || one.Area > backGrowth*(p.Area+o.Area) {
			return false
		}
		if math.Abs(one.Area-other.Area) > rounding*one.Area {
			return true
		}
	}
	return false
}

// besideInPlane reports whether an end lies in the plane of a larger one, as those of
// two branches that touch.
func (p *Patch) besideInPlane(o *Patch) bool {
	return p.Area > planeShare*o.Area && r3.Dot(p.core.Normal, o.core.Normal) > planeCos
}
