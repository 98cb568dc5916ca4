package solver_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"carina/geometry/generate"
	"carina/solver"
	"carina/solver/enginetest"
	"carina/solver/processor"
	"carina/solver/transport"
)

// What is due between steps is done at looks, in its order and after its own number of
// steps, wherever the run begins, and what ends the run leaves nothing of its look out.
func TestLoopDoesWhatIsDue(t *testing.T) {
	const ranks = 2
	grid := generate.FullGrid([3]int32{6, 4, 1})
	type done struct {
		name string
		step int64
	}
	enough := errors.New("enough")
	for name, c := range map[string]struct {
		begin, end, every int64
		endsAt, failsAt   int64 // step, 0: none
		stopAt            int64 // of the context
		want              []int64
		steps             int64
	}{
		"to the end":      {0, 23, 7, 0, 0, 0, []int64{8, 16, 23}, 23},
		"from a step on":  {12, 23, 7, 0, 0, 0, []int64{16, 23}, 23},
		"at once":         {0, 23, 1, 0, 0, 0, []int64{4, 8, 12, 16, 20, 23}, 23},
		"ended by a due":  {0, 23, 4, 12, 0, 0, []int64{4, 8, 12}, 12},
		"failed at a due": {0, 23, 4, 0, 12, 0, []int64{4, 8}, 12},
		"stopped":         {0, 23, 4, 0, 0, 8, []int64{4, 8, 12}, 12},
		"nothing to do":   {6, 6, 1, 0, 0, 0, nil, 6},
		"never due":       {0, 23, 100, 0, 0, 0, nil, 23},
	} {
		ctx, stop := context.WithCancel(context.Background())
		enginetest.OnRanks(t, ranks, func(tr transport.Transport) error {
			r, err := solver.NewRank(enginetest.Scattered(grid, 2, ranks, 7, [3]bool{}), solver.Together{quietClock()}, processor.New(1, tr), tr, solver.Options{})
			if err != nil {
				return err
			}
			defer r.Close()
			for range c.begin {
				if err := r.Step(); err != nil {
					return err
				}
			}
			var order []done
			var own []int64
			loop := solver.Loop{End: c.end, Interval: 4, LookWhenStopped: true, Dues: []solver.Due{
				{Do: func(float64) (bool, error) {
					order = append(order, done{"each look", r.Steps()})
					if r.Steps() == c.failsAt {
						return false, enough
					}
					return r.Steps() == c.endsAt, nil
				}},
				{Every: c.every, Do: func(float64) (bool, error) {
					order = append(order, done{"every so many steps", r.Steps()})
					own = append(own, r.Steps())
					if r.Steps() == c.stopAt {
						stop()
					}
					return false, nil
				}},
			}}
			err = loop.Run(ctx, func() *solver.Rank { return r })
			var stopped *solver.StoppedError
			if errors.Is(err, enough) != (c.failsAt > 0) || errors.As(err, &stopped) != (c.stopAt > 0) || err != nil && c.failsAt+c.stopAt == 0 {
				t.Errorf("%s: %v", name, err)
			}
			if !slices.Equal(own, c.want) || r.Steps() != c.steps {
				t.Errorf("%s: due after steps %v, want %v; %d steps are done, want %d", name, own, c.want, r.Steps(), c.steps)
			}
			for i, d := range order {
				if d.name != "each look" && order[i-1] != (done{"each look", d.step}) {
					t.Errorf("%s: the order is %v", name, order)
				}
			}
			return nil
		})
		stop()
	}
}
