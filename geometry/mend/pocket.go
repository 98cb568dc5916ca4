package mend

import (
	"math"
	"slices"

	"carina/geometry/mesh"

	"gonum.org/v1/gonum/spatial/r3"
)

// A surface may be double only in a part, as a trachea with a thickness whose
// bronchi have none: the inner wall is a pocket that hangs from the rim into
// the single-walled rest and is closed at its bottom. The lumen is then the
// pocket and, below its bottom, the rest.

const (
	// A surface is double in a part when so much of the area outside of the
	// inner wall has none behind it.
	singleShare = 0.2
	// The mouth is searched for in steps of so many radii, from so many radii
	// inside, and at most so far. Its section is no less than the first share of
	// the widest before it, where the wall bends to the rim, and no more than
	// the second.
	mouthStep, mouthInside, mouthReach, mouthNarrows, mouthGrowth = 0.05, 2.0, 8.0, 0.97, 1.5
	// The pocket ends so many radii above its bottom, and the rest begins so
	// much higher: the two overlap and unite.
	bottomRadii, overlapRadii = 2.0, 0.1
	// Cuts follow sections within so many radii.
	pocketReach = 4.0
)

// PartLumen is the lumen of a surface that is double in a part. The solid end
// closes the mouth of its pocket, step the gap between pocket and rest.
type PartLumen struct {
	Mesh      *mesh.Mesh
	End, Step int32
}

// PocketLumen returns the lumen of a surface that is double in a part, or nil.
// inner are the triangles of its inner wall.
func PocketLumen(s *mesh.Mesh, inner []int32) *PartLumen {
	if singleWalled(s, inner) < singleShare {
		return nil
	}
	mouth, ok := pocketMouth(s, inner)
	if !ok {
		return nil
	}
	pocket, taken := below(s, mouth)
	if pocket == nil {
		return nil
	}
	// Around the pocket the surface encloses tissue.
	turnOver(pocket)
	l := &PartLumen{End: int32(len(s.Solids)), Step: int32(len(s.Solids) + 1)}
	axis, ok := pocketBottom(pocket, l.End)
	if !ok {
		return nil
	}
	pocket, _ = below(pocket, mesh.Plane{At: r3.Add(axis.At, r3.Scale(overlapRadii*pocketRadius(pocket), axis.Normal)), Normal: axis.Normal})
	rest := *s
	rest.Triangles = nil
	for i, t := range s.Triangles {
		if !taken[int32(i)] {
			rest.Triangles = append(rest.Triangles, t)
		}
	}
	// One more solid, so that the step has the same number on both sides.
	rest.Solids = append(slices.Clone(s.Solids), "")
	single, _ := below(&rest, mesh.Plane{At: axis.At, Normal: r3.Scale(-1, axis.Normal)})
	if pocket == nil || single == nil {
		return nil
	}
	n := int32(len(pocket.Vertices))
	pocket.Vertices = append(pocket.Vertices, single.Vertices...)
	for _, t := range single.Triangles {
		t.V = [3]int32{t.V[0] + n, t.V[1] + n, t.V[2] + n}
		pocket.Triangles = append(pocket.Triangles, t)
	}
	l.Mesh = pocket
	return l
}

func turnOver(s *mesh.Mesh) {
	for i := range s.Triangles {
		v := &s.Triangles[i].V
		v[1], v[2] = v[2], v[1]
	}
}

// singleWalled returns the share of the area outside of the inner wall that
// has no inner wall behind it.
func singleWalled(s *mesh.Mesh, inner []int32) float64 {
	h := mesh.NewHierarchy(s)
	isInner := make([]bool, len(s.Triangles))
	for _, t := range inner {
		isInner[t] = true
	}
	var single, all float64
	for t := range s.Triangles {
		v := s.AreaVector(t)
		area := r3.Norm(v)
		if isInner[t] || area == 0 {
			continue
		}
		all += area
		n := r3.Scale(1/area, v)
		a, b, c := s.Corners(t)
		from := r3.Sub(r3.Scale(1.0/3, r3.Add(a, r3.Add(b, c))), r3.Scale(1e-4*math.Sqrt(area), n))
		if _, hit := h.Ray(from, r3.Scale(-1, n), math.Inf(1)); hit < 0 || !isInner[hit] {
			single += area
		}
	}
	if all == 0 {
		return 0
	}
	return single / all
}

// below returns what hangs together below the smallest section around a
// plane's point, closed there by a solid of its own, and which triangles it
// took; nil where the plane does not divide the surface.
func below(s *mesh.Mesh, p mesh.Plane) (*mesh.Mesh, map[int32]bool) {
	section := mesh.NewHierarchy(s).SectionAround(p, math.Inf(1))
	if section == nil {
		return nil, nil
	}
	upper, lower := section.Sides(s, mesh.NewTopology(s), &p)
	if upper == nil {
		return nil, nil
	}
	out := *s
	out.Vertices, out.Triangles, out.Solids = slices.Clone(s.Vertices), nil, append(slices.Clone(s.Solids), "")
	taken := map[int32]bool{}
	for _, t := range lower {
		taken[t] = true
		out.Triangles = append(out.Triangles, s.Triangles[t])
	}
	for _, t := range section.Triangles {
		taken[t] = true
	}
	c := &mesh.Cut{Plane: p, Section: section}
	c.Apply(s, &out)
	return &out, taken
}

