// Package tiling lays cells out in tiles of 4×4×4 for devices that compute tile by
// tile: Set is the tiles of a domain that hold fluid, Layout where a tile keeps its
// populations, Subdomain the tiles of one rank and what crosses to others, Cut what
// one rank needs of a domain.
//
// It knows no device and no physics: velocities are directions, the first 6 along
// axes, the next 12 along the diagonals of faces, the last 8 along those of cubes.
// NOTES.md of package tiles derives the layout. Begin reading with tiles.go.
package tiling
