package steadiness

import (
	"encoding/binary"
	"math"
)

const (
	// slowMode is the period, in crossings of sound, of the slowest waves in which a
	// lumen stores air: a flow that is still has been watched for as long.
	slowMode = 10
	// stillExchange is the part of an exchange of the air for which it was watched, too,
	// where that is not longer than friction takes to change the flow.
	stillExchange = 0.25
	// elapsedPart is how many windows there are at most in the time since the start, so
	// that what changes slowly is seen to change.
	elapsedPart = 8
	// friction is A/ν over the slowest time in which friction changes the flow through a
	// round section of area A: π times the square of the first zero of J₀.
	friction = math.Pi * 5.783
)

// Watch finds out when the pressure drop, the inflow and the shares of all openings are
// known within a tolerance.
type Watch struct {
	// Tolerance is relative; 0 does not watch.
	Tolerance float64

	flow    Flow
	series  *series
	list    []Known // in lattice units
	indices []int   // in the series, for each in list
	room    []float64
	quiet   int // blocks in a row with all within the tolerance
}

// Flow is what is watched, in lattice units.
type Flow struct {
	// Openings are the numbers of all openings, 0 for those that are closed.
	Openings []int
	// Period is that of the waveform, 0 without, Interval the time between samples,
	// Crossing that in which sound crosses the domain, and Begin when the start is over,
	// in steps.
	Period, Interval, Crossing, Begin float64
	// Cells are all cells, Widest is the area of the widest opening in faces, and
	// Viscosity the kinematic one in cells squared a step.
	Cells, Widest, Viscosity float64
}

// New watches a flow; nil where fewer than two openings are open.
func New(f Flow) *Watch {
	w := &Watch{flow: f}
	w.add(0, dropName, 0)
	w.add(1, inflowName, 0)
	open := 0
	for i, number := range f.Openings {
		if number > 0 {
			w.add(2+i, shareName, number)
			open++
		}
	}
	if open < 2 {
		return nil
	}
	w.series, w.room = newSeries(len(f.Openings), f.Period, f.Interval), make([]float64, 0, mostBlocks)
	return w
}

// Begin begins to watch with a tolerance, and goes on with what is known.
func (w *Watch) Begin(tolerance float64) {
	if w.Tolerance != tolerance {
		w.Tolerance, w.quiet = tolerance, 0
	}
}

// Done tells whether all has been known within the tolerance for a window.
func (w *Watch) Done() bool { return w.quiet > w.half() }

// Waits tells whether the start is not over after so many steps.
func (w *Watch) Waits(steps int64) bool { return float64(steps) < w.flow.Begin }

func (w *Watch) add(index int, name string, opening int) {
	w.list, w.indices = append(w.list, Known{Name: name, Opening: opening, How: Unknown}), append(w.indices, index)
}

// half is half the time for which the flow must be still, in blocks.
func (w *Watch) half() int {
	if w.series.period > 0 {
		return 1
	}
	steps := slowMode * w.flow.Crossing
	if inflow := w.series.inflow(); inflow > 0 {
		steps = max(steps, min(w.flow.Widest/w.flow.Viscosity/friction, stillExchange*w.flow.Cells/inflow))
	}
	return max(1, w.series.count()/elapsedPart, int(math.Ceil(min(steps/2/w.series.blockSteps(), mostBlocks))))
}

// judge judges all quantities and tells whether they are within the tolerance.
func (w *Watch) judge() bool {
	half, all := w.half(), w.series.inflow() > 0
	for i := range w.list {
		w.list[i].judge(w.series.of(w.indices[i], w.room), half, w.Tolerance)
		all = all && w.list[i].Within
	}
	return all
}

