package airflow

import "math"

// fixedPoint is the scale in which reals are summed over cells and ranks as integers,
// so that the order does not matter. It leaves room for sums up to 2^19.
const fixedPoint = 1 << 44

// toFixed returns a number in fixed point, as an integer: sums of these do not
// depend on the order.
func toFixed(v float64) int64 { return int64(math.RoundToEven(v * fixedPoint)) }

// fromFixed is the number that toFixed made an integer of.
func fromFixed(v int64) float64 { return float64(v) / fixedPoint }
