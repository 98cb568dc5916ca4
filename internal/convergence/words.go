package convergence

import (
	"fmt"
	"math"
	"strings"
)

// negligible is a part of a value that is rounding.
const negligible = 1e-9

// Relative is the uncertainty over the value, 0 where there is none.
func (e Estimate) Relative() float64 {
	if e.Uncertainty == 0 {
		return 0
	}
	return e.Uncertainty / math.Abs(e.Value)
}

// Known tells whether the sign of the limit is known, without which no limit is.
func (e Estimate) Known() bool { return e.Relative() <= 1 }

// Words say what the limit is, in numbers that write writes, and how it was found; finest
// is the value on the least spacing.
func (e Estimate) Words(finest float64, write func(float64) string) string {
	return fmt.Sprintf("%s (%s)", e.Range(finest, write), e.Basis)
}

// Range is where the limit lies, as Words say it.
func (e Estimate) Range(finest float64, write func(float64) string) string {
	switch {
	case !e.Known():
		return fmt.Sprintf("not known from these spacings, %s on the finest", write(finest))
	case e.Relative() < negligible:
		return write(e.Value)
	case strings.HasPrefix(e.Basis, noOrder):
		return fmt.Sprintf("between %s and %s", write(e.Value-e.Uncertainty), write(e.Value+e.Uncertainty))
	}
	return fmt.Sprintf("%s ± %s, %.2g %%", write(e.Value), write(e.Uncertainty), 100*e.Relative())
}

// unseen is the part of a percent that two decimals do not show.
const unseen = 0.005

// ShareWords say what the limit of a part of a whole is, and how it was found.
func (e Estimate) ShareWords() string { return fmt.Sprintf("%s (%s)", e.ShareRange(), e.Basis) }

// ShareRange is where the limit of a part of a whole lies, between none and all.
func (e Estimate) ShareRange() string {
	low, high := 100*(e.Value-e.Uncertainty), 100*(e.Value+e.Uncertainty)
	if low >= -unseen && high <= 100+unseen {
		return fmt.Sprintf("%.2f ± %.2f %%", 100*e.Value, 100*e.Uncertainty)
	}
	cut := func(part float64) float64 { return min(max(part, 0), 100) }
	return fmt.Sprintf("between %.2f and %.2f %%", cut(low), cut(high))
}
