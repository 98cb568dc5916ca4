package gpu

import (
	"context"
	"strings"
	"sync"
	"testing"

	"carina/solver"
	"carina/solver/airflow"
	"carina/solver/airflow/opening"
	"carina/solver/cuda/device"
	"carina/solver/cuda/devicetest"
	"carina/solver/transport"

	"github.com/google/go-cmp/cmp"
)

// processorRank is a computation of one rank on the processor.
func processorRank(t *testing.T, domain *solver.Domain, settings airflow.Settings) *airflow.Rank {
	t.Helper()
	r, err := airflow.NewRank(domain, settings, transport.NewLocal(1)[0])
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return r
}

// onGPUs calls f for ranks on so many devices that reach each other.
func onGPUs(t *testing.T, domain *solver.Domain, settings airflow.Settings, devices int, f func(r *airflow.Rank) error) {
	t.Helper()
	gpus := on(devicetest.Open(t, devices), Options{})
	onBackends(t, must(Divide(domain, devices, Single)), settings, func(int) airflow.Backend { return gpus }, f)
}

// onBackends calls f for the ranks of a domain, each on a device of its backend.
func onBackends(t *testing.T, domain *solver.Domain, settings airflow.Settings, backend func(rank int) airflow.Backend, f func(r *airflow.Rank) error) {
	t.Helper()
	for rank, err := range onRanks(t, domain.Ranks, func(tr transport.Transport) error {
		r, err := airflow.NewRankOn(backend(tr.Rank()), domain, settings, tr)
		if err != nil {
			return err
		}
		defer r.Close()
		return f(r)
	}) {
		if err != nil {
			t.Fatalf("rank %d: %v", rank, err)
		}
	}
}

// must returns what a call returns that does not fail.
func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// A state that a processor has saved is the same on GPUs, which go on as the
// processor does, and what they save is the same on a processor.
func TestStatesOfProcessors(t *testing.T) {
	devicetest.BesideOthers(t)
	for _, c := range []struct {
		name      string
		devices   int
		steps     int
		tolerance float64
		change    func(*airflow.Settings)
	}{
		{"quadratic walls, shares and a Windkessel, double", 2, 61, doubleRounding, func(s *airflow.Settings) {
			s.Precision, s.Wall, s.Collision = airflow.Double, airflow.Quadratic, airflow.TRT
			s.Conditions = map[int]opening.Condition{2: {Kind: opening.FlowShare, Share: 1}, 3: {Kind: opening.Windkessel, ProximalResistance: 1e5, DistalResistance: 1e6, Compliance: 1e-9}}
		}},
		{"recursive, 16 bits", 1, 61, halfRounding, func(s *airflow.Settings) { s.Precision, s.Collision = airflow.Half, airflow.Recursive }},
		{"cumulant", 2, 60, singleRounding, func(s *airflow.Settings) { s.Collision = airflow.Cumulant }},
	} {
		t.Run(c.name, func(t *testing.T) {
			devicetest.BesideOthers(t)
			if testing.Short() && c.devices == 1 {
				t.Skip("compiling the kernels for the processor takes a while")
			}
			g := cave(9, [3]bool{})
			domain := solver.WholeDomain(g)
			settings := caveSettings(g)
			c.change(&settings)
			var gathered sync.Mutex
			r := processorRank(t, domain, settings)
			step(t, r, c.steps)
			saved := must(r.SaveState())
			want := must(r.Hash())

			const more = 40
			step(t, r, more)
			var fields *airflow.Fields
			var states []*solver.State
			var hash uint64
			onGPUs(t, domain, settings, c.devices, func(s *airflow.Rank) error {
				if err := s.Advance(context.Background(), 4, nil); err != nil { // of which nothing may remain
					return err
				}
				if err := s.LoadState([]*solver.State{saved}); err != nil {
					return err
				}
				if got := must(s.Hash()); got != want {
					t.Errorf("the state's hash is %016x on the GPU, %016x on the processor", got, want)
				}
				if again := must(s.SaveState()); c.devices == 1 {
					rounding := cmp.Comparer(func(x, y float64) bool { return float32(x) == float32(y) })
					if d := cmp.Diff(saved, again, rounding); d != "" {
						t.Errorf("what is saved again differs: %.500s", d)
					}
				}
				for range more {
					if err := s.Engine().Step(); err != nil {
						return err
					}
				}
				all, err := s.Gather()
				if err != nil {
					return err
				}
				saved, h := must(s.SaveState()), must(s.Hash())
				gathered.Lock()
				defer gathered.Unlock()
				if states = append(states, saved); all != nil {
					fields = all
				}
				hash = h
				return nil
			})
			compareFields(t, fields, must(r.Fields()), max(c.tolerance, fieldRounding))

			sameOnProcessor(t, domain, settings, states, hash)
		})
	}
}

