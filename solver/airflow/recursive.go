package airflow

import (
	"fmt"
	"math"
	"sync/atomic"

	"carina/solver/airflow/collision"
	"carina/solver/transport"
)

// How fast the recursive operator forgets third moments: a step takes of sums the
// part 5|u| and of differences |u|, with the speed |u| of the cell in cells a step; at
// least parts of the largest speed U that is expected at openings, and at least what TRT
// forgets with Λ. So Λ = (τ−½)(τ₋−½) goes by Reynolds numbers of cells and not by the
// time step. These least parts are
//
//	at cell Reynolds numbers to 22, and in calm flow   2 U and 0.4 U, less below 40
//	from 44 to 110                                     6 U and 2 U
//	from 150 to 250, and sums from 135 on              10 U, at most all, and 0.6 U
//	at 300                                             12 U, at most all, and 0.6 U
//	from 400 on                                        5 U and 1.7 U
//
// and between them in between, from 150 to 300 with 0.7|u| for |u| of differences; a jet,
// air at least four times as fast in a narrow place inside as at openings, has the first to
// 52 and the second from 74 on. Flow is calm below the Reynolds number 600 of the fastest air
// across the widest opening, and not at all so from 900 on.
//
// The larger parts are for air that is slow beside walls oblique to the axes. With 2 U
// and 0.4 U laminar flow in a pipe of 8 cells across, turned by 30° about an axis, breaks
// into steady streaks along it from the Reynolds number 800 of its fastest air on, and at
// 1700 has 5.5 times its pressure drop, where it has 2.0 times without them; an airway
// oblique to the axes at the cell Reynolds number 73 fills with noise and has a tenth
// more, with a quarter of the step also at 40 (3 U and 0.8 U: as much; 4 U and 1.2 U:
// none). With 8 U and 0.8 U streaks come with smaller steps. But what sums and differences
// forget may be too unlike: with 12 U and less than 2 U the jet in the FDA's nozzle
// diverges at the cell Reynolds number 100, along an axis, and with 12 U and 0.8 U or
// 6 U and 1.2 U and walls that reflect air in coarse trees along the axes from 300 on, more
// often as it leaves through the trunk than as it enters. From 150 to 300 walls interpolate,
// see wallScheme. Pipes of 11 cells oblique to the axes diverge with 2.5 U and 0.6 U alone at
// Reynolds numbers of hundreds. Without memory, slow flow is damped the more the smaller steps are. With
// 10 U usual steps just forget all; half of them change the pressure drop of an airway by 1.3 %
// (13 cells across, 10 L/min) and of a lumen with branches two cells wide, straight and turned,
// by 1 and 10 %, where 12 U make that 2.6, 9 and 19 %, and 8 U -5, -6 and 0 %. At 340 it is
// 0.8 % with 12 U and 1.8 % with 10 U in the airway.
//
// Fourth moments leave those of the Gaussian by the part |u|/(10ν), to 1 at the cell
// Reynolds number 10: with them, sums and differences may be forgotten at different
// rates, and waves along diagonals are off by 0.1 % for 2.8 at τ = 0.503. In slower air
// they would be the worse beside oblique walls, the smaller steps are: Poiseuille flow
// through 6 cells at Reynolds number 1 had 1.14, 1.28 and 1.66 of its pressure gradient
// at τ − ½ = 0.01, 0.003 and 0.001, where the Gaussian's have 1.09, 1.10 and 1.04. Where
// the largest speed has a cell Reynolds number below 40 it is a quarter of that instead
// of 10, and 5 at least: the pressure drop of an airway oblique to the axes, at 22, falls
// by 2.6 % with a quarter of the step with 10, and by 0.5 % with 5.
const (
	sumsBySpeed         = 5
	differencesBySpeed  = 1
	unlikeBySpeed       = 0.7
	fourthReynolds      = 10
	leastFourthReynolds = 5
	slowCellReynolds    = 40
)

// calmReynolds and unsteadyReynolds are those between which flow begins to break up.
const calmReynolds, unsteadyReynolds = 600, 900

// From the first to the last of these cell Reynolds numbers sums and differences are forgotten
// at rates that are unlike, wholly so between the two in the middle, and walls, the trace and
// openings are others for it.
const alike, unlike, stillUnlike, alikeAgain = 110, 150, 300, 400

