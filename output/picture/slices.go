package picture

import (
	"errors"
	"math"
)

// SlicesPicture shows sections across tubes.
type SlicesPicture struct {
	Title, Subtitle string
	// Sections are at most MostSections, each of a square.
	Sections []Section
}

// MostSections is how many sections a picture shows.
const MostSections = 12

// Section is a square across a tube.
type Section struct {
	Name, Detail string
	// Side is how long the square is, in metres. It is divided into Rows rows of as many
	// speeds in m/s each, from the lowest row on, which are no number outside the tube.
	Side  float64
	Rows  int
	Speed []float32
}

var sectionScale = scale{colours: &viridis, name: "Speed", place: []string{"in the section"}, units: speedUnits}

// WriteSlices draws sections as a PNG picture, all with the same colours.
func WriteSlices(path string, p SlicesPicture) error {
	if len(p.Sections) == 0 || len(p.Sections) > MostSections {
		return errors.New("output: there are no sections to draw, or too many")
	}
	shows := sectionScale
	for _, s := range p.Sections {
		if s.Rows < 1 || len(s.Speed) != s.Rows*s.Rows || !(s.Side > 0) {
			return errors.New("output: a section has no side, or not a value for each place")
		}
		for _, v := range s.Speed {
			if float64(v) > shows.high { // and a number
				shows.high = float64(v)
			}
		}
	}
	shows.high = max(shows.high, 1e-12)
	f := newFigure(p.Title, p.Subtitle)
	const columns, left, top, wide, high, room = 4, 40, 790, 252, 262, 200
	for i := range p.Sections {
		s := &p.Sections[i]
		x, y := float64(left+i%columns*wide), float64(top-i/columns*high)
		f.text(s.Name, x, y, style(14, true, ink))
		f.text(s.Detail, x, y-17, style(12, false, faint))
		f.section(s, int(x), int(y)-24-room, room, &shows)
	}
	f.colourBar(figureWidth-118, 200, 440, &shows)
	return f.write(path)
}

// section paints one into a square of so many pixels, its lower left corner at (x, y).
func (f *figure) section(s *Section, x, y, room int, shows *scale) {
	for row := range room {
		for column := range room {
			k := row*s.Rows/room*s.Rows + column*s.Rows/room
			if v := float64(s.Speed[k]); !math.IsNaN(v) {
				f.pixels.SetRGBA(x+column, figureHeight-1-(y+row), shows.colour(v).rgba())
			}
		}
	}
	f.scaleBarOf(float64(x), float64(y)+2, s.Side/float64(room))
}

// scaleBarOf draws a short scale bar.
func (f *figure) scaleBarOf(x, y, metresPerPixel float64) {
	length := roundStep(60 * metresPerPixel)
	u := unitFor(length*0.6, lengthUnits)
	f.line(x, y, x+length/metresPerPixel, y, 1.5, ink)
	f.text(u.in(length), x, y+4, style(11, false, faint))
}
