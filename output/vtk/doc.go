// Package vtk writes the fields of a run and its decomposition as VTK files.
//
// Every rank writes its piece with [WriteVTU]; one rank ties the pieces together
// with [WritePVTU] and, for a series in time, [WritePVD]. [WriteCuboids] shows a
// decomposition as boxes coloured by owner. [WriteImage] writes fields that fill a box.
//
// Files are written under a temporary name and renamed when they are complete.
package vtk
