// Package carina takes the surface of a patient's airway to the flow of air in it:
// a surface is filled with cells, the cells are shared among ranks, and the ranks
// compute the flow, all of them equally busy.
//
// A [Case] says what is to be computed, as in a case file ([ReadCase]). Each step
// stands by itself and can be replaced: [Case.Grid] makes the cells of a surface,
// [Case.Partition] shares them, [Open] makes a [Flow] of both, [Flow.Run] computes
// it, and packages output/vtk and output/picture write what came out. [Run] takes
// all steps at once.
//
// Lengths and flow rates in a case carry their units; everything else is in SI
// units.
package carina
