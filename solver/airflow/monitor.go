package airflow

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"carina/geometry"
	"carina/solver"
	"carina/solver/airflow/kernel"
	"carina/solver/airflow/update"
	"carina/solver/transport"
)

const (
	// checkInterval is how many steps pass between checks of the flow. It is
	// even.
	checkInterval = 50
	// divergedVelocity is the velocity, in cells per step, at which a
	// computation is given up. The equilibrium loses its meaning long before.
	divergedVelocity = 0.7
)

// check checks the velocity of every cell, and ctx, on all ranks, and returns the
// largest.
func (r *Rank) check(ctx context.Context) (float64, error) {
	peak, err := r.engine.Check(ctx)
	return peak, r.explained(err)
}

// explained makes of the engine's error of a computation that has diverged one that
// says where and what to do.
func (r *Rank) explained(err error) error {
	var diverged *solver.DivergedError
	if !errors.As(err, &diverged) {
		return err
	}
	// Its owner tells the others.
	cell, own := r.layout.Coordinates(diverged.Cell)
	if !own {
		cell = [3]int32{-1, -1, -1}
	}
	at := []int64{int64(cell[0]), int64(cell[1]), int64(cell[2])}
	if failed := r.engine.Transport().Reduce(transport.Max, at); failed != nil {
		return fmt.Errorf("%w; asking where failed too: %w", err, failed)
	}
	for a := range cell {
		cell[a] = int32(at[a])
	}
	return transport.AgreedError{Cause: r.divergedAt(diverged.Step, cell)}
}

// Check returns the largest velocity in a block and the lowest global number of a
// cell that has diverged.
func (r *bound) Check(b *solver.Block, worker int) (peak float64, diverged int64) {
	diverged = solver.NoCell
	keep := r.fresh.begin(b.Number, r.steps)
	r.eachWindow(b.Number, r.workspaces[worker], func(p *solver.Piece, cell, lane, count int32, m *kernel.Moments) {
		for k := range count {
			x, y, z := m.Velocity[0][lane+k], m.Velocity[1][lane+k], m.Velocity[2][lane+k]
			square := x*x + y*y + z*z
			if !(square < divergedVelocity*divergedVelocity) {
				diverged = min(diverged, p.Global+int64(cell+k-p.Local))
				continue
			}
			if square > peak {
				peak = square
			}
		}
		if keep {
			r.put(r.fresh.fields, p.Index+cell-p.Local, lane, count, m)
		}
	})
	return math.Sqrt(peak), diverged
}

// eachPart calls f for the fluid cells of a block with what arrives there,
// before a step: for some cells of one piece at a time.
func (r *bound) eachPart(block int32, w *update.Workspace, f func(p *solver.Piece, cell, count int32, populations *update.Window)) {
	var part update.Window
	r.populations.Arriving(block, r.odd, w, func(cell, count int32, populations *update.Window) {
		r.layout.EachPiece(cell, cell+count, func(p *solver.Piece, from, to int32) {
			if from == cell {
				f(p, from, to-from, populations)
				return
			}
			for i := range r.set.Q {
				copy(part[i][:], populations[i][from-cell:to-cell])
			}
			f(p, from, to-from, &part)
		})
	})
}

// eachWindow calls f for the fluid cells of a block between steps, some cells of a
// piece at a time, with the moments, from a lane on.
func (r *bound) eachWindow(block int32, w *update.Workspace, f func(p *solver.Piece, cell, lane, count int32, m *kernel.Moments)) {
	r.populations.Moments(block, r.odd, r.force, w, func(cell, count int32, m *kernel.Moments) {
		r.layout.EachPiece(cell, cell+count, func(p *solver.Piece, from, to int32) {
			f(p, from, from-cell, to-from, m)
		})
	})
}

// StepTime is how long a step takes, in seconds, as the mean of an even and
// the following odd one.
type StepTime struct{ Best, Median float64 }

// Measure times pairs of steps after a warm-up. The flow goes on meanwhile.
func (r *Rank) Measure(pairs int) (StepTime, error) {
	const warmUp = 2
	var times []float64
	for i := range warmUp + max(1, pairs) {
		begin := time.Now()
		for range 2 {
			if err := r.engine.Step(); err != nil {
				return StepTime{}, err
			}
		}
		if i >= warmUp {
			times = append(times, time.Since(begin).Seconds()/2)
		}
	}
	slices.Sort(times)
	return StepTime{times[0], times[len(times)/2]}, nil
}

// Outlook is what is going to be computed.
type Outlook struct {
	// Cells are all cells. Steps of TimeStep are computed at most, Time in all.
	Cells, Steps   int64
	TimeStep, Time float64
	// Exchange is the time in which the air in the lumen is exchanged by what enters after
	// the start, in the mean over the period of waveforms, in seconds; 0 where only
	// pressures are known.
	Exchange float64
	// Start is how long it takes until what openings prescribe without a waveform is
	// reached, in seconds; 0 where none does.
	Start float64
	// Narrow is the place inside whose air sets the time step; nil where an opening does.
	Narrow *geometry.Narrow
	// UntilSteady tells whether the computation ends earlier when the flow is steady.
	UntilSteady bool
	// Seconds is how long it will take at most from the beginning, at the speed of early
	// steps, of so many million cell updates per second; 0 before these.
	Seconds, MLUPS float64
}

// pace finds how fast steps are from the first ones, without those in which a device
// prepares what the later ones use.
type pace struct {
	first   int64
	seconds float64
	known   bool
}

// told returns, once, how long all steps take and how long each: when those after the
// first took long enough to tell, or at once where the first took so long that what they
// prepared does not matter. Else each is 0. Done steps took so many seconds.
func (p *pace) told(done, steps int64, seconds float64) (whole, each float64) {
	const long, enough = 5, 1 // s
	switch {
	case p.known:
		return 0, 0
	case p.first == 0 && seconds < long:
		p.first, p.seconds = done, seconds
		return 0, 0
	case p.first > 0 && seconds-p.seconds < enough:
		return 0, 0
	}
	p.known = true
	each = (seconds - p.seconds) / float64(done-p.first)
	return p.seconds + each*float64(steps-p.first), each
}

// outlook is that of a plan of so many steps.
func (r *Rank) outlook(plan *Plan, steps int64) Outlook {
	steps += steps & 1
	o := Outlook{Cells: r.domain.CellCount(), Steps: steps, TimeStep: r.units.TimeStep, Time: float64(steps) * r.units.TimeStep, Narrow: r.expected.narrow, UntilSteady: plan.Tolerance > 0,
		Start: r.startSteps() * r.units.TimeStep}
	if flow := r.expected.inflow; flow > 0 {
		dx := r.units.Spacing
		o.Exchange = float64(o.Cells) * dx * dx * dx / flow
	}
	return o
}

// Exchanges is how often the air is exchanged in a time from the beginning, in seconds,
// by what enters meanwhile; 0 where that is not known.
func (o *Outlook) Exchanges(time float64) float64 {
	switch {
	case o.Exchange == 0:
		return 0
	case time < o.Start:
		return (time - o.Start/math.Pi*math.Sin(math.Pi*time/o.Start)) / 2 / o.Exchange
	}
	return (time - o.Start/2) / o.Exchange
}
