package airflow

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"carina/geometry"
	"carina/internal/race"
	"carina/solver"
	"carina/solver/airflow/opening"
	"carina/solver/enginetest"
	"carina/solver/transport"

	"gonum.org/v1/gonum/spatial/r3"
)

// ended is where and how a flow has ended.
type ended struct {
	steps   int64
	hash    uint64
	steady  bool
	change  float64
	fastest float64
	mean    *Fields
}

// end describes a rank.
func (r *Rank) end(t *testing.T) ended {
	own, err := r.Average()
	if err != nil {
		t.Error(err)
	}
	e := ended{steps: r.engine.Steps(), hash: must(r.Hash()), fastest: r.fastest, mean: must(r.GatherFields(own))}
	if steady := r.still.Outcome(); steady != nil {
		e.steady = *steady
		e.change, _ = r.still.Worst()
	}
	return e
}

// restedSettings are those of a flow that becomes steady soon, under a pressure that
// changes.
func restedSettings() Settings {
	s := DefaultSettings()
	s.FlowRate, s.RampTime, s.KinematicViscosity, s.LatticeVelocity = 1e-7, -1, 2e-4, 0.05
	s.Conditions = map[int]opening.Condition{2: {Kind: opening.ImposedPressure, Pressure: 20}, 3: {Kind: opening.ImposedPressure, Pressure: 20}}
	return s
}

// A flow that was saved on three ranks on its way and loaded by five, or whose cells got
// other owners, ends at the same step with the same mean and the same watch of
// steadiness as one that was left alone; so does one that was steady when it was saved.
func TestWhatIsRememberedGoesOn(t *testing.T) {
	g, s := thinFork(), restedSettings()
	const most = 20000
	tolerance := race.Few(4e-2, 2e-3)
	run := func(ranks int, plan Plan, before func(r *Rank) error) (e ended) {
		plan.Tolerance = tolerance
		enginetest.OnRanks(t, ranks, func(tr transport.Transport) error {
			r, err := NewRank(scattered(g, int32(2+ranks), ranks, uint64(ranks), [3]bool{}), s, tr)
			if err != nil {
				return err
			}
			defer r.Close()
			if err := r.StartAverage(); err != nil {
				return err
			}
			if err := before(r); err != nil {
				return err
			}
			if err := r.advance(context.Background(), most-r.engine.Steps(), &plan); err != nil {
				return err
			}
			if own := r.end(t); tr.Rank() == 0 {
				e = own
			}
			return nil
		})
		return e
	}
	var states [][]*solver.State
	keep := make([]map[int64]*solver.State, 3)
	for i := range keep {
		keep[i] = map[int64]*solver.State{}
	}
	want := run(3, Plan{Between: []Between{{Do: func(r *Rank) (err error) {
		keep[r.Number()][r.engine.Steps()], err = r.SaveState()
		return err
	}}}}, func(*Rank) error { return nil })
	if !want.steady || want.steps >= most || want.steps < 6*checkInterval || want.mean == nil {
		t.Fatalf("the flow ends after %d steps, steady %t", want.steps, want.steady)
	}
	for _, at := range []int64{want.steps / 2 / checkInterval * checkInterval, want.steps - 2*checkInterval, want.steps - checkInterval, want.steps} {
		states = append(states, []*solver.State{keep[0][at], keep[1][at], keep[2][at]})
	}
	for _, saved := range race.Few(states[:1], states) {
		got := run(5, Plan{}, func(r *Rank) error { return r.LoadState(saved) })
		if !reflect.DeepEqual(got, want) {
			t.Errorf("saved at step %d: ends at %d and not at %d, change %g and not %g, hash %x and not %x, means equal: %t",
				saved[0].Steps, got.steps, want.steps, got.change, want.change, got.hash, want.hash, reflect.DeepEqual(got.mean, want.mean))
		}
	}
	got := run(4, Plan{Between: []Between{{Do: func(r *Rank) error {
		if seed := r.engine.Steps() / checkInterval; seed%3 == 1 {
			return r.Move(scattered(g, int32(2+seed%4), 4, uint64(seed), [3]bool{}))
		}
		return nil
	}}}}, func(*Rank) error { return nil })
	if !reflect.DeepEqual(got, want) {
		t.Errorf("with moved cells it ends at step %d and not at %d, change %g and not %g", got.steps, want.steps, got.change, want.change)
	}
}

