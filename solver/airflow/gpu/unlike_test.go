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
)

// mixed is the backend of ranks of which some are on the processor.
func mixed(t *testing.T, onProcessor func(rank int) bool) func(rank int) airflow.Backend {
	devicetest.Open(t, 1) // or the test is skipped
	gpus := BackendOn(func(tr transport.Transport) (device.Device, error) { return devicetest.Fresh(t, tr.Rank()) }, Options{})
	return func(rank int) airflow.Backend {
		if onProcessor(rank) {
			return nil
		}
		return gpus
	}
}

// Ranks on processors and on GPUs compute together what the processor computes
// alone, whatever tiles they share; they save at an odd step, load, and give
// each other cells.
func TestProcessorsBesideGPUs(t *testing.T) {
	devicetest.BesideOthers(t)
	const before, after = 41, 60
	for _, c := range []struct {
		name      string
		ranks     int
		tolerance float64
		processor func(rank int) bool
		change    func(*airflow.Settings)
	}{
		{"one of each", 2, doubleRounding, func(rank int) bool { return rank == 0 }, func(s *airflow.Settings) { s.Precision = airflow.Double }},
		{"two of each, conditions", 4, doubleRounding, func(rank int) bool { return rank%2 == 1 }, func(s *airflow.Settings) {
			s.Precision = airflow.Double
			s.Conditions = map[int]opening.Condition{2: {Kind: opening.Windkessel, ProximalResistance: 1e5, DistalResistance: 1e6, Compliance: 1e-9}, 3: {Kind: opening.FlowShare, Share: 0.3}}
		}},
		{"D3Q27", 3, doubleRounding, func(rank int) bool { return rank == 1 }, func(s *airflow.Settings) {
			s.Precision, s.Lattice = airflow.Double, airflow.D3Q27
		}},
		{"16 bits", 2, halfRounding, func(rank int) bool { return rank == 1 }, func(s *airflow.Settings) { s.Precision = airflow.Half }},
	} {
		t.Run(c.name, func(t *testing.T) {
			devicetest.BesideOthers(t)
			if testing.Short() && c.name == "16 bits" {
				t.Skip("compiling the kernels for the processor takes a while")
			}
			d, other := bricked(t, 6, c.ranks, 6), bricked(t, 6, c.ranks, 5)
			settings := caveSettings(d.Grid)
			settings.Collision = airflow.TRT
			c.change(&settings)
			alone := processorRank(t, solver.WholeDomain(d.Grid), settings)
			step(t, alone, before+after)
			want := must(alone.Fields())
			backends := mixed(t, c.processor)
			var lock sync.Mutex
			var hash, again uint64
			saved := make([]*solver.State, c.ranks)
			run := func(d *solver.Domain, f func(r *airflow.Rank) error) {
				t.Helper()
				onBackends(t, d, settings, backends, f)
			}
			finish := func(r *airflow.Rank, what string) error {
				for range after {
					if err := r.Engine().Step(); err != nil {
						return err
					}
				}
				fields, err := r.Gather()
				if err == nil && fields != nil {
					t.Log(what)
					compareFields(t, fields, want, max(c.tolerance, fieldRounding))
				}
				return err
			}
			run(d, func(r *airflow.Rank) error {
				for range before {
					if err := r.Engine().Step(); err != nil {
						return err
					}
				}
				s, err := r.SaveState()
				if err != nil {
					return err
				}
				h, err := r.Hash()
				if err != nil {
					return err
				}
				lock.Lock()
				saved[r.Number()], hash = s, h
				lock.Unlock()
				return finish(r, "without a stop")
			})
			// Other owners go on from what was saved after an odd step.
			run(other, func(r *airflow.Rank) error {
				if err := r.LoadState(saved); err != nil {
					return err
				}
				h, err := r.Hash()
				if err != nil {
					return err
				}
				lock.Lock()
				again = h
				lock.Unlock()
				// And give their cells away, at the same step.
				if err := r.Move(d); err != nil {
					return err
				}
				if moved, err := r.Hash(); err != nil || moved != h {
					t.Errorf("rank %d: the hash is %016x after cells were moved, %016x before; %v", r.Number(), moved, h, err)
				}
				return finish(r, "from what was saved")
			})
			if hash != again {
				t.Errorf("the hash is %016x when loaded, %016x when saved", again, hash)
			}
			sameOnProcessor(t, solver.WholeDomain(d.Grid), settings, saved, hash)
		})
	}
}

// On the way between devices of two kinds, quadratic walls are refused by all.
func TestQuadraticWallsOfUnlikeRanks(t *testing.T) {
	devicetest.BesideOthers(t)
	d := bricked(t, 6, 2, 8)
	settings := caveSettings(d.Grid)
	settings.Collision, settings.Precision, settings.Wall = airflow.TRT, airflow.Double, airflow.Quadratic
	backends := mixed(t, func(rank int) bool { return rank == 1 })
	for rank, err := range onRanks(t, 2, func(tr transport.Transport) error {
		_, err := airflow.RunRankOn(context.Background(), backends(tr.Rank()), d, settings, airflow.Plan{Steps: 2}, tr)
		return err
	}) {
		if err == nil || !strings.Contains(err.Error(), "choose interpolated walls") {
			t.Errorf("rank %d: %v", rank, err)
		}
	}
}
