// Package moments keeps statistics of the fields in the cells of a rank: means, mean squares
// and products of the deviations from these, by phase where a flow has a period. Numbers is
// what a cell has and how a sample is added to it, Statistics where that lies: in the host's
// memory, or with a Sampler in a device's.
package moments
