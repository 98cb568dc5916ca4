// Package solverbench measures how close the solver's kernels come to the
// limit that the memory's bandwidth sets.
package solverbench
