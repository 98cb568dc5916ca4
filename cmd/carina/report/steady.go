package report

import (
	"fmt"
	"slices"
	"strings"

	"carina"
	"carina/internal/quantity"
	"carina/solver/airflow"
	"carina/solver/airflow/steadiness"
)

// steadyWords says whether the flow became steady, and with what error its pressure
// drop and shares are known.
func steadyWords(c *carina.Case, m *airflow.Summary) string {
	if m.VelocityChange != nil {
		change := fmt.Sprintf("the velocity changed by %.2g %% while sound crossed the domain", 100**m.VelocityChange)
		switch {
		case m.Steady == nil:
			return "steady or not is not known after so few steps: " + change
		case *m.Steady:
			return "steady: " + change
		}
		return "not steady: " + change + "; compute a longer time for the final flow"
	}
	switch {
	case c.Unsteady() && m.Steady == nil:
		return "not steady: a waveform keeps the flow changing"
	case m.Steady == nil:
		return "steady or not is not known after so few steps"
	}
	what := "steady: "
	switch {
	case c.Unsteady():
		what = "cycles alike: "
	case slices.ContainsFunc(m.Known, func(k steadiness.Known) bool { return k.How == steadiness.Mean }):
		what = "fluctuating about known means: "
	}
	if *m.Steady {
		return what + knownWords(m.Known, m.LeastPressure())
	}
	return "not steady: " + strings.Join(unknownWords(m.Known), "; ") + "; " + knownWords(m.Known, m.LeastPressure())
}

// knownWords says what is known of the pressure drop and the shares; pressures below the
// least are rounding.
func knownWords(list []steadiness.Known, least float64) string {
	var worst *steadiness.Known
	words := ""
	for i := range list {
		k := &list[i]
		switch {
		case k.Opening > 0 && (worst == nil || k.Error > worst.Error):
			worst = k
		case k.Opening == 0 && words == "":
			words = fmt.Sprintf("%s %s ± %s", strings.TrimPrefix(k.String(), "the "), quantity.FormatFrom(least, k.Value, "Pa"), quantity.FormatFrom(least, k.Error, "Pa"))
		}
	}
	if worst != nil {
		words += fmt.Sprintf(", shares ± %.2g points at most (opening %d)", 100*worst.Error, worst.Opening)
	}
	return words
}

// unknownWords says what is not known within the tolerance, a few of it.
func unknownWords(list []steadiness.Known) []string {
	const most = 3
	var words []string
	left := 0
	for i := range list {
		k := &list[i]
		if k.Within {
			continue
		}
		if len(words) == most {
			left++
			continue
		}
		part := fmt.Sprintf("%.2g %%", 100*k.RelativeError())
		if k.How == steadiness.Mean {
			words = append(words, fmt.Sprintf("%s fluctuates, its mean is known to %s", k, part))
		} else {
			words = append(words, fmt.Sprintf("%s still moves by some %s", k, part))
		}
	}
	if left > 0 {
		words = append(words, fmt.Sprintf("and %d more", left))
	}
	return words
}

// hardly is the excess of a pressure drop below which the spacing does not matter beside
// what walls and openings do, and far that from which on it tells little.
const hardly, far = 0.03, 0.5

// resolutionWords says how well the cells resolve the flow and what that means: what the
// scheme takes beside the fluid's viscosity is paid for by the pressure drop.
func resolutionWords(r *airflow.Resolution) string {
	words := fmt.Sprintf("resolution: %.2g cells across opening %d, the narrowest; cell Reynolds number %s, y⁺ at walls %s, %s at most; %.3g %% of the dissipation is resolved",
		r.CellsAcross, r.Narrowest, quantity.FormatDigits(r.CellReynolds, 3), quantity.FormatDigits(r.YPlus, 2), quantity.FormatDigits(r.YPlusMax, 2), 100*r.Resolved)
	if r.Power == nil {
		words += ", but for what the scheme takes, which is measured in steady flow"
	}
	switch excess, known := r.Excess(); {
	case !known:
		return words
	case excess < hardly:
		return words + fmt.Sprintf(": the pressure drop is likely to be within %.2g %% of that on finer cells", 100*hardly)
	case excess < far:
		return words + fmt.Sprintf(": the pressure drop is likely to be some %s %% too high", quantity.FormatDigits(100*excess, 2))
	default:
		return words + fmt.Sprintf(": the pressure drop is likely to be some %s %% too high, so choose a smaller spacing", quantity.FormatDigits(100*excess, 2))
	}
}
