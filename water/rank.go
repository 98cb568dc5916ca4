package water

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"time"

	"carina/internal/quantity"
	"carina/internal/run"
	"carina/internal/together"
	"carina/solver"
	"carina/solver/shallow"
	"carina/solver/transport"
)

// rank is the water of one rank while it is computed.
type rank struct {
	*together.Member
	flood *Flood
	water *shallow.Water
	next  float64 // time of the next look at gauges, never where there are none
	shown float64 // time of the next snapshot
	every int     // steps between exchanges
}

// gauged tells whether anything is looked at.
func (f *Flood) gauged() bool { return len(f.settings.gauges) > 0 || f.options.Observe != nil }

func clock(e *solver.Rank) shallow.Clock { return e.Kernel(0).(shallow.Clock) }

// compute computes one rank.
func (f *Flood) compute(ctx context.Context, t transport.Transport) (err error) {
	r := &rank{flood: f, water: f.water, next: math.Inf(1)}
	if f.gauged() {
		r.next = 0
	}
	every := f.settings.exchangeEvery
	if every == 0 {
		if every, err = r.tryExchanges(t); err != nil {
			return err
		}
	}
	r.every = every
	if r.Member, err = f.ranks.Start(t, solver.Options{ExchangeEvery: every}); err != nil {
		return err
	}
	defer func() { r.Close() }()
	if f.options.Restart != nil {
		if err := f.course.Resume(r); err != nil {
			return err
		}
		if r.Time() > f.settings.time {
			return transport.AgreedError{Cause: fmt.Errorf("the checkpoint is of %s and the flood is to end after %s: give a longer --time, or compute it anew", quantity.Format(r.Time(), "s"), quantity.Format(f.settings.time, "s"))}
		}
		if f.gauged() {
			r.next = after(r.Time(), f.settings.interval)
		}
	}
	r.shown = after(r.Time(), f.settings.snapshots)
	loop := solver.Loop{End: math.MaxInt64, Interval: lookEvery, Pause: r.pause, LookWhenStopped: true, Dues: r.dues(ctx)}
	var stopped error
	if r.Time() < f.settings.time { // a checkpoint may be of the end
		stopped = loop.Run(ctx, r.Engine)
	}
	if stopped != nil && !errors.As(stopped, new(*solver.StoppedError)) {
		return r.explained(stopped)
	}
	if err := f.course.Finish(r); err != nil {
		return err
	}
	return r.hand(stopped != nil)
}

// intervals are in how many steps ranks may exchange once.
var intervals = []int{1, 2, 3, 4, 6, 8, 12, 16}

// tryExchanges returns in how many steps ranks best exchange once, by what the first steps
// take, which are forgotten. All ranks return the same.
func (r *rank) tryExchanges(t transport.Transport) (best int, err error) {
	if t.Size() == 1 {
		return 1, nil
	}
	const steps, worse = 48, 1.2
	least := int64(math.MaxInt64)
	for _, every := range intervals {
		tried, err := r.flood.ranks.Start(t, solver.Options{ExchangeEvery: every})
		if err != nil {
			return 0, err
		}
		var begin time.Time
		for n := range 2 * steps {
			if n == steps { // the first ones fill caches
				begin = time.Now()
			}
			if err := tried.Engine().Step(); err != nil {
				tried.Close()
				return 0, err
			}
		}
		took := []int64{int64(time.Since(begin))}
		tried.Close()
		if err := t.Reduce(transport.Max, took); err != nil {
			return 0, err
		}
		if took[0] < least {
			best, least = every, took[0]
		} else if float64(took[0]) > worse*float64(least) {
			break
		}
	}
	return best, nil
}

// lookEvery is how many steps pass between looks at most.
const lookEvery = 100

// pause tells that it is time to look.
func (r *rank) pause(int64) bool { return r.Time() >= min(r.next, r.shown, r.flood.settings.time) }

// after is the first multiple of an interval behind a time, never where there is none.
func after(time, interval float64) float64 {
	if interval == 0 {
		return math.Inf(1)
	}
	return (math.Floor(time/interval) + 1) * interval
}

// dues are what is done between steps.
func (r *rank) dues(ctx context.Context) []solver.Due {
	f := r.flood
	list := []solver.Due{{Do: func(fastest float64) (bool, error) {
		if f.options.Progress != nil && r.Engine().Transport().Rank() == 0 {
			f.options.Progress(r.Time(), f.settings.time, fastest)
		}
		if err := r.measure(); err != nil {
			return false, err
		}
		return false, r.show()
	}}}
	list = append(list, f.course.Dues(r)...)
	return append(list, solver.Due{Do: func(float64) (bool, error) { return r.Time() >= f.settings.time, nil }})
}

// explained says of water that has diverged where.
func (r *rank) explained(err error) error {
	var diverged *solver.DivergedError
	if errors.As(err, &diverged) {
		return transport.AgreedError{Cause: &DivergedError{diverged.Step, r.Time(), r.flood.place(diverged.Cell)}}
	}
	return err
}

