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
