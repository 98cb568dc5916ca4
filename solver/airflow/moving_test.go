package airflow

import (
	"errors"
	"fmt"
	"math"
	"os"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"testing"

	"carina/geometry"
	"carina/internal/race"
	"carina/solver"
	"carina/solver/airflow/opening"
	"carina/solver/enginetest"
	"carina/solver/transport"
)

// method is a way to compute.
type method struct {
	name   string
	change func(*Settings)
}

// methodsToMove are settings that keep different things between steps: openings
// with memories, corrections that ask other ranks, forces, 16 bits.
var methodsToMove = []method{
	{"shares and a Windkessel", func(s *Settings) {
		s.Conditions = map[int]opening.Condition{2: {Kind: opening.FlowShare, Share: 1}, 3: {Kind: opening.Windkessel, ProximalResistance: 1e5, DistalResistance: 1e6, Compliance: 1e-9}}
	}},
	{"quadratic walls", func(s *Settings) { s.Collision, s.Wall = TRT, Quadratic }},
	{"a waveform, in 16 bits", func(s *Settings) {
		s.Precision, s.Waveform = Half, opening.Sine{Period: 2e-3, Mean: 0.2, Amplitude: 0.9}
	}},
	{"a dense layout, in double precision", func(s *Settings) { s.Precision, s.Layout, s.Collision = Double, Dense, Recursive }},
	{"a changing force", func(s *Settings) {
		s.BodyForce, s.ForceWaveform = [3]float64{3, 2, 1}, opening.Sine{Period: 1e-3, Mean: 1, Amplitude: 0.5}
	}},
}

const movedSteps = 41

// hashesOf are the hashes of one rank after every step.
func hashesOf(t *testing.T, g *geometry.Grid, s Settings) []uint64 {
	var list []uint64
	enginetest.OnRanks(t, 1, func(tr transport.Transport) error {
		r, err := NewRank(solver.WholeDomain(g), s, tr)
		if err != nil {
			return err
		}
		defer r.Close()
		list, err = r.hashes(movedSteps)
		return err
	})
	return list
}

// hashes steps and returns the hash after each step and before the first.
func (r *Rank) hashes(steps int) (list []uint64, err error) {
	for s := 0; ; s++ {
		h, err := r.Hash()
		if err != nil || s == steps {
			return append(list, h), err
		}
		list = append(list, h)
		if err := r.engine.Step(); err != nil {
			return nil, err
		}
	}
}

// After every step, odd ones too, the state is the same on one rank and on many,
// whatever ghosts hold before an even step.
func TestEveryStepOnManyRanks(t *testing.T) {
	for k, m := range methodsToMove {
		if race.Enabled && k%2 == 1 {
			continue
		}
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			g := cave(uint64(40+k), [3]bool{})
			s := caveSettings(g)
			m.change(&s)
			want := hashesOf(t, g, s)
			type division struct {
				side         int32
				ranks, steps int
			}
			divisions := []division{{5, 2, movedSteps}, {3, 5, 24}, {16, 7, 24}, {1, 23, 13}}
			for _, c := range race.Few([]division{{3, 5, 24}, {1, 23, 5}}, divisions) {
				enginetest.OnRanks(t, c.ranks, func(tr transport.Transport) error {
					r, err := NewRank(scattered(g, c.side, c.ranks, uint64(c.ranks), [3]bool{}), s, tr)
					if err != nil {
						return err
					}
					defer r.Close()
					for step := range want[:c.steps] {
						h, err := r.Hash()
						if err != nil {
							return err
						}
						if h != want[step] {
							return fmt.Errorf("%d ranks, blocks of %d: another state after %d steps", c.ranks, c.side, step)
						}
						if step%2 == 0 {
							r.poisonGhosts()
						}
						if err := r.engine.Step(); err != nil {
							return err
						}
					}
					return nil
				})
			}
		})
	}
}

// poisonGhosts fills all ghosts with what is no number.
func (r *Rank) poisonGhosts() {
	for p := range r.set.Q {
		for cell := r.layout.Cells; cell < r.layout.Cells+r.layout.Ghosts; cell++ {
			r.kernel.(*bound).populations.Set(int32(cell), p, math.NaN())
		}
	}
}

