package gpu

import (
	"strings"
	"testing"

	"carina/solver"
	"carina/solver/airflow"
	"carina/solver/cuda/devicetest"
	"carina/solver/cuda/tiles"
	"carina/solver/transport"
)

// Ranks of a process take one of the GPUs given each; those that get none are told.
func TestRanksWithoutAGPUAreTold(t *testing.T) {
	const ranks = 3
	for devices, want := range map[int]string{
		1: "the partition is for 3 ranks, more than 1 GPU can take; partition again with --ranks 1",
		2: "the partition is for 3 ranks, more than 2 GPUs can take; partition again with --ranks 2",
	} {
		for rank, tr := range transport.NewLocal(ranks) {
			d, err := Options{Devices: []int{0, 1}[:devices]}.openFor(tr)
			if d != nil {
				defer d.Close()
			}
			told := err != nil && strings.Contains(err.Error(), want)
			if told != (rank >= devices) {
				t.Errorf("rank %d of %d: %v", rank, ranks, err)
			}
		}
	}
}

// otherDevice is a GPU by another name.
type otherDevice struct{ *tiles.Device }

// otherBackend is the backend of GPUs with such a device.
type otherBackend struct{ airflow.Backend }

func (b otherBackend) Open(t transport.Transport) (solver.Device, error) {
	d, err := b.Backend.Open(t)
	if err != nil {
		return nil, err
	}
	return otherDevice{d.(*tiles.Device)}, nil
}

// A flow of GPUs is refused on another device, and beside others that it cannot
// reduce with.
func TestWhatIsNotComputedOnGPUs(t *testing.T) {
	grid := cave(1, [3]bool{})
	domain, settings, tr := solver.WholeDomain(grid), caveSettings(grid), transport.NewLocal(1)[0]
	if _, err := airflow.NewRankOn(otherBackend{on(devicetest.Open(t, 1), Options{})}, domain, settings, tr); err == nil || !strings.Contains(err.Error(), "the device is a gpu.otherDevice") {
		t.Errorf("want an error that names the device and got %v", err)
	}
	gpu, err := devicetest.Fresh(t, 0)
	if err != nil {
		t.Fatal(err)
	}
	flow := must(airflow.NewFlow(domain, settings))
	air := Backend(Options{}).Physics(flow)
	_, err = solver.NewRank(domain, solver.Together{air, air}, tiles.NewDevice(gpu, tr, ""), tr, solver.Options{})
	if err == nil || !strings.Contains(err.Error(), "this device computes one physics alone") {
		t.Errorf("want an error of physics together and got %v", err)
	}
}