// leastForgotten are the least parts of sums and differences over the largest speed, by
// the cell Reynolds number.
var leastForgotten = [...]struct{ cellReynolds, sums, differences float64 }{
	{22, 2, 0.4}, {44, 6, 2}, {alike, 6, 2}, {135, 10, 1.125},
	{unlike, 10, 0.6}, {250, 10, 0.6}, {stillUnlike, 12, 0.6}, {alikeAgain, 5, 1.7},
}

// How much later least parts of fine cells end in jets, and how much faster than at
// openings air is where jets begin and where it is one. With 4 U and 1.2 U the velocity on
// the axis of the FDA's nozzle with twenty cells across its throat, at the cell Reynolds
// number 50, is off by 3.3 % for 2.7.
const jetsLater, slowestJet, fastJet = 30, 2, 4

// By how much steps shorter than usual leave the trace beyond its equilibrium:
// traceBeyond (1 − r)/(1 + r) of what it was beside it, with the largest speed over that
// of usual steps r, from the cell Reynolds number hardlyResolved on. In calm flow, whose
// third moments last, it would be too much: 9 % in a pipe of 7 cells across. For 1 the
// products of times would be those of usual steps, but coarse trees along the axes diverge
// with half the step. Pressure drops on cells across an airway's widest opening and in a
// tree, with walls that reflect:
//
//	                                       usual    half     a quarter of the step
//	12 cells, 5 L/min, equilibrium         0.676 Pa          0.703
//	                   beyond              0.676    0.680    0.685
//	12 cells, 15 L/min, equilibrium        4.68     4.74     4.97
//	                    beyond             4.68     4.70     4.75
//	tree, 7 cells, 6 L/min, equilibrium    0.678    0.685    0.708
//	                        beyond         0.678    0.677    0.680
const (
	traceBeyond                  = 0.7
	usualVelocity                = 0.09 // cells a step
	shortestStep                 = 0.25
	wellResolved, hardlyResolved = 40, 80
)

// The size above which the cumulant operator forgets third cumulants is larger in steps
// shorter than usual, by this power of how much shorter: what forgets them does so more
// often there. Pressure drops in Pa of the central airway with 27 velocities on 2·10⁴ cells:
//
//	                      usual    half the step    a quarter
//	15 L/min, one size    4.62     4.98             5.50
//	          by step              4.69             5.03
//	turned, one size      4.84     5.27
//	        by step                4.90
//	60 L/min, one size    66.0     71.7
//	          by step              65.5             70.1
//
// With 16 times the size and more a quarter of the step has no less.
const thirdLimitByStep = 2.5

// In steps shorter than usual, with the largest speed over that of usual steps r, what is
// forgotten of differences is 1/(1 + longerDifferences (1 − r)) of what goes by the speed
// alone, from the cell Reynolds number unresolved on. Pressure drops of an airway, with walls that
// reflect, and that part:
//
//	                               usual    half the step    a quarter
//	10⁶ cells, 60 L/min            31.7 Pa  33.9  1          34.0  1
//	                                        33.5  0.75       33.0  0.53
//	                                        32.5  0.64       32.2  0.38
//	                                        33.0  0.56       31.4  0.28
//	10⁵ cells, 60 L/min            47.6     48.0  1          48.6  1
//	                                        46.2  0.64       45.9  0.53
//	2·10⁴ cells, 15 L/min          4.68     4.70  1          4.75  1
//	                                        4.64  0.64       4.67  0.53
//	                                                         4.48  0.38
//	tree, 7 cells, 24 L/min        8.81     8.96  1          9.02  1
//	                                        8.61  0.64       8.43  0.53
//
// Jets keep what goes by the speed alone. Pressure drops of the FDA's nozzle in air at the
// Reynolds number 3500, with walls that reflect and cells across its throat, where it has
// 161 Pa with forty:
//
//	         usual      half the step
//	10 cells 334 Pa     262  1           371  0.64
//	13 cells 195        191  1           193  0.64
const (
	longerDifferences         = 1.25
	stillResolved, unresolved = 220, 300
)

// traceBeyondUnlike is by how much the trace goes beyond its equilibrium where sums and
// differences are forgotten at unlike rates. Pressure drops over those of laminar flow in
// pipes of 8 cells across at the Reynolds number 850, along (0,−0.5,0.87), (0,1,1), an axis,
// (1,0.42,0.23) and (1,1,1), with half the usual step and the usual one and 0.8 U and |u| of
// differences:
//
//	equilibrium  1.75 1.57  1.76 1.61  1.38 1.24  2.01 1.91  1.71 1.71
//	0.3 beyond   1.45 1.37  1.68 1.67  1.29 1.19  1.78 1.72  1.52 1.55
const traceBeyondUnlike = 0.35