// A state saved by three ranks goes on with five, after even and odd steps.
func TestSavedOnThreeLoadedOnFive(t *testing.T) {
	for k, m := range methodsToMove {
		if race.Enabled && k%2 == 0 {
			continue
		}
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			g := cave(uint64(50+k), [3]bool{})
			s := caveSettings(g)
			m.change(&s)
			want := hashesOf(t, g, s)
			for _, at := range race.Few([]int{13}, []int{12, 13, 19}) {
				saved := make([]*solver.State, 3)
				enginetest.OnRanks(t, 3, func(tr transport.Transport) error {
					r, err := NewRank(scattered(g, 4, 3, 8, [3]bool{}), s, tr)
					if err != nil {
						return err
					}
					defer r.Close()
					if _, err := r.hashes(at); err != nil {
						return err
					}
					saved[tr.Rank()], err = r.SaveState()
					return err
				})
				enginetest.OnRanks(t, 5, func(tr transport.Transport) error {
					r, err := NewRank(scattered(g, 6, 5, 9, [3]bool{}), s, tr)
					if err != nil {
						return err
					}
					defer r.Close()
					r.poisonGhosts()
					if err := r.LoadState(saved); err != nil {
						return err
					}
					got, err := r.hashes(movedSteps - at)
					for i := range got {
						if got[i] != want[at+i] {
							return fmt.Errorf("saved after %d steps: another state after %d", at, at+i)
						}
					}
					return err
				})
			}
		})
	}
}

// Cells change owner 18 times in 41 steps, after even and odd ones.
func TestCellsMove(t *testing.T) {
	for k, m := range methodsToMove {
		if race.Enabled && k%2 == 1 {
			continue
		}
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			g := cave(uint64(60+k), [3]bool{})
			s := caveSettings(g)
			m.change(&s)
			want := hashesOf(t, g, s)
			const ranks = 5
			moves := 0
			enginetest.OnRanks(t, ranks, func(tr transport.Transport) error {
				r, err := NewRank(scattered(g, 4, ranks, 30, [3]bool{}), s, tr)
				if err != nil {
					return err
				}
				defer func() { r.Close() }()
				for step := range want {
					h, err := r.Hash()
					if err != nil {
						return err
					}
					if h != want[step] {
						return fmt.Errorf("another state after %d steps", step)
					}
					if err := r.engine.Step(); err != nil {
						return err
					}
					if step%3 == 1 || step%7 == 2 {
						if err := r.Move(scattered(g, int32(3+step%5), ranks, uint64(40+step), [3]bool{})); err != nil {
							return err
						}
						if tr.Rank() == 0 {
							moves++
						}
					}
				}
				return nil
			})
			if moves < 18 {
				t.Errorf("cells moved %d times", moves)
			}
		})
	}
}

// A state from before the first step has the velocity of then, with the force of then.
func TestStateBeforeTheFirstStep(t *testing.T) {
	g := cave(3, [3]bool{true})
	s := caveSettings(g)
	s.ForceWaveform = opening.Sine{Period: 1e-4, Mean: 1, Amplitude: 0.9}
	r := must(NewRank(solver.WholeDomain(g), s, transport.NewLocal(1)[0]))
	defer r.Close()
	saved, want := must(r.SaveState()), must(r.Fields())
	must(r.hashes(7))
	if err := r.LoadState([]*solver.State{saved}); err != nil {
		t.Fatal(err)
	}
	if got := must(r.Fields()); !reflect.DeepEqual(got, want) {
		t.Errorf("the first cell moves at %v, before at %v", got.velocity(0), want.velocity(0))
	}
}

