package balancebench

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"carina/balance"
	"carina/geometry"
	"carina/internal/quantity"
	"carina/octree"
)

// find returns the row of a strategy of the source.
func find(rows []Row, decompose, balancer string, ranks, k int) *Row {
	return best(rows, func(r *Row) bool {
		return r.Layout == balance.Plain && r.Strategy.Plain && r.Strategy.Decompose == decompose &&
			r.Strategy.Balance == balancer && r.Ranks == ranks && r.PerRank == k
	})
}

func predicted(r *Row) string {
	if r == nil {
		return ""
	}
	return rate(r, r.Predicted)
}

// balancersByK is shaped like table 5.2.
func (r *report) balancersByK(rows []Row) {
	ranks := ranksOf(rows)
	most := ranks[len(ranks)-1]
	var lines [][]string
	for _, k := range perRank {
		lines = append(lines, []string{fmt.Sprint(k), predicted(find(rows, "regular", "graph", most, k)), predicted(find(rows, "regular", "linear", most, k))})
	}
	r.table(fmt.Sprintf("MLUP/ps of the graph based and the traditional balancer on %s, regular decomposition (shape of table 5.2; the source's best: 0.303 at k = 4 against 0.226)", quantity.Count(most, "rank")),
		[]string{"k", "graph", "linear"}, lines)
}

// balancersByRanks is shaped like tables 5.3 and 5.4.
func (r *report) balancersByRanks(rows []Row) {
	for _, t := range []struct {
		caption string
		head    []string
		columns [3][2]string
	}{
		{"Balancers on the regular decomposition, MLUP/ps (shape of table 5.3)", []string{"ranks", "k", "old dec., linear", "old dec., graph", "old dec., lpt"},
			[3][2]string{{"regular", "linear"}, {"regular", "graph"}, {"regular", "lpt"}}},
		{"Balancers with shrinking, MLUP/ps (shape of table 5.4)", []string{"ranks", "k", "old dec., linear", "shrink, graph", "shrink, lpt"},
			[3][2]string{{"regular", "linear"}, {"shrink", "graph"}, {"shrink", "lpt"}}},
	} {
		var lines [][]string
		for _, p := range []int{32, 64, 256, 512} {
			for _, k := range []int{4, 8, 16} {
				line := []string{fmt.Sprint(p), fmt.Sprint(k)}
				for _, c := range t.columns {
					line = append(line, predicted(find(rows, c[0], c[1], p, k)))
				}
				if line[2] != "" {
					lines = append(lines, line)
				}
			}
		}
		r.table(t.caption, t.head, lines)
	}
}

// shrinking is shaped like table 5.7.
func (r *report) shrinking(ctx context.Context, s *suite, g *geometry.Grid) {
	var lines [][]string
	for _, at := range [][2]int{{128, 4}, {16, 4}, {32, 4}, {64, 4}, {8, 4}} {
		before, after := find(s.rows, "regular", "graph", at[0], at[1]), find(s.rows, "shrink", "graph", at[0], at[1])
		if before == nil || after == nil || ctx.Err() != nil {
			continue
		}
		lines = append(lines, []string{fmt.Sprint(at[0]), fmt.Sprint(at[1]), fmt.Sprint(after.Cuboids), fmt.Sprint(before.KeptCells), fmt.Sprint(after.KeptCells),
			fmt.Sprintf("%+.1f %%", 100*(float64(after.KeptCells)/float64(before.KeptCells)-1))})
	}
	r.table(fmt.Sprintf("Cells before and after shrinking; %d are fluid (shape of table 5.7; the source kept 70 to 83 %%)", g.Cells()),
		[]string{"ranks", "k", "cuboids", "cells before", "cells after", "change"}, lines)
}

// octrees is shaped like table 5.5.
func (r *report) octrees(ctx context.Context, g *geometry.Grid) error {
	source := map[int32]int{8: 4056, 16: 842, 32: 157, 64: 26, 128: 9, 256: 4}
	var lines [][]string
	for _, side := range []int32{8, 16, 32, 64, 128, 256} {
		leaves, err := octree.Decompose(ctx, g, octree.Options{MinSide: side, MaxSide: side})
		if err != nil {
			return err
		}
		lines = append(lines, []string{fmt.Sprint(side), fmt.Sprint(len(leaves)), fmt.Sprint(source[side])})
	}
	r.table(fmt.Sprintf("Octree leaves with fluid in the box of %d×%d×%d cells (shape of table 5.5; the source's box had 428×66×503)", g.Size[0], g.Size[1], g.Size[2]),
		[]string{"minimum side", "cuboids", "source"}, lines)
	return nil
}

// communication is shaped like table 5.1: what the edges of the graph promise
// against what the solver's ranks hand to the transport.
func (r *report) communication(ctx context.Context, s *suite, name string, g *geometry.Grid) error {
	again := suite{opt: s.opt}
	p, err := again.run(ctx, name, g, balance.Sparse, Strategy{Decompose: "shrink", Balance: "graph"}, 1, 16)
	if err != nil {
		return err
	}
	checks, err := CompareBytes(ctx, g, p)
	if err != nil {
		return err
	}
	var lines [][]string
	for i := range 5 {
		c := checks[i*len(checks)/5]
		lines = append(lines, []string{fmt.Sprint(c.From), fmt.Sprint(c.To), fmt.Sprint(c.Populations), fmt.Sprint(c.Sent), fmt.Sprintf("%.6g", float64(c.Sent)/float64(c.Populations))})
	}
	differing := 0
	for _, c := range checks {
		if c.Sent != c.Populations*int64(p.Cost.BytesPerPopulation) {
			differing++
		}
	}
	r.table(fmt.Sprintf("Edge weights against bytes sent in one step, 16 ranks; %d of %d pairs of ranks differ (shape of table 5.1; the source sent 152 bytes per cell, all 19 populations; only those that cross are sent here)", differing, len(checks)),
		[]string{"source", "target", "Σ edge weight (populations)", "bytes communicated", "ratio"}, lines)
	return nil
}

// PairBytes is what one rank sends to another in one step: the populations
// that cross by the graph, and the bytes the solver really sends.
type PairBytes struct {
	From, To    int
	Populations int64
	Sent        int64
}

// CompareBytes runs every rank of a partition for a few steps and compares
// what it hands to the transport with the edge weights, ordered by sender and
// receiver.
func CompareBytes(ctx context.Context, g *geometry.Grid, p *balance.Partition) ([]PairBytes, error) {
	domain, err := domainOf(g, p)
	if err != nil {
		return nil, err
	}
	pairs := make(map[[2]int]*PairBytes)
	at := func(from, to int) *PairBytes {
		key := [2]int{from, to}
		if pairs[key] == nil {
			pairs[key] = &PairBytes{From: from, To: to}
		}
		return pairs[key]
	}
	for _, c := range p.Cost.Crossings(domain.Segments) {
		if a, b := int(p.Owners[c.A]), int(p.Owners[c.B]); a != b {
			at(a, b).Populations += c.Populations
			at(b, a).Populations += c.Populations
		}
	}
	for rank := range p.Ranks {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		_, sent, err := timeSolver(domain, rank, p.Cost.Layout, p.Cost.BytesPerPopulation, briefly)
		if err != nil {
			return nil, err
		}
		for peer, bytes := range sent {
			at(rank, peer).Sent = bytes
		}
	}
	list := make([]PairBytes, 0, len(pairs))
	for _, c := range pairs {
		list = append(list, *c)
	}
	slices.SortFunc(list, func(a, b PairBytes) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
	})
	return list, nil
}
