package balancebench

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"carina/balance"
	"carina/cuboid"
	"carina/geometry"
	"carina/internal/quantity"
	"carina/solver"
)

// mostTimed bounds how many ranks of a partition are timed: the ones that are
// predicted to be slowest, which decide, and others evenly.
const mostTimed = 16

// timingRounds is how many times the partitions that are compared are timed, one
// after the other each time, so that what else the machine does for a while
// disturbs one round of all and not all rounds of one.
const timingRounds = 3

// measure times, for some numbers of ranks and each layout, the predicted best
// of the source's two main strategies and of all of ours: so many pieces of work
// in all.
func (s *suite) measure(ctx context.Context, name string, g *geometry.Grid, pieces float64) error {
	groups := s.contenders()
	pieces /= float64(len(groups))
	for _, rows := range groups {
		list, err := s.untimed(ctx, g, rows)
		if err != nil {
			return err
		}
		if len(list) == 0 {
			s.opt.tally.add(pieces)
			continue
		}
		rounds, each := s.opt.timing()
		for done := range rounds * len(list) {
			c := list[done%len(list)]
			stage := fmt.Sprintf("timing %s, %s layout, %s: %v", name, c.row.Layout, quantity.Count(c.row.Ranks, "rank"), c.row.Strategy)
			s.opt.tally.at(stage, float64(done)/float64(rounds*len(list)), pieces)
			if err := c.time(ctx, g, each); err != nil {
				return err
			}
		}
		s.opt.tally.add(pieces)
		for _, c := range list {
			c.note()
		}
		if err := s.write(); err != nil {
			return err
		}
	}
	return nil
}

// untimed makes the partitions of those rows that are not timed and can be.
func (s *suite) untimed(ctx context.Context, g *geometry.Grid, rows []*Row) ([]*contender, error) {
	var list []*contender
	for _, row := range rows {
		if row.Measured > 0 {
			continue
		}
		c, err := s.newContender(ctx, g, row)
		if err != nil {
			return nil, err
		}
		if fitsMemory(c.partition) {
			list = append(list, c)
		}
	}
	return list, nil
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

// contenders returns the rows to be measured, those together that are compared.
func (s *suite) contenders() [][]*Row {
	var list [][]*Row
	ranks := s.opt.Ranks
	if len(ranks) == 0 {
		ranks = spread(ranksOf(s.rows), mostMeasured)
	}
	for _, ranks := range ranks {
		for _, layout := range []balance.Layout{balance.Plain, balance.Dense} {
			var group []*Row
			for _, match := range []func(r *Row) bool{isTraditional, isShrunk, isOurs} {
				group = append(group, fastestPredicted(s.rows, mostContenders, func(r *Row) bool {
					return r.Ranks == ranks && r.Layout == layout && match(r)
				})...)
			}
			list = append(list, group)
		}
		list = append(list, fastestPredicted(s.rows, 1, func(r *Row) bool { return r.Ranks == ranks && isSparseGraph(r) }))
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

// How long a rank is timed: so that others on the machine do not disturb, roughly, or
// only to see that it can be timed.
const (
	carefully = 500 * time.Millisecond
	briefly   = 10 * time.Millisecond
	justOnce  = 2 * time.Millisecond
)

// timing is in how many rounds each rank is timed, and how long in each.
func (o *Options) timing() (rounds int, each time.Duration) {
	if o.Quick {
		return 1, justOnce
	}
	return timingRounds, carefully / timingRounds
}

// contender is a partition that is timed.
type contender struct {
	row       *Row
	partition *balance.Partition
	domain    *solver.Domain
	owned     [][]cuboid.Cuboid
	ranks     []int
	// seconds are those that the ranks compute for a step, the shortest of all
	// rounds.
	seconds []float64
	// longest is the longest step of the rounds.
	longest float64
}

// newContender makes the partition of a row again.
func (s *suite) newContender(ctx context.Context, g *geometry.Grid, row *Row) (*contender, error) {
	again := suite{opt: s.opt}
	p, err := again.run(ctx, row.Geometry, g, row.Layout, row.Strategy, row.PerRank, row.Ranks)
	if err != nil {
		return nil, err
	}
	c := &contender{row: row, partition: p, owned: ownedCuboids(p), ranks: chooseRanks(p)}
	c.seconds = slices.Repeat([]float64{math.Inf(1)}, len(c.ranks))
	c.domain, err = domainOf(g, p)
	return c, err
}

// time times one round: each rank computing alone.
func (c *contender) time(ctx context.Context, g *geometry.Grid, all time.Duration) error {
	step := 0.0
	for i, rank := range c.ranks {
		var t float64
		if cost := c.partition.Cost; cost.Layout == balance.Plain {
			t = timePlain(g, c.owned[rank], all)
		} else {
			var err error
			if t, _, err = timeSolver(c.domain, rank, cost.Layout, cost.BytesPerPopulation, all); err != nil {
				return fmt.Errorf("timing rank %d: %w", rank, err)
			}
		}
		_, exchange := c.predicted(rank)
		step = max(step, t+exchange)
		c.seconds[i] = min(c.seconds[i], t)
	}
	c.longest = max(c.longest, step)
	return ctx.Err()
}

// predicted returns the seconds that a rank computes for a step by the cost
// model, and those of its exchange. The solver's layouts pack even if a rank is
// alone.
func (c *contender) predicted(rank int) (computing, exchange float64) {
	q := &c.partition.Quality.Ranks[rank]
	packing := 0.0
	if c.partition.Cost.Layout != balance.Plain {
		packing = c.partition.Cost.Packing * float64(q.Bytes)
	}
	return q.Step - q.Exchange + packing, q.Exchange - packing
}

// note notes the seconds of a step: of the slowest of the timed ranks, with its
// exchange by the cost model added.
func (c *contender) note() {
	slowest, share := 0.0, 0.0
	for i, rank := range c.ranks {
		computing, exchange := c.predicted(rank)
		share += c.seconds[i] / computing / float64(len(c.ranks))
		slowest = max(slowest, c.seconds[i]+exchange)
	}
	c.row.Measured, c.row.Timed, c.row.Computing, c.row.Disturbed = slowest, len(c.ranks), share, c.longest/slowest
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