// States that are damaged, of several steps or of other openings are refused, and the
// rank can go on with a good one.
func TestDamagedStatesAreRefused(t *testing.T) {
	g := cave(3, [3]bool{})
	s := caveSettings(g)
	r := must(NewRank(solver.WholeDomain(g), s, transport.NewLocal(1)[0]))
	defer r.Close()
	must(r.hashes(13))
	good, want := must(r.SaveState()), must(r.Hash())
	for name, damage := range map[string]func(*solver.State){
		"records cut off":   func(s *solver.State) { s.Records = s.Records[:len(s.Records)-1] },
		"no records":        func(s *solver.State) { s.Records = nil },
		"too many cells":    func(s *solver.State) { s.Cells = []solver.CellRange{{First: 0, Count: math.MaxInt64}} },
		"cells before zero": func(s *solver.State) { s.Cells = append([]solver.CellRange{{First: -5, Count: 3}}, s.Cells...) },
		"records of 0":      func(s *solver.State) { s.RecordBytes = 0 },
		"no sparse":         func(s *solver.State) { s.Sparse = nil },
		"a lot cut off":     func(s *solver.State) { s.Sparse[0].Numbers = s.Sparse[0].Numbers[:len(s.Sparse[0].Numbers)-1] },
		"other openings":    func(s *solver.State) { s.Global[0] = append(s.Global[0], s.Global[0]...) },
		"openings cut off":  func(s *solver.State) { s.Global[0] = s.Global[0][:20] },
		"nothing global":    func(s *solver.State) { s.Global = nil },
	} {
		bad := *good
		bad.Sparse, bad.Global = slices.Clone(good.Sparse), [][]byte{slices.Clone(good.Global[0])}
		damage(&bad)
		if err := r.LoadState([]*solver.State{&bad}); err == nil {
			t.Errorf("%s: the state was loaded", name)
		}
	}
	later := *good
	later.Steps += 2
	for name, states := range map[string][]*solver.State{"none": nil, "nil": {nil}, "of several steps": {good, &later}, "one is nil": {good, nil}} {
		if err := r.LoadState(states); !errors.Is(err, solver.ErrOtherState) {
			t.Errorf("states, %s: the error is %v", name, err)
		}
	}
	must(r.hashes(2))
	if err := r.LoadState([]*solver.State{good}); err != nil {
		t.Fatal(err)
	}
	if got := must(r.Hash()); got != want {
		t.Errorf("the state loaded afterwards has the hash %x, want %x", got, want)
	}
}

// A move to the same owners, cut in other places, leaves the rank as it is.
func TestMoveOfNothing(t *testing.T) {
	g := cave(77, [3]bool{})
	enginetest.OnRanks(t, 3, func(tr transport.Transport) error {
		r, err := NewRank(scattered(g, 4, 3, 3, [3]bool{}), caveSettings(g), tr)
		if err != nil {
			return err
		}
		defer func() { r.Close() }()
		before := r.engine
		if err := r.Move(scattered(g, 4, 3, 3, [3]bool{})); err != nil || r.engine != before {
			return fmt.Errorf("the rank was made anew: %w", err)
		}
		if err := r.Move(scattered(g, 4, 3, 4, [3]bool{})); err != nil || r.engine == before {
			return fmt.Errorf("nothing moved: %w", err)
		}
		return nil
	})
}

// randomMoves is a flow in a cave, and its mean over time, of which cells change owner at
// random.
type randomMoves struct {
	grid     *geometry.Grid
	settings Settings
	moves    int
	seed     uint64
}

// betweenMoves is how many steps are computed before each.
const betweenMoves = 3

// forRandomMoves calls f with every wall in every precision, a Windkessel and shares.
// CARINA_MOVES is how often cells move in each; 3 by default, 27 in all.
func forRandomMoves(f func(name string, m *randomMoves)) {
	moves := 3
	if n, err := strconv.Atoi(os.Getenv("CARINA_MOVES")); err == nil {
		moves = n
	}
	for w, wall := range Walls {
		g := cave(uint64(80+w), [3]bool{})
		for p, precision := range Precisions {
			s := caveSettings(g)
			methodsToMove[0].change(&s)
			s.Collision, s.Wall, s.Precision = TRT, wall, precision
			f(fmt.Sprint(wall, ", ", precision), &randomMoves{g, s, moves, uint64(100 * p)})
		}
	}
}

