// Package output writes the fields of a run as VTK files, pictures and charts.
//
// Everything starts from a [Piece]: the cells and fields of one rank.
//
// VTK: every rank writes its piece with [WriteVTU]; one rank ties the pieces
// together with [WritePVTU] and, for a series in time, [WritePVD].
// [WriteCuboids] shows a decomposition as boxes coloured by owner.
//
// Pictures: every rank draws its piece into a small [Layer] with [Render]; one
// rank puts the layers together with [Composite] and hands the result to
// [WriteFlow] and [WriteRanks]. A composite is the same, bit for bit, however
// the cells were distributed. [WriteSurface] draws the triangles of a surface
// with its openings, [WriteHistory] the time series of a run.
//
// Files are written under a temporary name and renamed when they are complete.
package output
