package carina

import (
	"fmt"
	"math"

	"carina/internal/machine"
	"carina/internal/quantity"
	"carina/internal/results"
	"carina/solver/airflow"
)

// admitCells says whether the flow on so many cells fits into this machine's
// memory when all ranks run on it.
func (c *Case) admitCells(cells int64) error {
	settings, err := c.Settings()
	if err != nil {
		return err
	}
	return machine.AdmitFor(fmt.Sprintf("the flow on about %s cells", quantity.Grouped(cells)), airflow.MemoryEstimate(cells, settings), "choose a larger spacing or fewer cells")
}

// What a rank holds besides its cells, and what results take for every cell
// and rank and at all: their fields, the page and the pictures. Fields that are kept take
// theirs twice, as they are brought together. Measured on
// airways of up to a million cells and a thousand ranks, rounded up.
const (
	bytesPerRank        = 750_000
	resultBytesPerCell  = 160
	resultBytesPerRank  = 600_000
	resultBytesAnyway   = 60_000_000
	resultBytesPerPiece = 80
	fieldBytesPerCell   = 16
	// wallBytes, times the number of cells to the power of 2/3, is what is kept to follow the
	// stress on a wall over time.
	wallBytes = 10_000
	// branchBytesPerCell is what finding the branches takes, measured at 2·10⁷ cells.
	branchBytesPerCell = 70
)

// branchMemory is what finding the branches of so many cells takes, 0 where they are too
// many for it.
func branchMemory(cells int64) int64 {
	if cells > results.PageLimit {
		return 0
	}
	return cells * branchBytesPerCell
}

// ranksMemory is what so many of all ranks hold besides their cells. When they
// tell each other what they need, each has a number for every pair of ranks.
func ranksMemory(ranks, all int64) int64 { return ranks * (bytesPerRank + 8*all*all) }

// admit says whether the memory holds this process's ranks on processors and, if they are
// wanted, their results and fields.
func (f *Flow) admit() error {
	all := f.from.partition.Quality.Ranks
	var cells, ranks int64
	for rank, device := range f.job.Devices {
		if t := f.options.transport; device.Kind() == CPU && (t == nil || t.Rank() == rank) {
			cells += all[rank].Fluid
			ranks++
		}
	}
	if ranks == 0 {
		return nil
	}
	need := airflow.MemoryEstimate(cells, f.job.Settings) + ranksMemory(ranks, int64(len(all)))
	if a := f.job.Plan.Statistics; a != nil {
		// A state that is kept has them, too.
		need += 2 * cells * int64(a.Phases) * airflow.StatisticsBytes
	}
	first := f.options.transport == nil || f.options.transport.Rank() == 0
	if f.from.c.Output != "" {
		need += cells*resultBytesPerPiece + ranks*resultBytesPerRank + resultBytesAnyway
		if first && f.cells() <= results.PageLimit {
			need += f.cells()*(resultBytesPerCell-resultBytesPerPiece) + branchMemory(f.cells())
			if f.from.c.Unsteady() && (f.from.made != nil || f.from.surface != nil) {
				need += int64(wallBytes * math.Pow(float64(f.cells()), 2./3))
			}
		}
	} else if first && !f.options.discard {
		need += (cells + f.cells()) * fieldBytesPerCell
	}
	return machine.AdmitFor(fmt.Sprintf("the flow on %s cells and %s ranks", quantity.Grouped(cells), quantity.Grouped(ranks)), need,
		"choose a larger spacing, fewer cells or fewer ranks in this process")
}

// admitBoxes says whether this machine's memory holds the cuboids whole, solid
// cells included, where they are to be stored so.
func (f *Flow) admitBoxes() error {
	if f.job.Settings.Layout != airflow.Dense {
		return nil
	}
	var cells int64
	for _, box := range f.job.Domain.Boxes {
		cells += box.Cells()
	}
	if err := f.from.c.admitCells(cells); err != nil {
		return fmt.Errorf("cuboids stored whole: %w, or the %s layout", err, airflow.Sparse)
	}
	return nil
}
