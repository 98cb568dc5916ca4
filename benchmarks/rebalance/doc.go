// Package rebalancebench replays how the speeds of ranks change during a job, and
// compares what rebalancing while it runs gains and costs.
package rebalancebench
