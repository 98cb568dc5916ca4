// Package thermalbench compares a thermal gas heated from below with the Boussinesq
// equations: where rolls begin to grow, and how much heat steady rolls carry, which a
// spectral solution gives; and dense gas above thin gas with the eigenvalue of its profile.
//
// Begin reading with spectral.go and stability.go, the solutions; convection.go and growth.go
// have the gas.
package thermalbench
