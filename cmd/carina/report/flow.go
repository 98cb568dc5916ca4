package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"carina"
	"carina/internal/quantity"
	"carina/internal/terminal"
	"carina/solver/airflow"
)

// memoryWords says what a collision forgets of third moments.
func memoryWords(u *airflow.UsedSettings) string {
	switch {
	case u == nil || u.SumForgetting == 0:
		return ""
	case u.SumForgetting == 1 && u.DifferenceForgetting == 1:
		return ", forgets third moments in every step: on coarse grids it damps the more, the smaller the step is"
	}
	return fmt.Sprintf(", forgets at least %s a step of third moments' sums, %s of their differences", quantity.FormatPart(u.SumForgetting, 2), quantity.FormatPart(u.DifferenceForgetting, 2))
}

// FlowWords says what a computation of a case ended with, which files were written, and
// its warnings without those that were told before.
func FlowWords(c *carina.Case, s *carina.Summary, files, told []string) string {
	var w strings.Builder
	m := s.Summary
	least := m.LeastPressure()
	fmt.Fprintf(&w, "flow of %s: %s cells, %s of %s = %s in %.1f s, %.1f million cell updates a second\n", quantity.FluidName(m.Density, m.KinematicViscosity), quantity.Grouped(m.FluidCells), quantity.Count(m.Steps, "step"),
		quantity.Format(m.TimeStep, "s"), quantity.Format(m.Time, "s"), m.Seconds, m.MLUPS)
	fmt.Fprintf(&w, "method: %s collision, %s walls, %s, %s precision", m.Collision, m.Wall, m.Lattice, m.Precision)
	w.WriteString(memoryWords(m.Settings))
	fmt.Fprintln(&w)
	if m.Limited != nil {
		fmt.Fprintf(&w, "limiter: acts in %s of the cells, where more is going on than they resolve\n", quantity.FormatPart(*m.Limited, 2))
	}
	if m.Resolution != nil {
		fmt.Fprintf(&w, "%s\n", resolutionWords(m.Resolution))
	}
	if m.Grain != nil {
		fmt.Fprintf(&w, "grain %.2f: %s (from cell to cell the velocity of resolved flow has less than 1, noise up to 2)\n", *m.Grain, grainWords(*m.Grain))
	}
	fmt.Fprintf(&w, "Reynolds number %.4g, Mach number %.3g, relaxation time %.4f, fastest %s\n",
		m.Reynolds, m.Mach, m.RelaxationTime, quantity.Format(m.PeakVelocity, "m/s"))
	if s.Provenance != nil && s.Provenance.VolumeExcess != nil {
		w.WriteString(volumeWords(float64(m.FluidCells)*m.Spacing*m.Spacing*m.Spacing, s.Provenance.VolumeExcess))
	}
	fmt.Fprintf(&w, "pressure drop %s%s, inflow and outflow differ by %s\n", quantity.FormatFrom(least, m.PressureDrop, "Pa"), atEnd(c), quantity.FormatPart(m.MassBalance, 3))
	fmt.Fprintf(&w, "%s\n", steadyWords(c, m))
	fmt.Fprintf(&w, "%3s  %-16s %-7s %14s %8s %14s\n", "no.", "name", "role", "flow", "share", "pressure")
	total := entering(m)
	flows := make([]float64, len(m.Openings))
	for i, o := range m.Openings {
		flows[i] = o.Flow
	}
	words := quantity.FormatFlows(flows...)
	for i, o := range m.Openings {
		share := "-"
		if total != 0 {
			share = quantity.FormatPercent(o.Flow / total)
		}
		if o.Flow == 0 && m.MassBalance <= arrived && total > 0 {
			share = "closed"
		}
		fmt.Fprintf(&w, "%3d  %-16s %-7s %14s %8s %14s\n", o.Number, o.Name, o.Role, words[i], share, quantity.FormatFrom(least, o.Pressure, "Pa"))
	}
	if len(s.Lobes) > 0 {
		fmt.Fprintf(&w, "%-20s %14s %8s %14s %14s %14s\n", "lobe", "flow", "share", "pressure drop", "Pa·s/L", "from the inlet")
	}
	for _, l := range s.Lobes {
		drop, resistance := "-", "-"
		if l.Drop != nil {
			drop = quantity.FormatFrom(least, *l.Drop, "Pa")
		}
		if l.Resistance != nil && l.Drop != nil {
			resistance = "0"
			if math.Abs(*l.Drop) >= least {
				resistance = fmt.Sprintf("%.4g", *l.Resistance)
			}
		}
		fmt.Fprintf(&w, "%-20s %14s %8s %14s %14s %14s\n", terminal.Line(l.Name), quantity.FormatFlow(l.Flow), quantity.FormatPercent(l.Share), drop, resistance, quantity.FormatFrom(least, l.FromInlet, "Pa"))
	}
	if s.Refinement != nil {
		w.WriteString(refinementWords(s.Refinement))
	}
	w.WriteString(ranksTable(m.Ranks))
	for _, warning := range m.Warnings {
		if !slices.Contains(told, warning) && !slices.Contains(told, carina.OnSpacing(m.Spacing)+warning) {
			fmt.Fprintf(&w, "warning: %s\n", terminal.Line(warning))
		}
	}
	fmt.Fprintf(&w, "state hash %s, the same on any number of ranks\n", m.StateHash)
	for _, file := range files {
		fmt.Fprintf(&w, "wrote %s\n", terminal.Line(file))
	}
	return w.String()
}

// atEnd says of which moment the numbers are, where a waveform changes them.
func atEnd(c *carina.Case) string {
	if c.Unsteady() {
		return " at the end"
	}
	return ""
}

// grainWords says what a grain means.
func grainWords(grain float64) string {
	const smooth, noisy = 1, 1.4
	switch {
	case grain < smooth:
		return "the velocity is smooth"
	case grain < noisy:
		return "the velocity is rough, the grid coarse for it"
	}
	return "the velocity is mostly noise"
}

// arrived is how much of the inflow may not have left yet for anything to be said of
// outlets.
const arrived = 0.5

// entering is the sum of the flows through all openings where air enters, at
// outlets too while somebody breathes out.
func entering(s *airflow.Summary) float64 {
	var flow float64
	for _, o := range s.Openings {
		flow += max(o.Flow, 0)
	}
	return flow
}

func ranksTable(ranks []airflow.RankSummary) string {
	const most = 16
	var w strings.Builder
	fmt.Fprintf(&w, "%5s %14s %10s %12s %10s %10s  %s\n", "rank", "cells", "work", "step", "exchange", "memory", "device")
	var mean float64
	for _, r := range ranks {
		mean += r.Work / float64(len(ranks))
	}
	for i, r := range ranks {
		if i == most {
			fmt.Fprintf(&w, "  … and %s more, see summary.json\n", quantity.Count(len(ranks)-most, "rank"))
			break
		}
		work := "-"
		if mean > 0 {
			work = fmt.Sprintf("%.3f", r.Work/mean)
		}
		fmt.Fprintf(&w, "%5d %14s %10s %12s %8.1f %% %10s  %s\n", i, quantity.Grouped(r.FluidCells), work,
			quantity.Format(r.StepSeconds, "s"), 100*r.ExchangeShare, quantity.FormatBytes(r.Bytes), r.Device)
	}
	return w.String()
}
