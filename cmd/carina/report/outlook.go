package report

import (
	"fmt"
	"strings"
	"time"

	"carina"
	"carina/internal/quantity"
	"carina/solver/airflow"
)

// fewExchanges is how often the air is exchanged before a flow has developed.
const fewExchanges = 1

// longWait is how long a computation takes of which the duration is told before, in
// seconds.
const longWait = 10

// OutlookWords says before the first step what is going to be computed, and after the
// first ones how long it will take; empty where that is not worth a line.
func OutlookWords(c *carina.Case, o airflow.Outlook) string {
	if o.Seconds > 0 {
		if o.Seconds < longWait {
			return ""
		}
		return fmt.Sprintf("this takes %s%s, at %.1f million cell updates a second", atMost(o), lasting(o.Seconds), o.MLUPS)
	}
	var w strings.Builder
	fmt.Fprintf(&w, "to compute: %s%s of %s = %s", atMost(o), quantity.GroupedCount(o.Steps, "step"), quantity.Format(o.TimeStep, "s"), quantity.Format(o.Time, "s"))
	if o.Exchange > 0 {
		exchanges := o.Exchanges(o.Time)
		if fmt.Fprintf(&w, ", %.3g exchanges of the air", exchanges); exchanges < fewExchanges && !c.Unsteady() {
			fmt.Fprintf(&w, ", too few for the flow to develop, which takes %s each", quantity.Format(o.Exchange, "s"))
		}
	}
	w.WriteString(startWords(o))
	if n := o.Narrow; n != nil {
		fmt.Fprintf(&w, "; the narrowest place inside (%s at %s mm), where air is faster than at openings, sets the time step",
			quantity.FormatArea(n.Area), quantity.FormatPoint(1e3*n.Center.X, 1e3*n.Center.Y, 1e3*n.Center.Z, 4))
	}
	switch {
	case o.UntilSteady && c.Unsteady():
		w.WriteString("; it ends when its cycles are alike")
	case o.UntilSteady:
		w.WriteString("; it ends when the flow is steady")
	}
	return w.String()
}

// startWords says how long the flow rises, and whether the end lies before.
func startWords(o airflow.Outlook) string {
	switch {
	case o.Start == 0:
		return ""
	case o.Time < o.Start:
		return fmt.Sprintf("; the end lies within the start of %s, in which the flow rises to what is asked for: compute a longer time", quantity.Format(o.Start, "s"))
	}
	return fmt.Sprintf("; the flow rises in the first %s", quantity.Format(o.Start, "s"))
}

// atMost says that a computation may end earlier.
func atMost(o airflow.Outlook) string {
	if o.UntilSteady {
		return "at most "
	}
	return ""
}

// lasting writes seconds as people say them.
func lasting(seconds float64) string {
	for _, unit := range []struct {
		seconds float64
		name    string
	}{{365.25 * 86400, "year"}, {86400, "day"}, {3600, "hour"}, {60, "minute"}} {
		if n := seconds / unit.seconds; n >= 1.5 {
			return quantity.Count(int64(n+0.5), unit.name)
		}
	}
	return fmt.Sprint(time.Duration(seconds+0.5) * time.Second)
}
