package balancebench

import (
	"context"
	"fmt"
	"math"
	"path/filepath"

	"carina/balance"
	"carina/geometry"
	"carina/internal/quantity"
)

// strictRanks are the numbers of ranks of Strict: powers of two, and two
// primes.
var strictRanks = []int{2, 4, 8, 16, 32, 64, 71, 97, 128, 256, 512}

// oneHost is a number of devices that holds all ranks. With several hosts the
// graph balancer sends a few more bytes where that keeps more of them inside
// the hosts.
const oneHost = math.MaxInt

// rivals are the balancers that the graph balancer is compared with.
var rivals = []string{"lpt", "linear", "sfc", "rcb"}

// Strict compares the bytes that the graph balancer sends on bricks with those
// of every other balancer at the same balance: the graph balancer may exceed
// the ranks' shares no further than the other one did, and never further than
// 3 %. For each geometry it writes strict-NAME.csv and strict-NAME.md into the
// folder; earlier rows for other numbers of ranks are kept.
func Strict(ctx context.Context, opt Options) error {
	if opt.DevicesPerHost == 0 {
		opt.DevicesPerHost = oneHost
	}
	if err := opt.complete(); err != nil {
		return err
	}
	geometries, ranks, cells := opt.Geometries, opt.Ranks, opt.FluidCells
	if len(geometries) == 0 {
		geometries = []string{"airway"}
	}
	if len(ranks) == 0 {
		ranks = strictRanks
	}
	if cells == 0 {
		cells = 10_000_000
		if opt.Quick {
			cells = 500_000
		}
	}
	opt.tally = newTally(opt.Progress, float64(len(geometries)*(1+len(ranks))))
	for _, geometry := range geometries {
		opt.tally.at("voxelizing "+geometry, 0, 1)
		name, g, err := Grid(ctx, geometry, cells)
		if err != nil {
			return err
		}
		opt.tally.add(1)
		if err := opt.strict(ctx, name, g, ranks); err != nil {
			return err
		}
	}
	return nil
}

// strict compares on one grid, and writes after each number of ranks what
// there is.
func (o *Options) strict(ctx context.Context, name string, g *geometry.Grid, ranks []int) error {
	path := filepath.Join(o.Folder, "strict-"+name)
	rows, err := readCSV(path + ".csv")
	if err != nil {
		return err
	}
	for _, p := range ranks {
		o.tally.at(fmt.Sprintf("%s, %s", name, quantity.Count(p, "rank")), 0, 1)
		s := suite{opt: o}
		if err := s.compare(ctx, name, g, p); err != nil {
			return err
		}
		o.tally.add(1)
		rows = merged(rows, s.rows)
		if err := writeFile(path+".csv", func(w writer) error { return writeCSV(w, rows) }); err != nil {
			return err
		}
		if err := o.writeStrict(path+".md", name, g, rows); err != nil {
			return err
		}
	}
	return nil
}

// compare runs every rival and then the graph balancer with the rival's
// imbalance as its limit. In the rows of the graph balancer Against names the
// rival.
func (s *suite) compare(ctx context.Context, name string, g *geometry.Grid, ranks int) error {
	done := make(map[float64]int) // the row of the graph balancer by its limit
	for _, rival := range rivals {
		if _, err := s.run(ctx, name, g, balance.Sparse, Strategy{Decompose: "bricks", Balance: rival}, 0, ranks); err != nil {
			return err
		}
		limit := min(s.rows[len(s.rows)-1].MaxOverMean-1+sameBalance, standardImbalance)
		at, ok := done[limit]
		if !ok {
			strategy := Strategy{Decompose: "bricks", Balance: "graph"}
			if limit < standardImbalance {
				strategy.Imbalance = limit
			}
			if _, err := s.run(ctx, name, g, balance.Sparse, strategy, 0, ranks); err != nil {
				return err
			}
			at = len(s.rows) - 1
			done[limit] = at
			s.rows[at].Against = rival
			continue
		}
		again := s.rows[at]
		again.Against = rival
		s.rows = append(s.rows, again)
	}
	return nil
}

// sameBalance is how far the largest work over the mean may be apart and count
// as the same: weights are rounded to thousandths of a cell.
const sameBalance = 2e-6

// writeStrict tables the comparison.
func (o *Options) writeStrict(path, name string, g *geometry.Grid, rows []Row) error {
	r := newReport(o, "# Bytes at the same balance: "+name)
	r.printf("%d fluid cells in bricks, sparse layout. The graph balancer may exceed the ranks' shares no further than its rival did, and never further than 3 %%.\n\n", g.Cells())
	var lines, own [][]string
	worst, fewer, compared := 0.0, 0, 0
	for _, p := range ranksOf(rows) {
		at := func(balancer, against string) *Row {
			return best(rows, func(r *Row) bool {
				return r.Ranks == p && r.Strategy.Balance == balancer && r.Against == against
			})
		}
		for _, rival := range rivals {
			other, graph := at(rival, ""), at("graph", rival)
			if other == nil || graph == nil {
				continue
			}
			compared++
			if graph.Bytes <= other.Bytes && graph.MaxOverMean <= other.MaxOverMean+2*sameBalance {
				fewer++
			}
			worst = max(worst, float64(graph.Bytes)/float64(other.Bytes))
			lines = append(lines, []string{fmt.Sprint(p), rival, fmt.Sprintf("%.5f", other.MaxOverMean), megabytes(other), fmt.Sprintf("%.5f", graph.MaxOverMean), megabytes(graph),
				fmt.Sprintf("%.3f", float64(graph.Bytes)/float64(other.Bytes)), fmt.Sprintf("%.2f", graph.Seconds)})
		}
		if graph := at("graph", "linear"); graph != nil {
			own = append(own, []string{fmt.Sprint(p), fmt.Sprint(graph.Cuboids), fmt.Sprintf("%.5f", graph.MaxOverMean), megabytes(graph), fmt.Sprint(graph.NeighboursMax), fmt.Sprintf("%.2f", graph.Seconds)})
		}
	}
	r.printf("In %d of %d comparisons the graph balancer is as balanced as the other and sends no more bytes; at worst it sends %.3f times the other's.\n\n", fewer, compared, worst)
	r.table("The graph balancer by its own limit of 1.03, or as balanced as linear where that is better", []string{"ranks", "bricks", "work max/mean", "MB per step", "neighbours", "seconds"}, own)
	r.table("Total bytes of a step, each balancer against graph", []string{"ranks", "balancer", "its max/mean", "its MB", "graph's max/mean", "graph's MB", "graph's over its", "graph's seconds"}, lines)
	return r.write(path)
}

func megabytes(r *Row) string { return fmt.Sprintf("%.3f", float64(r.Bytes)/1e6) }