// openingsBySpeed times the speed is the part of their differences that cells at openings
// forget in a step besides. Without it, in tubes of 4 to 6 cells across in eleven
// directions, flow at cell Reynolds numbers of 22 grows into an oscillation at 11 of 33
// outlets, and at 45 at 19; with 5 at none and 1, with 8 at none. The more, the higher
// are pressure drops on coarse grids: where rates are unlike, an airway's falls by 1 % from 5
// to 2.
const openingsBySpeed, openingsUnlike = 5, 2

// forgottenAtOpenings is what opening.Choice calls Differences: that of the recursive
// operator, where it remembers.
func (a *airflow) forgottenAtOpenings() float64 {
	s := &a.settings
	if s.Collision != Recursive || s.Memory == 0 {
		return 0
	}
	return (openingsBySpeed + a.unlike()*(openingsUnlike-openingsBySpeed)) / s.Memory
}

// stressAtOpenings times the speed is the part of their stress that cells at openings
// without walls forget in a step, from the cell Reynolds number stressForgotten on, and none
// to stressKept. Pressure drops in Pa of a pipe of 18 cells across and a diameter long behind
// a plug at the Reynolds number 2,550, along (0,1,1), (0,0.78,0.63), at 25° to (0,1,1), along
// (1,1,1) and an axis, with 19 velocities and with the cumulant operator:
//
//	none   20.7 12.4 17.2 13.1 10.5    9.0 10.3 diverges 11.5 10.5
//	0.5     9.3 11.4 10.2 13.3 10.6
//	1       9.6 11.1  9.5 13.5 10.7    9.1 10.1 9.6      11.4 10.6
//	2       9.3 10.8  9.1 13.8 10.9
//
// With cells at walls, too, they are up to a tenth higher, and airways' on coarse grids 3 %.
const stressAtOpenings, stressKept, stressForgotten = 1, 100, 150

// stressForgottenAtOpenings is what opening.Choice calls Stress: that of operators that
// remember third moments.
func (a *airflow) stressForgottenAtOpenings() float64 {
	s := &a.settings
	if s.Collision != Recursive && s.Collision != Cumulant {
		return 0
	}
	return stressAtOpenings * min(1, s.Memory) * ramp(a.expected.cellReynolds(a.units.Spacing, s), stressKept, stressForgotten)
}

// forgetting sets the parameters of third and fourth moments.
func (a *airflow) forgetting(tau float64, parameters map[string]float64) {
	s := &a.settings
	if s.Memory == 0 {
		parameters[collision.SumForgetting], parameters[collision.DifferenceForgetting] = 1, 1
		return
	}
	parameters[collision.FourthBySpeed] = -1 / (24 * a.expected.fourthReynolds(a.units.Spacing, s) * (tau - 0.5) / 3)
	least := 1 / max(1, 0.5+s.Magic/(tau-0.5))
	sums, differences := a.expected.leastForgotten(a.units.Spacing, s)
	peak := a.expected.peakVelocity / a.units.Velocity() / s.Memory
	part := a.shortStepDifferences()
	parameters[collision.SumForgetting] = max(least, min(1, sums*peak))
	parameters[collision.DifferenceForgetting] = max(least, min(1, part*differences*peak))
	bySpeed := part * (differencesBySpeed + a.unlike()*(unlikeBySpeed-differencesBySpeed))
	parameters[collision.SumBySpeed], parameters[collision.DifferenceBySpeed] = sumsBySpeed/s.Memory, bySpeed/s.Memory
	parameters[collision.TraceKept] = a.traceKept()
}

// traceKept is the part of what the trace of second moments is beside its equilibrium
// that remains, below zero with steps shorter than usual: what damps is the product of the
// times above half a step for which it and third moments last, and third moments last
// for more steps where these are shorter.
func (a *airflow) traceKept() float64 {
	short := a.stepLength()
	shorter := a.coarse(wellResolved, hardlyResolved) * traceBeyond * (1 - short) / (1 + short)
	return -max(shorter, a.unlike()*traceBeyondUnlike)
}

