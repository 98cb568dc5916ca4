package gpu

import (
	"sync/atomic"
	"testing"

	"carina/solver"
	"carina/solver/airflow"
	"carina/solver/airflow/opening"
	"carina/solver/cuda"
	"carina/solver/cuda/device"
	"carina/solver/cuda/devicetest"
	"carina/solver/transport"
)

// idleDevice does nothing that is given to it while it is idle.
type idleDevice struct {
	device.Device
	idle atomic.Bool
}

func (d *idleDevice) Reach(other device.Device) error {
	return d.Device.Reach(other.(*idleDevice).Device)
}

func (d *idleDevice) Launch(q device.Queue, k device.Kernel, l device.Launch) error {
	if d.idle.Load() {
		return nil
	}
	return d.Device.Launch(q, k, l)
}

func (d *idleDevice) Follow(q, other device.Queue) error {
	if d.idle.Load() {
		return nil
	}
	return d.Device.Follow(q, other)
}

func (d *idleDevice) Upload(to device.Address, from []byte) error {
	if d.idle.Load() {
		return nil
	}
	return d.Device.Upload(to, from)
}

func (d *idleDevice) Download(to []byte, from device.Address) error {
	if d.idle.Load() {
		return nil
	}
	return d.Device.Download(to, from)
}

func (d *idleDevice) Fetch(to []byte, from device.Address) error {
	if d.idle.Load() {
		return nil
	}
	return d.Device.Fetch(to, from)
}

func (d *idleDevice) Deliver(to device.Address, from []byte) error {
	if d.idle.Load() {
		return nil
	}
	return d.Device.Deliver(to, from)
}

func (d *idleDevice) Zero(to device.Address, bytes int64) error {
	if d.idle.Load() {
		return nil
	}
	return d.Device.Zero(to, bytes)
}

func (d *idleDevice) Settle() error {
	if d.idle.Load() {
		return nil
	}
	return d.Device.Settle()
}

// A step allocates nothing on the host, on one device and on several, however
// they exchange.
func TestStepsDoNotAllocate(t *testing.T) {
	g := tube()
	const runs = 8
	settings := caveSettings(g)
	settings.Collision, settings.Precision = airflow.TRT, airflow.Double
	settings.Waveform = opening.Sine{Period: 1e-3, Amplitude: 1}
	settings.Conditions = map[int]opening.Condition{2: {Kind: opening.FlowShare, Share: 1}}
	for _, c := range []struct {
		devices  int
		exchange cuda.Exchange
	}{{1, ""}, {2, cuda.IPC}, {2, cuda.Host}} {
		if c.exchange == cuda.IPC && !devicetest.ReachEachOther(c.devices) {
			continue
		}
		domain := must(Divide(solver.WholeDomain(g), c.devices, Single))
		devices := devicetest.Open(t, c.devices)
		for i, d := range devices {
			devices[i] = &idleDevice{Device: d}
		}
		for rank, err := range onRanks(t, c.devices, func(tr transport.Transport) error {
			r, err := airflow.NewRankOn(on(devices, Options{Exchange: c.exchange}), domain, settings, tr)
			if err != nil {
				return err
			}
			defer r.Close()
			d := devices[tr.Rank()].(*idleDevice)
			defer d.idle.Store(false) // to close it
			d.idle.Store(true)
			steps := func(n int) (err error) {
				for range n {
					if err = r.Engine().Step(); err != nil {
						return err
					}
				}
				return nil
			}
			// Both parities are prepared, and the openings were told the flow.
			if err := steps(2 * opening.CouplingInterval); err != nil {
				return err
			}
			if tr.Rank() > 0 {
				return steps((1 + runs) * 2 * opening.CouplingInterval)
			}
			// Less than one a run is what the runtime needs for ranks that wait.
			if n := testing.AllocsPerRun(runs, func() { err = steps(2 * opening.CouplingInterval) }); n > 0 {
				t.Errorf("%d devices %s: %g allocations", c.devices, c.exchange, n)
			}
			return err
		}) {
			if err != nil {
				t.Errorf("rank %d: %v", rank, err)
			}
		}
	}
}

// watchedDevice counts what stops its main queue, and the bytes that it is given.
type watchedDevice struct {
	device.Device
	stops, given int
}

func (d *watchedDevice) Upload(to device.Address, from []byte) error {
	if len(from) > takenAlong {
		d.stops++
	}
	d.given += len(from)
	return d.Device.Upload(to, from)
}

func (d *watchedDevice) Download(to []byte, from device.Address) error {
	d.stops++
	return d.Device.Download(to, from)
}

func (d *watchedDevice) Synchronize() error {
	d.stops++
	return d.Device.Synchronize()
}

func (d *watchedDevice) Deliver(to device.Address, from []byte) error {
	d.given += len(from)
	return d.Device.Deliver(to, from)
}

// While a flow starts, nothing stops the main queue, neither what openings impose nor what is
// measured there, and of what they impose only the numbers of openings that change are copied.
func TestOpeningsDoNotStopTheInterior(t *testing.T) {
	g := tube()
	settings := caveSettings(g)
	settings.Collision, settings.Precision, settings.RampTime = airflow.TRT, airflow.Double, 0
	d := &watchedDevice{Device: devicetest.Open(t, 1)[0]}
	r := must(airflow.NewRankOn(on([]device.Device{d}, Options{}), solver.WholeDomain(g), settings, transport.NewLocal(1)[0]))
	defer r.Close()
	const inlet = openingNumbersOfStep * 8
	for i := range 2*opening.CouplingInterval + 1 {
		d.stops, d.given = 0, 0
		if err := r.Engine().Step(); err != nil {
			t.Fatal(err)
		}
		behindMeasuring := i%opening.CouplingInterval == 0
		if d.stops > 0 || d.given < inlet || d.given > inlet && !behindMeasuring {
			t.Errorf("step %d stops the main queue %d times and copies %d bytes, want 0 and %d", i+1, d.stops, d.given, inlet)
		}
	}
}
