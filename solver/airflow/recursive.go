package airflow

import (
	"fmt"
	"math"
	"sync/atomic"

	"carina/solver"
	"carina/solver/airflow/opening"
	"carina/solver/transport"

	"gonum.org/v1/gonum/spatial/r3"
)

// How long the recursive operator remembers third moments, as Λ = (τ−½)(τ₋−½): as
// TRT does, but at most so long, by the cell Reynolds number R. With Λ kept at a
// given R, results do not depend on the time step. With 3/16 at any R, flow in
// airways lives to R = 64 and diverges at 106; with no memory, slow flow is damped
// the more the smaller the time step is.
const (
	// Sums keep 1.2/R, and below R = 30 more: 36/R².
	rememberedSums     = 1.2
	rememberedSlowSums = 36
	// Differences keep 5/R.
	rememberedDifferences = 5
)

// remembered is Λ of sums and of differences of third moments.
func (a *airflow) remembered() (sums, differences float64) {
	s := &a.settings
	r := a.largestReynolds()
	return min(s.Magic, s.Memory*max(rememberedSums/r, rememberedSlowSums/(r*r))), min(s.Magic, s.Memory*rememberedDifferences/r)
}

// largestReynolds is the cell Reynolds number of the largest velocity that is
// expected anywhere and at any time.
func (a *airflow) largestReynolds() float64 {
	return max(a.expected.peakVelocity, a.expected.besideOpenings) * a.units.Spacing / a.units.KinematicViscosity
}

// keptOf is what a step leaves of moments with Λ = (τ−½)(τ₋−½): 1 − 1/τ₋, of which
// τ₋ is one at least.
func keptOf(magic, tau float64) float64 { return 1 - 1/max(1, 0.5+magic/(tau-0.5)) }

// fastest is the largest velocity that settings start with or that a body force may
// drive, in m/s.
func (s *Settings) fastest(domain *solver.Domain) float64 {
	return max(s.started(domain), s.forced(domain))
}

// started is the largest velocity of Settings.Initial, at the points of a mesh, alike on all ranks.
func (s *Settings) started(domain *solver.Domain) (fastest float64) {
	if s.Initial == nil {
		return 0
	}
	const points = 16 // along an axis
	g := domain.Grid
	at := func(axis, i int) int32 {
		n := int64(g.Size[axis])
		return int32((2*int64(i) + 1) * n / (2 * points))
	}
	for x := range points {
		for y := range points {
			for z := range points {
				_, v := s.Initial(g.Center(at(0, x), at(1, y), at(2, z)))
				if speed := r3.Norm(v); speed > fastest {
					fastest = speed
				}
			}
		}
	}
	return fastest
}

// forced bounds the velocity that the body force drives through a channel as wide
// as the domain between its walls: that of laminar flow, or that of turbulent flow,
// of which 25 friction velocities √(a h) are the peak.
func (s *Settings) forced(domain *solver.Domain) float64 {
	const frictionVelocities = 25
	a := math.Sqrt(s.BodyForce[0]*s.BodyForce[0] + s.BodyForce[1]*s.BodyForce[1] + s.BodyForce[2]*s.BodyForce[2])
	low, high := (&opening.Condition{Waveform: s.ForceWaveform}).Bounds(a)
	a = max(-low, high)
	width := max(domain.Grid.Size[0], domain.Grid.Size[1], domain.Grid.Size[2])
	for axis, periodic := range domain.Periodic {
		if !periodic {
			width = min(width, domain.Grid.Size[axis])
		}
	}
	half := float64(width) * domain.Grid.Spacing / 2
	return min(a*half*half/(2*s.KinematicViscosity), frictionVelocities*math.Sqrt(a*half))
}

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
