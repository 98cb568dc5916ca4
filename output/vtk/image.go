package vtk

import (
	"fmt"

	"carina/output"
)

// Image is fields in all cells of a box.
type Image struct {
	output.Frame
	// Time is when the fields are so.
	Time   float64
	Fields []ImageField
}

// ImageField is a field of so many components a cell. Cells are numbered along x, then y,
// then z.
type ImageField struct {
	Name       string
	Components int
	Value      func(cell int64, component int) float64
}

// WriteImage writes fields as VTK image data (.vti), compressed as WriteVTU does. A box of
// one layer is a plane.
func WriteImage(path string, m *Image) error {
	if err := m.Check(); err != nil {
		return err
	}
	deep := m.Size[2]
	if deep == 1 {
		deep = 0
	}
	extent := fmt.Sprintf("0 %d 0 %d 0 %d", m.Size[0], m.Size[1], deep)
	o := m.Origin
	grid := fmt.Sprintf(`ImageData WholeExtent=%q Origin="%g %g %g" Spacing="%g %g %g"`, extent, o.X, o.Y, o.Z, m.Spacing, m.Spacing, m.Spacing)
	cells := int64(m.Size[0]) * int64(m.Size[1]) * int64(m.Size[2])
	var arrays []dataArray
	for i := range m.Fields {
		f := &m.Fields[i]
		arrays = append(arrays, dataArray{f.Name, "Float32", f.Components, cells, func(w *blockWriter) {
			for cell := range cells {
				for n := range f.Components {
					w.float32(float32(f.Value(cell, n)))
				}
			}
		}})
	}
	return writeFile(path, func(f file) error {
		return writeAppended(f, grid, fmt.Sprintf("<Piece Extent=%q>", extent), timeValue(m.Time), []section{{"CellData", arrays}})
	})
}
