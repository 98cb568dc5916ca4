package tree

import (
	"math"

	"gonum.org/v1/gonum/spatial/r3"
)

const (
	// edge is how many radii of slices beside a ridge are left out, reach over how many
	// a direction is taken.
	edge, reach, fitEdge = 0.3, 4.0, 0.5
	// Fronts lie askew in a branch that has just begun, so that its sections are whole
	// some radii later.
	whole = 0.7
	// stump is the part of its opening's area that a branch's sections have at least.
	stump = 0.25
	// shortest is over how many radii it is taken at least.
	shortest = 1.5
	// rounds is how often areas, directions and divisions are measured, each from those
	// before.
	rounds = 3
	// straight is the sine of an angle below which two lines do not cross.
	straight = 0.15
	// The daughters' lines leave their parent's on arcs of so many of its radii, in
	// steps of bendStep.
	leastBend, mostBend, bendStep = 0.5, 6.0, 0.2
	// Where sections do not tell, arcs are about the usual ones.
	usualBend, bendSpread = 3.0, 1.5
	// Ridges are rounded over a part of the thinner daughter's radius, which is reached
	// behind so many radii of the arcs.
	ridgeWidth, ridgeRise = 0.5, 0.75
	// thinTaper is by how many differences of the radii a thinner daughter's taper is longer.
	thinTaper = 2.5
	// modelError is how much sections differ from the model's.
	modelError = 0.005
	// steepest bounds the angles at which sections across the parent are sheared.
	steepest = 1.2
)

// measure finds areas, directions, divisions and lengths.
func (f *finder) measure() {
	for _, d := range f.drafts {
		if d.gone {
			continue
		}
		d.from, d.to = f.ends(d)
		if d.opening == 0 {
			d.to -= 2 * d.radius()
		}
	}
	bends := make([]float64, len(f.drafts))
	for range rounds {
		for _, d := range f.drafts {
			if !d.gone {
				f.measureTube(d)
			}
		}
		for i, d := range f.drafts {
			if !d.gone && d.opening == 0 {
				bends[i] = f.divide(d)
			}
		}
	}
	for _, d := range f.drafts {
		if d.gone {
			continue
		}
		if d.opening > 0 {
			_, d.to = f.ends(d)
			d.end = f.finish(d)
		}
		f.leave(d, bends)
	}
}

// measureTube measures a branch where it is a tube of its own.
func (f *finder) measureTube(d *draft) {
	low, high := f.ends(d)
	r := d.radius()
	from := low
	if d.parent >= 0 {
		from += edge * r
	}
	to := min(max(d.to, from+shortest*r), high)
	d.area = max(d.slices.area(from, to, 0.5), 1)
	if d.opening > 0 {
		// One that has hardly begun at its opening has no section of its own.
		opening := f.grid.Openings[d.opening-1].Area / (f.grid.Spacing * f.grid.Spacing)
		if high-low < math.Sqrt(opening/math.Pi) || d.area < stump*opening {
			d.area = opening
		}
	}
	d.before = max(d.slices.area(max(from, to-reach*r), to, 0.1), 1)
	n := len(d.line.nodes)
	first := axis{d.line.nodes[0], r3.Unit(r3.Sub(d.line.nodes[1], d.line.nodes[0]))}
	last := axis{d.line.nodes[n-1], r3.Unit(r3.Sub(d.line.nodes[n-1], d.line.nodes[n-2]))}
	d.out = d.slices.axis(from, min(to, from+reach*r), first)
	d.in = d.slices.axis(max(from, to-reach*r), to, last)
}

// divide finds where the lines of the daughters leave that of a branch, and returns the
// radius of their arcs. Past that place its sections grow: it is the one from which
// tubes that bend into the daughters' directions have the sections that were found.
func (f *finder) divide(d *draft) (bend float64) {
	r := math.Sqrt(d.before / math.Pi)
	ridge := d.in.station(f.center(d.ridge))
	low, _ := f.ends(d)
	least := d.in.station(d.line.at(low)) + edge*r
	sections := f.sectionsBefore(d, max(min(least+whole*r, ridge-2*r), ridge-4*r), ridge-fitEdge*r)
	sides := f.sides(d)
	best := math.Inf(1)
	bend = usualBend * r
	// Cells along the edge of a slice are in or out by chance.
	const chance = 0.08
	variance := modelError*modelError + chance*2*math.Pi*r/(d.before*d.before*sections.thickness)
	for k := 0; leastBend+float64(k)*bendStep <= mostBend; k++ {
		tried := (leastBend + float64(k)*bendStep) * r
		at := leaving(sides, tried, ridge-2*r)
		unusual := (tried/r - usualBend) / bendSpread
		sum := unusual * unusual
		for i := range sections.cells {
			found := sections.cells[i] / sections.thickness / d.before
			diff := found - sectionOf(sides, r, tried, sections.middle(i)-at)/d.before
			sum += diff * diff / variance
		}
		if sum < best {
			best, bend = sum, tried
		}
	}
	at := min(max(leaving(sides, bend, ridge-2*r), least), ridge)
	d.end = d.in.place(at)
	d.to = d.line.station(d.end, len(d.line.nodes))
	return bend
}

