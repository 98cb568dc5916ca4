package enginetest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"carina/cuboid"
	"carina/geometry"
	"carina/internal/crash"
	"carina/internal/race"
	"carina/solver"
	"carina/solver/processor"
	"carina/solver/transport"
)

// Scattered gives the blocks of a grid, of so many cells along a side, to random
// ranks.
func Scattered(g *geometry.Grid, side int32, ranks int, seed uint64, periodic [3]bool) *solver.Domain {
	random := rand.New(rand.NewPCG(seed, 1))
	d := &solver.Domain{Grid: g, Ranks: ranks, Periodic: periodic}
	known := map[[3]int32]int32{}
	for _, r := range g.Runs {
		for x := r.X0; x < r.X1; {
			end := min(r.X1, (x/side+1)*side)
			key := [3]int32{x / side, r.Y / side, r.Z / side}
			c, ok := known[key]
			if !ok {
				c = int32(len(d.Owners))
				known[key] = c
				d.Owners = append(d.Owners, int32(random.IntN(ranks)))
			}
			d.Segments = append(d.Segments, cuboid.Segment{Run: geometry.Run{X0: x, X1: end, Y: r.Y, Z: r.Z}, Cuboid: c})
			x = end
		}
	}
	return d
}

// OnRanks calls f on all ranks, each with its transport.
func OnRanks(t testing.TB, ranks int, f func(tr transport.Transport) error) {
	t.Helper()
	var all sync.WaitGroup
	for _, tr := range transport.NewLocal(ranks) {
		all.Go(func() {
			defer crash.Guard()
			if err := f(tr); err != nil {
				t.Error(err)
				tr.Abort(err)
			}
		})
	}
	all.Wait()
	if t.Failed() {
		t.FailNow()
	}
}

// Case is physics on a grid.
type Case struct {
	Grid     *geometry.Grid
	Periodic [3]bool
	// Physics makes what is computed anew, for a domain.
	Physics func(d *solver.Domain) (solver.Together, error)
	// Steps is how many are computed.
	Steps int
	// Device makes the device of a rank, with so many workers if it has any; of the
	// processor if nil.
	Device func(workers int, t transport.Transport) (solver.Device, error)
	// ExchangeEvery is that of the ranks' options.
	ExchangeEvery int
}

// device makes that of a rank.
func (c *Case) device(workers int, t transport.Transport) (solver.Device, error) {
	if c.Device != nil {
		return c.Device(workers, t)
	}
	return processor.New(workers, t), nil
}

// New prepares a rank.
func (c *Case) New(d *solver.Domain, workers int, t transport.Transport) (*solver.Rank, error) {
	physics, err := c.Physics(d)
	if err != nil {
		return nil, err
	}
	device, err := c.device(workers, t)
	if err != nil {
		return nil, err
	}
	return solver.NewRank(d, physics, device, t, solver.Options{ExchangeEvery: c.ExchangeEvery})
}

// scattered gives the grid to ranks.
func (c *Case) scattered(side int32, ranks int, seed uint64) *solver.Domain {
	return Scattered(c.Grid, side, ranks, seed, c.Periodic)
}

// Hashes are those of one rank before the first step and after every one.
func (c *Case) Hashes(t *testing.T) (list []uint64) {
	t.Helper()
	OnRanks(t, 1, func(tr transport.Transport) error {
		r, err := c.New(c.scattered(1<<20, 1, 1), 1, tr)
		if err != nil {
			return err
		}
		defer r.Close()
		list, err = hashes(r, c.Steps)
		return err
	})
	if list[0] == list[c.Steps] || list[c.Steps] == list[c.Steps-1] {
		t.Fatal("nothing happens")
	}
	return list
}

// hashes steps and returns the hash before and after each step.
func hashes(r *solver.Rank, steps int) (list []uint64, err error) {
	for s := 0; ; s++ {
		h, err := r.Hash()
		if err != nil || s == steps {
			return append(list, h), err
		}
		list = append(list, h)
		if err := r.Step(); err != nil {
			return nil, err
		}
	}
}

// differ says after how many steps hashes differ, if they do.
func differ(got, want []uint64) error {
	for i := range got {
		if got[i] != want[i] {
			return fmt.Errorf("another state after %d of %d steps", i, len(got)-1)
		}
	}
	return nil
}

// Accept runs all tests of what must hold for any physics. What goroutines share in
// seven steps, two whole rounds of seldom exchanges and one begun, they share in more.
func (c *Case) Accept(t *testing.T) {
	t.Helper()
	shares := shares
	if race.Enabled {
		few := *c
		few.Steps, c = min(c.Steps, 7), &few
		shares = []share{{5, 2, 2}, {1, 23, 1}}
	}
	want := c.Hashes(t)
	t.Run("many ranks", func(t *testing.T) { c.manyRanks(t, want, shares...) })
	t.Run("saved on three, loaded on five", func(t *testing.T) { c.saveAndLoad(t, want) })
	t.Run("cells move", func(t *testing.T) { c.move(t, want) })
	if c.onGhosts(t) {
		t.Run("seldom exchanges", func(t *testing.T) { c.seldom(t, want) })
	}
	if c.Device == nil {
		t.Run("no allocation", c.AllocatesNothing)
	}
}

