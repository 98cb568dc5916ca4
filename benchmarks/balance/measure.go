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
		if row.Measured, row.Timed, err = timeRanks(ctx, g, p, s.opt.timing()); err != nil {
			return err
		}
		if err := s.write(); err != nil {
			return err
		}
	}
	return nil
}

// mostDenseCells bounds the cells of a rank that is timed in the dense layout,
// 304 bytes each.
const mostDenseCells = 16 << 20

// fitsMemory reports whether the ranks of a partition can be timed.
func fitsMemory(p *balance.Partition) bool {
	for _, q := range p.Quality.Ranks {
		if p.Cost.Layout == balance.Dense && q.Fluid+q.Empty > mostDenseCells {
			return false
		}
	}
	return true
}

// contenders returns the rows to be measured.
func (s *suite) contenders() []*Row {
	var list []*Row
	ranks := s.opt.Ranks
	if len(ranks) == 0 {
		ranks = spread(ranksOf(s.rows), mostMeasured)
	}
	for _, ranks := range ranks {
		for _, match := range []func(r *Row) bool{isTraditional, isShrunk, isOurs, isSparseGraph} {
			if r := best(s.rows, func(r *Row) bool { return r.Ranks == ranks && match(r) }); r != nil {
				list = append(list, r)
			}
		}
	}
	return list
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
	return r.Layout == balance.Dense && r.Strategy.Decompose == "regular" && r.Strategy.Balance == "linear"
}

func isShrunk(r *Row) bool {
	return r.Layout == balance.Dense && r.Strategy.Decompose == "shrink" && r.Strategy.Balance == "graph" && r.Strategy.Plain
}

func isOurs(r *Row) bool { return r.Layout == balance.Dense && !r.Strategy.Plain }

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

// timeRanks returns the seconds of a step: the slowest of the timed ranks, each
// computing alone, with its exchange by the cost model added.
func timeRanks(ctx context.Context, g *geometry.Grid, p *balance.Partition, all time.Duration) (float64, int, error) {
	domain, err := domainOf(g, p)
	if err != nil {
		return 0, 0, err
	}
	owned := ownedCuboids(p)
	ranks := chooseRanks(p)
	slowest := 0.0
	for _, r := range ranks {
		var t float64
		if p.Cost.Layout == balance.Dense {
			t = timeDense(g, owned[r], all)
		} else if t, _, err = timeSparse(domain, r, p.Cost.BytesPerPopulation, all); err != nil {
			return 0, 0, fmt.Errorf("timing rank %d: %w", r, err)
		}
		slowest = max(slowest, t+p.Quality.Ranks[r].Exchange)
	}
	return slowest, len(ranks), ctx.Err()
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
