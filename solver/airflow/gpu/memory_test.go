package gpu

import (
	"strings"
	"testing"

	"carina/internal/quantity"
	"carina/solver"
	"carina/solver/airflow"
	"carina/solver/cuda/device"
	"carina/solver/cuda/devicetest"
	"carina/solver/transport"
)

// What is announced is what is allocated, and a GPU that is too small is
// refused in one sentence that says what it needs and has.
func TestMemoryIsAnnounced(t *testing.T) {
	devicetest.BesideOthers(t)
	g := tube()
	settings := caveSettings(g)
	settings.Collision, settings.Precision = airflow.TRT, airflow.Double
	s := computed(t, solver.WholeDomain(g), settings, Single, 0)
	use, ok := MemoryOf(s)
	if !ok {
		t.Fatal("a rank on a GPU takes none of its memory")
	}
	const small = 16 << 10 // flags and tables that do not grow
	p := s.Kernel().(*bound).part
	if p.Bytes < use.Needs || p.Bytes > use.Needs+small {
		t.Errorf("%d bytes were announced and %d allocated", use.Needs, p.Bytes)
	}
	if about := must(MemoryEstimate(g, settings, Single)); about < use.Needs*9/10 || about > use.Needs*11/10 {
		t.Errorf("%d bytes are estimated, %d needed", about, use.Needs)
	}
	if err := p.checkMemory(Options{Memory: use.Needs - 1}); err == nil || !strings.Contains(err.Error(), "may take") {
		t.Errorf("less than is needed is allowed: %v", err)
	}
	if err := p.checkMemory(Options{Memory: use.Needs}); err != nil {
		t.Error(err)
	}
	p.Device = fullDevice{p.Device}
	err := p.checkMemory(Options{})
	if err == nil || !strings.Contains(err.Error(), "needs "+quantity.FormatBytes(use.Needs)+" of the 1000 B that are free") || strings.Contains(err.Error(), "\n") {
		t.Errorf("got error %v", err)
	}
}

// Populations that a GPU may not hold lie in the host's memory, and the flow has the same
// bits, on two GPUs, too. What is needed beside them has to fit.
func TestPopulationsInHostMemory(t *testing.T) {
	devicetest.BesideOthers(t)
	g := tube()
	settings := caveSettings(g)
	for _, ranks := range []int{1, 2} {
		domain := must(Divide(solver.WholeDomain(g), ranks, Single))
		hashes := map[bool]uint64{}
		for _, inHost := range []bool{false, true} {
			err := transport.InProcess(ranks, func(tr transport.Transport) error {
				open := func(tr transport.Transport) (device.Device, error) { return devicetest.Fresh(t, tr.Rank()) }
				o := Options{}
				if needs := must(MemoryEstimate(g, settings, Single)); inHost {
					o = Options{Memory: needs / int64(2*ranks), HostMemory: true}
				}
				r, err := airflow.NewRankOn(BackendOn(open, o), domain, settings, tr)
				if err != nil {
					return err
				}
				defer r.Close()
				if use, _ := MemoryOf(r); (use.InHost > 0) != inHost || inHost && use.Needs-use.InHost > o.Memory {
					t.Errorf("%d ranks: %v of at most %d bytes", ranks, use, o.Memory)
				}
				for range 5 {
					if err := r.Engine().Step(); err != nil {
						return err
					}
				}
				hash, err := r.Hash()
				if tr.Rank() == 0 {
					hashes[inHost] = hash
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		if hashes[true] != hashes[false] {
			t.Errorf("%d ranks: hash %x in the host's memory, %x without", ranks, hashes[true], hashes[false])
		}
	}
	backend := BackendOn(func(tr transport.Transport) (device.Device, error) { return devicetest.Fresh(t, tr.Rank()) }, Options{Memory: 1000, HostMemory: true})
	err := transport.InProcess(1, func(tr transport.Transport) error {
		_, err := airflow.NewRankOn(backend, solver.WholeDomain(g), settings, tr)
		return err
	})
	if err == nil || !strings.Contains(err.Error(), "beside the populations") {
		t.Error(err)
	}
}

// fullDevice has no memory left.
type fullDevice struct{ device.Device }

func (fullDevice) Memory() (int64, int64, error) { return 1000, 1 << 30, nil }
