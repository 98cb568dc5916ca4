// Package opening holds what happens where air enters and leaves: the conditions
// that users choose, with their waveforms and profiles; what they impose in a step,
// and how they follow the flow through them (shares, Windkessels, the flow
// controller); and the populations that come in over the links of their cells.
//
// What lives elsewhere: which cells of a rank these are (package update), and sums
// over ranks and summaries (package airflow). GPUs impose the same with kernels of
// their own (package gpu).
//
// Begin reading with condition.go, then state.go, sample.go and pressure.go.
package opening
