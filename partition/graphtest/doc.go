// Package graphtest makes graphs for the tests of the partitioner: meshes,
// paths, trees of tubes, networks with hubs, and graphs drawn at random.
package graphtest
