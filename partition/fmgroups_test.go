package partition

import (
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"
)

// rowsByDefinition returns the edge weight from v to every part.
func rowsByDefinition(s *state, v int32) []int64 {
	conn := make([]int64, s.k)
	for e := s.g.Offsets[v]; e < s.g.Offsets[v+1]; e++ {
		conn[s.part[s.g.Neighbours[e]]] += s.g.EdgeWeights[e]
	}
	return conn
}

// checkState compares what a state keeps with the partition itself.
func checkState(t *rapid.T, s *state) {
	fresh := newState(&level{g: s.g}, slices.Clone(s.part), s.limit, s.distance)
	if s.cut != fresh.cut || !slices.Equal(s.weight, fresh.weight) || !slices.Equal(s.count, fresh.count) {
		t.Fatalf("cut %d, weights %v, counts %v; recounted %d, %v, %v", s.cut, s.weight, s.count, fresh.cut, fresh.weight, fresh.count)
	}
	for v := range s.part {
		if s.rowLen[v] < 0 {
			continue
		}
		got := make([]int64, s.k)
		parts, conn := s.row(int32(v))
		for i, p := range parts {
			got[p] = conn[i]
		}
		if want := rowsByDefinition(s, int32(v)); !slices.Equal(got, want) {
			t.Fatalf("vertex %d is tied to the parts by %v, kept are %v", v, want, got)
		}
	}
}

// A round in groups keeps the books, makes nothing worse, and does the same
// with any number of workers.
func TestRoundInGroups(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawState(t)
		s.distance = nil
		s.recount()
		seed := rapid.Uint64().Draw(t, "seed")
		cut, over := s.cut, s.overload()
		var outcomes [][]int32
		for _, size := range []int{1, 3} {
			s := newState(&level{g: s.g}, slices.Clone(s.part), s.limit, nil)
			f := newFM(s, newRandom(seed), 5, never)
			f.slack, f.workers = heaviestOf(s.g), newWorkers(size)
			f.roundInGroups()
			checkState(t, s)
			if s.overload() > over || s.overload() == over && s.cut > cut {
				t.Fatalf("cut %d and overload %d became %d and %d", cut, over, s.cut, s.overload())
			}
			outcomes = append(outcomes, s.part)
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
		s.distance = nil
		s.recount()
		cut, over := s.cut, s.overload()
		var calls atomic.Int32
		last := rapid.Int32Range(0, 60).Draw(t, "calls")
		f := newFM(s, newRandom(1), 5, func() bool { return calls.Add(1) > last })
		f.slack, f.workers = heaviestOf(s.g), newWorkers(rapid.IntRange(1, 3).Draw(t, "workers"))
		f.roundInGroups()
		checkState(t, s)
		if s.overload() > over || s.overload() == over && s.cut > cut {
			t.Fatalf("cut %d and overload %d became %d and %d", cut, over, s.cut, s.overload())
		}
	})
}

// On a mesh large enough for groups, parts that are jagged all over become
// nearly as smooth by rounds in groups as by rounds over the whole, with the
// same bits for any number of workers.
func TestGroupsRefineLargeMeshes(t *testing.T) {
	const side, k = 40, 16
	g := gridGraph(side, side, side).weighted()
	jagged := make([]int32, g.Vertices())
	r := rand.New(rand.NewPCG(3, 4))
	for v := range jagged {
		x, y := (v%side+r.IntN(3)-1)*4/side, (v/side%side+r.IntN(3)-1)*4/side
		jagged[v] = int32(min(max(x, 0), 3) + 4*min(max(y, 0), 3))
	}
	limit := slices.Repeat([]int64{side * side * side / k * 11 / 10}, k)
	refine := func(w *workers) *state {
		s := newState(&level{g: g}, slices.Clone(jagged), limit, nil)
		f := newFM(s, newRandom(1), 30, never)
		f.slack, f.workers = 1, w
		f.refine(3)
		return s
	}
	plain, one, four := refine(nil), refine(newWorkers(1)), refine(newWorkers(4))
	if !slices.Equal(one.part, four.part) {
		t.Error("four workers moved other vertices than one")
	}
	if float64(one.cut) > 1.05*float64(plain.cut) {
		t.Errorf("cut %d by groups, %d without", one.cut, plain.cut)
	}
	t.Logf("cut %d by groups, %d without", one.cut, plain.cut)
}
