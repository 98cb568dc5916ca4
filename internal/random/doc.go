// Package random draws the pseudo-random numbers of searches whose results must
// not depend on the machine or on which goroutine does what.
package random
