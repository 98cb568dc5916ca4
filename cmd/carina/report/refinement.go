package report

import (
	"fmt"
	"math"
	"strings"
	"time"

	"carina"
	"carina/internal/quantity"
)

// refinementWords is a refinement as tables.
func refinementWords(r *carina.Refinement) string {
	var w strings.Builder
	fmt.Fprintf(&w, "refinement, the finest spacing first:\n%12s %14s %10s %14s %14s\n", "spacing", "cells", "steps", "time step", "pressure drop")
	for _, l := range r.Levels {
		fmt.Fprintf(&w, "%12s %14s %10s %14s %14s\n", quantity.FormatLength(l.Spacing), quantity.Grouped(l.FluidCells), quantity.Grouped(l.Steps),
			quantity.Format(l.TimeStep, "s"), quantity.Format(l.PressureDrop, "Pa"))
	}
	fmt.Fprintf(&w, "in the limit: pressure drop %s, resistance %s\n", limitWords(&r.PressureDrop, "Pa"), limitWords(&r.Resistance, "Pa·s/m³"))
	for _, s := range r.Shares {
		fmt.Fprintf(&w, "%3d  %-16s share %.2f ± %.2f %% (%s)\n", s.Number, s.Name, 100*s.Value, 100*s.Uncertainty, s.Basis)
	}
	for _, note := range r.Notes {
		fmt.Fprintf(&w, "note: %s\n", note)
	}
	return w.String()
}

// limitWords is a limit with its uncertainty.
func limitWords(e *carina.Extrapolated, unit string) string {
	if e.Order == 0 && strings.HasPrefix(e.Basis, "no order") {
		if e.Relative() > 1 {
			return fmt.Sprintf("not known from these spacings, %s on the finest (%s)", quantity.Format(e.Value, unit), e.Basis)
		}
		return fmt.Sprintf("between %s and %s (%s)", quantity.Format(e.Low(), unit), quantity.Format(e.High(), unit), e.Basis)
	}
	return fmt.Sprintf("%s ± %s, %.2g %% (%s)", quantity.Format(e.Value, unit), quantity.Format(e.Uncertainty, unit), 100*e.Relative(), e.Basis)
}

// LevelWords says what the flow on one spacing of a refinement has come to.
func LevelWords(f *carina.Flow) string {
	m := f.Summary()
	return fmt.Sprintf("spacing %s: %s cells, %s in %.1f s, pressure drop %s", quantity.FormatLength(f.Grid().Spacing), quantity.Grouped(m.FluidCells),
		quantity.Count(m.Steps, "step"), m.Seconds, quantity.Format(m.PressureDrop, "Pa"))
}

// MissingWords says what an accuracy that a refinement has not reached would cost.
func MissingWords(n *carina.Refinement, accuracy float64) string {
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
