package refine

import (
	"carina/internal/random"
)

// Connect makes parts connected, restores balance and improves the cut by
// moves that keep them so. Where the limits cannot be kept that way, balance
// goes first and pieces may break off again.
func Connect(s *State, rounds, patience int, r *random.Source, corridors bool, stop func() bool) {
	joinFragments(s, corridors, stop)
	connected := NewConnectivity(s)
	f := NewFM(s, r, patience, stop)
	f.connected, f.branch = connected, newBranch(s)
	f.Slack = s.Graph.Heaviest()
	for range 3 {
		relieveAlongChains(s, connected, f.branch, stop)
		f.Refine(rounds)
		if s.Overload() == 0 || stop() {
			return
		}
	}
	Rebalance(s, r, stop)
}
