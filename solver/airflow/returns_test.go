package airflow

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"carina/solver"
	"carina/solver/lattice"
)

// coarse is a flow on a pipe that diverges with too long a memory of third moments.
func coarse() (*solver.Domain, []*solver.Domain, Settings) {
	g := placedPipe(6, 30)
	s := caveSettings(g)
	s.FlowRate, s.LatticeVelocity, s.Collision, s.Memory, s.Limiter = 1e-5, 0.1, Recursive, 10, 0.07
	return solver.WholeDomain(g), []*solver.Domain{scattered(g, 4, 3, 1, [3]bool{}), scattered(g, 3, 4, 2, [3]bool{})}, s
}

// A flow that diverges goes back to the last good state and on with a shorter memory, to
// the end, with the bits of a flow that begins from that state with these settings, on
// any ranks; it says so, once.
func TestGoesBack(t *testing.T) {
	const steps, every = 2600, 500
	whole, divided, s := coarse()
	var diverged *DivergedError
	if _, err := RunInProcess(context.Background(), whole, s, Plan{Steps: steps, Once: true}); !errors.As(err, &diverged) {
		t.Fatalf("the flow was to diverge: %v", err)
	}
	to := (diverged.Step - 1) / every * every
	var warned []string
	plan := Plan{Steps: steps, safeInterval: every, Warn: func(w []string) { warned = append(warned, w...) }}
	got, err := RunInProcess(context.Background(), whole, s, plan)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.GoneBack) != 1 || got.GoneBack[0] != (GoneBack{diverged.Step, to, Recursive, 1, s.Limiter}) || got.Steps != steps {
		t.Fatalf("after %d steps: went back %+v, want from %d to %d", got.Steps, got.GoneBack, diverged.Step, to)
	}
	words := got.GoneBack[0].String()
	for where, list := range map[string][]string{"warnings on the way": warned, "the summary's": got.Warnings} {
		if n := len(slices.DeleteFunc(slices.Clone(list), func(w string) bool { return w != words })); n != 1 {
			t.Errorf("%s say %d times %q", where, n, words)
		}
	}
	for _, d := range divided {
		other, err := RunInProcess(context.Background(), d, s, Plan{Steps: steps, safeInterval: every})
		if err != nil || other.StateHash != got.StateHash || !slices.Equal(other.GoneBack, got.GoneBack) {
			t.Errorf("%d ranks: %v, error %v", d.Ranks, other, err)
		}
	}
	// The same by hand.
	var state *solver.State
	if _, err := RunInProcess(context.Background(), whole, s, Plan{Steps: to, Once: true, Visit: func(r *Rank) (err error) { state, err = r.SaveState(); return err }}); err != nil {
		t.Fatal(err)
	}
	s.Memory = 1
	want, err := RunInProcess(context.Background(), whole, s, Plan{Steps: steps, Once: true, Resume: func(r *Rank) error { return r.LoadState([]*solver.State{state}) }})
	if err != nil || want.StateHash != got.StateHash {
		t.Errorf("the state is %s, error %v; by hand %s", got.StateHash, err, want.StateHash)
	}
}

// Without a state the flow goes back to the start, and after three times in vain it ends.
func TestGoesBackToTheStart(t *testing.T) {
	whole, _, s := coarse()
	got, err := RunInProcess(context.Background(), whole, s, Plan{Steps: 2600})
	if err != nil || len(got.GoneBack) != 1 || got.GoneBack[0].To != 0 || !strings.Contains(got.Warnings[len(got.Warnings)-1], "went back to the start") {
		t.Errorf("went back %+v, error %v", got, err)
	}
	s.FlowRate, s.LatticeVelocity, s.Memory, s.Limiter = 1e-5, 0.5, 1, 0
	warned := 0
	_, err = RunInProcess(context.Background(), whole, s, Plan{Steps: 4000, Warn: func([]string) { warned++ }})
	if !errors.As(err, new(*DivergedError)) || warned != 1+mostReturns {
		t.Errorf("error %v, warned %d times", err, warned)
	}
}

// What is calmer than settings is within what they may be, changes what it should and
// ends somewhere.
func TestCalmer(t *testing.T) {
	type row struct {
		user, operator  Collision
		lattice         Lattice
		smagorinsky     float64
		memory, limiter float64 // of the settings
		returns         int
		want            Collision // empty for none
		wantMemory      float64
		wantLimiter     float64
	}
	for _, c := range []row{
		{Automatic, TRT, "", 0, 1, 0.1, 0, Recursive, 1, 0.1},
		{Automatic, TRT, D3Q27, 0, 1, 0.1, 0, Cumulant, 1, 0.1},
		{Automatic, Recursive, "", 0, 1, 0.1, 0, Automatic, 0.5, 0.1},
		{Automatic, Recursive, "", 0, 0.5, 0.1, 1, Automatic, 0.25, 0.15},
		{Recursive, Recursive, "", 0, 0, 0, 0, Recursive, 0, 0.1},
		{Recursive, Recursive, "", 0, 40, 0.9, 2, Recursive, 1, 1},
		{Recursive, Recursive, "", 0.1, 1, 0.1, 2, Recursive, 0.5, 0.1},
		{user: Recursive, operator: Recursive, smagorinsky: 0.1},
		{user: TRT, operator: TRT, memory: 1}, {user: BGK, operator: BGK, memory: 1}, {user: Regularized, operator: Regularized, memory: 1},
		{user: Automatic, operator: Cumulant, lattice: D3Q27, memory: 1}, {user: Cumulant, operator: Cumulant, memory: 1},
	} {
		s := DefaultSettings()
		s.Collision, s.Lattice, s.Smagorinsky, s.Memory, s.Limiter = c.user, c.lattice, c.smagorinsky, c.memory, c.limiter
		got, ok := s.calmer(c.operator, c.returns)
		if ok != (c.want != "") {
			t.Errorf("%+v: calmer %v", c, ok)
		}
		if !ok {
			continue
		}
		if got.Collision != c.want || got.Memory != c.wantMemory || got.Limiter-c.wantLimiter > 1e-12 || got.Limiter-c.wantLimiter < -1e-12 {
			t.Errorf("%+v: got %s, memory %g, limiter %g", c, got.Collision, got.Memory, got.Limiter)
		}
		if err := got.Validate(); err != nil || got.set() != s.set() && s.set() != lattice.D3Q19 {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// Each return says what has changed, also where the operator was chosen by auto.
func TestReturnsSayWhatChanged(t *testing.T) {
	whole, _, s := coarse()
	s.Collision, s.Memory = Automatic, 40
	got, err := RunInProcess(context.Background(), whole, s, Plan{Steps: 1000})
	if err != nil || len(got.GoneBack) != 1 {
		t.Fatalf("went back %+v, error %v", got, err)
	}
	gone := got.GoneBack[0]
	if want := "goes on with the recursive collision, its memory of third moments 1 and its limiter 0.07"; gone.Collision != Recursive || !strings.HasSuffix(gone.String(), want) {
		t.Errorf("says %q, want %q", gone.String(), want)
	}
	if words := (&GoneBack{Collision: Cumulant, Memory: 1}).String(); strings.Contains(words, "memory") {
		t.Errorf("says %q of an operator without a memory", words)
	}
}