// pocketMouth returns the plane across a pocket farthest out, before its wall
// bends to the rim.
func pocketMouth(s *mesh.Mesh, inner []int32) (mesh.Plane, bool) {
	part := *s
	part.Triangles = nil
	for _, t := range inner {
		part.Triangles = append(part.Triangles, s.Triangles[t])
	}
	depth := mesh.NewEdgeGraph(&part).Distances(rimOf(s, &part, inner))
	radius := 2 * math.Abs(part.Volume()) / part.Area()
	at, near := centerAt(&part, depth, mouthInside*radius, radius/4)
	deeper, far := centerAt(&part, depth, 1.5*mouthInside*radius, radius/4)
	if !near || !far || at == deeper {
		return mesh.Plane{}, false
	}
	p := mesh.Plane{At: at, Normal: r3.Unit(r3.Sub(at, deeper))}
	h := mesh.NewHierarchy(s)
	widest, found := 0.0, mesh.Plane{}
	for moved := 0.0; moved < mouthReach*radius; moved += mouthStep * radius {
		c := h.SectionAround(p, pocketReach*radius)
		if c == nil || c.Area < mouthNarrows*widest || widest > 0 && c.Area > mouthGrowth*widest {
			break
		}
		widest, found = max(widest, c.Area), p
		p.At, _ = mesh.LoopPlane(c.Corners)
		p.At = r3.Add(p.At, r3.Scale(mouthStep*radius, p.Normal))
	}
	return found, widest > 0
}

// rimOf returns the boundary loop at which most corners of an inner wall are the
// outer wall's, too. Others go around holes and around the bottom of a pocket, from
// which one sees out of the mouth.
func rimOf(s, part *mesh.Mesh, inner []int32) []int32 {
	outside, corner := make([]bool, len(s.Triangles)), make([]bool, len(s.Vertices))
	for i := range outside {
		outside[i] = true
	}
	for _, t := range inner {
		outside[t] = false
	}
	for _, t := range largestPart(s, mesh.NewTopology(s), outside) {
		for _, v := range s.Triangles[t].V {
			corner[v] = true
		}
	}
	var rim []int32
	most := 0
	for _, loop := range mesh.BoundaryLoops(part) {
		shared := 0
		for _, v := range loop {
			if corner[v] {
				shared++
			}
		}
		if shared > most {
			rim, most = loop, shared
		}
	}
	return rim
}

// pocketRadius is the radius of the tube with a surface's volume and area.
func pocketRadius(s *mesh.Mesh) float64 { return 2 * s.Volume() / s.Area() }

// pocketBottom returns the plane that cuts the bottom off a pocket, whose
// mouth is closed by the given solid. Its normal points to the bottom.
func pocketBottom(pocket *mesh.Mesh, end int32) (mesh.Plane, bool) {
	var sources []int32
	for _, t := range pocket.Triangles {
		if t.Solid == end {
			sources = append(sources, t.V[:]...)
		}
	}
	if len(sources) == 0 {
		return mesh.Plane{}, false
	}
	depth := mesh.NewEdgeGraph(pocket).Distances(sources)
	deepest, radius := 0.0, pocketRadius(pocket)
	for _, d := range depth {
		if !math.IsInf(d, 1) {
			deepest = max(deepest, d)
		}
	}
	if !(radius > 0) || deepest <= 3*bottomRadii*radius {
		return mesh.Plane{}, false
	}
	at, near := centerAt(pocket, depth, deepest-bottomRadii*radius, radius/4)
	before, far := centerAt(pocket, depth, deepest-2*bottomRadii*radius, radius/4)
	axis := r3.Sub(at, before)
	return mesh.Plane{At: at, Normal: r3.Unit(axis)}, near && far && r3.Norm(axis) > 0
}

// fewVertices are too few for a middle of their own.
const fewVertices = 24

// centerAt returns the middle of the vertices of about the given depth or, where
// triangles are so large that they are few, of the line at which it is reached.
func centerAt(s *mesh.Mesh, depth []float64, at, tolerance float64) (center r3.Vec, ok bool) {
	var sum r3.Vec
	count := 0.0
	for i, d := range depth {
		if math.Abs(d-at) < tolerance {
			sum = r3.Add(sum, s.Vertices[i])
			count++
		}
	}
	if count < fewVertices {
		sum, count = lineAt(s, depth, at)
	}
	return r3.Scale(1/max(count, 1), sum), count > 0
}

// lineAt returns how many edges cross a depth, and the sum of where they do.
func lineAt(s *mesh.Mesh, depth []float64, at float64) (sum r3.Vec, count float64) {
	for _, t := range s.Triangles {
		for i, a := range t.V {
			b := t.V[(i+1)%3]
			if depth[a] > at || depth[b] <= at || math.IsInf(depth[b], 1) {
				continue
			}
			share := (at - depth[a]) / (depth[b] - depth[a])
			sum = r3.Add(sum, r3.Add(r3.Scale(1-share, s.Vertices[a]), r3.Scale(share, s.Vertices[b])))
			count++
		}
	}
	return sum, count
}
