// Package report writes a page of what a run has found: self-contained, for reading and
// for printing on A4. All of its numbers are those of the summary, from which it is made.
//
// Begin with Write.
package report
