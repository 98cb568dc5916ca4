package solver

import (
	"context"
	"errors"
	"math"
)

// Loop is the one place where the steps of a run are computed. All ranks run the same
// loop together. It computes steps until the next look: so many steps after the last
// one, or the end. Then it checks all cells, whether the computation makes sense and
// whether somebody wants it to stop, and does what is due: a report, a sample of
// averages or of steadiness, a checkpoint, the balancer's look. Whatever is to happen
// between the steps of a run, of any physics, is one more Due of its loop.
type Loop struct {
	// End is the step after which the run ends.
	End int64
	// Interval is how many steps pass between looks.
	Interval int64
	// Pause, if not nil, is asked after every step, with the number of steps done, whether
	// to look at once; all ranks say the same.
	Pause func(steps int64) bool
	// Dues are done in this order. One that moves cells or saves them belongs behind
	// those that only look.
	Dues []Due
	// LookWhenStopped does what is due, too, before the run ends with a StoppedError.
	LookWhenStopped bool
}

// Due is something that is done between steps, on all ranks together.
type Due struct {
	// Every is how many steps lie between: it is done at the first look at or after each
	// multiple of it, at each look if it is 0.
	Every int64
	// Do is given the largest magnitude of all cells. It may save the state and move
	// cells. It may end the run, on all ranks alike; what is due behind it at the same
	// look is done nevertheless.
	Do func(peak float64) (end bool, err error)
}

// Run computes steps. Rank is asked for the rank before each stretch of steps, as one
// that moves cells goes on as another. Errors of looks are the same on all ranks: a
// DivergedError, a StoppedError or that of a Due.
func (l *Loop) Run(ctx context.Context, rank func() *Rank) error {
	next := make([]int64, len(l.Dues))
	for i := range l.Dues {
		next[i] = l.Dues[i].after(rank().steps)
	}
	for end := false; !end && rank().steps < l.End; {
		r := rank()
		for range min(l.Interval, l.End-r.steps) {
			if err := r.Step(); err != nil {
				return err
			}
			if l.Pause != nil && l.Pause(r.steps) {
				break
			}
		}
		if err := r.wait(); err != nil {
			return err
		}
		peak, stopped := r.Check(ctx)
		if stopped != nil && !(l.LookWhenStopped && errors.As(stopped, new(*StoppedError))) {
			return stopped
		}
		steps := r.steps
		for i, due := range l.Dues {
			if steps < next[i] {
				continue
			}
			next[i] = due.after(steps)
			enough, err := due.Do(peak)
			if err != nil {
				return err
			}
			end = end || enough
		}
		if stopped != nil {
			return stopped
		}
	}
	return nil
}

// after is the step from which on it is due again.
func (d *Due) after(step int64) int64 {
	if d.Every <= 0 {
		return math.MinInt64
	}
	return (step/d.Every + 1) * d.Every
}
