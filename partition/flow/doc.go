// Package flow improves pairs of adjacent parts by minimum cuts in the network
// of the vertices around their common boundary (FlowCutter).
//
// [Refiner] chooses the pairs and builds their networks; cutter.go has the
// maximum flow and the piercing that balances it. The partition it changes is
// a refine.State.
package flow
