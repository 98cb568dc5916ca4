package airflow

import (
	"fmt"
	"math"

	"carina/geometry"
	"carina/solver"
	"carina/solver/airflow/kernel"
	"carina/solver/airflow/opening"
	"carina/solver/airflow/steadiness"
	"carina/solver/transport"
)

// steadyWatch finds out whether a flow that enters and leaves nowhere has become
// steady, from a sample of the cells: every SampleStride-th.
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

// rankWatch watches the flow of a rank, by its openings or by its velocity.
type rankWatch struct {
	*steadyWatch
	still       *steadiness.Watch // nil where the velocity is watched
	rank        *Rank
	flows       []float64 // room for those through openings
	least, last float64   // steps, see Plan.Least
}

// newWatch watches for a plan of so many steps more.
func (r *Rank) newWatch(plan *Plan, steps int64) *rankWatch {
	first := r.engine.Steps()
	tolerance := plan.watchTolerance()
	w := &rankWatch{still: r.still, rank: r, flows: make([]float64, len(r.sums)/2), least: math.Inf(1), last: float64(first + steps)}
	if plan.Least > 0 && plan.Tolerance > 0 {
		w.least = float64(first-plan.resumed) + plan.leastSteps(r.units.TimeStep, r.startSteps())
	}
	if w.still != nil {
		w.still.Begin(tolerance)
		tolerance = 0
	}
	if anew := newSteadyWatch(first, r.rampSteps, r.crossing(), tolerance); r.watch == nil || !r.watch.goesOn(anew) {
		r.watch = anew
	}
	if w.steadyWatch = r.watch; plan.Tolerance <= 0 {
		r.watch.postpone(first + steps)
	}
	return w
}

// done tells whether the flow was found steady before.
func (w *rankWatch) done() bool {
	if w.still != nil {
		return w.still.Done()
	}
	return w.steady()
}

// change is the largest relative error of what is known, or the change of the
// velocity; NaN while it is not known.
func (w *rankWatch) change() float64 {
	if w.still == nil || w.still.Tolerance <= 0 {
		return w.Change
	}
	worst, _ := w.still.Worst()
	return worst * w.still.Tolerance
}

// compare takes a sample, if it is time for one, and tells whether the flow is steady,
// given the largest velocity. All ranks agree.
func (w *rankWatch) compare(peak float64) (bool, error) {
	r := w.rank
	if w.still != nil && w.still.Tolerance > 0 {
		return w.sample()
	}
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
		r.eachWindow(int32(i), r.workspaces[0], func(p *solver.Piece, cell, lane, count int32, m *kernel.Moments) {
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

// newStillWatch watches a flow by its openings; nil where nothing flows through them, or
// a waveform changes the flow without a period.
func (r *Rank) newStillWatch() *steadiness.Watch {
	f := steadiness.Flow{Period: r.settings.Period() / r.units.TimeStep, Interval: checkInterval, Crossing: r.crossing(), Cells: float64(r.domain.CellCount()),
		Viscosity: (r.units.RelaxationTime() - 0.5) / 3}
	if math.IsNaN(f.Period) {
		return nil
	}
	if f.Period == 0 {
		f.Begin = r.rampSteps
	}
	for i, o := range r.domain.Grid.Openings {
		number := 0
		if r.faces.Areas[i] > 0 && r.settings.Conditions[o.Number].Kind != opening.MovingWall {
			number, f.Widest = o.Number, max(f.Widest, r.faces.Areas[i])
		}
		f.Openings = append(f.Openings, number)
	}
	return steadiness.New(f)
}

// sample takes a sample of the flow through the openings and tells whether the
// computation is to end. All ranks agree.
func (w *rankWatch) sample() (bool, error) {
	r := w.rank
	steps := r.engine.Steps()
	if w.still.Waits(steps) {
		return false, nil
	}
	if err := r.sumOpenings(); err != nil {
		return false, err
	}
	drop := r.dropNow(w.flows)
	return w.still.Sample(steps, drop, w.flows, w.least, w.last), nil
}

// dropNow is the pressure drop in lattice units, after sumOpenings, and sets what
// enters through each opening.
func (r *Rank) dropNow(flows []float64) float64 {
	var area, pressure [2]float64
	states := r.kernel.Openings()
	for i := range flows {
		o := &r.domain.Grid.Openings[i]
		flows[i] = fromFixed(-r.sums[2*i])
		if r.faces.Areas[i] == 0 {
			continue
		}
		side := 0
		if o.Role != geometry.Inlet {
			side = 1
		}
		area[side] += o.Area
		pressure[side] += o.Area * states.List[i].MeanDensity(fromFixed(r.sums[2*i+1]))
	}
	for side := range 2 {
		if area[side] > 0 {
			pressure[side] /= area[side]
		}
	}
	return pressure[0] - pressure[1]
}
