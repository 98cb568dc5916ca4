package airflow

import (
	"errors"
	"fmt"

	"carina/internal/quantity"
	"carina/solver"
	"carina/solver/airflow/moments"
	"carina/solver/airflow/opening"
	"carina/solver/processor"
	"carina/solver/transport"

	"gonum.org/v1/gonum/spatial/r3"
)

// Backend is a kind of devices that ranks compute on.
type Backend interface {
	// Settle checks settings and makes the choices that the kind leaves no other way
	// for.
	Settle(s *Settings) error
	// Open opens the device of a rank.
	Open(t transport.Transport) (solver.Device, error)
	// Physics is a flow as the kind computes it. Its kernels are Kernels.
	Physics(f *Flow) solver.Physics
}

// Kernel is the flow in a rank's own cells on some device. Cells are in the order
// of Rank.Pieces.
type Kernel interface {
	solver.Kernel
	solver.Reducer // of what leaves through each opening and the weights times the density there, by turns, in fixed point
	solver.Global
	solver.Scattered
	// Openings are in the state of the present step.
	Openings() *opening.States
	// Fields returns the flow in all cells, Relative that with pressures relative to the
	// ambient one, not to be changed and not to be kept, and FieldsAt that in some.
	Fields() (*Fields, error)
	Relative() (*Fields, error)
	FieldsAt(cells []int32) (*Fields, error)
	// Keep keeps the present fields for Kept, if there is room.
	Keep() error
	// Kept returns the fields kept last, nil if none were.
	Kept() (*Fields, error)
	// Snapshot begins to copy the fields, which wait returns. Steps may follow at
	// once.
	Snapshot() (wait func() (*Fields, error), err error)
	// StartAverage begins a mean over time, AddToAverage adds the present fields to
	// it, if it was begun, and Average returns it, nil without samples.
	StartAverage() error
	AddToAverage() error
	Average() (*Fields, error)
	// Statistics are kept beside the cells.
	Statistics() *moments.Statistics
	// StrainRate, ShearStress and LimitedCells are as the methods of Rank say.
	StrainRate() ([6][]float32, error)
	ShearStress() ([]float32, error)
	LimitedCells(stress float64) (int64, error)
	// WallMomentum is what the links of cells with selected centres give to walls in
	// a step, in fixed point.
	WallMomentum(selected func(center r3.Vec) bool) ([3]int64, error)
	// Compare returns the sums over every SampleStride-th cell of the whole of the
	// squared change of the velocity since the last call and of the squared
	// velocity, in fixed point, after both velocities have been multiplied by scale;
	// both are zero at the first.
	Compare(scale float64) (change, square int64, err error)
	// Bytes is the memory held beside that of the engine.
	Bytes() int64
	// Device names what computes, and Describe adds to the settings what belongs to
	// it.
	Device() string
	Describe(u *UsedSettings)
}

// Processors computes on processors, with so many workers a rank; 0 shares the cores of the
// machine among the ranks.
func Processors(workers int) Backend { return processors{workers} }

// processors is the backend of processors, with so many workers a rank.
type processors struct{ workers int }

// Workers is how many work on blocks at the same time; 0 leaves it to the device.
func (p processors) Workers() int { return p.workers }

func (processors) Settle(*Settings) error { return nil }

func (p processors) Open(t transport.Transport) (solver.Device, error) {
	return processor.New(p.workers, t), nil
}

func (processors) Physics(f *Flow) solver.Physics { return f.Physics() }

// open checks the settings and opens the device, on all ranks or on none.
func open(b Backend, s *Settings, t transport.Transport) (solver.Device, error) {
	err := b.Settle(s)
	var device solver.Device
	if err == nil {
		device, err = b.Open(t)
	}
	if err := transport.Agree(t, err); err != nil {
		if device != nil {
			device.Close()
		}
		return nil, err
	}
	return device, nil
}

// errMixedQuadratic says what ranks of mixed devices cannot compute.
var errMixedQuadratic = errors.New("quadratic walls are computed by processors or by GPUs, not by both together; choose interpolated walls")

// prepared makes the engine's rank of a flow.
func prepared(b Backend, device solver.Device, domain *solver.Domain, settings Settings, t transport.Transport) (*Rank, error) {
	domain, moved, err := solver.Rounded(domain, device.Unit(), t)
	if err != nil {
		device.Close()
		return nil, err
	}
	flow, err := newAirflow(domain, settings)
	if err := transport.Agree(t, err); err != nil {
		device.Close()
		return nil, err
	}
	e, err := solver.NewRank(domain, solver.Together{b.Physics(newFlow(flow))}, device, t, solver.Options{Dense: settings.Layout == Dense})
	if err != nil {
		return nil, err
	}
	if settings.Wall == Quadratic && e.MixedDevices() {
		e.Close()
		return nil, transport.AgreedError{Cause: errMixedQuadratic}
	}
	flow.warnOfClosed()
	flow.warnOfEqualPressures()
	if moved > 0 {
		unit := domain.Unit()
		flow.warnings = append(flow.warnings, fmt.Sprintf("another rank than the partition says computes %s (%.2g %%), since GPUs take tiles of %[3]d×%[3]d×%[3]d cells; for what was planned partition with --decompose bricks and a multiple of %[3]d as --min-side",
			quantity.Count(moved, "cell"), 100*float64(moved)/float64(domain.CellCount()), unit))
	}
	r := &Rank{airflow: flow, backend: b, sums: make([]int64, 2*len(flow.openings.List))}
	if err := r.take(e); err != nil {
		return nil, err
	}
	r.still = r.newStillWatch()
	return r, nil
}

// take goes on with a rank of the engine, or closes it.
func (r *Rank) take(e *solver.Rank) error {
	kernel, ok := e.Kernel(0).(Kernel)
	var err error
	if !ok {
		err = fmt.Errorf("the backend's physics is bound to a %T, which is no airflow.Kernel", e.Kernel(0))
	}
	if err := transport.Agree(e.Transport(), err); err != nil {
		e.Close()
		return err
	}
	r.engine, r.layout, r.kernel, r.summed = e, e.Layout(), kernel, never
	return nil
}
