// Package update computes a step of the cells of one rank on a processor. Layout cuts
// the blocks of the engine into windows of neighbouring cells and knows their links to
// walls and openings; Populations streams, collides and corrects them, by assembly
// where there is some, else in Go, with the same bits.
//
// What lives elsewhere: the arithmetic of a window (package kernel), what comes back
// from walls and in through openings (packages wall and opening), what a step means for
// the flow (package airflow).
//
// Begin reading with layout.go, populations.go and update.go.
package update
