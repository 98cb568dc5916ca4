// Package terrain reads ground and water from rasters: grids in ESRI's ASCII format, of
// which the grid and the heights of shallow water are made.
package terrain
