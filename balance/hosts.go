package balance

import (
	"cmp"
	"context"
	"math"
	"runtime"
	"slices"

	"carina/internal/crash"
	"carina/partition/graph"
	"golang.org/x/sync/errgroup"
)

// graphByHosts partitions once.
func graphByHosts(ctx context.Context, p *Problem) ([]int32, error) {
	hosts := ranksByHost(p.Ranks)
	if len(hosts) == 1 || len(hosts) == len(p.Ranks) {
		return partitionGraph(ctx, p, p.Graph, targets(p.Ranks), p.Imbalance)
	}
	if len(hosts) > manyHosts && equalSpeeds(p.Ranks) {
		return ranksFirst(ctx, p, hosts)
	}
	down, err := hostsFirst(ctx, p, hosts)
	if err != nil {
		return nil, err
	}
	// A host may have got cuboids that its ranks cannot share evenly. Dividing
	// among all ranks at once has more freedom; then its parts are put onto
	// hosts. That needs ranks that can be exchanged.
	balanced := imbalance(p.Graph.VertexWeights, down, p.Ranks) <= p.Imbalance
	if !equalSpeeds(p.Ranks) || balanced && len(p.Graph.VertexWeights) > manyVertices {
		return down, nil
	}
	up, err := ranksFirst(ctx, p, hosts)
	if err != nil {
		return nil, err
	}
	if a, b := math.Max(p.Imbalance, imbalance(p.Graph.VertexWeights, down, p.Ranks)), math.Max(p.Imbalance, imbalance(p.Graph.VertexWeights, up, p.Ranks)); a != b {
		if b < a {
			return up, nil
		}
		return down, nil
	}
	if exchangeTime(p, up) < exchangeTime(p, down) {
		return up, nil
	}
	return down, nil
}

// manyHosts is the number of hosts beyond which cuboids are first divided among
// all ranks: a thousand small graphs, one a host, take longer than a large one.
const manyHosts = 64

// manyVertices is the size of graphs that are not partitioned a second time
// to see whether that is better.
const manyVertices = 5_000

// exchangeTime returns the time that all bytes take, inside hosts and between
// them.
func exchangeTime(p *Problem, owners []int32) float64 {
	var inside, between float64
	for v, o := range owners {
		for e := p.Graph.Offsets[v]; e < p.Graph.Offsets[v+1]; e++ {
			switch q := owners[p.Graph.Neighbours[e]]; {
			case p.Ranks[o].Host != p.Ranks[q].Host:
				between += float64(p.Graph.EdgeWeights[e])
			case o != q:
				inside += float64(p.Graph.EdgeWeights[e])
			}
		}
	}
	if p.Inside.SecondsPerByte+p.Between.SecondsPerByte == 0 {
		return inside + between
	}
	return inside*p.Inside.SecondsPerByte + between*p.Between.SecondsPerByte
}

// ranksFirst partitions among all ranks and then puts the parts onto hosts so
// that the parts of a host exchange much with each other.
func ranksFirst(ctx context.Context, p *Problem, hosts [][]int32) ([]int32, error) {
	parts, err := partitionGraph(ctx, p, p.Graph, targets(p.Ranks), p.Imbalance)
	if err != nil {
		return nil, err
	}
	quotient := partsGraph(p.Graph, parts, len(p.Ranks))
	places := make([]float64, len(hosts))
	for h, ranks := range hosts {
		places[h] = float64(len(ranks))
	}
	host, err := partitionGraph(ctx, p, quotient, places, 0)
	if err != nil {
		return nil, err
	}
	next := make([]int, len(hosts))
	rank := make([]int32, len(p.Ranks)) // of each part
	var homeless []int
	for part, h := range host {
		if next[h] == len(hosts[h]) {
			homeless = append(homeless, part)
			continue
		}
		rank[part] = hosts[h][next[h]]
		next[h]++
	}
	for _, part := range homeless {
		h := 0
		for next[h] == len(hosts[h]) {
			h++
		}
		rank[part] = hosts[h][next[h]]
		next[h]++
	}
	owners := make([]int32, len(parts))
	for v, part := range parts {
		owners[v] = rank[part]
	}
	return owners, nil
}

