package workflow

import (
	"errors"
	"fmt"

	"carina"
	"carina/internal/machine"
	"carina/internal/quantity"
	"carina/output/page"
	"carina/solver"
	"carina/solver/airflow"
)

// AdmitFlow says whether the flow on so many cells fits into this machine's
// memory when all ranks run on it.
func AdmitFlow(c *carina.Case, cells int64) error {
	settings, err := c.Settings()
	if err != nil {
		return err
	}
	return admit(fmt.Sprintf("the flow on about %s cells", quantity.Grouped(cells)), airflow.MemoryEstimate(cells, settings))
}

// admit is an error that says what to do if something needs more memory than
// there is.
func admit(what string, bytes int64) error {
	return admitOr(what, bytes, "choose a larger spacing or fewer cells")
}

func admitOr(what string, bytes int64, advice string) error {
	var memory *machine.MemoryError
	if err := machine.Admit(bytes); errors.As(err, &memory) {
		return fmt.Errorf("%s needs some %s of memory, %s are free: %s",
			what, quantity.FormatBytes(memory.Need), quantity.FormatBytes(memory.Free), advice)
	}
	return nil
}

// AdmitGraph says whether this machine's memory holds what the partitioning of
// a graph takes.
func AdmitGraph(vertices, edges int, bytes int64) error {
	return admitOr(fmt.Sprintf("a graph of %s vertices and %s edges", quantity.Grouped(vertices), quantity.Grouped(edges)),
		bytes, "choose the preset fast, a smaller graph or a machine with more memory")
}

// admitPage says whether this machine's memory holds what the making of a page
// takes.
func admitPage(p *page.Page) error {
	return admitOr("the page", p.Memory(), "choose a larger spacing, fewer triangles or a machine with more memory")
}

// What a rank holds besides its cells, and what results take for every cell
// and rank and at all: their fields, the page and the pictures. Measured on
// airways of up to a million cells and a thousand ranks, rounded up.
const (
	bytesPerRank        = 750_000
	resultBytesPerCell  = 130
	resultBytesPerRank  = 600_000
	resultBytesAnyway   = 60_000_000
	resultBytesPerPiece = 80
)

// ranksMemory is what so many of all ranks hold besides their cells. When they
// tell each other what they need, each has a number for every pair of ranks.
func ranksMemory(ranks, all int64) int64 { return ranks * (bytesPerRank + 8*all*all) }

// admitRanks says whether the memory holds the ranks from ≤ r < to and, if
// they are wanted, their results.
func (s *Solver) admitRanks(from, to int) error {
	settings, err := s.Case.Settings()
	if err != nil {
		return err
	}
	var cells int64
	for _, rank := range s.Partition.Quality.Ranks[from:to] {
		cells += rank.Fluid
	}
	ranks := int64(to - from)
	need := airflow.MemoryEstimate(cells, settings) + ranksMemory(ranks, int64(len(s.Partition.Quality.Ranks)))
	if s.Folder != "" {
		need += cells*resultBytesPerPiece + ranks*resultBytesPerRank + resultBytesAnyway
		if all := s.cells(); from == 0 && all <= pageLimit {
			need += all * (resultBytesPerCell - resultBytesPerPiece)
		}
	}
	return admitOr(fmt.Sprintf("the flow on %s cells and %s ranks", quantity.Grouped(cells), quantity.Grouped(ranks)), need,
		"choose a larger spacing, fewer cells or fewer ranks in this process")
}

// admitBoxes says whether this machine's memory holds the cuboids whole, solid
// cells included, where they are to be stored so.
func (s *Solver) admitBoxes(domain *solver.Domain, settings airflow.Settings) error {
	if settings.Layout != airflow.Dense {
		return nil
	}
	var cells int64
	for _, box := range domain.Boxes {
		cells += box.Cells()
	}
	if err := AdmitFlow(&s.Case, cells); err != nil {
		return fmt.Errorf("cuboids stored whole: %w, or the %s layout", err, airflow.Sparse)
	}
	return nil
}
