// Package parallel spreads work over a limited number of goroutines, such that
// the outcome does not depend on their number.
package parallel
