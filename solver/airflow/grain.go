package airflow

import (
	"fmt"
	"math"

	"carina/geometry"
	"carina/solver/transport"
)

// grainCells is the number of cells up to which a summary tells the grain,
// which needs the fields of all cells in one place.
const grainCells = 20_000_000

// Grain tells how smooth the velocity of gathered fields is: the root mean
// square of its second differences along the axes over that of its first ones,
// over the cells with both neighbours. Flow that is resolved has less than one,
// and noise from cell to cell up to two. It is 0 where air rests everywhere.
func Grain(grid *geometry.Grid, f *Fields) float64 {
	var sums grainSums
	starts := grid.Starts()
	rows := newRowFinder(grid)
	for i, r := range grid.Runs {
		for x := r.X0 + 1; x < r.X1-1; x++ {
			at := starts[i] + int64(x-r.X0)
			sums.add(f, at-1, at, at+1)
		}
		sums.across(f, rows, r, starts, i, rows.row(r.Y-1, r.Z), rows.row(r.Y+1, r.Z))
		sums.across(f, rows, r, starts, i, rows.row(r.Y, r.Z-1), rows.row(r.Y, r.Z+1))
	}
	if sums.first == 0 {
		return 0
	}
	// Every cell has two first differences for each second one.
	return math.Sqrt(2 * sums.second / sums.first)
}

// grainSums are the sums of squared differences.
type grainSums struct{ first, second float64 }

// add adds the differences at a cell between two neighbours.
func (s *grainSums) add(f *Fields, low, at, high int64) {
	for a := range 3 {
		u := f.Velocity[a]
		down, up := float64(u[at]-u[low]), float64(u[high]-u[at])
		s.first += down*down + up*up
		s.second += (up - down) * (up - down)
	}
}

// across adds the differences at the cells of run i to neighbours in the rows
// below and above it.
func (s *grainSums) across(f *Fields, rows *rowFinder, r geometry.Run, starts []int64, i int, below, above []int) {
	for _, b := range below {
		low := rows.runs[b]
		for _, c := range above {
			high := rows.runs[c]
			for x := max(r.X0, low.X0, high.X0); x < min(r.X1, low.X1, high.X1); x++ {
				s.add(f, starts[b]+int64(x-low.X0), starts[i]+int64(x-r.X0), starts[c]+int64(x-high.X0))
			}
		}
	}
}

// rowFinder finds the runs of a row.
type rowFinder struct {
	runs []geometry.Run
	rows map[[2]int32][]int
}

func newRowFinder(grid *geometry.Grid) *rowFinder {
	f := &rowFinder{runs: grid.Runs, rows: make(map[[2]int32][]int)}
	for i, r := range grid.Runs {
		key := [2]int32{r.Y, r.Z}
		f.rows[key] = append(f.rows[key], i)
	}
	return f
}

// row lists the numbers of the runs of a row.
func (f *rowFinder) row(y, z int32) []int { return f.rows[[2]int32{y, z}] }

// grain is that of the flow in all cells, or nil where they are too many. Call
// it on all ranks; all get the same.
func (r *Rank) grain() (*float64, error) {
	if r.domain.CellCount() > grainCells {
		return nil, nil
	}
	fields, err := r.Gather()
	if err != nil {
		return nil, fmt.Errorf("measuring the grain: %w", err)
	}
	// Non-negative numbers are in the order of their bits.
	bits := []int64{0}
	if fields != nil {
		bits[0] = int64(math.Float64bits(Grain(r.domain.Grid, fields)))
	}
	if err := r.engine.Transport().Reduce(transport.Max, bits); err != nil {
		return nil, fmt.Errorf("measuring the grain: %w", err)
	}
	grain := math.Float64frombits(uint64(bits[0]))
	return &grain, nil
}
