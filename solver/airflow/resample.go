package airflow

import (
	"cmp"
	"math"
	"sort"

	"carina/geometry"

	"gonum.org/v1/gonum/spatial/r3"
)

// Resampled is a flow on the cells of a grid, for another grid of the same lumen to go
// on from: its methods are Settings.Initial and Settings.InitialStrain.
type Resampled struct {
	grid   *geometry.Grid
	starts []int64
	fields *Fields
	strain [6][]float32
	// open are the cells at openings, beside which air goes on.
	open map[int64]bool
}

// NewResampled takes pressure and velocity of all cells and, unless its slices are
// nil, their rate of strain as Rank.StrainRate returns it.
func NewResampled(grid *geometry.Grid, f *Fields, strain [6][]float32) *Resampled {
	r := &Resampled{grid: grid, starts: grid.Starts(), fields: f, strain: strain, open: map[int64]bool{}}
	links := &grid.Links
	for _, o := range links.Openings {
		r.open[links.Cell(links.CellOf(o.Link))] = true
	}
	return r
}

// corner is a cell around a position with its weight.
type corner struct {
	cell   int64
	weight float64
}

// around lists the cells of the eight around a position that are in the lumen, and
// the weight of those that are not, behind the wall.
func (r *Resampled) around(position r3.Vec) (list []corner, behind float64) {
	p := r3.Scale(1/r.grid.Spacing, r3.Sub(position, r.grid.Origin))
	var low [3]int32
	var part [3]float64
	for a, v := range [3]float64{p.X - 0.5, p.Y - 0.5, p.Z - 0.5} {
		floor := math.Floor(v)
		low[a], part[a] = int32(floor), v-floor
	}
	open := false
	for k := range 8 {
		weight, at := 1.0, low
		for a := range 3 {
			if k>>a&1 == 1 {
				at[a]++
				weight *= part[a]
			} else {
				weight *= 1 - part[a]
			}
		}
		if weight == 0 {
			continue
		}
		if cell := r.cell(at); cell >= 0 {
			list = append(list, corner{cell, weight})
			open = open || r.open[cell]
		} else {
			behind += weight
		}
	}
	if open {
		behind = 0
	}
	if len(list) == 0 {
		list = append(list, corner{r.nearest(position, low), 1})
	}
	return list, behind
}

// cell is the number of a cell, −1 where it is not in the lumen.
func (r *Resampled) cell(at [3]int32) int64 {
	runs := r.grid.Runs
	after := sort.Search(len(runs), func(i int) bool {
		run := &runs[i]
		return cmp.Or(cmp.Compare(run.Z, at[2]), cmp.Compare(run.Y, at[1]), cmp.Compare(run.X0, at[0])) > 0
	})
	if after == 0 {
		return -1
	}
	run := &runs[after-1]
	if run.Z != at[2] || run.Y != at[1] || at[0] >= run.X1 {
		return -1
	}
	return r.starts[after-1] + int64(at[0]-run.X0)
}

// nearest is the nearest cell within some cells of a position, or the first of all.
func (r *Resampled) nearest(position r3.Vec, low [3]int32) int64 {
	const reach = 3
	best, distance := int64(0), math.Inf(1)
	for z := low[2] - reach; z <= low[2]+reach+1; z++ {
		for y := low[1] - reach; y <= low[1]+reach+1; y++ {
			for x := low[0] - reach; x <= low[0]+reach+1; x++ {
				if cell := r.cell([3]int32{x, y, z}); cell >= 0 {
					if d := r3.Norm2(r3.Sub(r.grid.Center(x, y, z), position)); d < distance {
						best, distance = cell, d
					}
				}
			}
		}
	}
	return best
}

// Initial is the pressure, in Pa, and the velocity, in m/s, at a position: linear
// between cells, and towards walls with air at rest behind them.
func (r *Resampled) Initial(position r3.Vec) (pressure float64, velocity r3.Vec) {
	list, behind := r.around(position)
	var sum float64
	for _, c := range list {
		sum += c.weight
		pressure += c.weight * float64(r.fields.Pressure[c.cell])
		v := &r.fields.Velocity
		velocity = r3.Add(velocity, r3.Scale(c.weight, r3.Vec{X: float64(v[0][c.cell]), Y: float64(v[1][c.cell]), Z: float64(v[2][c.cell])}))
	}
	return pressure / sum, r3.Scale(1/(sum+behind), velocity)
}

// InitialStrain is the rate of strain at a position, in 1/s.
func (r *Resampled) InitialStrain(position r3.Vec) (strain [6]float64) {
	if r.strain[0] == nil {
		return strain
	}
	list, _ := r.around(position)
	var sum float64
	for _, c := range list {
		sum += c.weight
		for k := range strain {
			strain[k] += c.weight * float64(r.strain[k][c.cell])
		}
	}
	for k := range strain {
		strain[k] /= sum
	}
	return strain
}
