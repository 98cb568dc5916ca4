// Package thermal computes a gas that carries its own heat: 37 populations that reach
// three cells far, of which density, velocity and temperature are moments (D2Q37; Calore
// and others 2016), relaxed by BGK or, more stable, in stress and flux of heat alone, in
// two copies. p = ρT, ν = χ = (τ−½)T, so that Pr = 1; γ = 2. Walls throw back what left
// the cell. It is a physics of the engine, on grids of one layer.
//
// Gravity shifts the velocity and the temperature towards which populations relax, so that
// a step gives ρg of momentum and exactly the force's work of energy; Moments has those in
// the middle of a step, which are the gas's own.
package thermal
