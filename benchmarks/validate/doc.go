// Package validate compares the solver with analytic solutions and published
// numbers: one file per family of flows, each result with its reference,
// tolerance and source.
package validate
