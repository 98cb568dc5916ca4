// Package saved is what the ranks of a computation save: the states of their cells, by
// the cells' global numbers, so that any other ranks can load them. State is what one
// rank saves, RecordSource finds cells in those of all.
package saved
