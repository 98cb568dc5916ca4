package solver

import (
	"fmt"
	"math"

	"carina/solver/transport"
)

// steadyWatch finds out whether a flow has become steady, from a sample of
// the cells.
type steadyWatch struct {
	rank      *Rank
	tolerance float64
	interval  int64 // steps between looks
	next      int64
	before    map[int64][3]float64 // velocity by global number
	change    float64
	quiet     int // looks in a row with a change below the tolerance
}

// Every sampleStride-th cell is looked at.
const sampleStride = 61

func newSteadyWatch(r *Rank, tolerance float64) *steadyWatch {
	w := &steadyWatch{rank: r, tolerance: tolerance, change: math.NaN()}
	w.interval = int64(math.Ceil(r.crossing()/checkInterval)) * checkInterval
	// A flow that has not quite started changes little.
	w.next = r.steps + int64(r.rampSteps) + w.interval
	return w
}

// look compares with the last look and tells whether the flow is steady. All
// ranks agree.
func (w *steadyWatch) look() (bool, error) {
	if w.tolerance <= 0 || w.rank.steps < w.next {
		return false, nil
	}
	w.next = w.rank.steps + w.interval
	r := w.rank
	now := map[int64][3]float64{}
	var sums [2]int64
	for i := range r.layout.chunks {
		r.eachCell(&r.layout.chunks[i], r.pool.workspaces[0], func(cell int32, _ float64, u [3]float64) {
			global := r.layout.globalNumber(cell)
			if global%sampleStride != 0 {
				return
			}
			now[global] = u
			if old, ok := w.before[global]; ok {
				for a := range 3 {
					sums[0] += toFixed((u[a] - old[a]) * (u[a] - old[a]))
					sums[1] += toFixed(u[a] * u[a])
				}
			}
		})
	}
	w.before = now
	if err := r.transport.Reduce(transport.Sum, sums[:]); err != nil {
		return false, fmt.Errorf("comparing the flow with before: %w", err)
	}
	if sums[1] == 0 {
		return false, nil
	}
	w.change = math.Sqrt(float64(sums[0]) / float64(sums[1]))
	if w.change >= w.tolerance {
		w.quiet = 0
		return false, nil
	}
	w.quiet++
	return w.quiet >= 2, nil
}
