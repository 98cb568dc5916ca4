package balancebench

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"carina/balance"
	"carina/geometry"
)

// mostTimed bounds how many ranks of a partition are timed: the ones that are
// predicted to be slowest, which decide, and others evenly.
const mostTimed = 16

// measure times, for some numbers of ranks and each layout, the predicted best
// of the source's two main strategies and of all of ours.
func (s *suite) measure(ctx context.Context, name string, g *geometry.Grid) error {
	for _, row := range s.contenders() {
		if err := ctx.Err(); err != nil {
			return err
		}
		if row.Measured > 0 {
			continue
		}
		again := suite{opt: s.opt}
		p, err := again.run(ctx, row.Geometry, g, row.Layout, row.Strategy, row.PerRank, row.Ranks)
		if err != nil {
			return err
		}
		if !fitsMemory(p) {
			continue
		}
		s.opt.Progress(fmt.Sprintf("timing %s, %v, %d ranks", name, row.Strategy, row.Ranks), 0)
		if err = row.time(ctx, g, p, s.opt.timing()); err != nil {
			return err
		}
		if err := s.write(); err != nil {
			return err
		}
	}
	return nil
}

// mostDenseCells bounds the cells of a rank that is timed with cuboids stored
// whole, up to 304 bytes each.
const mostDenseCells = 16 << 20

// fitsMemory reports whether the ranks of a partition can be timed.
func fitsMemory(p *balance.Partition) bool {
	for _, q := range p.Quality.Ranks {
		if p.Cost.Layout != balance.Sparse && q.Fluid+q.Empty > mostDenseCells {
			return false
		}
	}
	return true
}

// mostContenders bounds how many partitions are timed for one number of ranks
// of the traditional way, of shrinking and of ours: the prediction does not
// always know the best of those that are close.
const mostContenders = 2

// contenders returns the rows to be measured.
func (s *suite) contenders() []*Row {
	var list []*Row
	ranks := s.opt.Ranks
	if len(ranks) == 0 {
		ranks = spread(ranksOf(s.rows), mostMeasured)
	}
	for _, ranks := range ranks {
		for _, layout := range []balance.Layout{balance.Plain, balance.Dense} {
			for _, match := range []func(r *Row) bool{isTraditional, isShrunk, isOurs} {
				list = append(list, fastestPredicted(s.rows, mostContenders, func(r *Row) bool {
					return r.Ranks == ranks && r.Layout == layout && match(r)
				})...)
			}
		}
		list = append(list, fastestPredicted(s.rows, 1, func(r *Row) bool { return r.Ranks == ranks && isSparseGraph(r) })...)
	}
	return list
}

// fastestPredicted returns the rows that match with the shortest predicted
// steps, at most so many.
func fastestPredicted(rows []Row, most int, match func(r *Row) bool) []*Row {
	var list []*Row
	for i := range rows {
		if match(&rows[i]) {
			list = append(list, &rows[i])
		}
	}
	slices.SortStableFunc(list, func(a, b *Row) int { return cmp.Compare(a.Predicted, b.Predicted) })
	return list[:min(most, len(list))]
}

// mostMeasured bounds the numbers of ranks for which ranks are timed, unless
// the user lists them.
const mostMeasured = 4

// spread returns at most so many entries of a list, the first and the last
// among them.
func spread(list []int, most int) []int {
	if len(list) <= most {
		return list
	}
	few := make([]int, most)
	for i := range few {
		few[i] = list[i*(len(list)-1)/(most-1)]
	}
	return few
}

func isTraditional(r *Row) bool {
	return r.Strategy.Decompose == "regular" && r.Strategy.Balance == "linear"
}

func isShrunk(r *Row) bool {
	return r.Strategy.Decompose == "shrink" && r.Strategy.Balance == "graph" && r.Strategy.Plain
}

func isOurs(r *Row) bool { return r.Layout != balance.Sparse && !r.Strategy.Plain }

func isSparseGraph(r *Row) bool {
	return r.Layout == balance.Sparse && r.Strategy.Decompose == "bricks" && r.Strategy.Balance == "graph"
}

// How long a rank is timed: so that others on the machine do not disturb, or
// only to see that it can be timed.
const (
	carefully = 500 * time.Millisecond
	briefly   = 10 * time.Millisecond
)

// timing is how long each rank is timed.
func (o *Options) timing() time.Duration {
	if o.Quick {
		return briefly
	}
	return carefully
}

// time notes the seconds of a step: the slowest of the timed ranks, each
// computing alone, with its exchange by the cost model added.
func (r *Row) time(ctx context.Context, g *geometry.Grid, p *balance.Partition, all time.Duration) error {
	domain, err := domainOf(g, p)
	if err != nil {
		return err
	}
	owned := ownedCuboids(p)
	ranks := chooseRanks(p)
	slowest, computing := 0.0, 0.0
	for _, rank := range ranks {
		var t float64
		if p.Cost.Layout == balance.Plain {
			t = timePlain(g, owned[rank], all)
		} else if t, _, err = timeSolver(domain, rank, p.Cost.Layout, p.Cost.BytesPerPopulation, all); err != nil {
			return fmt.Errorf("timing rank %d: %w", rank, err)
		}
		q := &p.Quality.Ranks[rank]
		work, exchange := q.Step-q.Exchange, q.Exchange
		if p.Cost.Layout != balance.Plain { // the solver packs even if it is alone
			packing := p.Cost.Packing * float64(q.Bytes)
			work, exchange = work+packing, exchange-packing
		}
		computing += t / work / float64(len(ranks))
		slowest = max(slowest, t+exchange)
	}
	r.Measured, r.Timed, r.Computing = slowest, len(ranks), computing
	return ctx.Err()
}

// chooseRanks lists the ranks to be timed.
func chooseRanks(p *balance.Partition) []int {
	order := make([]int, len(p.Ranks))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(p.Quality.Ranks[b].Step, p.Quality.Ranks[a].Step)
	})
	if len(order) <= mostTimed {
		return order
	}
	list := order[: mostTimed/2 : mostTimed/2]
	rest := order[mostTimed/2:]
	for i := range mostTimed / 2 {
		list = append(list, rest[i*len(rest)/(mostTimed/2)])
	}
	return list
}
