package airflow

import (
	"context"
	"reflect"
	"strings"
	"testing"

	"carina/geometry"
	"carina/internal/race"
	"carina/solver"
	"carina/solver/airflow/opening"
	"carina/solver/checkpoint"
	"carina/solver/enginetest"
	"carina/solver/transport"
)

// methodsToKeep are those to move, and more: every wall, operator, lattice, precision
// and kind of opening.
var methodsToKeep = append(methodsToMove[:len(methodsToMove):len(methodsToMove)], []method{
	{"BGK, bounce-back", func(s *Settings) { s.Collision, s.Wall = BGK, BounceBack }},
	{"cumulant", func(s *Settings) { s.Collision, s.KinematicViscosity = Cumulant, 1e-7 }},
	{"regularized, large eddies", func(s *Settings) { s.Collision, s.Smagorinsky = Regularized, 0.15 }},
	{"recursive, in 16 bits", func(s *Settings) { s.Collision, s.Precision, s.KinematicViscosity = Recursive, Half, 1e-7 }},
	{"27 velocities", func(s *Settings) { s.Collision, s.Lattice = TRT, D3Q27 }},
	{"quadratic walls, in double precision, dense", func(s *Settings) { s.Collision, s.Wall, s.Precision, s.Layout = TRT, Quadratic, Double, Dense }},
	{"a developed profile and a waveform", func(s *Settings) {
		s.Profile, s.Waveform = opening.Developed, opening.Sine{Period: 1e-3, Mean: 1, Amplitude: 0.5}
		s.Conditions = map[int]opening.Condition{2: {Kind: opening.FlowShare, Share: 0.3}, 3: {Kind: opening.Windkessel, ProximalResistance: 1e5, DistalResistance: 1e6, Compliance: 1e-9}}
	}},
	{"pressures", func(s *Settings) {
		s.Conditions = map[int]opening.Condition{2: {Kind: opening.ImposedPressure, Pressure: 20}, 3: {Kind: opening.ImposedPressure, Pressure: 20}}
	}},
}...)

// keptSteps are computed, keptAt after how many the state is kept.
var keptSteps, keptAt = race.Few[int64](100, 300), race.Few[int64](50, 150)

// runKept starts a mean, computes and writes a checkpoint on the way, and tells how the flow
// has ended.
func runKept(t *testing.T, g *geometry.Grid, s Settings, ranks int, seed uint64, folder string) (e ended) {
	enginetest.OnRanks(t, ranks, func(tr transport.Transport) error {
		r, err := NewRank(scattered(g, int32(3+seed%4), ranks, seed, [3]bool{}), s, tr)
		if err != nil {
			return err
		}
		defer r.Close()
		if err := r.StartAverage(); err != nil {
			return err
		}
		w, err := checkpoint.NewWriter(folder, tr)
		if err != nil {
			return err
		}
		plan := Plan{Watch: 1e-3, Between: []Between{{Do: func(r *Rank) error {
			// A later one is left out while the first is written.
			news, err := w.Turn(r.engine.Steps() == keptAt)
			if err != nil || !news.Due {
				return err
			}
			room := <-r.engine.RoomForState(nil)
			state, err := r.SaveStateInto(room)
			if err == nil && len(state.Records) > 0 && &state.Records[0] != &room.Records[0] {
				t.Error("a state is not in the memory that was made for it")
			}
			w.Begin(state, nil)
			return err
		}}}}
		if err := r.advance(context.Background(), keptSteps, &plan); err != nil {
			return err
		}
		if _, err := w.Finish(); err != nil {
			return err
		}
		if own := r.end(t); tr.Rank() == 0 {
			e = own
		}
		return nil
	})
	return e
}

// goOn goes on from a checkpoint: every rank reads what belongs to its own cells.
func goOn(t *testing.T, g *geometry.Grid, s Settings, ranks int, seed uint64, folder string) (e ended) {
	enginetest.OnRanks(t, ranks, func(tr transport.Transport) error {
		r, err := NewRank(scattered(g, int32(3+seed%4), ranks, seed, [3]bool{}), s, tr)
		if err != nil {
			return err
		}
		defer r.Close()
		kept, err := checkpoint.Open(folder)
		if err != nil {
			return err
		}
		state, err := kept.Load(r.layout.Ranges())
		if err != nil {
			return err
		}
		if len(state.Records) != state.RecordBytes*r.layout.Fluid {
			t.Errorf("a rank of %d cells holds %d bytes of states", r.layout.Fluid, len(state.Records))
		}
		if err := r.LoadState([]*solver.State{state}); err != nil {
			return err
		}
		plan := Plan{Watch: 1e-3}
		if err := r.advance(context.Background(), keptSteps-keptAt, &plan); err != nil {
			return err
		}
		if own := r.end(t); tr.Rank() == 0 {
			e = own
		}
		return nil
	})
	return e
}

// A flow that goes on from a checkpoint, on other ranks with other cells, ends as one that
// was left alone: the state, its mean, what is known of its steadiness.
func TestCheckpointsGoOn(t *testing.T) {
	for k, m := range race.Few(methodsToMove, methodsToKeep) {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			g := cave(uint64(70+k), [3]bool{})
			if strings.Contains(m.name, "profile") || strings.Contains(m.name, "pressures") {
				g = fork()
			}
			s := caveSettings(g)
			m.change(&s)
			folder := t.TempDir()
			ranks := 2 + k%6
			want := runKept(t, g, s, ranks, uint64(k), folder)
			if want.mean == nil || want.fastest == 0 {
				t.Fatal("nothing flows")
			}
			for _, others := range []int{1 + (k+3)%7, 2 + (k+1)%6} {
				if got := goOn(t, g, s, others, uint64(90+k), folder); !reflect.DeepEqual(got, want) {
					t.Errorf("from %d to %d ranks: ends with %x after %d steps and not with %x after %d, means equal: %t", ranks, others,
						got.hash, got.steps, want.hash, want.steps, reflect.DeepEqual(got.mean, want.mean))
				}
			}
		})
	}
}
