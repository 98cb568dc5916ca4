// Package shallow computes the shallow water equations in their plainest form: a
// finite volume scheme of first order with Rusanov's fluxes, on the cells of a grid
// of one layer, over a flat bottom. Walls reflect. It is a physics of the engine, on
// processors and GPUs.
package shallow
