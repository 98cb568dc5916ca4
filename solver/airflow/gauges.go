package airflow

import (
	"fmt"
	"math"
	"sort"

	"carina/geometry"
	"carina/solver"
	"carina/solver/transport"

	"gonum.org/v1/gonum/spatial/r3"
)

// Gauge is where the flow is measured: the cell that holds Center; with a radius the layer
// of cells within half a spacing of the disc across Normal; or Cells, by ascending global
// numbers, where they are not nil.
type Gauge struct {
	Center, Normal r3.Vec
	Radius         float64
	Cells          []int64
}

// In is how many cells of a grid a gauge without Cells has.
func (g *Gauge) In(grid *geometry.Grid) (cells int) {
	if g.Radius <= 0 {
		c := r3.Scale(1/grid.Spacing, r3.Sub(g.Center, grid.Origin))
		if newCellFinder(grid).number(int32(math.Floor(c.X)), int32(math.Floor(c.Y)), int32(math.Floor(c.Z))) >= 0 {
			cells = 1
		}
		return cells
	}
	plane := disc{g.Center, r3.Unit(g.Normal), g.Radius, grid.Spacing}
	for _, run := range grid.Runs {
		for x := run.X0; x < run.X1; x++ {
			if plane.holds(grid.Center(x, run.Y, run.Z)) {
				cells++
			}
		}
	}
	return cells
}

// Reading is what a gauge shows.
type Reading struct {
	// Cells is how many it has; nothing else is known where it has none.
	Cells int64
	// Pressure in Pa and Velocity in m/s are means over the cells. Flow, in m³/s, is along
	// the normal through a disc.
	Pressure float64
	Velocity r3.Vec
	Flow     float64
}

// Gauges are those of one rank. They follow cells that change owner.
type Gauges struct {
	list   []Gauge
	layout *solver.Layout // of which cells and of are
	// cells are the rank's own of all gauges, of tells whose.
	cells []int32
	of    []int
	sums  []int64
}

// gaugeSums are the number of cells, the pressure and the velocity.
const gaugeSums = 5

// NewGauges makes gauges of a rank.
func NewGauges(list []Gauge) *Gauges {
	return &Gauges{list: list, sums: make([]int64, gaugeSums*len(list))}
}

// find finds the rank's own cells.
func (g *Gauges) find(r *Rank) {
	g.layout, g.cells, g.of = r.layout, g.cells[:0], g.of[:0]
	add := func(gauge int, cell int32) { g.cells, g.of = append(g.cells, cell), append(g.of, gauge) }
	pieces := r.layout.Pieces
	spacing := r.domain.Grid.Spacing
	for i := range g.list {
		one := &g.list[i]
		switch {
		case one.Cells != nil:
			at := 0
			for _, global := range one.Cells {
				for at < len(pieces) && pieces[at].Global+int64(pieces[at].Cells()) <= global {
					// Lists are short and far apart, or dense.
					rest := pieces[at+1:]
					at += 1 + sort.Search(len(rest), func(k int) bool { return rest[k].Global+int64(rest[k].Cells()) > global })
				}
				if at < len(pieces) && pieces[at].Global <= global {
					add(i, pieces[at].Index+int32(global-pieces[at].Global))
				}
			}
		case one.Radius > 0:
			plane := disc{one.Center, r3.Unit(one.Normal), one.Radius, spacing}
			for _, p := range pieces {
				for x := p.X0; x < p.X1; x++ {
					if plane.holds(r.domain.Grid.Center(x, p.Y, p.Z)) {
						add(i, p.Index+x-p.X0)
					}
				}
			}
		default:
			if cell := r.ownCell(one.Center); cell >= 0 {
				add(i, cell)
			}
		}
	}
}

// Read measures all gauges. Call it on all ranks after an even number of steps; all get
// the same, whoever owns the cells.
func (r *Rank) Read(g *Gauges) ([]Reading, error) {
	if g.layout != r.layout {
		g.find(r)
	}
	clear(g.sums)
	f, err := r.kernel.FieldsAt(g.cells)
	if err := transport.Agree(r.engine.Transport(), err); err != nil {
		return nil, fmt.Errorf("measuring the flow: %w", err)
	}
	ambient := float32(r.ambientAfter(r.engine.Steps()))
	pressure, velocity := r.units.Pressure(), r.units.Velocity()
	for k, gauge := range g.of {
		sum := g.sums[gaugeSums*gauge:]
		sum[0]++
		sum[1] += toFixed(float64(f.Pressure[k]-ambient) / pressure)
		for a := range 3 {
			sum[2+a] += toFixed(float64(f.Velocity[a][k]) / velocity)
		}
	}
	if err := r.engine.Transport().Reduce(transport.Sum, g.sums); err != nil {
		return nil, fmt.Errorf("measuring the flow: %w", err)
	}
	readings := make([]Reading, len(g.list))
	for i := range readings {
		sum, one := g.sums[gaugeSums*i:], &readings[i]
		if one.Cells = sum[0]; sum[0] == 0 {
			continue
		}
		n := float64(sum[0])
		one.Pressure = fromFixed(sum[1])*pressure/n + float64(ambient)
		one.Velocity = r3.Scale(velocity/n, r3.Vec{X: fromFixed(sum[2]), Y: fromFixed(sum[3]), Z: fromFixed(sum[4])})
		if gauge := &g.list[i]; gauge.Radius > 0 {
			area := n * r.units.Spacing * r.units.Spacing
			one.Flow = area * r3.Dot(one.Velocity, r3.Unit(gauge.Normal))
		}
	}
	return readings, nil
}

// fixedPoint is the scale in which reals are summed over cells and ranks as integers,
// so that the order does not matter. It leaves room for sums up to 2^19.
const fixedPoint = 1 << 44

// toFixed returns a number in fixed point, as an integer: sums of these do not
// depend on the order.
func toFixed(v float64) int64 { return int64(math.RoundToEven(v * fixedPoint)) }

// fromFixed is the number that toFixed made an integer of.
func fromFixed(v int64) float64 { return float64(v) / fixedPoint }