// partsGraph has a vertex of weight one per part and edges weighing what crosses
// between parts.
func partsGraph(g *graph.Graph, parts []int32, n int) *graph.Graph {
	q := &graph.Graph{Offsets: make([]int64, 1, n+1), VertexWeights: slices.Repeat([]int64{1}, n)}
	for _, ties := range graph.Quotient(g, parts, n) {
		slices.SortFunc(ties, func(a, b graph.Tie) int { return cmp.Compare(a.To, b.To) })
		for _, t := range ties {
			q.Neighbours = append(q.Neighbours, t.To)
			q.EdgeWeights = append(q.EdgeWeights, t.Weight)
		}
		q.Offsets = append(q.Offsets, int64(len(q.Neighbours)))
	}
	return q
}

// hostsFirst partitions among hosts, then among the ranks of each.
func hostsFirst(ctx context.Context, p *Problem, hosts [][]int32) ([]int32, error) {
	host, err := amongHosts(ctx, p, hosts)
	if err != nil {
		return nil, err
	}
	return withinHosts(ctx, p, hosts, host)
}

// amongHosts returns the host of every cuboid. It takes half of the room for
// imbalance and leaves the rest for the ranks of each host.
func amongHosts(ctx context.Context, p *Problem, hosts [][]int32) ([]int32, error) {
	all := targets(p.Ranks)
	target := make([]float64, len(hosts))
	for h, ranks := range hosts {
		for _, r := range ranks {
			target[h] += all[r]
		}
	}
	host, err := partitionGraph(ctx, p, p.Graph, target, p.Imbalance/2)
	if err != nil {
		return nil, err
	}
	repairHosts(p, hosts, host)
	return host, nil
}

// withinHosts divides the cuboids of every host among its ranks, several hosts
// at a time.
func withinHosts(ctx context.Context, p *Problem, hosts [][]int32, host []int32) ([]int32, error) {
	all := targets(p.Ranks)
	total := float64(p.Graph.TotalVertexWeight())
	members, number := graph.VerticesByPart(host, len(hosts)), make([]int32, len(host))
	owners := make([]int32, len(host))
	within := *p
	within.Progress = nil // must not be called by several at a time
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for h, ranks := range hosts {
		group.Go(func() error {
			defer crash.Guard()
			if err := ctx.Err(); err != nil {
				return err
			}
			sub := p.Graph.Subgraph(members[h], number, func(v int32) bool { return int(host[v]) == h })
			targets, sum := make([]float64, len(ranks)), 0.0
			for _, r := range ranks {
				sum += all[r]
			}
			for i, r := range ranks {
				targets[i] = all[r] / sum
			}
			room := total*sum*(1+p.Imbalance)/float64(max(1, sub.TotalVertexWeight())) - 1
			parts, err := partitionGraph(ctx, &within, sub, targets, math.Max(0, room))
			if err != nil {
				return err
			}
			for i, v := range members[h] {
				owners[v] = ranks[parts[i]]
			}
			return nil
		})
	}
	return owners, group.Wait()
}

// ranksByHost lists the ranks of every host that has any.
func ranksByHost(ranks []Rank) [][]int32 {
	number := make(map[int]int)
	var hosts [][]int32
	for r, rank := range ranks {
		h, ok := number[rank.Host]
		if !ok {
			h = len(hosts)
			number[rank.Host] = h
			hosts = append(hosts, nil)
		}
		hosts[h] = append(hosts[h], int32(r))
	}
	return hosts
}

// repairHosts sees to it that every host has at least as many cuboids as
// ranks: it takes the lightest from hosts that have more than they need.
func repairHosts(p *Problem, hosts [][]int32, host []int32) {
	owned := make([]int, len(hosts))
	for _, h := range host {
		owned[h]++
	}
	for h := range hosts {
		for owned[h] < len(hosts[h]) {
			lightest := -1
			for v, from := range host {
				if owned[from] > len(hosts[from]) && (lightest < 0 || p.Graph.VertexWeights[v] < p.Graph.VertexWeights[lightest]) {
					lightest = v
				}
			}
			if lightest < 0 {
				return
			}
			owned[host[lightest]]--
			host[lightest] = int32(h)
			owned[h]++
		}
	}
}
