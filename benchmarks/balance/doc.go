// Package balancebench measures what decompositions and balancers are worth:
// the suites behind carina bench cost, bench balance and bench scale.
//
// Balance repeats the evaluation of Fietz (Performance Optimization of
// Lattice Boltzmann methods through load balancing and sparse domain
// decomposition, 2011, chapter 5) with our strategies beside the source's.
// Cost measures the cost model on this machine with the real kernels. Scale
// partitions large airways for very many ranks of a modelled machine.
package balancebench
