package steadiness

import (
	"fmt"
	"math"
)

// Known is a quantity of the flow with its error.
type Known struct {
	// Name is "pressure drop", "inflow", or "share" of the opening of that number.
	Name    string `json:"name"`
	Opening int    `json:"opening,omitempty"`
	// Value is in SI units, or the part of the inflow that passes the opening, in
	// positive numbers. In a flow of a periodic waveform it is that of a cycle: the
	// root mean square of the pressure drop, and means of what flows either way.
	Value float64 `json:"value"`
	// Error is by how much the value that the flow tends to may differ, of the same
	// unit: see How.
	Error float64 `json:"error"`
	// How is how both were found.
	How How `json:"how"`
	// Within tells whether the error is within the tolerance.
	Within bool `json:"within"`
}

// How is how a quantity and its error were found.
type How string

// How quantities are found.
const (
	// Still is the value at the end, with what three windows in a row let expect of the
	// time to come.
	Still How = "still"
	// Mean is that over time after a start that is left out (the rule MSER of White
	// 1997), with the half width of the 95 % confidence interval by means of blocks
	// (Flyvbjerg and Petersen 1989).
	Mean How = "mean"
	// Drifts is as Still, where that is not within the tolerance.
	Drifts How = "drifts"
	// Unknown is the last value, after too short a time for an error.
	Unknown How = "unknown"
)

// smallestShare is the part of the inflow to which the tolerance of smaller shares
// is relative.
const smallestShare = 0.005

// scale is what the tolerance is relative to.
func (k *Known) scale() float64 {
	if k.Name == shareName {
		return max(math.Abs(k.Value), smallestShare)
	}
	return math.Abs(k.Value)
}

// String says the name.
func (k *Known) String() string {
	if k.Name == shareName {
		return fmt.Sprintf("the share of opening %d", k.Opening)
	}
	return "the " + k.Name
}

// The names of quantities.
const (
	dropName   = "pressure drop"
	inflowName = "inflow"
	shareName  = "share"
)

// judge finds a quantity of its means over blocks of equal length: window is half of
// the time in blocks over which it must be still. The tolerance is relative.
func (k *Known) judge(blocks []float64, window int, tolerance float64) {
	k.How, k.Within = Unknown, false
	if len(blocks) == 0 {
		return
	}
	k.Value = blocks[len(blocks)-1]
	if len(blocks) < 3*window {
		return
	}
	k.How, k.Error = Drifts, remaining(blocks, window)
	if k.Within = k.Error <= tolerance*k.scale(); k.Within {
		k.How = Still
		return
	}
	if value, halfWidth, ok := meanWithin(blocks, window); ok {
		k.How, k.Value, k.Error = Mean, value, halfWidth
		k.Within = k.Error <= tolerance*k.scale()
	}
}

// leastRest is the least part of the last change that is taken to come still: a series
// of a small ratio would have less, but its ratio is not known as well.
const leastRest = 0.5

// remaining is by how much blocks may still change, by their last three windows: by a
// geometric series where these approach something, and at least by half of the last
// change; else by the larger of both changes; and by how much blocks differ within the last
// window beyond that.
func remaining(blocks []float64, window int) float64 {
	n := len(blocks)
	last := blocks[n-window:]
	before := mean(blocks[n-2*window : n-window])
	first := before - mean(blocks[n-3*window:n-2*window])
	second := mean(last) - before
	rest := max(math.Abs(first), math.Abs(second))
	if ratio := second / first; ratio > 0 && ratio < 1 {
		// From the middle of the last window to its end the rest falls by the root. What
		// is slower than all the time so far cannot be told from a straight line, which
		// is taken to go on for as long.
		rest = math.Abs(second) * max(leastRest, min(ratio/(1-ratio)*math.Sqrt(ratio), float64(n)/float64(window)))
	}
	low, high := last[0], last[0]
	for _, v := range last {
		low, high = min(low, v), max(high, v)
	}
	return rest + max(0, high-low-math.Abs(second))/2
}

// fewestBlocks is the fewest blocks that a mean over time is taken of, fewestBatches
// the fewest batches that its error is taken of, and fewestPasses how often they pass
// the mean at least: what drifts passes it once.
const fewestBlocks, fewestBatches, fewestPasses = 16, 8, 6

// meanWithin is the mean after a start that is left out, with half the width of its
// 95 % confidence interval; false where the start reaches beyond the middle, or too
// little is left.
func meanWithin(blocks []float64, window int) (value, halfWidth float64, ok bool) {
	from := truncation(blocks)
	rest := blocks[from:]
	if 2*from >= len(blocks) || len(rest) < max(fewestBlocks, 4*window) || passes(rest) < fewestPasses {
		return 0, 0, false
	}
	batches := append([]float64(nil), rest...)
	for len(batches) >= fewestBatches {
		n := float64(len(batches))
		halfWidth = max(halfWidth, student95(n-1)*math.Sqrt(variance(batches)/n))
		// Pairs make batches of twice the length, the last ones first.
		odd := len(batches) % 2
		for i := range len(batches) / 2 {
			batches[i] = (batches[odd+2*i] + batches[odd+2*i+1]) / 2
		}
		batches = batches[:len(batches)/2]
	}
	return mean(rest), halfWidth, true
}

// truncation is how many blocks of a start to leave out: where the variance of the
// mean of the rest, as if blocks were independent, is least (MSER).
func truncation(blocks []float64) int {
	best, from := math.Inf(1), 0
	for i := range len(blocks)/2 + 1 {
		rest := blocks[i:]
		if v := variance(rest) / float64(len(rest)); v < best {
			best, from = v, i
		}
	}
	return from
}

// passes is how often values pass their mean.
func passes(values []float64) (n int) {
	center := mean(values)
	for i, v := range values[1:] {
		if (v > center) != (values[i] > center) {
			n++
		}
	}
	return n
}

func mean(values []float64) float64 {
	var sum float64
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// variance is that of one value, without bias.
func variance(values []float64) float64 {
	center, sum := mean(values), 0.
	for _, v := range values {
		sum += (v - center) * (v - center)
	}
	return sum / float64(max(1, len(values)-1))
}

// student95 is the quantile 0.975 of Student's distribution, within 1 % from 3
// degrees of freedom on (Abramowitz and Stegun 26.7.5).
func student95(freedom float64) float64 {
	const z = 1.959964
	z3, z5, z7 := z*z*z, z*z*z*z*z, z*z*z*z*z*z*z
	return z + (z3+z)/(4*freedom) + (5*z5+16*z3+3*z)/(96*freedom*freedom) + (3*z7+19*z5+17*z3-15*z)/(384*freedom*freedom*freedom)
}

// RelativeError is the error over what the tolerance is relative to: the value, but
// for very small shares.
func (k *Known) RelativeError() float64 {
	if k.Error == 0 {
		return 0
	}
	return k.Error / k.scale()
}
