package vtk

import (
	"fmt"
	"math"

	"carina/balance"
	"carina/cuboid"
	"carina/geometry"
	"carina/output"
)

// Box is a cuboid with what it holds and the rank that owns it.
type Box struct {
	cuboid.Cuboid
	cuboid.Counts
	Owner int32
}

// WritePartition writes the cuboids of a grid's partition as WriteCuboids does.
func WritePartition(path string, g *geometry.Grid, p *balance.Partition) error {
	boxes := make([]Box, len(p.Cuboids))
	for i := range boxes {
		boxes[i] = Box{p.Cuboids[i], p.Counts[i], p.Owners[i]}
	}
	return WriteCuboids(path, output.FrameOf(g), boxes)
}

// WriteCuboids writes cuboids as boxes of a VTK unstructured grid (.vtu) with
// cell data owner, cuboid (its index) and the counts fluid, boundary and
// empty.
func WriteCuboids(path string, frame output.Frame, boxes []Box) error {
	if err := frame.Check(); err != nil {
		return err
	}
	n := int64(len(boxes))
	column := func(name string, value func(b *Box) int64) dataArray {
		return dataArray{name, "Int64", 1, n, func(w *blockWriter) {
			for i := range boxes {
				w.int64(value(&boxes[i]))
			}
		}}
	}
	index := int64(-1)
	sections := []section{
		{"Points", []dataArray{boxPoints(frame, boxes)}},
		{"Cells", voxelArrays(n, 8*n > math.MaxInt32, func(each func(corners [8]int64)) {
			for i := range n {
				var c [8]int64
				for j := range c {
					c[j] = 8*i + int64(j)
				}
				each(c)
			}
		})},
		{`CellData Scalars="owner"`, []dataArray{
			column("owner", func(b *Box) int64 { return int64(b.Owner) }),
			column("cuboid", func(*Box) int64 { index++; return index }),
			column("fluid", func(b *Box) int64 { return b.Fluid }),
			column("boundary", func(b *Box) int64 { return b.Boundary }),
			column("empty", func(b *Box) int64 { return b.Empty }),
		}},
	}
	head := fmt.Sprintf(`<Piece NumberOfPoints="%d" NumberOfCells="%d">`, 8*n, n)
	return writeFile(path, func(f file) error {
		return writeAppended(f, "UnstructuredGrid", head, "", sections)
	})
}

// boxPoints are the eight corners of every box, x fastest.
func boxPoints(frame output.Frame, boxes []Box) dataArray {
	return dataArray{"points", "Float64", 3, 8 * int64(len(boxes)), func(w *blockWriter) {
		origin := [3]float64{frame.Origin.X, frame.Origin.Y, frame.Origin.Z}
		for _, b := range boxes {
			for corner := range 8 {
				for axis := range 3 {
					at := b.Min[axis]
					if corner>>axis&1 == 1 {
						at = b.Max[axis]
					}
					w.float64(origin[axis] + float64(at)*frame.Spacing)
				}
			}
		}
	}}
}
