// Package output holds what files of results are written from: a [Piece], the
// cells and fields of one rank, in the [Frame] of cells that all pieces share.
//
// Its rooms write them: vtk for ParaView and other readers of VTK files,
// picture as PNG pictures and charts, page as an HTML page to turn around.
package output
