// Package refine improves a given partition by moving vertices: k-way
// Fiduccia–Mattheyses searches, alone or in groups of parts side by side;
// restoring balance; moves that keep parts connected or make them so; simulated
// annealing; moves that lower the communication volume; exchanges of whole parts
// for the mapping cost.
//
// All of it works on a [State], a partition with the gain table that every
// move keeps up to date: begin there, then read [FM]. Cuts by maximum flow are in
// package flow, which works on the same state. Which of these runs when is
// decided in package partition.
package refine
