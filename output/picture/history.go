package picture

import (
	"encoding/csv"
	"errors"
	"fmt"
	"image"
	"io"
	"math"
	"strconv"
	"strings"

	"carina/internal/palette"
	"carina/internal/quantity"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"
)

// History is how a run went.
type History struct {
	Title, Subtitle string
	// Time is in seconds, one value a sample, ascending.
	Time []float64
	// Names of the openings.
	Names []string
	// Flow[i] is the volume flow through opening i in m³/s at every time.
	Flow [][]float64
	// Pressure[i] is the mean pressure at opening i in Pa; nil leaves it out of the
	// chart.
	Pressure [][]float64
	// Residual is the relative change of the fields at every time; may be
	// nil.
	Residual []float64
}

func (h *History) check() error {
	if len(h.Time) < 2 {
		return errors.New("output: a chart needs at least two samples in time; sample more often or run longer")
	}
	if len(h.Flow) != len(h.Names) {
		return fmt.Errorf("output: history has %s for %s", quantity.Count(len(h.Names), "name"), quantity.Count(len(h.Flow), "opening"))
	}
	if h.Pressure != nil && len(h.Pressure) != len(h.Names) {
		return fmt.Errorf("output: history has %s for %s", quantity.Count(len(h.Names), "name"), quantity.Count(len(h.Pressure), "pressure"))
	}
	for _, of := range []struct {
		what   string
		series [][]float64
	}{{"flow", h.Flow}, {"pressure", h.Pressure}} {
		for i, values := range of.series {
			if len(values) != len(h.Time) {
				return fmt.Errorf("output: history has %s, but %s of %s", quantity.Count(len(h.Time), "time"), quantity.Count(len(values), of.what), h.Names[i])
			}
		}
	}
	if h.Residual != nil && len(h.Residual) != len(h.Time) {
		return fmt.Errorf("output: history has %s, but %s", quantity.Count(len(h.Time), "time"), quantity.Count(len(h.Residual), "residual"))
	}
	return nil
}

// WriteHistory draws the flow through every opening over time, below it the
// pressure there and the residual on a logarithmic scale, as a PNG picture of
// 1200×900 pixels.
func WriteHistory(path string, h History) error {
	if err := h.check(); err != nil {
		return err
	}
	f := newFigure(h.Title, h.Subtitle)
	clock := unitFor(h.Time[len(h.Time)-1], timeUnits)
	charts, err := h.openingCharts(clock)
	if err != nil {
		return err
	}
	if residual := positive(h.Residual); residual != nil {
		p := chart("Residual", clock)
		p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
		line, err := curve(residual.time(h.Time), residual.values, clock.value, 1, 0)
		if err != nil {
			return fmt.Errorf("output: residual cannot be drawn: %w", err)
		}
		p.Add(line)
		charts = append(charts, p)
	}
	const top, bottom, gap = figureHeight - 100.0, 24.0, 16.0
	// Their axes of time stand below each other.
	rows := make([][]*plot.Plot, len(charts))
	for i, p := range charts {
		rows[i] = []*plot.Plot{p}
	}
	tiles := vgdraw.Tiles{Cols: 1, Rows: len(charts), PadY: gap}
	for i, row := range plot.Align(rows, tiles, f.part(rectangle{30, bottom, legendAt, top})) {
		charts[i].Draw(row[0])
	}
	legend := newLegend()
	for i, name := range h.Names[:min(len(h.Names), mostLabels)] {
		legend.Add(name, swatch(i))
	}
	legend.Draw(f.part(rectangle{legendAt + 20, bottom, figureWidth - 10, top}))
	f.explainLines(len(h.Names))
	return f.write(path)
}

// openingCharts are those of the flow and, where there is one, of the pressure.
func (h *History) openingCharts(clock unit) ([]*plot.Plot, error) {
	var charts []*plot.Plot
	for _, of := range []struct {
		name   string
		series [][]float64
		units  []unit
	}{{"Flow", h.Flow, flowUnits}, {"Pressure", h.Pressure, pressureUnits}} {
		if of.series == nil {
			continue
		}
		largest := 0.0
		for _, values := range of.series {
			for _, v := range values {
				largest = max(largest, math.Abs(v))
			}
		}
		units := unitFor(largest, of.units)
		p := chart(of.name+" ("+units.name+")", clock)
		for i, values := range of.series {
			line, err := curve(h.Time, values, clock.value, units.value, i)
			if err != nil {
				return nil, fmt.Errorf("output: %s of %s cannot be drawn: %w", strings.ToLower(of.name), h.Names[i], err)
			}
			p.Add(line)
		}
		charts = append(charts, p)
	}
	return charts, nil
}

// swatch is an opening's line as the legend shows it.
func swatch(i int) *plotter.Line { return &plotter.Line{LineStyle: palette.Line(i)} }

// explainLines says which lines have names if not all have.
func (f *figure) explainLines(openings int) {
	if openings > mostLabels {
		f.textRight(fmt.Sprintf("The first %d of %d openings are named.", mostLabels, openings), figureWidth-40, 8, style(13, false, faint))
	}
}

