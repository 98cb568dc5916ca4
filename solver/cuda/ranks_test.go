package cuda

import (
	"context"
	"errors"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"carina/cuboid"
	"carina/solver"
	"carina/solver/transport"
)

// onRanks calls f for all ranks at the same time, as processes would, with a
// device each, and returns their errors.
func onRanks(t *testing.T, ranks int, f func(rank transport.Transport, d device) error) []error {
	t.Helper()
	devices := make([]device, ranks)
	for i := range devices {
		devices[i] = testDevices(t, 1)[0]
	}
	failures := make([]error, ranks)
	var all sync.WaitGroup
	for i, rank := range transport.NewLocal(ranks) {
		all.Go(func() {
			if failures[i] = f(rank, devices[i]); failures[i] != nil {
				var agreed agreedError
				if !errors.As(failures[i], &agreed) {
					rank.Abort(failures[i])
				}
			}
		})
	}
	all.Wait()
	return failures
}

// bricked is a grid in bricks of random owners. Bricks of six cells cut tiles.
func bricked(t *testing.T, seed uint64, ranks int, side int32) *solver.Domain {
	t.Helper()
	g := cave(seed, [3]bool{})
	bricks, err := cuboid.Bricks(g, [3]int32{side, side, side})
	if err != nil {
		t.Fatal(err)
	}
	d := &solver.Domain{Grid: g, Ranks: ranks, Owners: make([]int32, len(bricks))}
	if d.Segments, err = cuboid.Label(g, bricks); err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(seed, 7))
	for i := range d.Owners {
		d.Owners[i] = int32(random.IntN(ranks))
	}
	return d
}

// Ranks of a partition that meet through messages end in the state of one
// rank, bit for bit, and all of them say the same.
func TestRanksAgreeBitForBit(t *testing.T) {
	for _, c := range []struct {
		ranks int
		side  int32
	}{{2, 8}, {3, 6}} {
		d := bricked(t, 6, c.ranks, c.side)
		settings := caveSettings(d.Grid)
		settings.Conditions = map[int]solver.Condition{3: {Kind: solver.FlowShare, Share: 0.3}}
		compute := func(d *solver.Domain, on device, rank transport.Transport) (*solver.Summary, *solver.Fields, error) {
			flow, err := solver.NewFlow(d, settings)
			if err != nil {
				return nil, nil, err
			}
			s, err := newSolver(flow, []device{on}, Options{Storage: Single, Transport: rank})
			if err != nil {
				return nil, nil, err
			}
			defer s.Close()
			if err := s.Advance(context.Background(), 52, nil); err != nil {
				return nil, nil, err
			}
			fields, err := s.Fields()
			if err == nil {
				fields, err = s.Gather(fields)
			}
			if err != nil {
				return nil, nil, err
			}
			summary, err := s.Summary()
			return summary, fields, err
		}
		want, wantFields, err := compute(solver.WholeDomain(d.Grid), testDevices(t, 1)[0], nil)
		if err != nil {
			t.Fatal(err)
		}
		for rank, err := range onRanks(t, c.ranks, func(rank transport.Transport, on device) error {
			got, fields, err := compute(d, on, rank)
			if err == nil && rank.Rank() == 0 && !reflect.DeepEqual(fields, wantFields) {
				t.Errorf("%d ranks, bricks of %d: the gathered fields differ", c.ranks, c.side)
			}
			if err == nil && (got.StateHash != want.StateHash || !slices.Equal(got.Openings, want.Openings) || got.PeakVelocity != want.PeakVelocity || len(got.Ranks) != c.ranks) {
				t.Errorf("%d ranks, bricks of %d: rank %d ends in %+v, one alone in %+v", c.ranks, c.side, rank.Rank(), got, want)
			}
			return err
		}) {
			if err != nil {
				t.Errorf("rank %d: %v", rank, err)
			}
		}
	}
}

// A rank that fails while preparing tells all others why.
func TestRanksFailTogether(t *testing.T) {
	const ranks = 3
	for rank, err := range onRanks(t, ranks, func(rank transport.Transport, _ device) error {
		if rank.Rank() == 1 {
			return agree(rank, errors.New("no memory"))
		}
		return agree(rank, nil)
	}) {
		if err == nil || !strings.Contains(err.Error(), "no memory") {
			t.Errorf("rank %d returned %v", rank, err)
		}
	}
}

// Tiles belong to the rank with most of their cells.
func TestOwners(t *testing.T) {
	for _, side := range []int32{3, 4, 6, 8} {
		const ranks = 4
		d := bricked(t, uint64(side), ranks, side)
		tiles, err := newTileSet(d)
		if err != nil {
			t.Fatal(err)
		}
		owner, err := tiles.ownersOf(d)
		if err != nil {
			t.Fatal(err)
		}
		counts := make([][ranks]int, len(owner))
		for _, s := range d.Segments {
			for x := s.X0; x < s.X1; x++ {
				counts[tiles.find(x/4, s.Y/4, s.Z/4)][d.Owners[s.Cuboid]]++
			}
		}
		for tile, count := range counts {
			if most := slices.Index(count[:], slices.Max(count[:])); int(owner[tile]) != most {
				t.Fatalf("side %d: tile %d with the cells %v has the owner %d", side, tile, count, owner[tile])
			}
		}
	}
}
