// Package workflow strings the rooms together into what the commands do: a
// case is read, its surface voxelized, the grid partitioned, the flow solved
// and the result reported. It decides nothing about the methods themselves.
package workflow
