package vtk

import (
	"fmt"

	"gonum.org/v1/gonum/spatial/r3"
)

// Column is a number for every line or triangle, or a vector where it has three
// components a line or triangle.
type Column struct {
	Name   string
	Values []float32
	// Components is 1 when 0.
	Components int
}

// WriteLines writes lines as VTK poly data (.vtp) with numbers for each.
func WriteLines(path string, lines [][]r3.Vec, columns []Column) error {
	var points []r3.Vec
	var connectivity, offsets []int64
	for _, line := range lines {
		for _, at := range line {
			connectivity = append(connectivity, int64(len(points)))
			points = append(points, at)
		}
		offsets = append(offsets, int64(len(points)))
	}
	return writePolyData(path, "Lines", points, connectivity, offsets, columns)
}

// WriteTriangles writes triangles as VTK poly data (.vtp) with numbers for each.
func WriteTriangles(path string, points []r3.Vec, triangles [][3]int32, columns []Column) error {
	connectivity := make([]int64, 0, 3*len(triangles))
	offsets := make([]int64, len(triangles))
	for i, t := range triangles {
		connectivity = append(connectivity, int64(t[0]), int64(t[1]), int64(t[2]))
		offsets[i] = int64(3 * (i + 1))
	}
	return writePolyData(path, "Polys", points, connectivity, offsets, columns)
}

func writePolyData(path, kind string, points []r3.Vec, connectivity, offsets []int64, columns []Column) error {
	n := int64(len(offsets))
	integers := func(name string, values []int64) dataArray {
		return dataArray{name, "Int64", 1, int64(len(values)), func(w *blockWriter) {
			for _, v := range values {
				w.int64(v)
			}
		}}
	}
	data := section{tag: "CellData"}
	for _, c := range columns {
		components := max(c.Components, 1)
		if int64(len(c.Values)) != n*int64(components) {
			return fmt.Errorf("output: %s has %d values for %d cells of %d components", c.Name, len(c.Values), n, components)
		}
		data.arrays = append(data.arrays, dataArray{c.Name, "Float32", components, n, func(w *blockWriter) {
			for _, v := range c.Values {
				w.float32(v)
			}
		}})
	}
	sections := []section{
		{"Points", []dataArray{{"points", "Float64", 3, int64(len(points)), func(w *blockWriter) {
			for _, p := range points {
				w.float64(p.X)
				w.float64(p.Y)
				w.float64(p.Z)
			}
		}}}},
		{kind, []dataArray{integers("connectivity", connectivity), integers("offsets", offsets)}},
		data,
	}
	counts := [2]int64{n, 0}
	if kind == "Polys" {
		counts = [2]int64{0, n}
	}
	head := fmt.Sprintf(`<Piece NumberOfPoints="%d" NumberOfVerts="0" NumberOfLines="%d" NumberOfStrips="0" NumberOfPolys="%d">`, len(points), counts[0], counts[1])
	return writeFile(path, func(f file) error {
		return writeAppended(f, "PolyData", head, "", sections)
	})
}
