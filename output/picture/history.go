package picture

import (
	"encoding/csv"
	"errors"
	"fmt"
	"image"
	"io"
	"math"
	"strconv"

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
	// Pressure[i] is the mean pressure at opening i in Pa; only the table has it.
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
	for i, q := range h.Flow {
		if len(q) != len(h.Time) {
			return fmt.Errorf("output: history has %s, but %s of %s", quantity.Count(len(h.Time), "time"), quantity.Count(len(q), "flow"), h.Names[i])
		}
	}
	if h.Residual != nil && len(h.Residual) != len(h.Time) {
		return fmt.Errorf("output: history has %s, but %s", quantity.Count(len(h.Time), "time"), quantity.Count(len(h.Residual), "residual"))
	}
	return nil
}

// WriteHistory draws the flow through every opening over time and, below it,
// the residual on a logarithmic scale, as a PNG picture of 1200×900 pixels.
func WriteHistory(path string, h History) error {
	if err := h.check(); err != nil {
		return err
	}
	f := newFigure(h.Title, h.Subtitle)
	clock := unitFor(h.Time[len(h.Time)-1], timeUnits)
	largest := 0.0
	for _, q := range h.Flow {
		for _, v := range q {
			largest = max(largest, math.Abs(v))
		}
	}
	units := unitFor(largest, flowUnits)
	flow, legend := chart("Flow ("+units.name+")", clock), newLegend()
	for i, q := range h.Flow {
		line, err := curve(h.Time, q, clock.value, units.value, i)
		if err != nil {
			return fmt.Errorf("output: flow of %s cannot be drawn: %w", h.Names[i], err)
		}
		flow.Add(line)
		if i < mostLabels {
			legend.Add(h.Names[i], line)
		}
	}
	low := 30.0
	if residual := positive(h.Residual); residual != nil {
		p := chart("Residual", clock)
		p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
		line, err := curve(residual.time(h.Time), residual.values, clock.value, 1, 0)
		if err != nil {
			return fmt.Errorf("output: residual cannot be drawn: %w", err)
		}
		line.Color = ink
		p.Add(line)
		p.Draw(f.part(rectangle{30, 24, legendAt, 300}))
		low = 320
	}
	flow.Draw(f.part(rectangle{30, low, legendAt, figureHeight - 100}))
	legend.Draw(f.part(rectangle{legendAt + 20, low, figureWidth - 10, figureHeight - 100}))
	return f.write(path)
}

// legendAt is where the charts end and the names of the openings begin, beside
// them: no line may lie below.
const legendAt = figureWidth - 180

// newLegend returns an empty legend in the figure's style.
func newLegend() plot.Legend {
	l := plot.NewLegend()
	l.TextStyle = style(13, false, ink)
	l.Top, l.Left = true, true
	l.Padding = 3
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

// curve is a line through (x, y), divided by their units, in the i-th colour.
func curve(x, y []float64, xUnit, yUnit float64, i int) (*plotter.Line, error) {
	points := make(plotter.XYs, len(x))
	for k := range points {
		points[k] = plotter.XY{X: x[k] / xUnit, Y: y[k] / yUnit}
	}
	line, err := plotter.NewLine(points)
	if err != nil {
		return nil, err
	}
	line.Width, line.Color = 2, ownerColour(i).rgba()
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
