package gpu

import (
	"testing"

	"carina/solver"
	"carina/solver/airflow"
	"carina/solver/airflow/opening"
	"carina/solver/cuda"
	"carina/solver/cuda/device"
	"carina/solver/cuda/devicetest"
	"carina/solver/transport"
)

// idleDevice does nothing that is given to it.
type idleDevice struct{ device.Device }

func (idleDevice) Launch(device.Queue, device.Kernel, device.Launch) error { return nil }
func (idleDevice) Follow(device.Queue, device.Queue) error                 { return nil }
func (idleDevice) Upload(device.Address, []byte) error                     { return nil }
func (idleDevice) Download([]byte, device.Address) error                   { return nil }
func (idleDevice) Fetch([]byte, device.Address) error                      { return nil }
func (idleDevice) Deliver(device.Address, []byte) error                    { return nil }
func (idleDevice) Zero(device.Address, int64) error                        { return nil }
func (idleDevice) Settle() error                                           { return nil }

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
		for rank, err := range onRanks(t, c.devices, func(tr transport.Transport) error {
			r, err := airflow.NewRankOn(on(devices, Options{Exchange: c.exchange}), domain, settings, tr)
			if err != nil {
				return err
			}
			defer r.Close()
			on := r.Kernel().(*bound).on
			on.Replace(idleDevice{on.GPU()})
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
