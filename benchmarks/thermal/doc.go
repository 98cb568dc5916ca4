// Package thermalbench compares a thermal gas heated from below with the Boussinesq
// equations: where rolls begin to grow, and how much heat steady rolls carry, which a
// spectral solution gives.
//
// Begin reading with spectral.go, the solution; convection.go has the gas.
package thermalbench
