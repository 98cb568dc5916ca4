// Command balancer compares a balancer of one's own with those of Carina, on the
// same cuboids of a branching grid.
package main

import (
	"context"
	"fmt"
	"log"

	"carina/balance"
	"carina/geometry/generate"
)

// roundRobin deals the cuboids out in turn, whatever they weigh.
func roundRobin(_ context.Context, p *balance.Problem) ([]int32, error) {
	owners := make([]int32, len(p.Cuboids))
	for i := range owners {
		owners[i] = int32(i % len(p.Ranks))
	}
	return owners, nil
}

func main() {
	const ranks = 8
	ctx, grid := context.Background(), generate.TreeGrid(80, 4)
	first, err := balance.Make(ctx, grid, balance.Options{Ranks: ranks, Decompose: "octree+shrink"})
	if err != nil {
		log.Fatal(err)
	}
	same := balance.Options{Ranks: ranks, Cost: &first.Cost, Decomposer: balance.Cuboids(first.Cuboids), Decompose: first.Method.Decompose}
	print := func(p *balance.Partition) {
		fmt.Printf("%-12s heaviest rank %.3f of its share, %8d bytes a step, predicted %.3g s\n",
			p.Method.Balance, p.Quality.WorkMaxOverMean, p.Quality.BytesTotal, p.Quality.PredictedStep)
	}
	for _, name := range balance.BalancerNames() {
		opt := same
		opt.Balance = name
		p, err := balance.Make(ctx, grid, opt)
		if err != nil {
			log.Fatal(err)
		}
		print(p)
	}
	mine := same
	mine.Balance, mine.Balancer = "round robin", balance.BalancerFunc(roundRobin)
	p, err := balance.Make(ctx, grid, mine)
	if err != nil {
		log.Fatal(err)
	}
	print(p)
}
