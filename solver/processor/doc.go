// Package processor is the device of ranks that compute on a processor: the
// memory of their fields, one array for each value, and the goroutines that work on
// blocks and exchange.
package processor
