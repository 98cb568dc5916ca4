package report

import (
	"fmt"

	"carina/balance"
	"carina/internal/quantity"
	"carina/internal/terminal"
)

// PartitionWords says what a partition is like.
func PartitionWords(p *balance.Partition) string {
	q := &p.Quality
	share := 100.0
	if q.KeptCells > 0 {
		share = 100 * float64(q.FluidCells) / float64(q.KeptCells)
	}
	words := fmt.Sprintf("partition: %s + %s, %s on %s; %.1f %% of their cells are fluid\n"+
		"load: heaviest rank %.4f of its share; %s cross between ranks per step, %s at the busiest; at most %s\n",
		terminal.Line(p.Method.Decompose), terminal.Line(p.Method.Balance), quantity.Count(len(p.Cuboids), "cuboid"), quantity.Count(len(p.Ranks), "rank"), share,
		q.WorkMaxOverMean, quantity.FormatBytes(q.BytesTotal), quantity.FormatBytes(q.BytesMax), quantity.Count(q.NeighboursMax, "neighbour"))
	for i, rank := range p.Ranks {
		if rank.Device != "" {
			words += fmt.Sprintf("rank %d on %s: %s\n", i, terminal.Line(rank.Device), quantity.Count(q.Ranks[i].Fluid, "cell"))
		}
	}
	if p.Method.Unused != "" {
		words += terminal.Line(p.Method.Unused) + "\n"
	}
	return words
}
