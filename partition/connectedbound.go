package partition

import (
	"context"
	"errors"
)

// ErrBoundOutOfReach is wrapped by the errors of [ConnectedBisectionBound] that
// tell that it would take more than was allowed.
var ErrBoundOutOfReach = errors.New("no bound can be computed")

// ConnectedBisectionBound returns a proven lower bound of the cut of every
// division of g into two connected parts within the limits that imbalance sets:
// the least such cut, or what comes just below it after rounding weights, but
// never more than below. So a result of below proves that there is no such
// division with a cut less than that.
//
// On graphs at most 31 vertices wide, such as trees of narrow tubes, it goes
// along the graph and holds all that the rest of a division may depend on, up to
// the given number of states at a time (of up to 400 bytes each). Where that is
// too many, it puts vertices on sides one by one and looks at no more divisions
// of which minimum cuts tell that they cost too much (branch and bound). A step of
// that goes over all vertices several hundred times and counts as many states as
// there are vertices. Both take the longer the higher below is. The outcome
// depends on the arguments only, not on the time taken.
//
// The error wraps [ErrBoundOutOfReach] if it would take more states, is the
// context's if that is done, or says what is wrong with g.
func ConnectedBisectionBound(ctx context.Context, g *Graph, imbalance float64, below int64, states int) (int64, error) {
	if err := g.Validate(); err != nil {
		return 0, err
	}
	opt := Options{Parts: 2, Imbalance: imbalance}
	if err := opt.check(g.Vertices()); err != nil {
		return 0, err
	}
	if g.Vertices() < 2 || below <= 0 {
		return below, nil
	}
	effective := newLimits(g, &opt, never).effective
	limit := max(effective[0], effective[1])
	bound, err := frontierBound(ctx, g.weighted(), limit, below, states)
	if !errors.Is(err, ErrBoundOutOfReach) {
		return bound, err
	}
	return searchBound(ctx, g.weighted(), limit, below, states/g.Vertices())
}
