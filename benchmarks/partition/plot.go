package partitionbench

import (
	"fmt"
	"math"

	"carina/internal/palette"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

// widestRatio is where the performance profile ends.
const widestRatio = 1.3

// Plot draws the performance profile: for every tool the share of cases in
// which its cut is within a factor of the best tool's. The file's ending
// chooses the format (png, svg, pdf).
func (r *Report) Plot(path string) error {
	p := plot.New()
	p.Title.Text = "Edge cut: share of cases within a factor of the best"
	p.X.Label.Text = "cut / best cut"
	p.Y.Label.Text = "share of cases"
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 1, widestRatio, 0, 1
	p.Legend.Top = false
	for i, name := range r.tools() {
		line, err := plotter.NewLine(steps(r.profile(name)))
		if err != nil {
			return fmt.Errorf("drawing the profile of %s: %w", name, err)
		}
		line.LineStyle = palette.Line(i)
		line.StepStyle = plotter.PostStep
		p.Add(line)
		p.Legend.Add(name, line)
	}
	p.Add(plotter.NewGrid())
	if err := p.Save(16*vg.Centimeter, 11*vg.Centimeter, path); err != nil {
		return fmt.Errorf("writing the performance profile: %w", err)
	}
	return nil
}

// steps turns sorted ratios into the corners of their distribution.
func steps(ratios []float64) plotter.XYs {
	points := plotter.XYs{{X: 1, Y: 0}}
	for i, x := range ratios {
		if math.IsInf(x, 1) || x > widestRatio {
			break
		}
		points = append(points, plotter.XY{X: x, Y: float64(i+1) / float64(len(ratios))})
	}
	return append(points, plotter.XY{X: widestRatio, Y: points[len(points)-1].Y})
}
