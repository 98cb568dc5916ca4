package solver

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"carina/solver/transport"
)

func floatBits(v float64) int64  { return int64(math.Float64bits(v)) }
func floatOf(bits int64) float64 { return math.Float64frombits(uint64(bits)) }

// StoppedError says at which step all ranks stopped because one was asked to.
type StoppedError struct {
	Step  int64
	Cause error // that of the context, or context.Canceled
}

// Error says when and why.
func (e *StoppedError) Error() string { return fmt.Sprintf("stopped at step %d: %v", e.Step, e.Cause) }

// Unwrap returns the cause.
func (e *StoppedError) Unwrap() error { return e.Cause }

// DivergedError says in which cell values made no sense after a step.
type DivergedError struct {
	Step int64
	Cell int64 // global number
}

// Error says when and where.
func (e *DivergedError) Error() string {
	return fmt.Sprintf("the computation diverged before step %d at cell number %d", e.Step, e.Cell)
}

// Check looks at all cells and at ctx, on all ranks, and returns the largest
// magnitude, also beside a StoppedError. Errors are the same on all: a DivergedError or
// a StoppedError.
func (r *Rank) Check(ctx context.Context) (float64, error) {
	peak, bad, err := r.checkOwn()
	if err != nil {
		return 0, err
	}
	cancelled := int64(0)
	if ctx.Err() != nil {
		cancelled = 1
	}
	// Non-negative floats are ordered as their bits are.
	highest := []int64{floatBits(peak), cancelled, -bad}
	if err := r.transport.Reduce(transport.Max, highest); err != nil {
		return 0, fmt.Errorf("checking the flow at step %d: %w", r.steps, err)
	}
	if first := -highest[2]; first != NoCell {
		return 0, transport.AgreedError{Cause: &DivergedError{r.steps, first}}
	}
	if highest[1] != 0 {
		return floatOf(highest[0]), transport.AgreedError{Cause: &StoppedError{r.steps, cmp.Or(ctx.Err(), context.Canceled)}}
	}
	return floatOf(highest[0]), nil
}

// Do does work on all own cells between steps, and waits for it.
func (r *Rank) Do(w Work) error {
	if err := r.device.Run(w, Side{Blocks: r.layout.Blocks}); err != nil {
		return err
	}
	return r.wait()
}

// Total adds up the numbers that all ranks have, where none of them has failed.
func (r *Rank) Total(numbers []int64, failed error) error {
	if err := transport.Agree(r.transport, failed); err != nil {
		return err
	}
	return r.transport.Reduce(transport.Sum, numbers)
}

// checkOwn checks this rank's cells.
func (r *Rank) checkOwn() (peak float64, bad int64, err error) {
	if r.recordKernel != nil {
		return r.recordKernel.CheckAll()
	}
	if inspector, ok := r.device.(Inspector); ok {
		bad, err := r.inspect(inspector)
		return 0, bad, err
	}
	blocks := r.layout.Blocks
	peaks, worst := make([]float64, len(blocks)), make([]int64, len(blocks))
	for i := range worst {
		worst[i] = NoCell
	}
	err = r.device.Run(BlockWork(func(b *Block, worker int) {
		for _, k := range r.kernels {
			if c, ok := k.(Checker); ok {
				peak, bad := c.Check(b, worker)
				peaks[b.Number], worst[b.Number] = max(peaks[b.Number], peak), min(worst[b.Number], bad)
			}
		}
	}), Side{Blocks: blocks})
	bad = NoCell
	for i, p := range peaks {
		peak, bad = max(peak, p), min(bad, worst[i])
	}
	return peak, bad, err
}
