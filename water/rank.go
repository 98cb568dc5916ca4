package water

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"carina"
	"carina/internal/quantity"
	"carina/internal/run"
	"carina/solver"
	"carina/solver/cuda"
	"carina/solver/processor"
	"carina/solver/shallow"
	"carina/solver/transport"
)

// rank is the water of one rank while it is computed.
type rank struct {
	flood  *Flood
	water  *shallow.Water
	engine *solver.Rank
	device func() (solver.Device, error)
	next   float64 // time of the next look at gauges
	every  int     // steps between exchanges
}

var _ run.Computation = (*rank)(nil)

// Engine is the rank as the engine has it now.
func (r *rank) Engine() *solver.Rank { return r.engine }

func (r *rank) clock() shallow.Clock { return r.engine.Kernel(0).(shallow.Clock) }

// Time is how much has passed, in seconds.
func (r *rank) Time() float64 { return r.clock().Time() }

// SaveStateInto returns the state.
func (r *rank) SaveStateInto(spare *solver.State) (*solver.State, error) {
	return r.engine.SaveStateInto(spare)
}

// LoadState goes on from what ranks have saved.
func (r *rank) LoadState(saved []*solver.State) error { return r.engine.LoadState(saved) }

// Move gives cells to other owners.
func (r *rank) Move(domain *solver.Domain) error {
	t := r.engine.Transport()
	if same, err := r.engine.SameOwners(domain); same || err != nil {
		return err
	}
	device, err := r.device()
	if err := transport.Agree(t, err); err != nil {
		if device != nil {
			device.Close()
		}
		return err
	}
	engine, err := r.engine.Move(domain, solver.Together{r.water}, device)
	if err == nil {
		r.engine = engine
	}
	return err
}

// opener opens the device of a rank. Of a process's ranks those on GPUs take one after the
// other.
func (f *Flood) opener(t transport.Transport) func() (solver.Device, error) {
	if f.devices[t.Rank()] != carina.GPU {
		return func() (solver.Device, error) { return processor.New(0, t), nil }
	}
	var numbers []int
	if f.options.Transport == nil {
		next := 0
		for _, d := range f.devices {
			if numbers = append(numbers, next); d == carina.GPU {
				next++
			}
		}
	}
	return func() (solver.Device, error) {
		gpu, err := cuda.Choose(t, numbers)
		if err != nil {
			return nil, err
		}
		return cuda.New(gpu, t, cuda.Exchange(f.c.Exchange)), nil
	}
}

// compute computes one rank. On failure it makes the other ranks stop.
func (f *Flood) compute(ctx context.Context, t transport.Transport) (err error) {
	defer func() {
		if err != nil && !errors.Is(err, transport.ErrAborted) && !errors.As(err, new(transport.AgreedError)) {
			t.Abort(err)
		}
	}()
	r := &rank{flood: f, water: f.water, device: f.opener(t)}
	every := f.settings.exchangeEvery
	if every == 0 {
		if every, err = r.tryExchanges(t); err != nil {
			return err
		}
	}
	r.every = every
	if r.engine, err = r.start(t, every); err != nil {
		return err
	}
	defer func() { r.engine.Close() }()
	if f.options.Restart != nil {
		if err := f.keeping.Resume(r, 0); err != nil {
			return err
		}
		if r.Time() > f.settings.time {
			return transport.AgreedError{Cause: fmt.Errorf("the checkpoint is of %s and the flood is to end after %s: give a longer --time, or compute it anew", quantity.Format(r.Time(), "s"), quantity.Format(f.settings.time, "s"))}
		}
		r.next = (math.Floor(r.Time()/f.settings.interval) + 1) * f.settings.interval
	}
	loop := solver.Loop{End: math.MaxInt64, Interval: lookEvery, Pause: r.pause, LookWhenStopped: true, Dues: r.dues(ctx)}
	var stopped error
	if r.Time() < f.settings.time { // a checkpoint may be of the end
		stopped = loop.Run(ctx, r.Engine)
	}
	if stopped != nil && !errors.As(stopped, new(*solver.StoppedError)) {
		return r.explained(stopped)
	}
	if f.keeping != nil {
		if err := f.keeping.Finish(r, 0); err != nil {
			return err
		}
	}
	return r.hand(stopped != nil)
}

