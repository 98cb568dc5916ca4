package refine

import (
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"carina/internal/parallel"
	"carina/internal/random"
	"carina/partition/graphtest"

	"pgregory.net/rapid"
)

// A round in groups keeps the books, makes nothing worse, and does the same
// with any number of workers.
func TestRoundInGroups(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawState(t)
		s.Distance = nil
		s.recount()
		seed := rapid.Uint64().Draw(t, "seed")
		cut, over := s.Cut, s.Overload()
		var outcomes [][]int32
		for _, size := range []int{1, 3} {
			s := NewState(s.Graph, nil, slices.Clone(s.Part), s.Limit, nil)
			f := NewFM(s, random.New(seed), 5, parallel.Never)
			f.Slack, f.Workers = s.Graph.Heaviest(), parallel.New(size)
			f.roundInGroups()
			checkState(t, s)
			if s.Overload() > over || s.Overload() == over && s.Cut > cut {
				t.Fatalf("cut %d and overload %d became %d and %d", cut, over, s.Cut, s.Overload())
			}
			outcomes = append(outcomes, s.Part)
		}
		if !slices.Equal(outcomes[0], outcomes[1]) {
			t.Fatal("three workers moved other vertices than one")
		}
	})
}

// Stopped anywhere, a round in groups still keeps the books and makes nothing
// worse.
func TestRoundInGroupsStopped(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawState(t)
		s.Distance = nil
		s.recount()
		cut, over := s.Cut, s.Overload()
		var calls atomic.Int32
		last := rapid.Int32Range(0, 60).Draw(t, "calls")
		f := NewFM(s, random.New(1), 5, func() bool { return calls.Add(1) > last })
		f.Slack, f.Workers = s.Graph.Heaviest(), parallel.New(rapid.IntRange(1, 3).Draw(t, "workers"))
		f.roundInGroups()
		checkState(t, s)
		if s.Overload() > over || s.Overload() == over && s.Cut > cut {
			t.Fatalf("cut %d and overload %d became %d and %d", cut, over, s.Cut, s.Overload())
		}
	})
}

// On a mesh large enough for groups, parts that are jagged all over become
// nearly as smooth by rounds in groups as by rounds over the whole, with the
// same bits for any number of workers.
func TestGroupsRefineLargeMeshes(t *testing.T) {
	const side, k = 40, 16
	g := graphtest.Grid(side, side, side).Weighted()
	jagged := make([]int32, g.Vertices())
	r := rand.New(rand.NewPCG(3, 4))
	for v := range jagged {
		x, y := (v%side+r.IntN(3)-1)*4/side, (v/side%side+r.IntN(3)-1)*4/side
		jagged[v] = int32(min(max(x, 0), 3) + 4*min(max(y, 0), 3))
	}
	limit := slices.Repeat([]int64{side * side * side / k * 11 / 10}, k)
	refine := func(w *parallel.Workers) *State {
		s := NewState(g, nil, slices.Clone(jagged), limit, nil)
		f := NewFM(s, random.New(1), 30, parallel.Never)
		f.Slack, f.Workers = 1, w
		f.Refine(3)
		return s
	}
	plain, one, four := refine(nil), refine(parallel.New(1)), refine(parallel.New(4))
	if !slices.Equal(one.Part, four.Part) {
		t.Error("four workers moved other vertices than one")
	}
	if float64(one.Cut) > 1.05*float64(plain.Cut) {
		t.Errorf("cut %d by groups, %d without", one.Cut, plain.Cut)
	}
	t.Logf("cut %d by groups, %d without", one.Cut, plain.Cut)
}