// Worst is the largest error relative to its tolerance, and whether all errors are
// known, of means where they are beyond it.
func (w *Watch) Worst() (worst float64, fluctuates bool) {
	fluctuates = true
	for i := range w.list {
		k := &w.list[i]
		if k.How == Unknown {
			return math.NaN(), false
		}
		if scale := k.scale(); scale > 0 {
			worst = max(worst, k.Error/scale/w.Tolerance)
		}
		fluctuates = fluctuates && (k.Within || k.How == Mean)
	}
	return worst, fluctuates
}

// hopeless tells whether the flow fluctuates so much that its means will not be known
// within the tolerance after so many steps: errors fall with the root of time.
func (w *Watch) hopeless(last float64) bool {
	worst, fluctuates := w.Worst()
	return fluctuates && worst > 1 && float64(w.series.count())*w.series.blockSteps()*worst*worst > last
}

// Sample takes a sample after so many steps: the pressure drop, and what enters through
// each opening. It tells whether all has been known within the tolerance for a window,
// or never will be: at the earliest after so many steps, and before the last one.
func (w *Watch) Sample(steps int64, drop float64, flows []float64, least, last float64) bool {
	if !w.series.add(steps, drop, flows) {
		return false
	}
	if !w.judge() {
		w.quiet = 0
		return float64(steps) >= least && w.hopeless(last)
	}
	w.quiet++
	return w.Done()
}

// Known lists what is known at the end, given the pressure and the flow rate that are
// one in lattice units; nil without a watch.
func (w *Watch) Known(pressure, flow float64) []Known {
	if w == nil || w.Tolerance <= 0 || w.series.count() == 0 {
		return nil
	}
	w.judge()
	list := append([]Known(nil), w.list...)
	for i := range list {
		unit := 1.
		switch list[i].Name {
		case dropName:
			unit = pressure
		case inflowName:
			unit = flow
		}
		list[i].Value, list[i].Error = unit*list[i].Value, unit*list[i].Error
	}
	return list
}

// Outcome tells whether all is known within the tolerance; nil where that is not
// known, or where a waveform changes the flow.
func (w *Watch) Outcome() *bool {
	if w == nil || w.series.count() == 0 {
		return nil
	}
	steady := w.judge()
	for i := range w.list {
		if w.list[i].How == Unknown {
			return nil
		}
	}
	return &steady
}

// Settled tells whether the transient has left: whether all quantities are still, or known
// as means over time after a start that is left out. Without a watch it has.
func (w *Watch) Settled() bool {
	if w == nil {
		return true
	}
	if w.Tolerance <= 0 || w.series.count() == 0 {
		return false
	}
	w.judge()
	for i := range w.list {
		if how := w.list[i].How; how != Still && how != Mean {
			return false
		}
	}
	return true
}

// Mismatch is that of inflow and outflow in the last cycles, relative to the largest
// inflow; false where there were none.
func (w *Watch) Mismatch() (float64, bool) {
	if w == nil || w.series.period == 0 || w.series.lastLargest == 0 {
		return 0, false
	}
	return w.series.lastMismatch / w.series.lastLargest, true
}

// Save returns what is remembered, in bytes; none without a watch.
func (w *Watch) Save() []byte {
	if w == nil {
		return nil
	}
	data := binary.LittleEndian.AppendUint64(nil, math.Float64bits(w.Tolerance))
	return append(binary.LittleEndian.AppendUint64(data, uint64(w.quiet)), w.series.save()...)
}

// Load goes on from what was saved of a flow through as many openings.
func (w *Watch) Load(data []byte) error {
	const own = 16
	if w == nil && len(data) == 0 {
		return nil
	}
	if w == nil || len(data) < own {
		return errOtherSeries
	}
	tolerance, quiet := math.Float64frombits(binary.LittleEndian.Uint64(data)), int(binary.LittleEndian.Uint64(data[8:]))
	if !(tolerance >= 0) || quiet < 0 {
		return errOtherSeries
	}
	if err := w.series.load(data[own:]); err != nil {
		return err
	}
	w.Tolerance, w.quiet = tolerance, quiet
	return nil
}
