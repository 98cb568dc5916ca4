// Package scheme writes a finite volume scheme for the shallow water equations as
// expressions, from which the kernels of package kernel are generated: the central-upwind
// fluxes and the slopes of Kurganov and Petrova (2007, Commun. Math. Sci. 5), on depths
// that are reconstructed above the higher ground on both sides of a face, as Audusse et
// al. do (2004, SIAM J. Sci. Comput. 25). So water rests on any ground, with shores within
// cells, too, and depths stay positive.
package scheme
