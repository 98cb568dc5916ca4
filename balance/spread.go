package balance

import (
	"context"

	"carina/cuboid"
	"carina/geometry"
)

// spreads reports whether spread may do better than the graph balancer: if
// there are several hosts of several ranks, and a byte copied between cuboids
// of one rank costs more than one sent to another rank of the host.
func (opt *Options) spreads(ranks []Rank) bool {
	hosts := ranksByHost(ranks)
	return opt.Balance == "graph" && len(hosts) > 1 && len(hosts) < len(ranks) && opt.Cost.CopyPerByte > opt.Cost.Inside.SecondsPerByte
}

// spreadImbalance is the imbalance between hosts that spread asks for.
const spreadImbalance = 0.005

// spread decomposes with cuts as cheap as they are where most of what crosses
// is sent inside a host, so that there are more of them, and balances both by
// the graph and with spreadOverHosts. It refines both as the options ask for
// and returns the faster.
func (opt *Options) spread(ctx context.Context, g *geometry.Grid, ranks []Rank) (*layoutState, error) {
	spread := *opt
	spread.cutsAreSent = true
	d, err := decompose(ctx, g, &spread, ranks)
	if err != nil {
		return nil, err
	}
	crossings := cuboid.Crossings(d.segments, opt.Cost.Directions)
	var best *layoutState
	for _, b := range []BalancerFunc{spreadOverHosts, graph} {
		owners, err := checked(ctx, b, d.problem(opt, ranks, crossings))
		if err != nil {
			return nil, err
		}
		start := *d
		state, err := start.refine(ctx, g, &spread, ranks, crossings, owners)
		if err != nil {
			return nil, err
		}
		if best == nil || state.step < best.step {
			best = state
		}
	}
	return best, nil
}

// spreadOverHosts partitions the graph among the hosts, so that little crosses
// between them, and hands out the cuboids of each, heaviest first, so that
// those that touch each other are seldom on one rank.
func spreadOverHosts(ctx context.Context, p *Problem) ([]int32, error) {
	hosts := ranksByHost(p.Ranks)
	host, err := amongHosts(ctx, p, hosts, spreadImbalance)
	if err != nil {
		return nil, err
	}
	members, _ := membersOf(host, len(hosts))
	owners := make([]int32, len(host))
	for h, ranks := range hosts {
		own := pick(p.Ranks, ranks)
		for i, r := range lptOwners(pick(p.Graph.VertexWeights, members[h]), own) {
			owners[members[h][i]] = ranks[r]
		}
	}
	return owners, nil
}

// pick returns the entries with the given numbers.
func pick[T any](list []T, numbers []int32) []T {
	some := make([]T, len(numbers))
	for i, n := range numbers {
		some[i] = list[n]
	}
	return some
}
