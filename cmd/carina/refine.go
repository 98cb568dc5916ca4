package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"carina"
	"carina/internal/quantity"
	"carina/internal/workflow"
	"carina/solver/airflow"

	"github.com/spf13/cobra"
)

// refineCase computes a case on several spacings, each from the flow on the coarser
// one, the finest last.
func refineCase(command *cobra.Command, c *carina.Case) error {
	accuracy, err := c.WantedAccuracy()
	if err != nil {
		return err
	}
	finest, err := loadGrid(command, c, func(cells int64) error { return workflow.AdmitFlow(c, cells) })
	if err != nil {
		return err
	}
	if finest.FromGridFile {
		return fmt.Errorf("%s has one spacing: give the surface to compute on several", c.Surface)
	}
	r := &refining{command: command, base: c, finest: finest}
	spacings := r.spacings(accuracy)
	for i, spacing := range spacings {
		last := i == len(spacings)-1
		// Where the end is not known, what is there so far stands in the folder.
		if err := r.level(spacing, last, last || accuracy > 0 && i >= 2); err != nil {
			return err
		}
		if accuracy > 0 && r.reached(accuracy) {
			break
		}
	}
	if accuracy > 0 && !r.reached(accuracy) {
		message(command, "%s", r.missing(accuracy))
	}
	return printResult(command, r.solution.Record(), func() string { return r.grid.Words() + r.solution.Words() })
}

// refining is a refinement that is being computed.
type refining struct {
	command *cobra.Command
	base    *carina.Case
	finest  *workflow.Gridded
	from    *airflow.Resampled
	levels  []carina.Level // the finest first
	// solution and grid are those of the last level.
	solution *workflow.Solution
	grid     *workflow.GridReport
}

// spacings are those to compute, the coarsest first. With an accuracy they begin at
// few cells.
func (r *refining) spacings(accuracy float64) []float64 {
	const fewest, most = 8000, 10 // cells on the coarsest, levels
	count := r.base.Refine
	if accuracy > 0 {
		count = 3
		cells := float64(r.finest.Grid.Cells()) / math.Pow(carina.RefinementRatio, 6)
		for ; cells > fewest*math.Pow(carina.RefinementRatio, 3) && count < most; count++ {
			cells /= math.Pow(carina.RefinementRatio, 3)
		}
	}
	list := make([]float64, count)
	for i := range list {
		list[count-1-i] = r.finest.Grid.Spacing * math.Pow(carina.RefinementRatio, float64(i))
	}
	return list
}

// level computes one spacing; kept puts its results into the folder.
func (r *refining) level(spacing float64, last, kept bool) error {
	c := *r.base
	c.FluidCells, c.Spacing = 0, strconv.FormatFloat(spacing, 'g', -1, 64)+"m"
	if c.TimeStep != "" {
		step, err := quantity.Time.ParsePositive(r.base.TimeStep)
		if err != nil {
			return err
		}
		c.TimeStep = strconv.FormatFloat(step*spacing/r.finest.Grid.Spacing, 'g', -1, 64) + "s"
	}
	g := r.finest
	if !last {
		var err error
		if g, err = loadGrid(r.command, &c, nil); err != nil {
			return fmt.Errorf("on a spacing of %s: %w", quantity.FormatLength(spacing), err)
		}
	}
	if err := c.CheckOpenings(g.Grid); err != nil {
		return fmt.Errorf("on a spacing of %s: %w", quantity.FormatLength(spacing), err)
	}
	p, err := partitionGrid(r.command, &c, g)
	if err != nil {
		return err
	}
	s := &workflow.Solver{Case: c, Grid: g.Grid, Partition: p, From: r.from, Keep: func(f *airflow.Resampled) { r.from = f }}
	if kept {
		s.Folder = c.Output
		s.KeepMade(gridName(c.Surface), g)
	}
	s.Refine = func(m *airflow.Summary) (*carina.Refinement, error) {
		r.levels = slices.Insert(r.levels, 0, carina.NewLevel(g.Grid, m))
		if len(r.levels) < 2 {
			return nil, nil
		}
		return carina.NewRefinement(r.levels, m.Openings)
	}
	solution, err := compute(r.command, s, nil)
	if err != nil {
		return err
	}
	r.solution, r.grid = solution, &g.Report
	m := solution.Summary
	message(r.command, "spacing %s: %s cells, %s in %.1f s, pressure drop %s", quantity.FormatLength(spacing), quantity.Grouped(m.FluidCells),
		quantity.Count(m.Steps, "step"), m.Seconds, quantity.Format(m.PressureDrop, "Pa"))
	return nil
}

// reached tells whether the pressure drop is known to the accuracy.
func (r *refining) reached(accuracy float64) bool {
	n := r.solution.Refinement
	return n != nil && len(n.Levels) > 2 && n.PressureDrop.Relative() <= accuracy
}

// missing says what the accuracy would cost.
func (r *refining) missing(accuracy float64) string {
	n := r.solution.Refinement
	if n == nil {
		return fmt.Sprintf("an accuracy of %s was not reached: choose a smaller spacing", quantity.FormatPercent(accuracy))
	}
	order := n.PressureDrop.Order
	if order == 0 {
		order = 1
	}
	finer := math.Pow(n.PressureDrop.Relative()/accuracy, 1/order)
	level := n.Levels[0]
	wait := time.Duration(level.Seconds * math.Pow(finer, 4) * float64(time.Second)).Round(time.Second)
	return fmt.Sprintf("the pressure drop is known to %s, not to %s: that would take a spacing of about %s, %s million cells and %s on what computed this",
		quantity.FormatPercent(n.PressureDrop.Relative()), quantity.FormatPercent(accuracy), quantity.FormatLength(level.Spacing/finer),
		quantity.Grouped(int64(float64(level.FluidCells)*math.Pow(finer, 3)/1e6)+1), wait)
}