// A state is refused in a sentence by a computation that it is not of, which goes on as
// if nothing had happened.
func TestOtherStates(t *testing.T) {
	g := thinFork()
	s := restedSettings()
	saved := func(g *geometry.Grid, s Settings, periodic [3]bool) (state *solver.State) {
		enginetest.OnRanks(t, 1, func(tr transport.Transport) error {
			d := solver.WholeDomain(g)
			d.Periodic = periodic
			r, err := NewRank(d, s, tr)
			if err != nil {
				return err
			}
			defer r.Close()
			state, err = r.SaveState()
			return err
		})
		return state
	}
	changed := func(change func(g *geometry.Grid)) *geometry.Grid {
		other := *g
		other.Runs = slices.Clone(g.Runs)
		change(&other)
		return &other
	}
	changedSettings := func(change func(s *Settings)) Settings {
		other := s
		change(&other)
		return other
	}
	same := saved(g, s, [3]bool{})
	newer := *same
	newer.Form++
	for want, state := range map[string]*solver.State{
		"begins at": saved(changed(func(g *geometry.Grid) { g.Origin = r3.Add(g.Origin, r3.Vec{Y: g.Spacing}) }), s, [3]bool{}),
		"a spacing of": saved(changed(func(g *geometry.Grid) {
			g.Spacing *= 1.001
		}), s, [3]bool{}),
		"cells and this one has": saved(changed(func(g *geometry.Grid) { g.Size[0]++ }), s, [3]bool{}),
		"along other axes":       saved(g, s, [3]bool{true, false, false}),
		"float16 scaled by":      saved(g, changedSettings(func(s *Settings) { s.Precision = Half }), [3]bool{}),
		"float64":                saved(g, changedSettings(func(s *Settings) { s.Precision = Double }), [3]bool{}),
		"27 × float32":           saved(g, changedSettings(func(s *Settings) { s.Lattice = D3Q27 }), [3]bool{}),
		"has form 2":             &newer,
	} {
		enginetest.OnRanks(t, 2, func(tr transport.Transport) error {
			r, err := NewRank(scattered(g, 5, 2, 1, [3]bool{}), s, tr)
			if err != nil {
				return err
			}
			defer r.Close()
			before, err := r.Hash()
			if err != nil {
				return err
			}
			err = r.LoadState([]*solver.State{state})
			if !errors.Is(err, solver.ErrOtherState) || !strings.Contains(err.Error(), want) {
				return fmt.Errorf("want an error with %q and got %w", want, err)
			}
			if after, err := r.Hash(); err != nil || after != before || r.engine.Steps() != 0 {
				return fmt.Errorf("a state that was refused has changed something: %w", err)
			}
			return r.LoadState([]*solver.State{same})
		})
	}
}

// What is remembered in another way than flows do is refused.
func TestOtherMemories(t *testing.T) {
	good := Remembered{Mean: &Mean{3, 1.5}, Fields: [][4]float32{{1, 2, 3, 4}}, Sample: [][3]float64{{5, 6, 7}}}
	if got, err := RememberedOf(good.Beside()); err != nil || !reflect.DeepEqual(got, good) {
		t.Errorf("%+v is %+v: %v", good, got, err)
	}
	for name, damage := range map[string]func(list []solver.Beside){
		"another name":  func(list []solver.Beside) { list[0].Name = "deviation" },
		"another head":  func(list []solver.Beside) { list[0].Head = list[0].Head[1:] },
		"a count below": func(list []solver.Beside) { list[0].Head[7] = 0x80 },
		"no pressure":   func(list []solver.Beside) { copy(list[0].Head[8:], bytesOf([]float64{math.NaN()})) },
		"fewer cells":   func(list []solver.Beside) { list[1].Every = 60 },
	} {
		list := good.Beside()
		damage(list)
		if _, err := RememberedOf(list); err == nil {
			t.Errorf("%s is not refused", name)
		}
	}
	for _, data := range [][]byte{nil, make([]byte, 63), (&Rank{summed: never}).course()[1:]} {
		if (&Rank{}).follow(data) == nil {
			t.Errorf("a course of %d bytes is not refused", len(data))
		}
	}
}
