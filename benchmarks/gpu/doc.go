// Package gpu measures the solver on GPUs: how many cells a second it updates,
// which part of the memory's bandwidth that is, and where the time of a step
// goes. carina bench gpu runs it; the recorded tables are in
// benchmarks/results.
package gpu
