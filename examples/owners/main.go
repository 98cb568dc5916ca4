// Command owners judges owners that METIS or another program found for the
// cuboids of a partition file, and saves them as a partition file for carina
// solve:
//
//	carina export airway.part.json --to metis     # writes airway.graph
//	gpmetis airway.graph 4                        # writes airway.graph.part.4
//	owners airway.part.json airway.graph.part.4 other.part.json
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"carina"
	"carina/balance"
	"carina/partition/metis"
)

func main() {
	if len(os.Args) != 4 {
		log.Fatal("usage: owners FILE.part.json FILE.graph.part.N NEW.part.json")
	}
	ours, grid, err := carina.ReadPartition(os.Args[1])
	check(err)
	file, err := os.Open(os.Args[2])
	check(err)
	owners, err := metis.ReadParts(file, len(ours.Cuboids), len(ours.Ranks))
	check(err)
	speeds, perHost := make([]float64, len(ours.Ranks)), 0
	for i, r := range ours.Ranks {
		speeds[i] = r.Speed
		if r.Host == ours.Ranks[0].Host {
			perHost++
		}
	}
	theirs, err := balance.Make(context.Background(), grid, balance.Options{
		Ranks: len(ours.Ranks), Speeds: speeds, DevicesPerHost: perHost, Cost: &ours.Cost, Source: ours.Source,
		Decomposer: balance.Cuboids(ours.Cuboids), Decompose: ours.Method.Decompose,
		Balancer: balance.Owners(owners), Balance: "metis",
	})
	check(err)
	for _, p := range []*balance.Partition{ours, theirs} {
		fmt.Printf("%-8s heaviest rank %.3f of its share, %8d bytes a step, predicted %.3g s\n",
			p.Method.Balance, p.Quality.WorkMaxOverMean, p.Quality.BytesTotal, p.Quality.PredictedStep)
	}
	check(carina.WritePartition(os.Args[3], theirs, grid))
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
