package airflow

import (
	"fmt"
	"math"

	"carina/solver"
	"carina/solver/airflow/update"
	"carina/solver/transport"
)

// steadyWatch finds out whether a flow has become steady, from a sample of the
// cells: every SampleStride-th.
type steadyWatch struct {
	// Change is the relative change of the velocity between the last two samples,
	// NaN while it is not known.
	Change float64

	tolerance float64
	interval  int64 // steps between samples
	next      int64
	quiet     int     // samples in a row with a change below the tolerance
	judged    int     // samples that had one before them to compare with
	previous  float64 // Change at the sample before the last
}

// SampleStride is the distance of the cells that a steadyWatch samples, by
// global number.
const SampleStride = 61

// newSteadyWatch begins after so many steps. Sound crosses the domain in
// crossing steps.
func newSteadyWatch(steps int64, rampSteps, crossing, tolerance float64) *steadyWatch {
	w := &steadyWatch{tolerance: tolerance, Change: math.NaN()}
	w.interval = int64(math.Ceil(crossing/checkInterval)) * checkInterval
	// A flow that has not quite started changes little.
	w.next = steps + int64(rampSteps) + w.interval
	return w
}

// goesOn tells whether the watch is one of the same kind as another, which begins anew.
func (w *steadyWatch) goesOn(another *steadyWatch) bool {
	return w.tolerance > 0 && w.tolerance == another.tolerance && w.interval == another.interval
}

// steady tells whether the flow was found steady at the last sample.
func (w *steadyWatch) steady() bool { return w.quiet >= 2 }

// postpone lets the watch begin only shortly before the last step, where it is
// not to end the computation: samples take time.
func (w *steadyWatch) postpone(last int64) {
	const samples = 4
	w.next = max(w.next, last-(samples-1)*w.interval)
}

// due tells whether it is time for a sample after so many steps.
func (w *steadyWatch) due(steps int64) bool {
	if w.tolerance <= 0 || steps < w.next {
		return false
	}
	w.next = steps + w.interval
	return true
}

// judge takes the sums over the sampled cells of the squared change of the
// velocity since the last sample and of the squared velocity, in fixed point,
// both zero at the first sample, and tells whether the flow is steady: whether
// the change was below the tolerance twice in a row.
func (w *steadyWatch) judge(change, square int64) bool {
	if square == 0 {
		return false
	}
	w.judged++
	w.previous = w.Change
	w.Change = math.Sqrt(float64(change) / float64(square))
	if w.Change >= w.tolerance {
		w.quiet = 0
		return false
	}
	w.quiet++
	return w.steady()
}

// outcome tells whether the flow is steady and by how much the velocity changed
// between samples, the larger of the last two changes; nil where that is not
// known.
func (w *steadyWatch) outcome() (steady *bool, change *float64) {
	if w == nil || w.judged == 0 {
		return nil, nil
	}
	quiet, last := w.steady(), w.Change
	if w.judged > 1 {
		last = max(last, w.previous)
	}
	if w.judged == 1 && w.quiet == 1 {
		return nil, &last
	}
	return &quiet, &last
}

// rankWatch is a steadyWatch with the rank's samples.
type rankWatch struct {
	*steadyWatch
	rank *Rank
}

// compare takes a sample, compares it with the last one and tells whether the flow is
// steady, given the largest velocity. All ranks agree.
func (w *rankWatch) compare(peak float64) (bool, error) {
	r := w.rank
	if !w.due(r.engine.Steps()) {
		return false, nil
	}
	change, square, err := r.kernel.Compare(compareScale(peak))
	if err != nil {
		return false, fmt.Errorf("comparing the flow with before: %w", err)
	}
	sums := []int64{change, square}
	if err := r.engine.Transport().Reduce(transport.Sum, sums); err != nil {
		return false, fmt.Errorf("comparing the flow with before: %w", err)
	}
	return w.judge(sums[0], sums[1]), nil
}

// compareScale is a power of two that brings the largest velocity to between 1/16 and
// 1/8, where squares of its changes have digits in fixed point and sums of squares have
// room; or as near to that as single precision allows.
func compareScale(peak float64) float64 {
	const wanted, largest = -3, 64
	if peak == 0 {
		return 1
	}
	_, exponent := math.Frexp(peak)
	return math.Ldexp(1, min(wanted-exponent, largest))
}

// Compare compares a sample of the velocity with the one before.
func (r *bound) Compare(scale float64) (change, square int64, err error) {
	now := map[int64][3]float64{}
	for i := range r.layout.Blocks {
		r.eachWindow(int32(i), r.workspaces[0], func(p *solver.Piece, cell, lane, count int32, m *update.Moments) {
			for k := range count {
				global := p.Global + int64(cell+k-p.Local)
				if global%SampleStride != 0 {
					continue
				}
				u := [3]float64{m.Velocity[0][lane+k], m.Velocity[1][lane+k], m.Velocity[2][lane+k]}
				now[global] = u
				if old, ok := r.before[global]; ok {
					for a := range 3 {
						difference, size := scale*(u[a]-old[a]), scale*u[a]
						change += toFixed(difference * difference)
						square += toFixed(size * size)
					}
				}
			}
		})
	}
	r.before = now
	return change, square, nil
}