// legendAt is where the charts end and the names of the openings begin, beside
// them: no line may lie below.
const legendAt = figureWidth - 180

// newLegend returns an empty legend in the figure's style.
func newLegend() plot.Legend {
	l := plot.NewLegend()
	l.TextStyle = style(13, false, ink)
	l.Top, l.Left = true, true
	l.Padding, l.ThumbnailWidth = 3, 32
	return l
}

// part returns the canvas of a part of the figure.
func (f *figure) part(r rectangle) vgdraw.Canvas {
	c := f.canvas
	c.Rectangle = vg.Rectangle{Min: point(r.x0, r.y0), Max: point(r.x1, r.y1)}
	return c
}

// chart returns an empty chart over time in the figure's style.
func chart(name string, clock unit) *plot.Plot {
	p := plot.New()
	p.BackgroundColor = image.Transparent
	p.X.Label.Text, p.Y.Label.Text = "Time ("+clock.name+")", name
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Label.TextStyle = style(15, false, ink)
		a.Label.TextStyle.XAlign, a.Label.TextStyle.YAlign = vgdraw.XCenter, vgdraw.YBottom
		a.Tick.Label.Font = style(13, false, ink).Font
		a.LineStyle.Color, a.Tick.LineStyle.Color = faint, faint
		a.Tick.Marker = plot.TickerFunc(roundTicks)
	}
	grid := plotter.NewGrid()
	grid.Horizontal.Color, grid.Vertical.Color = rule, rule
	p.Add(grid)
	return p
}

// roundTicks are at the multiples of a round step, zero among them where it is
// in the range.
func roundTicks(low, high float64) []plot.Tick {
	const fewest = 3.96 // as charts begin at the first sample, a little after 0
	step := roundStep((high - low) / fewest)
	if !(step > 0) || math.IsInf(step, 0) {
		return plot.DefaultTicks{}.Ticks(low, high)
	}
	const slack = 1e-9
	var ticks []plot.Tick
	for k := math.Ceil(low/step - slack); k <= high/step+slack; k++ {
		// Adding 0 turns −0 into 0.
		at := k*step + 0
		ticks = append(ticks, plot.Tick{Value: at, Label: strconv.FormatFloat(at, 'g', 4, 64)})
	}
	return ticks
}

// curve is a line through (x, y), divided by their units, in the i-th style.
func curve(x, y []float64, xUnit, yUnit float64, i int) (*plotter.Line, error) {
	points := make(plotter.XYs, len(x))
	for k := range points {
		points[k] = plotter.XY{X: x[k] / xUnit, Y: y[k] / yUnit}
	}
	line, err := plotter.NewLine(points)
	if err != nil {
		return nil, err
	}
	line.LineStyle = palette.Line(i)
	return line, nil
}

// selection is the values of a series that a logarithmic scale can show.
type selection struct {
	index  []int
	values []float64
}

// positive selects the values above zero, nil if there are fewer than two.
func positive(values []float64) *selection {
	var s selection
	for i, v := range values {
		if v > 0 && !math.IsInf(v, 0) {
			s.index, s.values = append(s.index, i), append(s.values, v)
		}
	}
	if len(s.values) < 2 {
		return nil
	}
	return &s
}

// time returns the times of the selected values.
func (s *selection) time(all []float64) []float64 {
	selected := make([]float64, len(s.index))
	for i, k := range s.index {
		selected[i] = all[k]
	}
	return selected
}

// WriteHistoryTable writes the flow through every opening and the pressure there
// over time as a CSV file: a row a sample, a heading with the units above the
// columns.
func WriteHistoryTable(path string, h History) error {
	if len(h.Flow) != len(h.Names) || len(h.Pressure) != len(h.Names) {
		return fmt.Errorf("output: history has %s and %s for %s", quantity.Count(len(h.Flow), "flow"), quantity.Count(len(h.Pressure), "pressure"), quantity.Count(len(h.Names), "opening"))
	}
	// Quantities stand first: a name may begin with what spreadsheets compute.
	heading := []string{"time_s"}
	var columns [][]float64
	for i, name := range h.Names {
		heading = append(heading, "flow_m3_per_s "+name, "pressure_pa "+name)
		columns = append(columns, h.Flow[i], h.Pressure[i])
		if len(h.Flow[i]) != len(h.Time) || len(h.Pressure[i]) != len(h.Time) {
			return fmt.Errorf("output: history has %s, but %s and %s of %s", quantity.Count(len(h.Time), "time"), quantity.Count(len(h.Flow[i]), "flow"), quantity.Count(len(h.Pressure[i]), "pressure"), name)
		}
	}
	// Adding 0 turns −0 into 0.
	number := func(v float64) string { return strconv.FormatFloat(v+0, 'g', -1, 64) }
	return writeFile(path, func(f io.Writer) error {
		w := csv.NewWriter(f)
		err := w.Write(heading)
		for sample, time := range h.Time {
			row := []string{number(time)}
			for _, column := range columns {
				row = append(row, number(column[sample]))
			}
			if err == nil {
				err = w.Write(row)
			}
		}
		w.Flush()
		if err == nil {
			err = w.Error()
		}
		return err
	})
}
