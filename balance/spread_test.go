package balance

import (
	"context"
	"testing"

	"carina/cuboid"
	"carina/internal/gridtest"
	"pgregory.net/rapid"
)

// TestSpreadSharesHostsEvenly checks that every rank gets work, and
// that inside each host the heaviest-first bound holds.
func TestSpreadSharesHostsEvenly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := gridtest.Balls([3]int32{24, 20, 28}, 3, rapid.Uint64().Draw(t, "seed"))
		cost := DefaultCost(Dense)
		opt := Options{Ranks: 4 * rapid.IntRange(2, 3).Draw(t, "hosts"), DevicesPerHost: 4, Cost: &cost, Decompose: "shrink+carve", Improve: true}
		if err := opt.complete(g); err != nil {
			t.Fatal(err)
		}
		ranks := opt.ranks()
		if !opt.spreads(ranks) {
			t.Fatal("copies are assumed to cost more than messages inside a host")
		}
		d, err := decompose(context.Background(), g, &opt, ranks)
		if err != nil {
			t.Fatal(err)
		}
		owners, err := checked(context.Background(), BalancerFunc(spreadOverHosts), d.problem(&opt, ranks, cuboid.Crossings(d.segments, cost.Directions)))
		if err != nil {
			t.Fatal(err)
		}
		weights := d.weigh(&cost)
		load, count := make([]int64, len(ranks)), make([]int, len(ranks))
		heaviest, perHost := make(map[int]int64), make(map[int]int64)
		for v, o := range owners {
			load[o] += weights[v]
			count[o]++
			h := ranks[o].Host
			heaviest[h] = max(heaviest[h], weights[v])
			perHost[h] += weights[v]
		}
		for r, n := range count {
			// Heaviest first: a rank above the mean is at most its last, lightest
			// cuboid above it.
			h := ranks[r].Host
			if n == 0 || load[r] > perHost[h]/4+heaviest[h] {
				t.Fatalf("rank %d: %d cuboids, work %d of %d in its host", r, n, load[r], perHost[h])
			}
		}
	})
}

func TestNoSpreadWithoutHostsOrCopies(t *testing.T) {
	dense, sparse := DefaultCost(Dense), DefaultCost(Sparse)
	for _, c := range []struct {
		name string
		opt  Options
		want bool
	}{
		{"dense on hosts", Options{Ranks: 8, DevicesPerHost: 4, Cost: &dense, Balance: "graph"}, true},
		{"sparse on hosts", Options{Ranks: 8, DevicesPerHost: 4, Cost: &sparse, Balance: "graph"}, false},
		{"one host", Options{Ranks: 8, Cost: &dense, Balance: "graph"}, false},
		{"one rank per host", Options{Ranks: 8, DevicesPerHost: 1, Cost: &dense, Balance: "graph"}, false},
		{"another balancer", Options{Ranks: 8, DevicesPerHost: 4, Cost: &dense, Balance: "lpt"}, false},
	} {
		if got := c.opt.spreads(c.opt.ranks()); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
