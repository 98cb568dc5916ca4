// Package picture writes the fields of a run as pictures and charts.
//
// Every rank draws its piece into a small [Layer] with [Render]; one rank puts
// the layers together with [Composite] and hands the result to [WriteFlow] and
// [WriteRanks]. A composite is the same, bit for bit, however the cells were
// distributed. [WriteSurface] draws the triangles of a surface with its
// openings, [WriteHistory] the time series of a run, which [WriteHistoryTable]
// writes as a table.
//
// Files are written under a temporary name and renamed when they are complete.
package picture
