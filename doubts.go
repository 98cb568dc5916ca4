package carina

import (
	"fmt"
	"math"

	"carina/geometry"
	"carina/internal/quantity"
	"carina/solver/airflow"
)

// steadyBalance is the difference of inflow and outflow above which users are
// told that the flow is not steady.
const steadyBalance = 0.01

// doubts tells what is doubtful about a flow at its end.
func (f *Flow) doubts(summary *airflow.Summary) (warnings []string) {
	tell := func(words string) {
		if words != "" {
			warnings = append(warnings, words)
		}
	}
	c, grid := &f.from.c, f.from.grid
	if summary.Interrupted {
		tell(fmt.Sprintf("the computation was interrupted after step %d (%s): this is not the flow that was asked for", summary.Steps, quantity.Format(summary.Time, "s")))
	}
	tell(doubtStart(summary))
	if !c.Unsteady() {
		tell(doubtBalance(summary))
	}
	tell(geometry.DoubtWords(grid.Openings, grid.Perhaps))
	if c.Time != "" {
		tell(doubtTime(f.job.Plan.Time, summary))
	}
	warnings = append(warnings, doubtFlow(c, summary)...)
	if f.from.made == nil { // else it is among the notes of the grid
		_, doubt := CompareVolumes(grid.Enclosed, f.volume())
		tell(doubt)
	}
	return warnings
}

// doubtBalance says what follows where inflow and outflow differ in a flow that nothing keeps
// changing; where openings prescribe that, it is said before.
func doubtBalance(m *airflow.Summary) string {
	if m.MassBalance <= steadyBalance || m.Stored != 0 {
		return ""
	}
	advice := "the flow is not steady, compute a longer time"
	switch {
	case m.Rounds():
		advice = "so little flows that its sums over the openings are rounded, so give a larger flow, with which the pressure drop of slow flow grows in proportion"
	case m.Steady != nil && *m.Steady:
		advice = "choose a smaller spacing, since the flow does not change any more"
	}
	return fmt.Sprintf("inflow and outflow differ by %s: %s", quantity.FormatPart(m.MassBalance, 3), advice)
}

// doubtStart says that a computation ended before its start was over.
func doubtStart(m *airflow.Summary) string {
	if m.Started == nil || m.Settings == nil {
		return ""
	}
	return fmt.Sprintf("what the openings impose had reached %.3g %% of what was asked for at the end, since the flow rises for %s and %s were computed: compute a longer time",
		100**m.Started, quantity.Format(m.Settings.RampTime, "s"), quantity.Format(m.Time, "s"))
}

// suspectShare is the part of the flow that an opening's size suggests, below
// which its flow cannot be right.
const suspectShare = 0.01

// arrived is how much of the inflow may not have left yet for anything to be
// said of the outlets.
const arrived = 0.5

// doubtFlow says what cannot be right with the flow at the end: openings at
// which a pressure is imposed and that let next to nothing through. Flow
// divides about as the cube of the width does (Murray 1926).
func doubtFlow(c *Case, m *airflow.Summary) []string {
	if m.MassBalance > arrived || c.Unsteady() {
		return nil
	}
	set := steeredOpenings(c, m)
	var total, leaving float64
	for _, o := range m.Openings {
		if o.Role == string(geometry.Outlet) && !set[o.Number] {
			total += math.Pow(o.Area, 1.5)
			leaving -= o.Flow
		}
	}
	var doubts []string
	if total == 0 || leaving <= 0 {
		return nil
	}
	for _, o := range m.Openings {
		if o.Role != string(geometry.Outlet) || set[o.Number] || o.Flow == 0 {
			continue // an opening without flow is closed, which is said already
		}
		suggested := leaving * math.Pow(o.Area, 1.5) / total
		if share := math.Abs(o.Flow) / suggested; share < suspectShare {
			doubts = append(doubts, fmt.Sprintf("opening %d (%s) lets %s through, %.2g %% of the %s that its size suggests: "+
				"the lumen before it is pinched or cut off, so choose a smaller spacing, mend the surface there, or leave it out with --drop-opening %d",
				o.Number, o.Name, quantity.FormatFlow(math.Abs(o.Flow)), 100*share, quantity.FormatFlow(suggested), o.Number))
		}
	}
	if len(doubts) > mostSentences {
		doubts = append(doubts[:mostSentences], fmt.Sprintf("less than %g %% of what their size suggests goes through %s more", 100*suspectShare, quantity.Count(len(doubts)-mostSentences, "opening")))
	}
	return doubts
}

// beyondTime is by how much a computation may last longer than was asked for
// before users are told: steps are whole, and even in number.
const beyondTime = 0.5

// doubtTime says that the time asked for, in seconds, is shorter than the steps
// that were computed; empty where it is not, or none was asked for.
func doubtTime(asked float64, m *airflow.Summary) string {
	if !(asked > 0 && m.Time > (1+beyondTime)*asked) {
		return ""
	}
	return fmt.Sprintf("%s were computed instead of %s, as %s of %s are the fewest that reach so far: give a smaller time step or a longer time, and check the unit of the surface",
		quantity.Format(m.Time, "s"), quantity.Format(asked, "s"), quantity.Count(m.Steps, "step"), quantity.Format(m.TimeStep, "s"))
}

// steeredOpenings are the numbers of openings with conditions of their own.
func steeredOpenings(c *Case, m *airflow.Summary) map[int]bool {
	set := map[int]bool{}
	for _, o := range m.Openings {
		for _, condition := range c.Conditions {
			if condition.Opening == o.Name || condition.Opening == fmt.Sprint(o.Number) {
				set[o.Number] = true
			}
		}
	}
	return set
}
