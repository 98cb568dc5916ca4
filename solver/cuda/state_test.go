package cuda

import (
	"context"
	"strings"
	"testing"

	"carina/solver"
	"carina/solver/airflow"
	"carina/solver/airflow/opening"
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
	besideOthers(t)
	for _, c := range []struct {
		name      string
		devices   int
		tolerance float64
		change    func(*airflow.Settings)
	}{
		{"quadratic walls, shares and a Windkessel, double", 2, doubleRounding, func(s *airflow.Settings) {
			s.Precision, s.Wall, s.Collision = airflow.Double, airflow.Quadratic, airflow.TRT
			s.Conditions = map[int]opening.Condition{2: {Kind: opening.FlowShare, Share: 1}, 3: {Kind: opening.Windkessel, ProximalResistance: 1e5, DistalResistance: 1e6, Compliance: 1e-9}}
		}},
		{"recursive, 16 bits", 1, halfRounding, func(s *airflow.Settings) { s.Precision, s.Collision = airflow.Half, airflow.Recursive }},
		{"cumulant", 2, singleRounding, func(s *airflow.Settings) { s.Collision = airflow.Cumulant }},
	} {
		t.Run(c.name, func(t *testing.T) {
			besideOthers(t)
			if testing.Short() && c.devices == 1 {
				t.Skip("compiling the kernels for the processor takes a while")
			}
			g := cave(9, [3]bool{})
			domain := solver.WholeDomain(g)
			settings := caveSettings(g)
			c.change(&settings)
			r := processorRank(t, domain, settings)
			if err := r.Advance(context.Background(), 60, nil); err != nil {
				t.Fatal(err)
			}
			saved := must(r.SaveState())
			want := must(r.Hash())

			flow := must(airflow.NewFlow(domain, settings))
			s := must(newSolver(flow, testDevices(t, c.devices), Options{Storage: Single}))
			defer s.Close()
			if err := s.Advance(context.Background(), 4, nil); err != nil { // of which nothing may remain
				t.Fatal(err)
			}
			if err := s.LoadState([]*solver.State{saved}); err != nil {
				t.Fatal(err)
			}
			if got := must(s.Hash()); got != want {
				t.Errorf("the state's hash is %016x on the GPU, %016x on the processor", got, want)
			}
			again := must(s.SaveState())
			rounding := cmp.Comparer(func(x, y float64) bool { return float32(x) == float32(y) })
			if d := cmp.Diff(saved, again, rounding); d != "" {
				t.Errorf("what is saved again differs: %.500s", d)
			}

			const more = 40
			for range more {
				if err := s.Step(); err != nil {
					t.Fatal(err)
				}
			}
			if err := r.Advance(context.Background(), more, nil); err != nil {
				t.Fatal(err)
			}
			compareFields(t, must(s.Fields()), r.Fields(), max(c.tolerance, fieldRounding))

			back := processorRank(t, domain, settings)
			if err := back.LoadState([]*solver.State{must(s.SaveState())}); err != nil {
				t.Fatal(err)
			}
			if got, want := must(back.Hash()), must(s.Hash()); got != want {
				t.Errorf("the state's hash is %016x on the processor, %016x on the GPU", got, want)
			}
		})
	}
}

// States that do not fit are refused.
func TestOtherStatesAreRefused(t *testing.T) {
	besideOthers(t)
	g := cave(9, [3]bool{})
	settings := caveSettings(g)
	settings.Collision, settings.Precision = airflow.TRT, airflow.Double
	s := computed(t, solver.WholeDomain(g), settings, Single, 2)
	saved := must(s.SaveState())
	odd, short, few := *saved, *saved, *saved
	odd.Steps++
	short.RecordBytes -= 8
	few.Cells = []solver.CellRange{{First: 0, Count: 10}}
	for _, c := range []struct {
		states []*solver.State
		want   string
	}{{nil, "does not belong"}, {[]*solver.State{&odd}, "one step earlier or later"}, {[]*solver.State{&short}, "does not belong"}, {[]*solver.State{&few}, "does not belong"}} {
		if err := s.LoadState(c.states); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}
