package balance

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strings"
	"text/tabwriter"

	"carina/internal/quantity"
)

// WriteTable writes the quality for people: a line for each rank with its
// cells, work, halo, bytes, neighbours, predicted time and a bar for the latter,
// then the whole. At most rows ranks are listed, the slowest and the fastest
// of a sample in order; 0 lists all.
func (q *Quality) WriteTable(w io.Writer, rows int) error {
	b := bufio.NewWriter(w)
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(t, "rank\tcuboids\tfluid\tempty\twork ms\thalo\tbytes\tneighbours\tstep ms\t\n")
	for _, r := range q.sample(rows) {
		n := &q.Ranks[r]
		fmt.Fprintf(t, "%d\t%d\t%d\t%d\t%.4g\t%d\t%d\t%d\t%.4g\t %s\n", r, n.Cuboids, n.Fluid, n.Empty,
			1e3*n.Work, n.HaloCells, n.Bytes, n.Neighbours, 1e3*n.Step, q.bar(r))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(b, "\n%d fluid of %d cells kept (%.1f %%)\n", q.FluidCells, q.KeptCells, 100*float64(q.FluidCells)/float64(q.KeptCells))
	fmt.Fprintf(b, "work max/mean %.3f, %d bytes per step in all, %d by the busiest rank, at most %s\n",
		q.WorkMaxOverMean, q.BytesTotal, q.BytesMax, quantity.Count(q.NeighboursMax, "neighbour"))
	fmt.Fprintf(b, "predicted step %.4g ms, %.1f times as fast as one rank\n", 1e3*q.PredictedStep, q.PredictedSpeedUp)
	return b.Flush()
}

// sample chooses up to rows ranks evenly, with the slowest among them.
func (q *Quality) sample(rows int) []int {
	if rows <= 0 || rows > len(q.Ranks) {
		rows = len(q.Ranks)
	}
	slowest := 0
	for r := range q.Ranks {
		if q.Ranks[r].Step > q.Ranks[slowest].Step {
			slowest = r
		}
	}
	list := make([]int, rows)
	for i := range list {
		list[i] = i * len(q.Ranks) / rows
	}
	list[min(rows-1, slowest*rows/len(q.Ranks))] = slowest
	return list
}

// bar draws the step time of a rank as up to twenty blocks: full ones for
// work, shaded ones for exchange.
func (q *Quality) bar(r int) string {
	const width = 20
	n := &q.Ranks[r]
	blocks := func(seconds float64) int {
		if share := seconds / q.PredictedStep; share > 0 {
			return int(math.Round(width * min(share, 1)))
		}
		return 0
	}
	work, step := blocks(n.Work), blocks(n.Step)
	return strings.Repeat("█", work) + strings.Repeat("░", max(0, step-work))
}
