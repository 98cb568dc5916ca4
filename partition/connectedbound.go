package partition

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// ErrBoundOutOfReach is wrapped by the errors of [ConnectedCutBound] that
// tell that it would take more than was allowed, or that there is no method.
var ErrBoundOutOfReach = errors.New("no bound can be computed")

// ConnectedCutBound returns a proven lower bound of the cut of every division
// of g into two or four connected, non-empty parts within the limits that imbalance sets:
// for two parts the least such cut, or what comes just below it after rounding
// weights, but never more than below. So a result of below proves that there is no such
// division with a cut less than that.
//
// On graphs at most 31 vertices wide, such as trees of narrow tubes, it goes
// along the graph and holds all that the rest of a division may depend on, up to
// the given number of states at a time (of up to 400 bytes each). Where that is
// too many, it puts vertices on sides one by one and looks at no more divisions
// of which minimum cuts tell that they cost too much (branch and bound). A step of
// that goes over all vertices several hundred to thousand times and counts as many states as
// there are vertices. Both take the longer the higher below is. The outcome
// depends on the arguments only, not on the time taken.
//
// The bound for four parts follows from the least cuts that separate one of
// them or two from the others, so g must be connected and it may be lower than the least cut.
//
// The error wraps [ErrBoundOutOfReach] if it would take more states or g is to be
// divided by four and lies in pieces, is the context's if that is done, or says what is wrong with g or the number of parts.
func ConnectedCutBound(ctx context.Context, g *Graph, parts int, imbalance float64, below int64, states int) (int64, error) {
	if err := g.Validate(); err != nil {
		return 0, err
	}
	if parts != 2 && parts != 4 {
		return 0, fmt.Errorf("a bound for %d connected parts cannot be computed, only for 2 or 4", parts)
	}
	opt := Options{Parts: parts, Imbalance: imbalance}
	if err := opt.check(g.Vertices()); err != nil {
		return 0, err
	}
	if g.Vertices() < 2 || below <= 0 {
		return below, nil
	}
	limit := slices.Max(newLimits(g, &opt, never).effective)
	split := func(first, second int, below int64) (int64, error) {
		limits := [2]int64{multiple(g, limit, first), multiple(g, limit, second)}
		return splitBound(ctx, g.weighted(), limits, below, states)
	}
	if parts == 2 {
		return split(1, 1, below)
	}
	if inPieces(g) {
		return 0, fmt.Errorf("%w of four connected parts of a graph in several pieces", ErrBoundOutOfReach)
	}
	asked := min(below, allEdges(g.weighted())+1) // no division cuts more
	bound, err := quartersBound(asked, split)
	if err == nil && bound == asked {
		return below, nil
	}
	return bound, err
}

// inPieces tells whether a graph is not connected.
func inPieces(g *Graph) bool {
	return len(fragments(g, make([]int32, g.Vertices()))) > 1
}

// multiple returns a limit for so many parts together, or all weight if that is less.
func multiple(g *Graph, limit int64, parts int) int64 {
	if total := g.TotalVertexWeight(); limit > total/int64(parts) {
		return total
	}
	return limit * int64(parts)
}

// splitBound bounds the cut of two connected parts, each within its limit.
func splitBound(ctx context.Context, g *Graph, limits [2]int64, below int64, states int) (int64, error) {
	bound, err := frontierBound(ctx, g, limits, below, states)
	if !errors.Is(err, ErrBoundOutOfReach) {
		return bound, err
	}
	return searchBound(ctx, g, limits, below, states/g.Vertices())
}

// quartersBound bounds the cut of four connected parts by what split finds where so many
// of them are on the first side and so many on the second. Quarters that
// cut a third of below are needed in any case, and then halves that cut two thirds
// or quarters that cut half of it.
func quartersBound(below int64, split func(first, second int, below int64) (int64, error)) (int64, error) {
	third := (below + 2) / 3
	quarter, err := split(3, 1, third)
	if err != nil {
		return 0, err
	}
	half, err := split(2, 2, 2*quarter)
	if err != nil && !errors.Is(err, ErrBoundOutOfReach) {
		return 0, err
	}
	if half < 2*quarter && quarter >= third {
		more, err := split(3, 1, (below+1)/2)
		if err != nil && !errors.Is(err, ErrBoundOutOfReach) {
			return 0, err
		}
		quarter = max(quarter, more)
	}
	return min(below, quarters(quarter, half)), nil
}

// quarters bounds the cut of four connected parts of a connected graph, if what
// cuts off one of them and leaves the others connected cuts at least quarter, and what
// cuts off two cuts at least half. Which parts are neighbours is one of six connected
// graphs of four vertices a, b, c, d; ab is the cut between two of them:
//
//   - A star: its three leaves can be cut off, and share no edges: 3 quarter.
//   - A path: its ends can, and its halves: 2 quarter + half.
//   - A cycle: all four can, and every edge counts for two: 2 quarter; so do
//     both ways to halve it: 2 half.
//   - A triangle b, c, d and a beside b: a and c can be cut off, and share no edges:
//     2 quarter; nor does a with the halves ab and cd: quarter + half.
//   - All but bd: b and d can be cut off, and share no edges, so ab+bc+cd+da is
//     2 quarter or more; two ways to halve it make ab+bc+cd+da+2ac at least
//     2 half. Half the sum of both is the cut: max(2 quarter, quarter + half).
//   - All: every edge counts for two of the four quarters, and for two of
//     the three ways to halve it: max(2 quarter, 3/2 half).
//
// Where quarter + half is less than 3/2 half, it is more than 3 quarter.
func quarters(quarter, half int64) int64 {
	return min(3*quarter, max(2*quarter, (3*half+1)/2))
}
