// Package thermal computes a gas that carries its own heat: 37 populations that reach
// three cells far, of which density, velocity and temperature are moments (D2Q37; Calore
// and others 2016), relaxed by BGK, in two copies. Walls throw back what left the cell.
// It is a physics of the engine, on grids of one layer.
package thermal
