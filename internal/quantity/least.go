package quantity

import "math"

// FormatFrom is Format for values that are rounding below the least one: these are 0.
func FormatFrom(least, value float64, unit string) string {
	if math.Abs(value) < least {
		value = 0
	}
	return Format(value, unit)
}

// LeastPressure is below what differences of pressures and stresses of a flow are nothing but
// rounding, in Pa: a billionth of its pressure drop, or of what brings air to its largest
// velocity. Of the pressures at openings, which may be large and alike, double precision
// leaves a thousandth of that.
func LeastPressure(drop, density, velocity float64, atOpenings ...float64) float64 {
	const billionth = 1e-9
	least := billionth * max(math.Abs(drop), density*velocity*velocity)
	for _, p := range atOpenings {
		least = max(least, billionth/1e3*math.Abs(p))
	}
	return least
}
