package solver

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"carina/solver/transport"
)

const (
	// checkInterval is how many steps pass between checks of the flow. It is
	// even.
	checkInterval = 50
	// divergedVelocity is the velocity, in cells per step, at which a
	// computation is given up. The equilibrium loses its meaning long before.
	divergedVelocity = 0.7
	// fixedPoint is the scale in which reals are summed over cells and
	// ranks as integers, so that the order does not matter. It leaves room
	// for sums up to 2^19.
	fixedPoint = 1 << 44
)

// StoppedError says at which step all ranks stopped because one was asked to.
type StoppedError struct {
	Step  int64
	Cause error // that of the context, or context.Canceled
}

// Error says when and why.
func (e *StoppedError) Error() string { return fmt.Sprintf("stopped at step %d: %v", e.Step, e.Cause) }

// Unwrap returns the cause.
func (e *StoppedError) Unwrap() error { return e.Cause }

// checked is the outcome of a check over all ranks.
type checked struct{ peakVelocity float64 }

// check looks at the velocity of every cell and at ctx, on all ranks.
func (r *Rank) check(ctx context.Context) (checked, error) {
	peaks := make([]float64, len(r.layout.chunks))
	worst := make([]int64, len(r.layout.chunks))
	r.pool.run(0, len(r.layout.chunks), func(i int, w *workspace) {
		peaks[i], worst[i] = r.peak(&r.layout.chunks[i], w)
	})
	var peak float64
	bad := int64(math.MaxInt64)
	for i, p := range peaks {
		peak = max(peak, p)
		bad = min(bad, worst[i])
	}
	cancelled := int64(0)
	if ctx.Err() != nil {
		cancelled = 1
	}
	// Non-negative floats are ordered as their bits are.
	highest := []int64{int64(math.Float64bits(peak)), cancelled, -bad}
	if err := r.transport.Reduce(transport.Max, highest); err != nil {
		return checked{}, fmt.Errorf("checking the flow at step %d: %w", r.steps, err)
	}
	if first := -highest[2]; first != math.MaxInt64 {
		return checked{}, agreedError{r.divergedAt(r.steps, r.domain.cell(first))}
	}
	if highest[1] != 0 {
		return checked{}, agreedError{&StoppedError{r.steps, cmp.Or(ctx.Err(), context.Canceled)}}
	}
	return checked{math.Float64frombits(uint64(highest[0]))}, nil
}

// peak returns the largest velocity in a chunk and the lowest global number
// of a cell that has diverged.
func (r *Rank) peak(c *chunk, w *workspace) (peak float64, diverged int64) {
	diverged = math.MaxInt64
	r.eachCell(c, w, func(p *piece, cell int32, _ float64, u [3]float64) {
		square := u[0]*u[0] + u[1]*u[1] + u[2]*u[2]
		if !(square < divergedVelocity*divergedVelocity) {
			diverged = min(diverged, p.global+int64(cell-p.local))
			return
		}
		peak = max(peak, square)
	})
	return math.Sqrt(peak), diverged
}

// cell returns the coordinates of a cell by its global number.
func (d *Domain) cell(global int64) [3]int32 {
	for _, run := range d.Grid.Runs {
		if n := int64(run.X1 - run.X0); global >= n {
			global -= n
			continue
		}
		return [3]int32{run.X0 + int32(global), run.Y, run.Z}
	}
	return [3]int32{}
}

// eachPart calls f for the fluid cells of a chunk with what arrives there,
// before an even step: for some cells of one piece at a time.
func (r *Rank) eachPart(c *chunk, w *workspace, f func(p *piece, cell, count int32, populations *[27][windowCells]float64)) {
	var part [27][windowCells]float64
	r.state.arriving(c, w, func(cell, count int32, populations *[27][windowCells]float64) {
		r.layout.eachPiece(cell, cell+count, func(p *piece, from, to int32) {
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

// eachCell calls f for the fluid cells of a chunk with the piece they belong
// to, density and velocity in lattice units, before an even step.
func (r *Rank) eachCell(c *chunk, w *workspace, f func(p *piece, cell int32, density float64, u [3]float64)) {
	set := r.set
	r.eachPart(c, w, func(p *piece, cell, count int32, populations *[27][windowCells]float64) {
		for lane := range count {
			var density float64
			u := [3]float64{r.force[0] / 2, r.force[1] / 2, r.force[2] / 2}
			for i := range set.Q {
				v := populations[i][lane]
				density += v
				for a, component := range set.Velocities[i] {
					u[a] += float64(component) * v
				}
			}
			f(p, cell+lane, density, u)
		}
	})
}

// eachGlobal calls f for the fluid cells of a chunk with their global numbers.
func (l *layout) eachGlobal(c *chunk, f func(cell int32, global int64)) {
	l.eachPiece(c.cell, c.cellEnd, func(p *piece, from, to int32) {
		for cell := from; cell < to; cell++ {
			f(cell, p.global+int64(cell-p.local))
		}
	})
}

// Hash returns a hash of the state of all cells. It does not depend on how
// the cells are distributed. Call it on all ranks.
func (r *Rank) Hash() (uint64, error) {
	sums := make([]uint64, len(r.layout.chunks))
	r.pool.run(0, len(r.layout.chunks), func(i int, _ *workspace) {
		r.layout.eachGlobal(&r.layout.chunks[i], func(cell int32, global int64) {
			h := mix(uint64(global) + 1)
			for p := range r.set.Q {
				h = mix(h ^ r.state.bits(cell, p))
			}
			sums[i] += h
		})
	})
	var sum uint64
	for _, s := range sums {
		sum += s
	}
	total := []int64{int64(sum)}
	if err := r.transport.Reduce(transport.Sum, total); err != nil {
		return 0, fmt.Errorf("hashing the state: %w", err)
	}
	return uint64(total[0]), nil
}

// mix is the finalizer of SplitMix64 (Steele, Lea and Flood 2014) after an
// odd step.
func mix(h uint64) uint64 {
	h += 0x9e3779b97f4a7c15
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	return h ^ h>>31
}
