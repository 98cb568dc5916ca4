// Package graph holds weighted undirected graphs and what can be said of a
// division of their vertices into parts by walking over it once: connected
// pieces, the quotient graph, subgraphs.
//
// How graphs are partitioned is in package partition above, how they are read
// from files in package metis. Begin with [Graph].
package graph
