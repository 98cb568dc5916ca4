package together

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"

	"carina/internal/run"
	"carina/solver"
	"carina/solver/cuda"
	"carina/solver/processor"
	"carina/solver/transport"
)

// Ranks are a physics and who computes it, each rank on a device of its own.
type Ranks struct {
	Physics  solver.Physics
	Domain   *solver.Domain
	Devices  []run.Device
	Exchange cuda.Exchange
	// Transport connects this process, which is one rank, with the others; nil where it has
	// all ranks.
	Transport transport.Transport
	// Open, if not nil, opens the device of a rank instead of those by name.
	Open func(t transport.Transport) (solver.Device, error)
	// Time is how much has passed on a rank.
	Time func(*solver.Rank) float64
}

// Each computes the ranks of this process. One that fails makes the others stop.
func (g *Ranks) Each(compute func(t transport.Transport) error) error {
	guarded := func(t transport.Transport) error {
		err := compute(t)
		if err != nil && !errors.Is(err, transport.ErrAborted) && !errors.As(err, new(transport.AgreedError)) {
			t.Abort(err)
		}
		return err
	}
	if g.Transport != nil {
		return guarded(g.Transport)
	}
	return transport.InProcess(g.Domain.Ranks, guarded)
}

// Start prepares a rank at the start.
func (g *Ranks) Start(t transport.Transport, o solver.Options) (*Member, error) {
	m := &Member{of: g, open: g.opener(t)}
	device, err := m.device(t)
	if err != nil {
		return nil, err
	}
	m.engine, err = solver.NewRank(g.Domain, solver.Together{g.Physics}, device, t, o)
	return m, err
}

// opener opens the device of a rank. Of a process's ranks those on GPUs take one after the
// other.
func (g *Ranks) opener(t transport.Transport) func() (solver.Device, error) {
	if g.Open != nil {
		return func() (solver.Device, error) { return g.Open(t) }
	}
	own := run.CPU
	if len(g.Devices) > 0 {
		own = g.Devices[t.Rank()]
	}
	n, given := own.Number()
	if own.Kind() != run.GPU {
		return func() (solver.Device, error) { return processor.New(n, t), nil }
	}
	var numbers []int
	switch {
	case given && g.Transport != nil:
		numbers = []int{n}
	case given:
		numbers = slices.Repeat([]int{n}, t.Size())
	case g.Transport == nil:
		next := 0
		for _, d := range g.Devices {
			if numbers = append(numbers, next); d.Kind() == run.GPU {
				next++
			}
		}
	}
	return func() (solver.Device, error) {
		gpu, err := cuda.Choose(t, numbers)
		if err != nil {
			return nil, err
		}
		return cuda.New(gpu, t, g.Exchange), nil
	}
}

// Member is one of the ranks.
type Member struct {
	of     *Ranks
	engine *solver.Rank
	open   func() (solver.Device, error)
}

var _ run.Computation = (*Member)(nil)

// device opens the device, on all ranks or none.
func (m *Member) device(t transport.Transport) (solver.Device, error) {
	device, err := m.open()
	if err := transport.Agree(t, err); err != nil {
		if device != nil {
			device.Close()
		}
		return nil, err
	}
	return device, nil
}

// Engine is the rank as the engine has it now.
func (m *Member) Engine() *solver.Rank { return m.engine }

// Time is how much has passed.
func (m *Member) Time() float64 { return m.of.Time(m.engine) }

// SaveStateInto returns the state.
func (m *Member) SaveStateInto(spare *solver.State) (*solver.State, error) {
	return m.engine.SaveStateInto(spare)
}

// LoadState goes on from what ranks have saved.
func (m *Member) LoadState(saved []*solver.State) error { return m.engine.LoadState(saved) }

// Move gives cells to other owners.
func (m *Member) Move(domain *solver.Domain) error {
	if same, err := m.engine.SameOwners(domain); same || err != nil {
		return err
	}
	device, err := m.device(m.engine.Transport())
	if err != nil {
		return err
	}
	engine, err := m.engine.Move(domain, solver.Together{m.of.Physics}, device)
	if err == nil {
		m.engine = engine
	}
	return err
}

// Close gives the rank back.
func (m *Member) Close() { m.engine.Close() }

// Gather brings values of all cells together on rank 0: of appends to into the width
// values that it makes of the slots that an own cell has before the next step, and see is
// given them there, rank after rank. All ranks call it.
func (m *Member) Gather(width int, slots []solver.Slot, of func(global int64, found, into []float64) []float64, see func(global int64, values []float64)) error {
	t, order := m.engine.Transport(), binary.NativeEndian
	ranges := m.engine.Layout().Ranges()
	own := make([]byte, 0, 8+16*len(ranges)+8*width*m.engine.Layout().Fluid)
	own = order.AppendUint64(own, uint64(len(ranges)))
	for _, c := range ranges {
		own = order.AppendUint64(order.AppendUint64(own, uint64(c.First)), uint64(c.Count))
	}
	values := make([]float64, width)
	err := m.engine.Each(slots, func(global int64, found []float64) {
		for _, v := range of(global, found, values[:0]) {
			own = order.AppendUint64(own, math.Float64bits(v))
		}
	})
	if err := transport.Agree(t, err); err != nil {
		return err
	}
	parts, err := run.Collect(t, own)
	if err != nil {
		return err
	}
	for _, data := range parts {
		word := func() uint64 {
			v := order.Uint64(data)
			data = data[8:]
			return v
		}
		ranges := make([]solver.CellRange, word())
		for i := range ranges {
			ranges[i] = solver.CellRange{First: int64(word()), Count: int64(word())}
		}
		for _, c := range ranges {
			for i := range c.Count {
				for v := range values {
					values[v] = math.Float64frombits(word())
				}
				see(c.First+i, values)
			}
		}
	}
	return nil
}
