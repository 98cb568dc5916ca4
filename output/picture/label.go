package picture

import (
	"image/color"
	"math"
	"strconv"

	"carina/geometry"
)

// mark is an opening to be marked in a picture, with up to two lines of notes
// beside its number.
type mark struct {
	geometry.Opening
	notes []string
}

const (
	discRadius = 12.0
	noteSize   = 14.0
	// mostDots openings get a dot: more than are seen apart.
	mostDots = 500
)

// place is where a label may stand: a disc centred at (x, y) and its note to
// the right or left.
type place struct {
	x, y   float64
	left   bool
	bounds rectangle
}

// label draws the marks beside the panel's openings, each where it hides least:
// outward of the opening, off the surface and clear of the other labels.
// Openings without a mark get a dot.
func (p *panel) label(f *figure, marks []mark, openings []geometry.Opening) {
	const dot = 4.0
	openings = openings[:min(len(openings), mostDots)]
	for _, o := range openings {
		x, y := p.at(o.Center)
		p.taken = append(p.taken, rectangle{x - dot, y - dot, x + dot, y + dot})
	}
	for _, m := range marks {
		x, y := p.at(m.Center)
		best := p.bestPlace(m, x, y)
		p.taken = append(p.taken, best.bounds)
		f.line(x, y, best.x, best.y, 1.2, p.inkFor(m.Opening))
		fill, number := paper, ink
		if m.Role == geometry.Inlet {
			fill, number = ink, paper
		}
		f.disc(best.x, best.y, discRadius, fill, ink)
		f.textCenter(strconv.Itoa(m.Number), best.x, best.y, style(13, true, number))
		for i, note := range m.notes {
			baseline := best.y - 5 + noteSize*1.15*(float64(len(m.notes)-1)/2-float64(i))
			if best.left {
				f.textRight(note, best.x-discRadius-5, baseline, style(noteSize, false, ink))
			} else {
				f.text(note, best.x+discRadius+5, baseline, style(noteSize, false, ink))
			}
		}
	}
	for _, o := range openings {
		x, y := p.at(o.Center)
		f.disc(x, y, dot-1, paper, p.inkFor(o))
	}
}

// inkFor returns the colour of an opening's dot and line: fainter where the
// surface stands before it.
func (p *panel) inkFor(o geometry.Opening) color.RGBA {
	const behind = 4 // columns: more than the relief is smoothed
	column, row, depth := p.view.project(o.Center)
	x, y := int(math.Floor(column)), int(math.Floor(row))
	if x < 0 || y < 0 || x >= p.relief.width || y >= p.relief.height {
		return ink
	}
	// Outlets may be thinner than the relief's columns are exact.
	margin := max(behind, math.Sqrt(o.Area)/(p.view.Spacing*float64(p.view.Bin)))
	if near := float64(p.relief.near[y*p.relief.width+x]); near+margin < depth/float64(p.view.Bin) {
		return hidden
	}
	return ink
}

// bestPlace tries places around the opening at (x, y).
func (p *panel) bestPlace(m mark, x, y float64) place {
	nx, ny := p.view.direction(m.Normal)
	outward := math.Atan2(ny, nx)
	noteWidth := 0.0
	for _, note := range m.notes {
		noteWidth = max(noteWidth, float64(style(noteSize, false, ink).Width(note))+8)
	}
	var best place
	lowest := math.Inf(1)
	for _, distance := range []float64{30, 44, 62, 84, 110, 140, 175, 215, 260} {
		for turn := range 24 {
			// 0, 15, −15, 30, −30, … degrees away from the outward direction.
			angle := float64((turn+1)/2) * math.Pi / 12
			cost := 0.3*angle + distance/60
			if turn%2 == 1 {
				angle = -angle
			}
			q := place{x: x + distance*math.Cos(outward+angle), y: y + distance*math.Sin(outward+angle)}
			q.left = math.Cos(outward+angle) < 0
			half := max(discRadius, noteSize*0.6*float64(len(m.notes)))
			q.bounds = rectangle{q.x - discRadius, q.y - half, q.x + discRadius, q.y + half}
			if q.left {
				q.bounds.x0 -= noteWidth
			} else {
				q.bounds.x1 += noteWidth
			}
			cost += p.crowding(q.bounds) + 3*p.crossed(x, y, q)
			if cost < lowest {
				best, lowest = q, cost
			}
		}
	}
	return best
}

// What it costs to cover the figure's margins, other labels and what else is
// written, and a vessel, against the length of the line to the label.
const (
	marginCost  = 60
	overlapCost = 30
	vesselCost  = 14
)

// crowding is what it costs to cover a rectangle.
func (p *panel) crowding(r rectangle) float64 {
	cost := vesselCost * p.covered(r)
	if r.x0 < 8 || r.x1 > figureWidth-8 || r.y0 < 62 || r.y1 > figureHeight-96 {
		cost += marginCost
	}
	taken := [][]rectangle{p.taken, p.blocked}
	for _, other := range p.others {
		cost += vesselCost * other.covered(r)
		taken = append(taken, other.taken)
	}
	for _, rectangles := range taken {
		for _, other := range rectangles {
			if r.overlaps(other) {
				cost += overlapCost
			}
		}
	}
	return cost
}

// crossed is how much of the line from the opening at (x, y) to its label lies
// on other labels and openings.
func (p *panel) crossed(x, y float64, q place) float64 {
	const steps = 12
	hits := 0.0
	for i := 1; i <= steps; i++ {
		t := float64(i) / steps
		cx, cy := x+t*(q.x-x), y+t*(q.y-y)
		// The opening's own dot does not count.
		if math.Hypot(cx-x, cy-y) < 8 {
			continue
		}
		for _, other := range p.taken {
			if cx > other.x0 && cx < other.x1 && cy > other.y0 && cy < other.y1 {
				hits++
			}
		}
	}
	return hits / steps
}
