package airflow

import (
	"fmt"
	"math"
	"sync/atomic"

	"carina/solver/transport"
)

// limits tells whether the recursive operator's limiter can act.
func (s *Settings) limits(tau float64) bool {
	return s.operator(tau) == Recursive && s.Smagorinsky == 0 && s.Limiter > 0
}

// limiterFactor is 9√2·C².
func (s *Settings) limiterFactor() float64 { return 9 * math.Sqrt2 * s.Limiter * s.Limiter }

// limitedStress is the norm |Π| of the traceless stress above which the limiter
// acts.
func (s *Settings) limitedStress(tau float64) float64 { return (tau - 0.5) / s.limiterFactor() }

// limited is the part of all cells in which the limiter acts, nil where it
// cannot. Call it on all ranks; all get the same.
func (r *Rank) limited() (*float64, error) {
	tau := r.units.RelaxationTime()
	if !r.settings.limits(tau) {
		return nil, nil
	}
	count, err := r.kernel.LimitedCells(r.settings.limitedStress(tau))
	if err != nil {
		return nil, err
	}
	sum := []int64{count}
	if err := r.engine.Transport().Reduce(transport.Sum, sum); err != nil {
		return nil, fmt.Errorf("counting the cells in which the limiter acts: %w", err)
	}
	part := float64(sum[0]) / float64(r.domain.CellCount())
	return &part, nil
}

// LimitedCells counts the cells in which the traceless stress is above a norm.
func (r *bound) LimitedCells(stress float64) (int64, error) {
	var count atomic.Int64
	r.eachStress(func(_ int32, s [6]float64) {
		if tracelessNorm(s) > stress {
			count.Add(1)
		}
	})
	return count.Load(), nil
}

// tracelessNorm is √(s:s) of the traceless part of a tensor.
func tracelessNorm(s [6]float64) float64 {
	mean := (s[0] + s[1] + s[2]) / 3
	x, y, z := s[0]-mean, s[1]-mean, s[2]-mean
	return math.Sqrt(x*x + y*y + z*z + 2*(s[3]*s[3]+s[4]*s[4]+s[5]*s[5]))
}
