package thermalbench

import (
	"fmt"
	"io"
	"math"
	"strings"

	"carina/balance"
	"carina/geometry/generate"
	"carina/internal/atomicfile"
	"carina/internal/palette"
	"carina/solver"
	"carina/solver/thermal"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

// Box is what ranks share: cells along x and y, periodic along both. A row of a rank takes Row
// seconds besides its cells.
type Box struct{ Width, Height, Row float64 }

// reach is how many rows populations cross.
const reach = 3

// side is how many bytes cross a face across an axis for every cell along it, one way.
func side(cost *balance.Cost, axis int) (bytes float64) {
	for _, r := range cost.Reaches {
		if n := [3]int8{r.Offset.X, r.Offset.Y, r.Offset.Z}[axis]; n > 0 {
			bytes += float64(int(n) * r.Values * cost.BytesPerPopulation)
		}
	}
	return bytes
}

// Step is the time of a step on columns × rows ranks with one message to each neighbour, which
// go on while cells inside are computed, and after which those at borders are. With one column
// it is the model of Calore and others for cuts in one direction.
func (b Box) Step(cost *balance.Cost, columns, rows float64) float64 {
	w, h := b.Width/columns, b.Height/rows
	border := 0.0
	if rows > 1 {
		border += 2 * reach * w
	}
	if columns > 1 {
		border += 2 * reach * h
		if rows > 1 {
			border -= 4 * reach * reach
		}
	}
	cell := cost.Fluid + b.Row/w
	return math.Max((w*h-border)*cell, b.exchange(cost, columns, rows)) + border*cell
}

// Turns is the time of a step on ranks that are as many as cores or more: these take turns, and
// what messages take is hidden behind no cells.
func (b Box) Turns(cost *balance.Cost, columns, rows, cores float64) float64 {
	rank := b.Width/columns*b.Height/rows*cost.Fluid + b.Height/rows*b.Row + b.exchange(cost, columns, rows)
	return columns * rows / cores * rank
}

// exchange is what the messages of a rank take.
func (b Box) exchange(cost *balance.Cost, columns, rows float64) float64 {
	messages := 0.0
	if rows > 1 {
		messages += 2
	}
	if columns > 1 {
		messages += 2
	}
	if messages == 0 {
		return 0
	}
	if rows > 1 && columns > 1 {
		messages += 4
	}
	return b.bytes(cost, columns, rows)*cost.Inside.SecondsPerByte + cost.Inside.Latency + messages*cost.Inside.Overhead
}

// bytes are what a rank sends in a step.
func (b Box) bytes(cost *balance.Cost, columns, rows float64) (sum float64) {
	if rows > 1 {
		sum += 2 * b.Width / columns * side(cost, 1)
	}
	if columns > 1 {
		sum += 2 * b.Height / rows * side(cost, 0)
	}
	return sum
}

// Tiles is the fastest step of so many ranks in columns and rows of more than one each, 0
// where their number has none.
func (b Box) Tiles(cost *balance.Cost, ranks int) (best float64) {
	for columns := 2; columns <= ranks/2; columns++ {
		if ranks%columns == 0 {
			if step := b.Step(cost, float64(columns), float64(ranks/columns)); best == 0 || step < best {
				best = step
			}
		}
	}
	return best
}

// Crossover is the least power of two of ranks on which tiles are faster than stripes, 0 where
// none is up to a limit.
func (b Box) Crossover(cost *balance.Cost, limit int) int {
	for ranks := 4; ranks <= limit; ranks *= 2 {
		if tiles := b.Tiles(cost, ranks); tiles < b.Step(cost, 1, float64(ranks)) {
			return ranks
		}
	}
	return 0
}

// gpuCost is what a step is assumed to cost on GPUs that move 0.8 of 4.27 TB/s.
func gpuCost() *balance.Cost {
	gas := &thermal.Gas{Tau: 1}
	cost := solver.CostOf(gas, 0.8*4.27e12, solver.WholeDomain(generate.FullGrid([3]int32{1, 1, 1})))
	cost.Inside = balance.GPUCost().Inside
	return cost
}

// mostRanks is up to how many ranks steps are predicted.
const mostRanks = 1024

// drawCuts draws the speed-up of stripes and tiles that is predicted.
func (b Box) drawCuts(path string, cost *balance.Cost) error {
	p := plot.New()
	p.Title.Text = fmt.Sprintf("Predicted: %g × %g cells in stripes and tiles", b.Width, b.Height)
	p.X.Label.Text, p.Y.Label.Text = "ranks", "speed-up"
	p.X.Scale, p.X.Tick.Marker, p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, plot.LogTicks{}, plot.LogScale{}, plot.LogTicks{}
	p.Legend.Top, p.Legend.Left = true, true
	one := b.Step(cost, 1, 1)
	var stripes, tiles plotter.XYs
	for ranks := 1; ranks <= mostRanks; ranks *= 2 {
		stripes = append(stripes, plotter.XY{X: float64(ranks), Y: one / b.Step(cost, 1, float64(ranks))})
		if step := b.Tiles(cost, ranks); step > 0 {
			tiles = append(tiles, plotter.XY{X: float64(ranks), Y: one / step})
		}
	}
	for i, l := range []struct {
		name string
		xys  plotter.XYs
	}{{"stripes", stripes}, {"tiles", tiles}} {
		line, err := plotter.NewLine(l.xys)
		if err != nil {
			return fmt.Errorf("drawing stripes and tiles: %w", err)
		}
		line.Color, line.Width = palette.Lines[i], vg.Points(1.5)
		p.Add(line)
		p.Legend.Add(l.name, line)
	}
	to, err := p.WriterTo(16*vg.Centimeter, 11*vg.Centimeter, "png")
	if err != nil {
		return fmt.Errorf("drawing stripes and tiles: %w", err)
	}
	return atomicfile.Write(path, func(w io.Writer) error {
		_, err := to.WriteTo(w)
		return err
	})
}

// cutsWords are the table of predicted steps.
func (b Box) cutsWords(cost *balance.Cost) string {
	var w strings.Builder
	fmt.Fprintf(&w, "\n## Stripes and tiles, predicted\n\n%g × %g cells, %.3g ns a cell, %.3g GB/s and %.3g µs a message; nothing of this is measured.\n%s%s\n| ranks | stripes, µs | tiles, µs |\n| --- | --- | --- |\n",
		b.Width, b.Height, 1e9*cost.Fluid, 1e-9/cost.Inside.SecondsPerByte, 1e6*cost.Inside.Latency, b.crossing("", cost), b.crossing("Without latency, as in the model of the source, ", atOnce(cost)))
	for ranks := 1; ranks <= mostRanks; ranks *= 2 {
		tiles := ""
		if step := b.Tiles(cost, ranks); step > 0 {
			tiles = fmt.Sprintf("%.4g", 1e6*step)
		}
		fmt.Fprintf(&w, "| %d | %.4g | %s |\n", ranks, 1e6*b.Step(cost, 1, float64(ranks)), tiles)
	}
	return w.String()
}

// crossing says where tiles become faster than stripes.
func (b Box) crossing(first string, cost *balance.Cost) string {
	words := fmt.Sprintf("tiles are nowhere faster up to %d ranks.\n", mostRanks)
	if from := b.Crossover(cost, mostRanks); from > 0 {
		words = fmt.Sprintf("tiles are faster from %d ranks on.\n", from)
	}
	if first == "" {
		return strings.ToUpper(words[:1]) + words[1:]
	}
	return first + words
}

// atOnce is a cost whose messages begin at once.
func atOnce(cost *balance.Cost) *balance.Cost {
	c := *cost
	c.Inside.Latency, c.Inside.Overhead = 0, 0
	return &c
}
