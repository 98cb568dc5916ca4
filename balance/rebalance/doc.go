// Package rebalance decides while a job runs which cells change owner: it learns
// from the time that ranks compute how fast they are, predicts what another
// partition would gain, and weighs that against what moving the cells costs. It
// knows of cells only what they weigh and which of them touch.
//
// [Balancer.Look] judges what ranks have measured. What is learned of their speeds
// is in speeds.go, what of the costs of cells in fit.go; level.go moves work along
// the borders between ranks, and distant.go partitions the graph anew where that
// does not suffice.
package rebalance
