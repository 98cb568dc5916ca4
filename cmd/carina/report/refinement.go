package report

import (
	"fmt"
	"math"
	"strings"

	"carina"
	"carina/internal/quantity"
	"carina/internal/terminal"
)

// refinementWords is a refinement as tables.
func refinementWords(r *carina.Refinement) string {
	var w strings.Builder
	fmt.Fprintf(&w, "refinement, the finest spacing first:\n%12s %14s %10s %14s %14s %14s\n", "spacing", "cells", "steps", "time step", "inflow", "pressure drop")
	inflows := make([]float64, len(r.Levels))
	for i, l := range r.Levels {
		inflows[i] = l.Inflow
	}
	words := quantity.FormatFlows(inflows...)
	for i, l := range r.Levels {
		fmt.Fprintf(&w, "%12s %14s %10s %14s %14s %14s\n", quantity.FormatLength(l.Spacing), quantity.Grouped(l.FluidCells), quantity.Grouped(l.Steps),
			quantity.Format(l.TimeStep, "s"), words[i], quantity.Format(l.PressureDrop, "Pa"))
	}
	finest := &r.Levels[0]
	fmt.Fprintf(&w, "in the limit: pressure drop %s", r.PressureDrop.Words(finest.PressureDrop, in("Pa")))
	if r.Resistance.Value != 0 {
		fmt.Fprintf(&w, ", resistance %s", r.Resistance.Words(finest.Resistance(), in("Pa·s/m³")))
	}
	w.WriteString("\n")
	for _, s := range r.Shares {
		fmt.Fprintf(&w, "%3d  %-16s share %s\n", s.Number, terminal.Line(s.Name), s.ShareWords())
	}
	for _, note := range r.Notes {
		fmt.Fprintf(&w, "note: %s\n", note)
	}
	return w.String()
}

// SpacingsWords says on which spacings a case is going to be computed.
func SpacingsWords(c *carina.Case, metres []float64) string {
	words := make([]string, len(metres))
	for i, spacing := range metres {
		words[i] = quantity.FormatLength(spacing)
	}
	most := ""
	if c.Accuracy != "" {
		most = "at most "
	}
	return fmt.Sprintf("to compute on %s%s: %s", most, quantity.Count(len(metres), "spacing"), strings.Join(words, ", "))
}

// Notes tells notes of grids once, and those of all but the first, which is that of the
// finest spacing of a refinement, with their spacing.
type Notes struct {
	finest float64
	told   map[string]bool
}

// New are the notes on a grid that were not told before.
func (n *Notes) New(r *carina.GridReport) (notes []string) {
	if n.told == nil {
		n.finest, n.told = r.SpacingM, map[string]bool{}
	}
	for _, note := range r.Notes {
		if n.told[note] {
			continue
		}
		if n.told[note] = true; r.SpacingM != n.finest {
			note = carina.OnSpacing(r.SpacingM) + note
		}
		notes = append(notes, note)
	}
	return notes
}

// in writes numbers with a unit.
func in(unit string) func(float64) string {
	return func(value float64) string { return quantity.Format(value, unit) }
}

// LevelWords says what the flow on one spacing of a refinement has come to.
func LevelWords(f *carina.Flow) string {
	m := f.Summary()
	return fmt.Sprintf("spacing %s: %s cells, %s in %.1f s, pressure drop %s", quantity.FormatLength(f.Grid().Spacing), quantity.Grouped(m.FluidCells),
		quantity.GroupedCount(m.Steps, "step"), m.Seconds, quantity.Format(m.PressureDrop, "Pa"))
}

// What nobody computes: more cells, or seconds on what computed the flow so far.
const (
	mostCells   = 1e11
	mostSeconds = 10 * 365.25 * 86400
)

// MissingWords says what an accuracy that a refinement has not reached would cost.
func MissingWords(n *carina.Refinement, accuracy float64) string {
	wanted := quantity.FormatPart(accuracy, 2)
	if !n.Enough() {
		return fmt.Sprintf("an accuracy of %s was not reached, as that takes three spacings that count: choose a smaller spacing", wanted)
	}
	name, least := n.LeastKnown()
	if !least.Known() {
		return fmt.Sprintf("an accuracy of %s was not reached, as the %s is not known from these spacings: choose a smaller spacing", wanted, name)
	}
	words := fmt.Sprintf("the %s is known to %s, not to %s", name, quantity.FormatPart(least.Relative(), 2), wanted)
	if least.Used == 0 {
		return words + ": the spacings differ by no more than the flow fluctuates, so compute a longer time"
	}
	finer := math.Pow(least.Relative()/accuracy, 1/least.Used)
	level := n.Levels[0]
	cells, seconds := float64(level.FluidCells)*math.Pow(finer, 3), level.Seconds*math.Pow(finer, 4)
	if cells > mostCells || seconds > mostSeconds {
		return words + ": that is out of reach, as it would take more than 100 billion cells, or 10 years on what computed this; ask for less, or choose a smaller spacing to learn more"
	}
	return fmt.Sprintf("%s: that would take a spacing of about %s, %s and %s on what computed this",
		words, quantity.FormatLength(level.Spacing/finer), cellsWords(cells), lasting(max(seconds, 1)))
}

// cellsWords writes about so many cells.
func cellsWords(cells float64) string {
	for _, unit := range []struct {
		cells float64
		name  string
	}{{1e9, " billion"}, {1e6, " million"}} {
		if n := cells / unit.cells; n >= 1 {
			return quantity.FormatDigits(n, 2) + unit.name + " cells"
		}
	}
	return quantity.Grouped(int64(cells)) + " cells"
}
