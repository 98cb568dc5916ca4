// Package arithmetic writes what a cell of a thermal gas does on the D2Q37 set of
// velocities as expressions, from which the kernels of processors and GPUs are
// generated.
//
// Begin reading with arithmetic.go, the set; hermite.go has its equilibrium, collide.go and
// regularize.go the operators, walls.go what comes from walls of a temperature.
package arithmetic
