package rebalance

import (
	"math"
	"slices"
)

const (
	// fitSamples is how many measurements the costs of cells are fitted to at least:
	// with fewer a slow rank cannot be told from dear cells.
	fitSamples = 8
	// fitRounds are those of reweighted least squares.
	fitRounds = 12
	// unexplained is the least scatter of speeds, relative, that a fit is tried for,
	// and better what it must leave of it at most.
	unexplained, better = 0.02, 0.7
	// widest is how far a factor may go from 1.
	widest = 10
)

// sample is a rank's time of a step, and what it held, by what its cells are.
type sample struct {
	kind int
	held Parts
	busy float64
}

// fit corrects what cells at walls and openings cost, as far as the speeds of ranks
// of one kind that hold more or fewer of them tell.
func (s *speeds) fit(held []Parts, busy []float64) {
	if s.settled {
		return
	}
	for r, seconds := range busy {
		if seconds > 0 && held[r].times(Parts{1, 1, 1}) > 0 {
			s.samples = append(s.samples, sample{s.problem.Ranks[r].Kind, held[r], seconds})
		}
	}
	s.samples = s.samples[max(0, len(s.samples)-3*len(busy)):]
	changed := false
	for k := range s.factors {
		var list []sample
		for _, m := range s.samples {
			if m.kind == k {
				list = append(list, m)
			}
		}
		if len(list) < fitSamples {
			continue
		}
		before := scatter(list, s.factors[k])
		if before < math.Max(unexplained, 2*s.noise) {
			continue
		}
		if factors, ok := fitted(list); ok && scatter(list, factors) < better*before {
			s.factors[k], changed = factors, true
		}
	}
	if s.settled = true; !changed {
		return
	}
	for r := range held {
		// The measured time of a rank stays; its speed follows the work.
		if s.looks[r] > 0 {
			s.looks[r] = 0
		}
	}
	s.weigh()
}

// scatter is how far speeds are from their median, relative, for half of the
// samples.
func scatter(list []sample, factors Parts) float64 {
	ratios := make([]float64, len(list))
	for i := range list {
		ratios[i] = math.Log(list[i].held.times(factors) / list[i].busy)
	}
	middle := median(ratios)
	for i := range ratios {
		ratios[i] = math.Abs(ratios[i] - middle)
	}
	return 1.48 * median(ratios)
}

// median returns the middle one of some numbers, which it sorts.
func median(list []float64) float64 {
	slices.Sort(list)
	return list[len(list)/2]
}

// fitted returns the factors of work that leave the least differences between the
// speeds of ranks; slow ranks hardly count (iteratively reweighted least squares).
// Only their ratios matter.
func fitted(list []sample) (factors Parts, ok bool) {
	factors = Parts{1, 1, 1}
	ratios := make([]float64, len(list))
	for i := range list {
		ratios[i] = list[i].busy / list[i].held.times(factors)
	}
	scale := median(ratios)
	if !(scale > 0) {
		return factors, false
	}
	for range fitRounds {
		width := math.Max(0.005, 2*scatter(list, factors))
		var a [3][3]float64
		var b [3]float64
		for i := range list {
			x := list[i].held
			for c := range x {
				x[c] *= scale / list[i].busy
			}
			off := (x.times(factors) - 1) / width
			weight := 1 / ((1 + off*off) * (1 + off*off))
			for c := range x {
				b[c] += weight * x[c]
				for e := range x {
					a[c][e] += weight * x[c] * x[e]
				}
			}
		}
		// What samples do not tell stays about 1.
		prior := 1e-4 * float64(len(list))
		for c := range b {
			a[c][c] += prior
			b[c] += prior
		}
		next, solved := solve(a, b)
		if !solved {
			return factors, false
		}
		for c := range next {
			next[c] = math.Min(widest, math.Max(1/float64(widest), next[c]))
		}
		factors = next
	}
	return factors, true
}

// solve solves three equations by Cramer's rule.
func solve(a [3][3]float64, b [3]float64) (x Parts, ok bool) {
	determinant := func(m [3][3]float64) float64 {
		return m[0][0]*(m[1][1]*m[2][2]-m[1][2]*m[2][1]) - m[0][1]*(m[1][0]*m[2][2]-m[1][2]*m[2][0]) + m[0][2]*(m[1][0]*m[2][1]-m[1][1]*m[2][0])
	}
	all := determinant(a)
	if math.Abs(all) < 1e-300 {
		return x, false
	}
	for c := range x {
		m := a
		for r := range m {
			m[r][c] = b[r]
		}
		x[c] = determinant(m) / all
	}
	return x, true
}
