package opening

import (
	"math"

	"carina/geometry/mesh"

	"gonum.org/v1/gonum/spatial/r3"
)

const (
	// A flat end with an edge all around closes a prism, cut across or aslant,
	// when the sections parallel to it stay as large over so many of its reaches:
	// a cube's side has 1.4 of them behind it, that of a plate less. Flat and
	// edge are shares of its area and outline, steps are in its radii.
	prismFlat, prismEdge, prismEven, prismReach, prismStep = 0.98, 0.98, 0.1, 3.0, 0.4
)

// cosPrismEdge is the cosine of the angle from which on two sides make an edge
// of a prism: at an end cut aslant by 60° the wall turns by 30° on one side.
var cosPrismEdge = math.Cos(20 * math.Pi / 180)

// endsPrism reports whether an end closes a straight tube of the end's own
// section. Of such a tube the signs of endRules may be missing: aslant the wall
// is not perpendicular to the end, and of few sides each is flat itself.
func (f *Finder) endsPrism(end *Patch) bool {
	turns := func(p *Patch, side int32) bool {
		return r3.Dot(f.unit[f.topology.Mate[side]/3], p.core.Normal) < cosPrismEdge
	}
	if end.flat < prismFlat || f.outlineShare(end, turns) < prismEdge {
		return false
	}
	normal, radius, reach := end.core.Normal, math.Sqrt(end.Area/math.Pi), f.reach(end)
	at, drift := end.Center, r3.Scale(-prismStep*radius, normal)
	for r3.Norm(r3.Sub(at, end.Center)) < prismReach*reach {
		s := f.hierarchy.SectionAround(mesh.Plane{At: r3.Add(at, drift), Normal: normal}, 2*reach)
		if s == nil || math.Abs(s.Area/end.Area-1) > prismEven {
			return false
		}
		center, _ := mesh.LoopPlane(s.Corners)
		at, drift = center, r3.Sub(center, at)
	}
	return true
}

// reach returns how far an end reaches from its centre.
func (f *Finder) reach(end *Patch) float64 {
	reach := 0.0
	for _, t := range end.Triangles {
		for _, v := range f.mesh.Triangles[t].V {
			reach = max(reach, r3.Norm(r3.Sub(f.mesh.Vertices[v], end.Center)))
		}
	}
	return reach
}
