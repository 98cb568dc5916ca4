// Package answers puts the fields of a flow together with the branches of the airway and
// its wall: what flows through each branch, what it resists, and what its wall feels.
//
// Begin with Of.
package answers