// sameOnProcessor loads what ranks have saved on a processor alone, where it has the
// hash that it had on them.
func sameOnProcessor(t *testing.T, whole *solver.Domain, settings airflow.Settings, states []*solver.State, hash uint64) {
	t.Helper()
	r := processorRank(t, whole, settings)
	if err := r.LoadState(states); err != nil {
		t.Fatal(err)
	}
	if got := must(r.Hash()); got != hash {
		t.Errorf("the state's hash is %016x on the processor, %016x on the GPUs", got, hash)
	}
}

// States that do not fit are refused.
func TestOtherStatesAreRefused(t *testing.T) {
	devicetest.BesideOthers(t)
	g := cave(9, [3]bool{})
	settings := caveSettings(g)
	settings.Collision, settings.Precision = airflow.TRT, airflow.Double
	s := computed(t, solver.WholeDomain(g), settings, Single, 2)
	saved := must(s.SaveState())
	short, few := *saved, *saved
	short.RecordBytes -= 8
	few.Cells = []solver.CellRange{{First: 0, Count: 10}}
	for _, c := range []struct {
		states []*solver.State
		want   string
	}{{nil, "does not belong"}, {[]*solver.State{&short}, "does not belong"}, {[]*solver.State{&few}, "does not belong"}} {
		if err := s.LoadState(c.states); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}

// A flow on GPUs with quadratic walls is the same to the last bit whether it was saved at
// a check and loaded, by as many devices or fewer, or not.
func TestQuadraticWallsGoOn(t *testing.T) {
	devicetest.BesideOthers(t)
	for name, change := range map[string]func(s *airflow.Settings){
		"single":  func(*airflow.Settings) {},
		"16 bits": func(s *airflow.Settings) { s.Precision = airflow.Half },
		"D3Q27":   func(s *airflow.Settings) { s.Lattice = airflow.D3Q27 },
	} {
		t.Run(name, func(t *testing.T) {
			devicetest.BesideOthers(t)
			if testing.Short() && name != "single" {
				t.Skip("compiling the kernels for the processor takes a while")
			}
			const until, more = airflow.CheckInterval, airflow.CheckInterval + 7
			d := bricked(t, 8, 2, 6)
			settings := caveSettings(d.Grid)
			settings.Wall, settings.Collision = airflow.Quadratic, airflow.TRT
			change(&settings)
			fresh := BackendOn(func(tr transport.Transport) (device.Device, error) { return devicetest.Fresh(t, tr.Rank()) }, Options{})
			states := make([]*solver.State, d.Ranks)
			hash := func(d *solver.Domain, load bool) (h uint64) {
				onBackends(t, d, settings, func(int) airflow.Backend { return fresh }, func(r *airflow.Rank) error {
					if load {
						if err := r.LoadState(states); err != nil {
							return err
						}
					} else {
						if err := r.Advance(context.Background(), until, nil); err != nil {
							return err
						}
						states[r.Number()] = must(r.SaveState())
					}
					for range more {
						if err := r.Engine().Step(); err != nil {
							return err
						}
					}
					own, err := r.Hash()
					if r.Number() == 0 {
						h = own
					}
					return err
				})
				return h
			}
			want := hash(d, false)
			if got := hash(d, true); got != want {
				t.Errorf("loaded it has the hash %x, left alone %x", got, want)
			}
			if got := hash(solver.WholeDomain(d.Grid), true); got != want {
				t.Errorf("loaded by one device it has the hash %x, left alone %x", got, want)
			}
		})
	}
}