// seldom exchanges once in two and in three steps.
func (c *Case) seldom(t *testing.T, want []uint64) {
	other := *c
	other.ExchangeEvery = 3
	other.manyRanks(t, want, share{5, 2, 2})
	if c.Device != nil {
		return
	}
	other.ExchangeEvery = 2
	if !race.Enabled { // what is loaded is loaded alike whenever ranks exchange
		other.saveAndLoad(t, want)
	}
	other.move(t, want)
}

// onGhosts tells whether the physics computes ghosts, too.
func (c *Case) onGhosts(t *testing.T) bool {
	list, err := c.Physics(c.scattered(1<<20, 1, 1))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range list {
		if !p.Program().OnGhosts {
			return false
		}
	}
	return true
}

// share gives blocks of so many cells along a side to ranks with so many workers.
type share struct {
	side           int32
	ranks, workers int
}

var shares = []share{{1 << 20, 1, 3}, {5, 2, 2}, {3, 5, 1}, {16, 7, 1}, {1, 23, 1}}

func (c *Case) manyRanks(t *testing.T, want []uint64, shares ...share) {
	for _, n := range shares {
		OnRanks(t, n.ranks, func(tr transport.Transport) error {
			r, err := c.New(c.scattered(n.side, n.ranks, uint64(n.ranks)), n.workers, tr)
			if err != nil {
				return err
			}
			defer r.Close()
			got, err := hashes(r, c.Steps)
			if err == nil {
				err = differ(got, want)
			}
			if err != nil {
				return fmt.Errorf("%d ranks, blocks of %d: %w", n.ranks, n.side, err)
			}
			return nil
		})
	}
}

func (c *Case) saveAndLoad(t *testing.T, want []uint64) {
	for _, at := range []int{c.Steps / 2, c.Steps/2 + 1} {
		saved := make([]*solver.State, 3)
		OnRanks(t, 3, func(tr transport.Transport) error {
			r, err := c.New(c.scattered(4, 3, 8), 1, tr)
			if err != nil {
				return err
			}
			defer r.Close()
			if _, err := hashes(r, at); err != nil {
				return err
			}
			saved[tr.Rank()], err = r.SaveState()
			return err
		})
		OnRanks(t, 5, func(tr transport.Transport) error {
			r, err := c.New(c.scattered(6, 5, 9), 1, tr)
			if err != nil {
				return err
			}
			defer r.Close()
			if err := r.LoadState(saved); err != nil {
				return err
			}
			got, err := hashes(r, c.Steps-at)
			if err != nil {
				return err
			}
			return differ(got, want[at:])
		})
	}
}

func (c *Case) move(t *testing.T, want []uint64) {
	const ranks = 5
	OnRanks(t, ranks, func(tr transport.Transport) error {
		r, err := c.New(c.scattered(4, ranks, 30), 1, tr)
		if err != nil {
			return err
		}
		defer func() { r.Close() }()
		var got []uint64
		for step := range c.Steps + 1 {
			h, err := r.Hash()
			if err != nil {
				return err
			}
			got = append(got, h)
			if err := r.Step(); err != nil {
				return err
			}
			if step%3 != 1 && step%7 != 2 {
				continue
			}
			d := c.scattered(int32(3+step%5), ranks, uint64(40+step))
			if step%4 == 1 { // the last rank is left without cells
				for i := range d.Owners {
					d.Owners[i] %= ranks - 1
				}
			}
			physics, err := c.Physics(d)
			if err != nil {
				return err
			}
			device, err := c.device(1, tr)
			if err != nil {
				return err
			}
			next, err := r.Move(d, physics, device)
			if err != nil {
				return err
			}
			r = next
		}
		return differ(got, want)
	})
}

// AllocatesNothing tests that a step of one rank does not allocate, once there was one of
// each kind.
func (c *Case) AllocatesNothing(t *testing.T) {
	OnRanks(t, 1, func(tr transport.Transport) error {
		r, err := c.New(c.scattered(1<<20, 1, 1), 2, tr)
		if err != nil {
			return err
		}
		defer r.Close()
		var failures []error
		step := func() { failures = append(failures[:0], r.Step()) }
		for range r.Period() {
			step()
		}
		if n := testing.AllocsPerRun(20, step); n > 0 {
			t.Errorf("%g allocations in a step", n)
		}
		return errors.Join(failures...)
	})
}

// AcceptRank compares one rank among others, of other processes or this one, with
// one rank alone.
func (c *Case) AcceptRank(t *testing.T, tr transport.Transport) {
	t.Helper()
	want := c.Hashes(t)
	r, err := c.New(c.scattered(4, tr.Size(), 9), 1, tr)
	if err != nil {
		t.Errorf("rank %d of %d: %v", tr.Rank(), tr.Size(), err)
		tr.Abort(err)
		return
	}
	defer r.Close()
	got, err := hashes(r, c.Steps)
	if err == nil {
		err = differ(got, want)
	}
	if err != nil {
		t.Errorf("rank %d of %d: %v", tr.Rank(), tr.Size(), err)
	}
}