// sectionsBefore are sections across the axis before the ridge of a branch: of its cells by
// planes, which end askew at the ridge, and by fronts, which lie askew where it begins.
func (f *finder) sectionsBefore(d *draft, from, to float64) slices {
	s := newSlices(from, max(to, from+1), max(1, sliceRadii*d.radius()))
	if n := int((to - from) / s.thickness); n >= 1 {
		s.cells, s.sums = s.cells[:n], s.sums[:n]
	}
	for _, cell := range f.cellsOf(d) {
		at := f.center(cell)
		s.spread(d.in.station(at), at)
	}
	return s
}

// side is a daughter as seen along its parent's axis: the station where the axes come
// nearest, the angle between them, the direction to which it bends, and its radius.
type side struct {
	crossing, angle float64
	to              r3.Vec
	radius          float64
}

func (f *finder) sides(d *draft) []side {
	var sides []side
	for _, n := range d.daughters {
		daughter := f.drafts[n]
		s := side{angle: d.in.between(daughter.out), radius: daughter.radius()}
		if math.Sin(s.angle) > straight {
			s.crossing = d.in.nearest(daughter.out)
			across := r3.Sub(daughter.out.along, r3.Scale(r3.Dot(daughter.out.along, d.in.along), d.in.along))
			s.to = r3.Unit(across)
		}
		sides = append(sides, s)
	}
	return sides
}

// leaving is the station from which arcs of a radius lead into the daughters' axes, the
// mean over those that bend.
func leaving(sides []side, bend, otherwise float64) float64 {
	var sum, weight float64
	for _, s := range sides {
		if sin := math.Sin(s.angle); sin > straight {
			sum += sin * sin * (s.crossing - bend*math.Tan(s.angle/2))
			weight += sin * sin
		}
	}
	if weight == 0 {
		return otherwise
	}
	return sum / weight
}

// sectionOf is the area of the section, so far behind the place where they leave, of
// tubes that bend out of one of radius r.
func sectionOf(sides []side, r, bend, behind float64) float64 {
	if behind <= 0 {
		return math.Pi * r * r
	}
	// Ellipses, all along one direction.
	type disc struct{ x, y, a, b float64 }
	discs := make([]disc, len(sides))
	var thickest float64
	for i := range sides {
		thickest = max(thickest, sides[i].radius)
	}
	var u, v r3.Vec
	for i, s := range sides {
		if u == (r3.Vec{}) && s.to != u {
			u = s.to
		}
		across := r3.Dot(s.to, u)
		up := r3.Sub(s.to, r3.Scale(across, u))
		if v == (r3.Vec{}) && r3.Norm(up) > 1e-6 {
			v = r3.Unit(up)
		}
		t := bentTube{bend: bend, angle: min(s.angle, steepest), from: r, to: s.radius, taper: bend + thinTaper*max(0, thickest-s.radius)}
		outer, inner := t.wall(behind, 1), t.wall(behind, -1)
		_, _, _, radius := t.at(t.stationAt(behind, 0))
		middle := (outer + inner) / 2
		discs[i] = disc{middle * across, middle * r3.Dot(up, v), (outer - inner) / 2, radius}
	}
	// Rows across the discs, in each the lengths that any of them covers.
	low, high := math.Inf(1), math.Inf(-1)
	for _, d := range discs {
		low, high = min(low, d.y-d.b), max(high, d.y+d.b)
	}
	const rows = 48
	step := (high - low) / rows
	var area float64
	for k := range rows {
		y := low + (float64(k)+0.5)*step
		covered := math.Inf(-1)
		for range discs {
			// The interval that begins first among those that reach beyond what is covered.
			from, to := math.Inf(1), math.Inf(1)
			for _, d := range discs {
				if h := 1 - (y-d.y)*(y-d.y)/(d.b*d.b); h > 0 {
					a, b := max(d.x-d.a*math.Sqrt(h), covered), d.x+d.a*math.Sqrt(h)
					if b > covered && a < from {
						from, to = a, b
					}
				}
			}
			if math.IsInf(from, 1) {
				break
			}
			area += (to - from) * step
			covered = to
		}
	}
	if len(discs) == 2 {
		area += rounded(r3.Norm(r3.Vec{X: discs[0].x - discs[1].x, Y: discs[0].y - discs[1].y})/(discs[0].b+discs[1].b),
			ridgeWidth*min(sides[0].radius, sides[1].radius)*smoothly(behind/(ridgeRise*bend)))
	}
	return area
}

