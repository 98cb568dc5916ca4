package geometry

import (
	"math"

	"gonum.org/v1/gonum/spatial/r3"
)

const (
	// Half a radius behind an end its tube's section is so many times as large
	// at most (smoothing leaves a flat end smaller than the tube, growing into
	// a neighbour makes the tube wider: 1.1 to 5.7 were found); behind a flat
	// piece in the crotch of two branches it is a hundred times as large.
	sectionBehind, widestSection = 0.5, 8
	// Sections are followed out to so many radii.
	sectionReach = 16
	// An end before a bend, with the signs of endRules this strong: the
	// sections behind it are at most so many times as large.
	bluntSectors, bluntFlat, evenSection = 10, 0.5, 2.5
)

// sectionShare returns the area of the section around an end's axis, so many
// radii behind it, over the end's own; +Inf where it is not one closed line.
func (f *capFinder) sectionShare(end *patch, normal r3.Vec, radii float64) float64 {
	radius := math.Sqrt(end.area / math.Pi)
	section := f.hierarchy.sectionAround(plane{r3.Sub(end.center, r3.Scale(radii*radius, normal)), normal}, sectionReach*radius)
	if section == nil {
		return math.Inf(1)
	}
	return section.area / end.area
}

// closesTube reports whether there is a tube behind an end, and not a crotch.
func (f *capFinder) closesTube(end *patch) bool {
	return f.sectionShare(end, end.normal, sectionBehind) <= widestSection
}

// endsEvenTube reports whether the tube behind an end has sections like the
// end over two radii.
func (f *capFinder) endsEvenTube(end *patch) bool {
	for _, radii := range [...]float64{0.5, 1, 2} {
		if f.sectionShare(end, end.core.normal, radii) > evenSection {
			return false
		}
	}
	return true
}

// shallow is the least way that the lumen goes straight back from an end, over
// the reach of the end from its centre: a flat side of a channel is wider than
// the channel is deep behind it (0.5 and less for channels twice as wide), an
// end of a tube is not (0.94 and more were found).
const shallow = 0.8

// goesBack returns how far the lumen goes straight back from an end, over how
// far the end reaches from its centre.
func (f *capFinder) goesBack(end *patch) float64 {
	radius := math.Sqrt(end.area / math.Pi)
	reach := radius
	for _, t := range end.triangles {
		for _, v := range f.surface.Triangles[t].V {
			reach = max(reach, r3.Norm(r3.Sub(f.surface.Vertices[v], end.center)))
		}
	}
	const start = 0.2
	back, _ := f.hierarchy.ray(r3.Sub(end.center, r3.Scale(start*radius, end.normal)), r3.Scale(-1, end.normal), farBack*reach)
	return (back + start*radius) / reach
}
