// Package collision describes the collision operators as expressions, from
// which the kernels of all processors are generated.
//
// Populations are shifted by their weights: f_i − w_i, which keeps precision
// at low Mach number. The equilibrium is that of He and Luo (1997) for
// incompressible flow, w_i (δρ + 3 c·u + 9/2 (c·u)² − 3/2 u²), with the
// density's deviation δρ = Σ f and the momentum u = Σ c f of reference
// density one.
package collision