// start prepares the rank at the start of the flood.
func (r *rank) start(t transport.Transport, every int) (*solver.Rank, error) {
	device, err := r.device()
	if err := transport.Agree(t, err); err != nil {
		if device != nil {
			device.Close()
		}
		return nil, err
	}
	return solver.NewRank(r.flood.domain, solver.Together{r.water}, device, t, solver.Options{ExchangeEvery: every})
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
		engine, err := r.start(t, every)
		if err != nil {
			return 0, err
		}
		var begin time.Time
		for n := range 2 * steps {
			if n == steps { // the first ones fill caches
				begin = time.Now()
			}
			if err := engine.Step(); err != nil {
				engine.Close()
				return 0, err
			}
		}
		took := []int64{int64(time.Since(begin))}
		engine.Close()
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
func (r *rank) pause(int64) bool { return r.Time() >= min(r.next, r.flood.settings.time) }

// dues are what is done between steps.
func (r *rank) dues(ctx context.Context) []solver.Due {
	f := r.flood
	list := []solver.Due{{Do: func(fastest float64) (bool, error) {
		if f.options.Progress != nil && r.engine.Transport().Rank() == 0 {
			f.options.Progress(r.Time(), f.settings.time, fastest)
		}
		return false, r.measure()
	}}}
	if f.keeping != nil {
		list = append(list, solver.Due{Do: func(float64) (bool, error) { return false, f.keeping.Look(r, 0) }})
	}
	if f.rebalancing != nil {
		list = append(list, solver.Due{Do: func(float64) (bool, error) { return false, f.rebalancing.Look(r) }})
	}
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
	f := r.flood
	if len(f.settings.gauges) == 0 && f.options.Observe == nil || r.Time() < r.next {
		return nil
	}
	if f.options.Observe != nil {
		if all, err := r.gather(shallow.StateDepth); err != nil {
			return err
		} else if all != nil {
			if err := f.options.Observe(r.engine.Steps(), r.Time(), all[0]); err != nil {
				return err
			}
		}
	}
	r.next = (math.Floor(r.Time()/f.settings.interval) + 1) * f.settings.interval
	const values = shallow.StateDischargeY + 1
	// Of all ranks one has each cell: the others say nothing.
	all := make([]int64, values*len(f.gauges))
	for i, g := range f.gauges {
		cell, own := r.engine.Layout().Local(g.cell)
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
	t := r.engine.Transport()
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

// value is one of the water in an own cell.
func (r *rank) value(number int, cell int32) (float64, error) {
	s := &solver.Segment{Array: r.water.Value(r.engine.Steps(), number), Bytes: 8, Cells: []int32{cell}}
	if r.water.Single {
		s.Bytes = 4
	}
	var data [8]byte
	err := r.engine.Device().Read(s, data[:s.Bytes])
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
	hash, err := r.engine.Hash()
	if err != nil {
		return err
	}
	records := r.water.StateRecords()
	all, err := r.gather(shallow.StateDepth, shallow.StateDischargeX, shallow.StateDischargeY, records, records+1)
	if err != nil || all == nil {
		return err
	}
	out := &outcome{steps: r.engine.Steps(), time: r.Time(), timing: r.engine.Timing(), every: r.every, interrupted: interrupted, hash: hash, values: [handed][]float64(all)}
	for side := range out.entered {
		out.entered[side] = r.clock().Entered(shallow.Side(side))
	}
	r.flood.outcome = out
	return nil
}

// gather brings values of the state of all cells together, by global number, on rank 0;
// the others get nil.
func (r *rank) gather(wanted ...int) ([][]float64, error) {
	s, err := r.engine.SaveStateInto(nil)
	if err := transport.Agree(r.engine.Transport(), err); err != nil {
		return nil, err
	}
	bytes := 8
	if r.water.Single {
		bytes = 4
	}
	cells := len(s.Records) / s.RecordBytes
	own := binary.LittleEndian.AppendUint64(nil, uint64(len(s.Cells)))
	for _, c := range s.Cells {
		own = binary.LittleEndian.AppendUint64(own, uint64(c.First))
		own = binary.LittleEndian.AppendUint64(own, uint64(c.Count))
	}
	own = slices.Grow(own, len(wanted)*bytes*cells)
	for _, v := range wanted {
		for i := range cells {
			own = append(own, s.Records[i*s.RecordBytes+v*bytes:][:bytes]...)
		}
	}
	parts, err := run.Collect(r.engine.Transport(), own)
	if err != nil || parts == nil {
		return nil, err
	}
	all := make([][]float64, len(wanted))
	for v := range all {
		all[v] = make([]float64, r.flood.cells)
	}
	for _, data := range parts {
		word := func() int64 {
			v := int64(binary.LittleEndian.Uint64(data))
			data = data[8:]
			return v
		}
		ranges := make([]solver.CellRange, word())
		for i := range ranges {
			ranges[i] = solver.CellRange{First: word(), Count: word()}
		}
		for v := range all {
			for _, c := range ranges {
				for i := range c.Count {
					all[v][c.First+i] = r.number(data[:bytes])
					data = data[bytes:]
				}
			}
		}
	}
	return all, nil
}

// wet is how many of n own cells in a row are not dry.
func wet(c run.Computation, first int64, n int32) int64 {
	cell, _ := c.Engine().Layout().Local(first)
	return c.Engine().Kernel(0).(shallow.Kernel).Wet(cell, cell+n)
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
