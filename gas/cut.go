package gas

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"carina/balance"
	"carina/cuboid"
	"carina/geometry"
	"carina/internal/quantity"
	"carina/solver"
	"carina/solver/transport"
)

// Cuts are how ranks share a box of themselves: stripes one above the other, or tiles as near
// to squares as the number of ranks has them.
var Cuts = []string{"stripes", "tiles"}

// checkCut finds ways to share the box that contradict one another.
func (c *Case) checkCut() error {
	var ways []string
	for _, w := range []struct{ name, value string }{{"cut", c.Cut}, {"decompose or balance", c.Decompose + c.Balance}, {"partition", c.Partition}} {
		if w.value != "" {
			ways = append(ways, w.name)
		}
	}
	if len(ways) > 1 {
		return fmt.Errorf("who computes what is said by %s: give one of them", strings.Join(ways, " and "))
	}
	if len(ways) == 0 {
		c.Cut = Cuts[0]
	}
	if c.Cut == "" {
		return nil
	}
	if err := quantity.CheckName("cut", c.Cut, Cuts); err != nil {
		return err
	}
	if c.Cut != Cuts[0] && len(c.Speeds) > 0 {
		return errors.New("tiles are alike whatever the speeds of their ranks: leave the speeds out, or share the box by a balancer")
	}
	if columns, rows := c.Parts(); c.Size[0] < columns || c.Size[1] < rows {
		return fmt.Errorf("%d ranks are too many for %d × %d cells in %s: give fewer", c.Ranks, c.Size[0], c.Size[1], c.Cut)
	}
	return nil
}

// Parts is how many the box is cut into along x and y.
func (c *Case) Parts() (columns, rows int) {
	columns, rows = 1, c.Ranks
	if c.Cut != "tiles" {
		return columns, rows
	}
	border := func(n int) float64 {
		return float64(n)*float64(c.Size[1]) + float64(c.Ranks/n)*float64(c.Size[0])
	}
	for n := 1; n <= c.Ranks; n++ {
		if c.Ranks%n == 0 && border(n) < border(columns) {
			columns, rows = n, c.Ranks/n
		}
	}
	return columns, rows
}

// cuboids are the stripes or tiles, one of each rank.
func (c *Case) cuboids() (list balance.Cuboids) {
	columns, rows := c.Parts()
	down := ends(c.Size[1], rows, c.Speeds)
	across := ends(c.Size[0], columns, nil)
	for row := range rows {
		for column := range columns {
			list = append(list, cuboid.Cuboid{Min: [3]int32{across[column], down[row], 0}, Max: [3]int32{across[column+1], down[row+1], 1}})
		}
	}
	return list
}

// ends cut a side into parts as long as their speeds say, which are alike where there are
// none, of a cell at least.
func ends(side, parts int, speeds []float64) []int32 {
	list := make([]int32, parts+1)
	all, sum := 0.0, 0.0
	share := func(n int) float64 {
		if n < len(speeds) {
			return speeds[n]
		}
		return 1
	}
	for n := range parts {
		all += share(n)
	}
	for n := range parts {
		sum += share(n)
		end := int(float64(side)*sum/all + 0.5)
		list[n+1] = int32(min(max(end, int(list[n])+1), side-(parts-1-n)))
	}
	return list
}

// share makes the partition, or reads that of the case.
func (f *Flow) share(ctx context.Context, grid *geometry.Grid) (err error) {
	c := &f.c
	if c.Partition != "" {
		if f.partition, err = balance.ReadFile(c.Partition); err != nil {
			return err
		}
		if n := len(f.partition.Ranks); n != c.Ranks {
			return fmt.Errorf("%s is for %s, and there are %d: give as many, or another partition file", c.Partition, quantity.Count(n, "rank"), c.Ranks)
		}
	} else {
		options, err := c.Options(solver.CostOf(&f.gas, bandwidth, &solver.Domain{Grid: grid, Periodic: f.scene.periodic}))
		if err != nil {
			return err
		}
		if c.Cut != "" {
			list := c.cuboids()
			owners := make(balance.Owners, len(list))
			for i := range owners {
				owners[i] = int32(i)
			}
			options.Decomposer, options.Balancer, options.Decompose, options.Balance = list, owners, c.Cut, "one each"
		}
		if f.partition, err = balance.Make(ctx, grid, options); err != nil {
			return err
		}
	}
	if f.domain, err = solver.NewDomain(grid, f.partition); err != nil {
		return err
	}
	f.domain.Periodic = f.scene.periodic
	return nil
}

// bandwidth is what a core is assumed to move, in bytes a second.
const bandwidth = 20e9

// agreeRanks finds how many ranks there are, with what a launcher has started.
func (c *Case) agreeRanks(t transport.Transport) error {
	if t == nil {
		return nil
	}
	if c.Ranks == 0 {
		c.Ranks = t.Size()
	}
	if c.Ranks != t.Size() {
		return fmt.Errorf("%s asked for, and the launcher started %s: leave --ranks out", quantity.Count(c.Ranks, "rank"), quantity.Count(t.Size(), "process"))
	}
	return nil
}