// rounded is the area by which two circles are larger whose notches are rounded over a
// width, so many of their diameters apart: where the boundaries a and b meet under an
// angle, the smooth minimum of both adds width²/6 over its sine, on either side.
func rounded(apart, width float64) float64 {
	const narrowest = 0.05
	half := math.Asin(min(apart, 0.7))
	return width * width / 3 / max(math.Sin(2*half), narrowest)
}

// bentTube is one whose axis goes on from its parent's, bends on an arc and goes on
// straight, while its radius changes from its parent's to its own along a taper as long
// as the arc's radius (as the bifurcations of Heistracher and Hofmann 1995), and longer for
// the thinner of two, which would lie within the thicker one for a while.
type bentTube struct{ bend, angle, from, to, taper float64 }

// at is the place of a station, across and along the parent's axis, how far the tube has
// turned there and its radius.
func (t *bentTube) at(s float64) (x, z, turned, radius float64) {
	if s <= 0 {
		return 0, s, 0, t.from
	}
	turned = min(s/t.bend, t.angle)
	sin, cos := math.Sincos(turned)
	rest := s - t.bend*turned
	return t.bend*(1-cos) + rest*sin, t.bend*sin + rest*cos, turned, t.from + (t.to-t.from)*smoothly(s/t.taper)
}

// stationAt is the station whose wall on a side, 1 where it bends to, 0 for the axis,
// lies so far along the parent's axis.
func (t *bentTube) stationAt(along, side float64) float64 {
	low, high := along-2*t.from, along/math.Cos(t.angle)+4*t.from
	const halvings = 24
	for range halvings {
		middle := (low + high) / 2
		if _, z, turned, radius := t.at(middle); z-side*radius*math.Sin(turned) < along {
			low = middle
		} else {
			high = middle
		}
	}
	return (low + high) / 2
}

// wall is how far off the parent's axis the wall on a side lies.
func (t *bentTube) wall(along, side float64) float64 {
	x, _, turned, radius := t.at(t.stationAt(along, side))
	return x + side*radius*math.Cos(turned)
}

// smoothly rises from 0 to 1 without a jump in slope or curvature.
func smoothly(t float64) float64 {
	t = min(max(t, 0), 1)
	return t * t * t * (10 + t*(6*t-15))
}

// leave joins a branch to its parent's end by an arc and measures its length.
func (f *finder) leave(d *draft, bends []float64) {
	if d.parent < 0 {
		d.start = f.begin(d)
		d.lineFrom = d.line.station(d.start, 0)
		d.length = d.to - d.lineFrom
		return
	}
	parent, bend := f.drafts[d.parent], bends[d.parent]
	d.start = parent.end
	d.angle = parent.in.between(d.out)
	tangent := bend * math.Tan(d.angle/2)
	corner := r3.Add(d.start, r3.Scale(tangent, parent.in.along))
	arcEnd := d.out.place(d.out.station(corner) + tangent)
	d.lineFrom = d.line.station(arcEnd, 0)
	d.length = max(bend*d.angle+d.to-d.lineFrom, r3.Norm(r3.Sub(d.end, d.start)))
	d.arc = d.arc[:0]
	// A curve with the directions at both of its ends.
	const steps = 6
	for k := 1; k <= steps; k++ {
		t := float64(k) / steps
		d.arc = append(d.arc, r3.Add(r3.Add(r3.Scale((1-t)*(1-t), d.start), r3.Scale(2*t*(1-t), corner)), r3.Scale(t*t, arcEnd)))
	}
}