// run computes the flow on the ranks of a transport, and returns on all of them the hash
// of its state and the bits of its mean. If weigh is not nil, it is called while no rank
// computes: before the first move, and after a last one to where all began.
func (m *randomMoves) run(tr transport.Transport, move bool, weigh func()) (outcome []int64, err error) {
	home := scattered(m.grid, 4, tr.Size(), 5, [3]bool{})
	r, err := NewRank(home, m.settings, tr)
	if err != nil {
		return nil, err
	}
	defer func() { r.Close() }()
	if err := r.kernel.StartAverage(); err != nil {
		return nil, err
	}
	alone := func() error {
		if weigh == nil {
			return nil
		}
		if err := transport.Agree(tr, nil); err != nil {
			return err
		}
		weigh()
		return transport.Agree(tr, nil)
	}
	for k := range m.moves {
		for range betweenMoves {
			if err := r.engine.Step(); err != nil {
				return nil, err
			}
		}
		if err := r.kernel.AddToAverage(); err != nil {
			return nil, err
		}
		if !move {
			continue
		}
		if k == 0 {
			if err := alone(); err != nil {
				return nil, err
			}
		}
		if err := r.Move(scattered(m.grid, int32(2+k%5), tr.Size(), m.seed+uint64(k), [3]bool{})); err != nil {
			return nil, err
		}
	}
	if move && weigh != nil {
		if err := errors.Join(r.Move(home), alone()); err != nil {
			return nil, err
		}
	}
	return r.outcome()
}

// outcome is the hash of the state, and the bits of the mean over time in all cells by
// global number.
func (r *Rank) outcome() ([]int64, error) {
	h, err := r.Hash()
	if err != nil {
		return nil, err
	}
	mean, err := r.kernel.Average()
	if err != nil {
		return nil, err
	}
	values := make([]int64, 4*r.domain.Grid.Cells())
	for _, p := range r.layout.Pieces {
		for i := range p.Cells() {
			k, to := p.Index+i, 4*(p.Global+int64(i))
			for c, v := range [4]float32{mean.Pressure[k], mean.Velocity[0][k], mean.Velocity[1][k], mean.Velocity[2][k]} {
				values[to+int64(c)] = int64(math.Float32bits(v))
			}
		}
	}
	err = r.engine.Transport().Reduce(transport.Sum, values)
	return append(values, int64(h)), err
}

// differ says in what two outcomes differ.
func (m *randomMoves) differ(got, want []int64) error {
	last := len(want) - 1
	if len(got) != len(want) || got[last] != want[last] {
		return fmt.Errorf("%d moves: another state", m.moves)
	}
	if !slices.Equal(got, want) {
		return fmt.Errorf("%d moves: another mean over time", m.moves)
	}
	return nil
}

// ranksOfMoves is how many ranks cells move between.
const ranksOfMoves = 5

// Random moves on five ranks end in the state and the means of one rank that moves
// nothing.
func TestRandomMoves(t *testing.T) {
	forRandomMoves(func(name string, m *randomMoves) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := must(m.run(transport.NewLocal(1)[0], false, nil))
			enginetest.OnRanks(t, ranksOfMoves, func(tr transport.Transport) error {
				got, err := m.run(tr, true, nil)
				if err != nil {
					return err
				}
				return m.differ(got, want)
			})
		})
	})
}

// heap is what is in use before and after moves, in bytes.
type heap struct{ before, after uint64 }

// weigh keeps what is in use, first before the moves.
func (h *heap) weigh() {
	// What is pooled goes at the second collection.
	runtime.GC()
	runtime.GC()
	var now runtime.MemStats
	runtime.ReadMemStats(&now)
	if h.before == 0 {
		h.before = now.HeapAlloc
	}
	h.after = now.HeapAlloc
}

// grown tells of memory that moves have left in use, beyond what a runtime itself needs
// now and then.
func (h *heap) grown() error {
	if limit := h.before + h.before/100 + 128<<10; h.after > limit {
		return fmt.Errorf("%d bytes are in use after the moves, %d before", h.after, h.before)
	}
	return nil
}

// Ranks of one process hold as much memory after moves as before.
func TestMovesLeaveNoMemory(t *testing.T) {
	forRandomMoves(func(name string, m *randomMoves) {
		var used heap
		enginetest.OnRanks(t, ranksOfMoves, func(tr transport.Transport) error {
			weigh := func() {}
			if tr.Rank() == 0 {
				weigh = used.weigh
			}
			_, err := m.run(tr, true, weigh)
			return err
		})
		if err := used.grown(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	})
}
