package report

import (
	"fmt"
	"slices"
	"strings"

	"carina"
	"carina/internal/quantity"
	flowreport "carina/output/report"
	"carina/solver/airflow"
	"carina/solver/airflow/steadiness"
)

// steadyWords says whether the flow became steady, and with what error its pressure
// drop and shares are known.
func steadyWords(c *carina.Case, m *airflow.Summary) string {
	if m.VelocityChange != nil {
		change := fmt.Sprintf("the velocity changed by %s while sound crossed the domain", quantity.FormatPart(*m.VelocityChange, 2))
		switch {
		case m.Steady == nil:
			return "steady or not is not known after so few steps: " + change
		case *m.Steady:
			return "steady: " + change
		}
		return "not steady: " + change + "; compute a longer time for the final flow"
	}
	switch {
	case m.Stored > 0:
		return "not steady: more is imposed to enter than to leave, so the pressure rises without end"
	case m.Stored < 0:
		return "not steady: more is imposed to leave than to enter, so the pressure falls without end"
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
		return what + knownWords(c, m)
	}
	return "not steady: " + strings.Join(unknownWords(m.Known), "; ") + "; " + knownWords(c, m)
}

// knownWords says what is known of the pressure drop and the shares, of cycles where a
// waveform changes the flow.
func knownWords(c *carina.Case, m *airflow.Summary) string {
	var worst *steadiness.Known
	words, least, of := "", m.LeastPressure(), ""
	if c.Unsteady() {
		of = " as root mean square over the cycle"
	}
	for i := range m.Known {
		k := &m.Known[i]
		switch {
		case k.Opening > 0 && (worst == nil || k.Error > worst.Error):
			worst = k
		case k.Opening == 0 && words == "":
			words = fmt.Sprintf("%s %s ± %s%s", strings.TrimPrefix(k.String(), "the "), quantity.FormatFrom(least, k.Value, "Pa"), quantity.FormatFrom(least, k.Error, "Pa"), of)
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
		part := quantity.FormatPart(k.RelativeError(), 2)
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

// far is the excess of a pressure drop from which on it tells little.
const far = 0.5

// resolutionWords says how well the cells resolve the flow and what that means: what the
// scheme takes beside the fluid's viscosity is paid for by the pressure drop.
func resolutionWords(r *airflow.Resolution) string {
	words := fmt.Sprintf("resolution: %.2g cells across opening %d, the narrowest", r.CellsAcross, r.Narrowest)
	if r.CellsAcrossInside > 0 {
		words += fmt.Sprintf(", %.2g across the narrowest place inside", r.CellsAcrossInside)
	}
	words += fmt.Sprintf("; cell Reynolds number %s, y⁺ at walls %s, %s at most; %s of the dissipation is resolved",
		quantity.FormatDigits(r.CellReynolds, 3), quantity.FormatDigits(r.YPlus, 2), quantity.FormatDigits(r.YPlusMax, 2), quantity.FormatPart(r.Resolved, 3))
	if r.Power == nil {
		words += ", but for what the scheme takes, which is measured in steady flow"
	}
	return words + dropExcessWords(r)
}

// dropExcessWords says how far the pressure drop is likely to be off.
func dropExcessWords(r *airflow.Resolution) string {
	const advice = ", so choose a smaller spacing"
	excess, known := r.Excess()
	switch {
	case !known:
		return ""
	case excess.Most < airflow.SlightExcess && r.Few():
		return ": with so few cells across the pressure drop is rough, in trees of tubes it was 5 to 15 % too high with 3 to 5" + advice
	case excess.Most < airflow.SlightExcess:
		return fmt.Sprintf(": the pressure drop is likely to be within %.2g %% of that on finer cells", 100*airflow.SlightExcess)
	}
	words := ": the pressure drop is likely to be " + flowreport.Excess(excess).String()
	switch {
	case excess.Least >= airflow.CalibratedExcess:
		return words + advice
	case excess.Rough:
		return words + ", and rough with so few cells across" + advice
	}
	if r.Eddy > 0 {
		words += " (by what it was in an airway" + map[bool]string{true: " and by what the scheme takes of the power"}[r.Power != nil] + ")"
	}
	if excess.Most >= far {
		words += advice
	}
	return words
}
