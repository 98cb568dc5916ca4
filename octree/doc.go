// Package octree decomposes a grid into cuboids by recursive halving of a
// cube in all three directions.
package octree