// measure looks at the gauges when it is time.
func (r *rank) measure() error {
	if r.Time() < r.next {
		return nil
	}
	f := r.flood
	if f.options.Observe != nil {
		if all, err := r.gather(shallow.StateDepth); err != nil {
			return err
		} else if all != nil {
			if err := f.options.Observe(r.Engine().Steps(), r.Time(), all[0]); err != nil {
				return err
			}
		}
	}
	r.next = after(r.Time(), f.settings.interval)
	const values = shallow.StateDischargeY + 1
	// Of all ranks one has each cell: the others say nothing.
	all := make([]int64, values*len(f.gauges))
	for i, g := range f.gauges {
		cell, own := r.Engine().Layout().Local(g.cell)
		if !own {
			continue
		}
		for v := range values {
			x, err := r.value(v, cell)
			if err != nil {
				return err
			}
			all[values*i+v] = int64(math.Float64bits(x))
		}
	}
	t := r.Engine().Transport()
	if err := t.Reduce(transport.Sum, all); err != nil {
		return err
	}
	if t.Rank() > 0 {
		return nil
	}
	row := gaugeRow{Time: r.Time()}
	for _, bits := range all {
		row.Values = append(row.Values, math.Float64frombits(uint64(bits)))
	}
	f.rows = append(f.rows, row)
	return nil
}

// show writes the water of all cells when it is time.
func (r *rank) show() error {
	if r.Time() < r.shown {
		return nil
	}
	f := r.flood
	r.shown = after(r.Time(), f.settings.snapshots)
	all, err := r.gather(shallow.StateDepth, shallow.StateDischargeX, shallow.StateDischargeY)
	if all != nil {
		f.course.AddSnapshot(r.Engine().Steps(), f.image(r.Time(), all))
	}
	return err
}

// value is one of the water in an own cell.
func (r *rank) value(number int, cell int32) (float64, error) {
	s := &solver.Segment{Array: r.water.Value(r.Engine().Steps(), number), Bytes: 8, Cells: []int32{cell}}
	if r.water.Single {
		s.Bytes = 4
	}
	var data [8]byte
	err := r.Engine().Device().Read(s, data[:s.Bytes])
	return r.number(data[:s.Bytes]), err
}

// number is what some bytes of memory hold.
func (r *rank) number(data []byte) float64 {
	if r.water.Single {
		return float64(math.Float32frombits(binary.NativeEndian.Uint32(data)))
	}
	return math.Float64frombits(binary.NativeEndian.Uint64(data))
}

// handed are the values of a cell that come together: the water, and its records.
const handed = 5

// hand brings the water of all cells together on rank 0.
func (r *rank) hand(interrupted bool) error {
	hash, err := r.Engine().Hash()
	if err != nil {
		return err
	}
	records := r.water.StateRecords()
	all, err := r.gather(shallow.StateDepth, shallow.StateDischargeX, shallow.StateDischargeY, records, records+1)
	if err != nil || all == nil {
		return err
	}
	out := &outcome{steps: r.Engine().Steps(), time: r.Time(), timing: r.Engine().Timing(), every: r.every, interrupted: interrupted, hash: hash, values: [handed][]float64(all)}
	for side := range out.entered {
		out.entered[side] = clock(r.Engine()).Entered(shallow.Side(side))
	}
	r.flood.outcome = out
	return nil
}

// gather brings values of the state of all cells together, by global number, on rank 0;
// the others get nil.
func (r *rank) gather(wanted ...int) (all [][]float64, err error) {
	states := r.water.Program().State
	state := states[r.Engine().Steps()%int64(len(states))]
	slots := make([]solver.Slot, len(wanted))
	for i, v := range wanted {
		slots[i] = state[v]
	}
	if r.Engine().Transport().Rank() == 0 {
		all = make([][]float64, len(wanted))
		for v := range all {
			all[v] = make([]float64, r.flood.cells)
		}
	}
	return all, r.Gather(len(slots), slots,
		func(_ int64, found, into []float64) []float64 { return append(into, found...) },
		func(global int64, values []float64) {
			for v := range values {
				all[v][global] = values[v]
			}
		})
}

// wet returns what counts the cells that are not dry of n own ones in a row.
func (f *Flood) wet(c run.Computation) (func(first int64, n int32) int64, error) {
	layout := c.Engine().Layout()
	if k, ok := c.Engine().Kernel(0).(shallow.Kernel); ok {
		return func(first int64, n int32) int64 {
			cell, _ := layout.Local(first)
			return k.Wet(cell, cell+n)
		}, nil
	}
	below := make([]int64, 1, layout.Fluid+1) // wet ones before each own cell
	states := f.water.Program().State
	depth := states[c.Engine().Steps()%int64(len(states))][shallow.StateDepth]
	err := c.Engine().Each([]solver.Slot{depth}, func(_ int64, h []float64) {
		n := below[len(below)-1]
		if h[0] > 0 {
			n++
		}
		below = append(below, n)
	})
	return func(first int64, n int32) int64 {
		i, _ := layout.Index(first)
		return below[i+n] - below[i]
	}, err
}

// outcome is the water at the end, of all cells, on rank 0.
type outcome struct {
	steps       int64
	time        float64
	timing      solver.Timing
	every       int // steps between exchanges
	interrupted bool
	hash        uint64
	entered     [4]float64 // m³ by side
	values      [handed][]float64
}
