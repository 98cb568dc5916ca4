// Package convergence says how far a number computed on several spacings is from
// the one that it tends to, by Richardson's extrapolation and the grid convergence
// index (Roache 1994, J. Fluids Eng. 116: 405; Celik and others 2008, J. Fluids
// Eng. 130: 078001; Eça and Hoekstra 2014, J. Comput. Phys. 262: 104).
package convergence
