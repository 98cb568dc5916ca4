// Package water computes floods: a case says what the ground and the water on it are like,
// and package shallow, on the same engine as the flow of air, what becomes of them, on any
// number of ranks. Results are grids for geographic information systems, pictures and
// tables.
//
// Begin reading with case.go, and with flood.go, which runs one.
package water
