package picture

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"carina/geometry"
	"carina/internal/quantity"

	"gonum.org/v1/gonum/spatial/r3"
)

// FlowPicture is what WriteFlow writes beside the air itself.
type FlowPicture struct {
	Title, Subtitle string
	// Openings are marked with their number and flow.
	Openings []geometry.Opening
	// Flow is the volume flow through each opening in m³/s, of any sign; may be nil.
	Flow []float64
	// Pressure is the mean pressure over each opening in Pa, which the scale of
	// pressures holds; may be nil.
	Pressure []float64
	// WallPressure colours the surface by the pressure at the wall instead of
	// the largest speed along the line of sight.
	WallPressure bool
}

// What a picture can hold without crowding.
const (
	// mostLabels openings are numbered; of more, those with most flow, or the
	// largest.
	mostLabels = 20
	// mostNotes openings have their flow beside them; more are listed.
	mostNotes = 12
)

// WriteFlow draws the composites of a run, one for each of the frame's Views
// in their order, as a PNG picture of 1200×900 pixels: the lumen in relief,
// coloured by the largest speed along the line of sight within it (or by the
// pressure at its wall), with a scale and the flow through every opening.
func WriteFlow(path string, layers []*Layer, c FlowPicture) error {
	if len(layers) == 0 {
		return errors.New("output: no layer to draw; composite those of all ranks first")
	}
	if c.Flow != nil && len(c.Flow) != len(c.Openings) {
		return fmt.Errorf("output: %s for %s: give one each", quantity.Count(len(c.Flow), "flow"), quantity.Count(len(c.Openings), "opening"))
	}
	if c.Pressure != nil && len(c.Pressure) != len(c.Openings) {
		return fmt.Errorf("output: %s for %s: give one each", quantity.Count(len(c.Pressure), "pressure"), quantity.Count(len(c.Openings), "opening"))
	}
	value, shows := c.scale(layers)
	f := newFigure(c.Title, c.Subtitle)
	legend, list := 150.0, c.Flow != nil && len(c.Openings) > mostNotes
	if list {
		legend = 220
	}
	panels := arrange(rectangle{20, 50, figureWidth - legend, figureHeight - 90}, viewsOf(layers))
	for i := range panels {
		p := &panels[i]
		p.relief = reliefOf(layers[i])
		values := layers[i].values(value)
		shown := slices.Clone(values)
		for range 2 {
			p.relief.smooth(shown, values)
			values, shown = shown, values
		}
		p.paint(f, lighting{ambient: 0.62, shine: 0.10, fade: 0.15}, nil, func(s *sample) colour {
			return shows.colour(float64(s.mean(values)))
		})
	}
	share(panels, rectangle{figureWidth - legend, 0, figureWidth, figureHeight})
	for i := range panels {
		panels[i].label(f, flowMarks(c, i == 0 && !list), c.Openings)
	}
	f.explainMarks(len(c.Openings))
	f.scaleBar(40, 46, float64(layers[0].View.Bin)*layers[0].View.Spacing/panels[0].scale)
	if list {
		f.listFlows(figureWidth-legend+15, 50+18*mostLabels, flowMarks(c, true))
		f.colourBar(figureWidth-legend+20, 480, 240, &shows)
	} else {
		f.colourBar(figureWidth-118, 200, 440, &shows)
	}
	return f.write(path)
}

func viewsOf(layers []*Layer) []*View {
	views := make([]*View, len(layers))
	for i, l := range layers {
		views[i] = &l.View
	}
	return views
}

func speedOf(s *stretch) float32    { return s.speed }
func pressureOf(s *stretch) float32 { return s.pressure }

// values returns a value of the nearest stretch of every pixel, NaN where
// there is none.
func (l *Layer) values(of func(s *stretch) float32) []float32 {
	values := make([]float32, len(l.head))
	for pixel, at := range l.head {
		values[pixel] = nan32
		if at >= 0 {
			values[pixel] = of(&l.stretches[at])
		}
	}
	return values
}

// scale returns the value that a picture shows and the scale for it.
func (c *FlowPicture) scale(layers []*Layer) (of func(s *stretch) float32, s scale) {
	var openings []geometry.Opening
	var means []float64
	of, s = speedOf, speedScale
	if c.WallPressure {
		of, s, openings, means = pressureOf, pressureScale, c.Openings, c.Pressure
	}
	var values []float32
	var places []r3.Vec
	for _, l := range layers {
		for pixel, at := range l.head {
			if at >= 0 {
				values = append(values, of(&l.stretches[at]))
				if means != nil {
					places = append(places, l.View.place(pixel, l.stretches[at].near))
				}
			}
		}
	}
	s.low, s.high = Extremes(values, func(i int) r3.Vec { return places[i] }, openings, means)
	if !c.WallPressure {
		s.low = 0
	}
	if !(s.high > s.low) {
		s.high = s.low + 1e-6
	}
	return of, s
}

// flowMarks are the openings to name, with their flows if notes are wanted.
func flowMarks(c FlowPicture, notes bool) []mark {
	type share struct {
		mark
		size float64
	}
	inflow, outlet, leaving := 0.0, 0.0, 0.0
	for i, q := range c.Flow {
		if c.Openings[i].Role == geometry.Inlet {
			inflow += math.Abs(q)
		} else {
			outlet = max(outlet, math.Abs(q))
			leaving += math.Abs(q)
		}
	}
	shares := make([]share, len(c.Openings))
	for i, o := range c.Openings {
		shares[i] = share{mark: mark{Opening: o}, size: o.Area}
		if c.Flow == nil {
			continue
		}
		q := math.Abs(c.Flow[i])
		shares[i].size = q
		switch {
		case !notes:
		case q == 0 && leaving >= inflow/2 && inflow > 0:
			// The flow has arrived everywhere else.
			shares[i].notes = []string{"closed"}
		case o.Role == geometry.Inlet:
			shares[i].notes = []string{unitFor(q, flowUnits).in(q)}
		default:
			shares[i].notes = []string{unitFor(outlet, flowUnits).in(q)}
			if inflow > 0 {
				shares[i].notes = append(shares[i].notes, fmt.Sprintf("%.1f %%", 100*q/inflow))
			}
		}
	}
	slices.SortStableFunc(shares, func(a, b share) int { return cmp.Compare(b.size, a.size) })
	marks := make([]mark, 0, mostLabels)
	for _, s := range shares[:min(len(shares), mostLabels)] {
		marks = append(marks, s.mark)
	}
	return marks
}

// listFlows writes the flow of each mark below y.
func (f *figure) listFlows(x, y float64, marks []mark) {
	f.text("Flow", x, y+20, style(15, true, ink))
	for i, m := range marks {
		row := y - 18*float64(i)
		f.textRight(strconv.Itoa(m.Number), x+22, row, style(13, true, ink))
		for k, note := range m.notes {
			f.textRight(note, x+115+65*float64(k), row, style(13, false, ink))
		}
	}
}

// explainMarks says which openings are numbered if not all are.
func (f *figure) explainMarks(openings int) {
	if openings > mostLabels {
		f.textRight(fmt.Sprintf("The %d largest of %d openings are numbered.", mostLabels, openings), figureWidth-40, 20, style(13, false, faint))
	}
}
