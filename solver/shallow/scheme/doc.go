// Package scheme writes the finite volume scheme of Kurganov and Petrova (2007, Commun.
// Math. Sci. 5) for the shallow water equations as expressions, from which the kernels of
// package kernel are generated.
package scheme