// shortStepDifferences is the part of what is forgotten of differences in usual steps
// that is forgotten in steps that may be shorter.
func (a *airflow) shortStepDifferences() float64 {
	part := a.coarse(stillResolved, unresolved) * (1 - a.expected.jet())
	return 1 / (1 + part*longerDifferences*(1-a.stepLength()))
}

// thirdLimitFactor is how much larger the size is above which the cumulant operator forgets
// third cumulants than in usual steps.
func (a *airflow) thirdLimitFactor() float64 { return math.Pow(a.stepLength(), -thirdLimitByStep) }

// stepLength is how long a step is against usual ones, at most 1.
func (a *airflow) stepLength() float64 {
	if a.settings.Smagorinsky > 0 || a.expected.peakVelocity == 0 {
		return 1
	}
	return max(shortestStep, min(1, a.expected.peakVelocity/a.units.Velocity()/usualVelocity))
}

// coarse is how far cells are from the first to the second cell Reynolds number, from 0
// to 1, less in flow that is nearly calm and where less is remembered.
func (a *airflow) coarse(first, second float64) float64 {
	s := &a.settings
	return min(1, s.Memory) * ramp(a.expected.cellReynolds(a.units.Spacing, s), first, second) * a.expected.unsteady(s)
}

// unlike is how far sums and differences are forgotten at unlike rates, from 0 to 1.
func (a *airflow) unlike() float64 {
	s := &a.settings
	cells := a.expected.cellReynolds(a.units.Spacing, s)
	return min(1, s.Memory) * a.expected.unsteady(s) * ramp(cells, alike, unlike) * (1 - ramp(cells, stillUnlike, alikeAgain))
}

// leastForgotten returns the least parts of sums and differences that are forgotten in a
// step, over the largest speed.
func (e *expected) leastForgotten(spacing float64, s *Settings) (sums, differences float64) {
	cells := e.cellReynolds(spacing, s)
	rows := leastForgotten
	later := jetsLater * e.jet()
	rows[0].cellReynolds += later
	rows[1].cellReynolds += later
	fine := rows[0]
	sums, differences = fine.sums, fine.differences
	for i, to := range rows[1:] {
		from := rows[i]
		part := ramp(cells, from.cellReynolds, to.cellReynolds)
		sums += part * (to.sums - from.sums)
		differences += part * (to.differences - from.differences)
	}
	unsteady, less := e.unsteady(s), min(1, cells/slowCellReynolds)
	return less*fine.sums + unsteady*(sums-fine.sums), less*fine.differences + unsteady*(differences-fine.differences)
}

// fourthReynolds is the cell Reynolds number from which fourth moments are not those of
// the Gaussian at all.
func (e *expected) fourthReynolds(spacing float64, s *Settings) float64 {
	cells := e.cellReynolds(spacing, s)
	if cells == 0 {
		return fourthReynolds
	}
	return max(leastFourthReynolds, min(1, cells/slowCellReynolds)*fourthReynolds)
}

// jet is how far flow is a jet behind a narrow place inside, from 0 to 1.
func (e *expected) jet() float64 {
	if e.openingVelocity == 0 {
		return 0
	}
	return ramp(e.peakVelocity/e.openingVelocity, slowestJet, fastJet)
}

// unsteady is how far flow is from calm, from 0 to 1.
func (e *expected) unsteady(s *Settings) float64 {
	return ramp(e.peakReynolds(s), calmReynolds, unsteadyReynolds)
}

// ramp is how far a value is from the first to the second, from 0 to 1.
func ramp(value, first, second float64) float64 {
	return max(0, min(1, (value-first)/(second-first)))
}

// limits tells whether the recursive operator's limiter can act.
func (s *Settings) limits() bool {
	return s.Collision == Recursive && s.Smagorinsky == 0 && s.Limiter > 0
}

// limiterFactor is 9√2·C².
func (s *Settings) limiterFactor() float64 { return 9 * math.Sqrt2 * s.Limiter * s.Limiter }

// limitedStress is the norm |Π| of the traceless stress above which the limiter
// acts.
func (s *Settings) limitedStress(tau float64) float64 { return (tau - 0.5) / s.limiterFactor() }

// limited is the part of all cells in which the limiter acts, nil where it
// cannot. Call it on all ranks; all get the same.
func (r *Rank) limited() (*float64, error) {
	if !r.settings.limits() {
		return nil, nil
	}
	count, err := r.kernel.LimitedCells(r.settings.limitedStress(r.units.RelaxationTime()))
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
