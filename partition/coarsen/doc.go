// Package coarsen makes a graph smaller in steps that keep its cuts: vertices
// that belong together are merged, by a matching (global path algorithm) or by
// size-constrained clusters, and a partition of the small graph is one of the
// large graph.
//
// It decides what to merge, not when: package partition says how small the
// graph is to become. Begin with [Hierarchy], then [Match] and [Cluster].
package coarsen
