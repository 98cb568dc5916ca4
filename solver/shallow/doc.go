// Package shallow computes the shallow water equations over uneven ground: the finite
// volume scheme of package scheme, of second order in space and of first or second in
// time, on the cells of a grid of one layer. Ground may fall dry and
// slows the water; where the grid ends are walls, inflows and outflows. It is a physics of
// the engine, on processors and GPUs, with the same bits.
package shallow
