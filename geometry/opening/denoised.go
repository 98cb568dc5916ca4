package opening

import (
	"math"
	"slices"

	"carina/geometry/mesh"

	"gonum.org/v1/gonum/spatial/r3"
)

const (
	// Air needs two ends. Where fewer are found, noise or waves may hide others.
	fewEnds = 2
	// What denoising has made flat is an end only when a wall goes back from it
	// in so many sectors and it has so much of the area of its tube's section:
	// less in noise, where denoising rounds the rim, and no more than the last.
	denoisedSectors                             = 13
	noisyAcross, denoisedAcross, denoisedBeyond = 0.6, 0.9, 1.1
	// One of them at least is so wide, over the radius of the tube that has the
	// surface's volume and area: denoising makes small facets of rough walls.
	denoisedWide = 0.4
	// Their rims reach so many radii from their planes.
	rimHeight = 0.2
)

// A surface is noisy when so large a share of its edges turns inwards by more than
// the angle: noise makes it half of all edges, smooth anatomy and machine parts
// have 0.15 and less. It may have rims when so large a share is sharp, 0.007 of an
// airway with 84 ends; a rough lumen without any has 0.002.
const noisyShare, sharpShare = 0.2, 0.004

// Nine tenths of a voxel surface's triangles face in few directions. Its steps are taken
// off in so many rounds.
const steppedShare, stepRounds = 0.9, 20

var cosNoise, cosSharp = math.Cos(6 * math.Pi / 180), math.Cos(60 * math.Pi / 180)

// edgesOf reports whether noise of single triangles covers the surface, and
// whether it may have rims.
func (f *Finder) edgesOf() (noisy, rims bool) {
	edges, inwards, sharp := 0.0, 0.0, 0.0
	for side, mate := range f.topology.Mate {
		if int(mate) < side {
			continue
		}
		edges++
		t, other := int32(side/3), mate/3
		cos := r3.Dot(f.unit[t], f.unit[other])
		if cos < cosNoise && r3.Dot(r3.Sub(f.center[other], f.center[t]), f.unit[t]) > 0 {
			inwards++
		}
		if cos < cosSharp {
			sharp++
		}
	}
	return inwards > noisyShare*edges, sharp > sharpShare*edges
}

// denoisings are tried in turn: the first keeps edges that are bevelled, the
// second suits stronger noise.
var denoisings = []mesh.Denoising{{Cosine: 0.85, Rounds: 4}, {Cosine: 0.55, Rounds: 15}}

// flatEnds are flat ends, what may be one, and what they make of the caps of loops.
type flatEnds struct{ flat, open, holes, perhaps []Patch }

func (e *flatEnds) count() int { return len(e.flat) + len(e.open) }

// findFlat searches for flat ends, of a noisy surface and where too few are found in
// denoised copies, whose triangles are the same.
func (f *Finder) findFlat(open, holes []Patch) flatEnds {
	f.open = open
	noisy, rims := f.edgesOf()
	best, across := flatEnds{open: open, holes: holes}, noisyAcross
	if noisy {
		flat, perhaps := f.findPieces()
		best.flat = f.apartFrom(open, flat)
		best.perhaps = f.perhapsBeside(slices.Concat(open, best.flat), perhaps)
		if f.stepped() {
			return f.findSmoothed(best)
		}
	} else {
		across = denoisedAcross
		if best = f.flatBeside(open, holes); !rims {
			return best
		}
	}
	for _, d := range denoisings {
		if best.count() >= fewEnds {
			break
		}
		if e := f.findDenoised(d, across, open, holes); e.count() > best.count() {
			best = e
		}
	}
	return best
}

// stepped reports whether a noisy surface is that of voxels, whose steps face in few
// directions.
func (f *Finder) stepped() bool {
	const places, most = 100, 128
	directions := map[[3]int8]int{}
	for _, n := range f.unit {
		round := func(x float64) int8 { return int8(math.Round(places * x)) }
		directions[[3]int8{round(n.X), round(n.Y), round(n.Z)}]++
	}
	var counts []int
	for _, n := range directions {
		counts = append(counts, n)
	}
	slices.Sort(counts)
	in := 0
	for _, n := range counts[max(len(counts)-most, 0):] {
		in += n
	}
	return float64(in) > steppedShare*float64(len(f.unit))
}

// findSmoothed adds to the ends of a surface of voxels those of a copy without steps.
func (f *Finder) findSmoothed(beside flatEnds) flatEnds {
	g := NewFinder(mesh.NewHierarchy(mesh.Smoothed(f.mesh, stepRounds)), f.topology)
	copy(g.taken, f.taken)
	e := g.flatBeside(beside.open, beside.holes)
	// What is left of the steps makes small facets.
	e.flat = slices.DeleteFunc(e.flat, func(p Patch) bool { return p.sure < refuted })
	for i := range e.flat {
		f.fit(&e.flat[i])
	}
	for _, p := range beside.flat {
		if p.sure >= Sure && !p.overlapsAny(e.flat) {
			e.flat = append(e.flat, p)
		}
	}
	e.perhaps = f.perhapsBeside(slices.Concat(e.open, e.flat), e.perhaps)
	return e
}

// findDenoised searches for flat ends in a denoised copy. least is the share of
// their tubes' sections that they have.
func (f *Finder) findDenoised(d mesh.Denoising, least float64, open, holes []Patch) flatEnds {
	smooth := d.Denoised(f.mesh)
	g := NewFinder(mesh.NewHierarchy(smooth), f.topology)
	copy(g.taken, f.taken)
	e := g.flatBeside(open, holes)
	e.flat = slices.DeleteFunc(e.flat, func(p Patch) bool {
		across := 1 / g.sectionShare(&p, p.Normal, sectionBehind)
		return g.wallSectors(&p) < denoisedSectors || across < least || across > denoisedBeyond
	})
	widest := 0.0
	for i := range e.flat {
		g.widen(&e.flat[i])
		f.fit(&e.flat[i])
		widest = max(widest, math.Sqrt(e.flat[i].Area/math.Pi))
	}
	// Triangles without area have some once they are moved.
	e.flat = slices.DeleteFunc(e.flat, func(p Patch) bool { return !(f.ClosedArea(&p) > p.Area/2) })
	if widest < denoisedWide*2*math.Abs(f.mesh.Volume())/f.mesh.Area() {
		e.flat = nil
	}
	return e
}

// widen adds to an end what is left of its rim: triangles connected to it that
// face more along the tube than across and lie near its plane.
func (f *Finder) widen(end *Patch) {
	radius := math.Sqrt(end.Area / math.Pi)
	wide := f.grow(end.Triangles, func(t int32) bool {
		return r3.Dot(f.unit[t], end.core.Normal) > facetCos && f.within(t, end.core.At, end.core.Normal, rimHeight*radius)
	})
	end.Triangles = wide.Triangles
	for _, t := range wide.Triangles {
		f.taken[t] = true
	}
}
