package balancebench

import (
	"fmt"
	"slices"
	"strconv"

	"carina/balance"
	"carina/internal/palette"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// curve is a line of a plot.
type curve struct {
	name string
	xys  plotter.XYs
	like string // the curve whose colour it has; it is dashed then
}

// savePlot draws curves over ranks, on a logarithmic axis, into a PNG file.
func savePlot(path, title, y string, logarithmic bool, curves []curve) error {
	p := plot.New()
	p.Title.Text = title
	p.X.Label.Text = "ranks"
	p.Y.Label.Text = y
	p.X.Scale = plot.LogScale{}
	p.X.Tick.Marker = rankTicks(curves)
	if logarithmic {
		p.Y.Scale = plot.LogScale{}
		p.Y.Tick.Marker = plot.LogTicks{Prec: -1}
	} else {
		p.Y.Min = 0
	}
	p.Legend.Top = !logarithmic
	p.Legend.TextStyle.Font.Size = vg.Points(8)
	drawn := 0
	colours := make(map[string]int)
	for _, c := range curves {
		if len(c.xys) == 0 {
			continue
		}
		line, points, err := plotter.NewLinePoints(c.xys)
		if err != nil {
			return fmt.Errorf("plotting %s: %w", path, err)
		}
		colour, measured := colours[c.like]
		if !measured {
			colour = len(colours)
			colours[c.name] = colour
		} else {
			line.Dashes = plotutil.Dashes(1)
		}
		line.Color = palette.Lines[colour%len(palette.Lines)]
		points.Color, points.Shape = line.Color, draw.CircleGlyph{}
		p.Add(line, points)
		p.Legend.Add(c.name, line, points)
		drawn++
	}
	if drawn == 0 {
		return nil
	}
	if !logarithmic {
		p.Y.Max *= 1.3 // room for the legend
	}
	widen(&p.X)
	if logarithmic {
		widen(&p.Y)
	}
	p.Add(plotter.NewGrid())
	image, err := p.WriterTo(18*vg.Centimeter, 12*vg.Centimeter, "png")
	if err != nil {
		return fmt.Errorf("plotting %s: %w", path, err)
	}
	return writeFile(path, func(w writer) error {
		_, err := image.WriteTo(w)
		return err
	})
}

// rankTicks are at the numbers of ranks that curves have points for.
func rankTicks(curves []curve) plot.ConstantTicks {
	var ranks []float64
	for _, c := range curves {
		for _, point := range c.xys {
			ranks = append(ranks, point.X)
		}
	}
	slices.Sort(ranks)
	var ticks plot.ConstantTicks
	for _, r := range slices.Compact(ranks) {
		ticks = append(ticks, plot.Tick{Value: r, Label: strconv.FormatFloat(r, 'f', -1, 64)})
	}
	return ticks
}

// widen makes room on a logarithmic axis about a single value: what is there by
// default may reach to zero.
func widen(axis *plot.Axis) {
	if axis.Min == axis.Max {
		axis.Min, axis.Max = axis.Min/2, axis.Max*2
	}
}

// coloured returns the curve in the colour of another, dashed.
func (c curve) coloured(like string) curve {
	c.like = like
	return c
}

// bestByRanks makes a curve of the rows that match with the shortest steps.
func bestByRanks(name string, rows []Row, match func(r *Row) bool, step, value func(r *Row) float64) curve {
	c := curve{name: name}
	for _, p := range ranksOf(rows) {
		if r := fastestBy(step, rows, func(r *Row) bool { return r.Ranks == p && match(r) }); r != nil && value(r) > 0 {
			c.xys = append(c.xys, plotter.XY{X: float64(p), Y: value(r)})
		}
	}
	return c
}

// plotRates draws speed over ranks in a layout with whole cuboids (the source's
// figures 5.7, 5.8, 5.13 to 5.15).
func plotRates(path, name string, rows []Row, layout balance.Layout) error {
	rows = slices.DeleteFunc(slices.Clone(rows), func(r Row) bool { return r.Layout != layout })
	predicted := func(r *Row) float64 { return r.rate(r.Predicted) }
	measured := func(r *Row) float64 { return r.rate(r.Measured) }
	strategy := func(decompose, balancer string) func(r *Row) bool {
		return func(r *Row) bool {
			return r.Strategy.Plain && r.Strategy.Decompose == decompose && r.Strategy.Balance == balancer
		}
	}
	return savePlot(path, fmt.Sprintf("%s, %s layout", name, layout), "MLUP/s per rank, best k", false, []curve{
		bestByRanks("regular + linear (traditional)", rows, isTraditional, predictedStep, predicted),
		bestByRanks("regular + graph", rows, strategy("regular", "graph"), predictedStep, predicted),
		bestByRanks("octree + graph", rows, strategy("octree", "graph"), predictedStep, predicted),
		bestByRanks("shrink + lpt", rows, strategy("shrink", "lpt"), predictedStep, predicted),
		bestByRanks("shrink + graph", rows, isShrunk, predictedStep, predicted),
		bestByRanks("ours", rows, isOurs, predictedStep, predicted),
		bestByRanks("traditional, measured", rows, wasMeasured(isTraditional), measuredStep, measured).coloured("regular + linear (traditional)"),
		bestByRanks("shrink + graph, measured", rows, wasMeasured(isShrunk), measuredStep, measured).coloured("shrink + graph"),
		bestByRanks("ours, measured", rows, wasMeasured(isOurs), measuredStep, measured).coloured("ours"),
	})
}

// plotBytes draws what all ranks send over ranks, for every balancer on
// bricks.
func plotBytes(path, name string, rows []Row) error {
	var curves []curve
	for _, s := range sparseStrategies {
		curves = append(curves, bestByRanks(s.Balance+map[bool]string{true: ", improved"}[s.Improve], rows, func(r *Row) bool {
			return r.Layout == balance.Sparse && sameStrategy(r.Strategy, s)
		}, predictedStep, func(r *Row) float64 { return float64(r.Bytes) / 1e6 }))
	}
	return savePlot(path, name+", bricks", "MB per step, all ranks", true, slices.Clip(curves))
}
