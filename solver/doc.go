// Package solver computes the flow of air on the cells of a grid that a
// partition has distributed over ranks.
package solver
