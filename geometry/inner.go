package geometry

import (
	"fmt"
	"math"

	"carina/geometry/mesh"
	"carina/geometry/opening"

	"gonum.org/v1/gonum/spatial/r3"
)

const (
	// Just in front of an end means so many of its radii.
	inFront = 0.1
	// Winding numbers above this one are those of the inside of some body.
	insideBody = 0.5
	// An end of which so much lies in the lumen of another body is none.
	mostInside = 0.5
)

// dropInnerEnds drops the ends that lie inside of another body, where tubes
// overlap: there is lumen on both of their sides. Those that the file or the
// user names stay. It returns how many it dropped.
func dropInnerEnds(s *mesh.Mesh, ends []opening.Patch) (kept []opening.Patch, dropped int) {
	if len(ends) == 0 {
		return ends, 0
	}
	if _, pieces := s.Components(); pieces < 2 {
		return ends, 0
	}
	field := mesh.NewWindingField(s)
	kept = ends[:0:0]
	for i := range ends {
		if end := &ends[i]; end.ByHand || end.Name != "" || shareInside(s, field, end) <= mostInside {
			kept = append(kept, *end)
		}
	}
	return kept, len(ends) - len(kept)
}

// shareInside is how much of an end, by area, has the inside of a body just in
// front of it.
func shareInside(s *mesh.Mesh, field *mesh.WindingField, end *opening.Patch) float64 {
	ahead := r3.Scale(inFront*math.Sqrt(end.Area/math.Pi), end.Normal)
	var inside, all float64
	for _, t := range end.Triangles {
		a, b, c := s.Corners(int(t))
		area := r3.Norm(s.AreaVector(int(t)))
		all += area
		if field.At(r3.Add(r3.Scale(1./3, r3.Add(a, r3.Add(b, c))), ahead)) > insideBody {
			inside += area
		}
	}
	if all == 0 {
		return 0
	}
	return inside / all
}

// innerWords says that ends were dropped as they lie in other bodies, empty
// where none was.
func (p *Prepared) innerWords() string {
	switch p.InnerEnds {
	case 0:
		return ""
	case 1:
		return "an end lies inside of another body, where tubes overlap, and is taken for no opening"
	}
	return fmt.Sprintf("%d ends lie inside of other bodies, where tubes overlap, and are taken for no openings", p.InnerEnds)
}
