package opening

import (
	"math"

	"carina/geometry/mesh"

	"gonum.org/v1/gonum/spatial/r3"
)

// Evidence says how much a patch looks like the end of a tube.
type Evidence struct {
	// Sure is from 0 to 1: by the sections of the lumen behind the end, which must be
	// those of a tube that it closes, or where these say nothing by the signs that
	// follow. Less than Sure of the package is doubtful. Open ends and those that the
	// file names or the user has placed are sure.
	Sure float64 `json:"sure"`
	// Outline is the share of the end's circumference at which a wall goes back
	// from it, Flat the share of its area in one plane.
	Outline float64 `json:"outline"`
	Flat    float64 `json:"flat"`
	// Depth is how far the lumen goes straight back over how wide it is.
	Depth float64 `json:"depth"`
	// Across is the end's area over that of the tube's section half a radius
	// behind it, or the inverse if that is less: 1 for a cut across a tube, 0
	// where no section is closed.
	Across float64 `json:"across"`
	// Narrowest is the smallest section of the tube behind the end over the
	// end's area, NarrowestAt how far behind it lies. A small one means that
	// the branch is pinched shut.
	Narrowest   float64 `json:"narrowest"`
	NarrowestAt float64 `json:"narrowest_at_m"`
}

const (
	// Values from which on a sign is as good as it gets. Smoothing leaves ends
	// a sixth of their tube, bends leave a short way back.
	fullFlat, fullDepth, fullAcross = 0.5, 1.2, 0.5
	// The tube is followed back in steps of so many radii, at most so far, and
	// until its section has grown by the factor or out of so many radii, where
	// it has joined another.
	backStep, backReach, backGrowth, backWide = 0.1, 4.0, 4.0, 3.0
	// PinchedShare is the share of an end's area below which a section behind
	// it counts as pinched.
	PinchedShare = 0.1
)

// Pinched reports whether the branch behind an end is all but shut.
func (e *Evidence) Pinched() bool { return e.Narrowest < PinchedShare }

// Evidence examines an end.
func (f *Finder) Evidence(end *Patch) Evidence {
	e := Evidence{Sure: 1, Outline: 1, Flat: 1, Depth: finite(f.slenderness(end, end.Normal))}
	if end.Loop == nil && !end.ByHand && end.Name == "" {
		e.Outline = float64(f.wallSectors(end)) / sectors
		e.Flat = end.flat
		share := f.sectionShare(end, end.Normal, sectionBehind)
		e.Across = finite(min(share, 1/share))
		e.Sure = end.sure
	}
	e.Narrowest, e.NarrowestAt = f.narrowest(end)
	return e
}

// signsSure is how sure an end is by other signs than its profile.
func (f *Finder) signsSure(end *Patch) float64 {
	share := f.sectionShare(end, end.Normal, sectionBehind)
	depth, across := finite(f.slenderness(end, end.Normal)), finite(min(share, 1/share))
	return (float64(f.wallSectors(end))/sectors + min(end.flat/fullFlat, 1) + min(depth/fullDepth, 1) + min(across/fullAcross, 1)) / 4
}

// finite returns a number, or 0 for what is none.
func finite(x float64) float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return 0
	}
	return x
}

// narrowest follows the tube behind an end from section to section and returns
// the smallest one's area over the end's, and how far behind it lies.
func (f *Finder) narrowest(end *Patch) (share, depth float64) {
	radius := math.Sqrt(end.Area / math.Pi)
	p := mesh.Plane{At: r3.Sub(end.Center, r3.Scale(backStep*radius, end.Normal)), Normal: end.Normal}
	share = 1
	for back := backStep; back < backReach; back += backStep {
		c := f.hierarchy.SectionAround(p, backWide*radius)
		if c == nil || c.Area > backGrowth*end.Area {
			return share, depth
		}
		if s := c.Area / end.Area; s < share {
			share, depth = s, back*radius
		}
		at, _ := mesh.LoopPlane(c.Corners)
		p.At = r3.Sub(at, r3.Scale(backStep*radius, p.Normal))
	}
	return share, depth
}
