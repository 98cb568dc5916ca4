package vtk

import (
	"carina/geometry/tree"

	"gonum.org/v1/gonum/spatial/r3"
)

// WriteBranches writes the centre lines of branches as VTK poly data (.vtp) with their
// numbers, parents, generations, openings, the columns of the geometry and further ones.
func WriteBranches(path string, t *tree.Tree, further ...tree.Column) error {
	columns := append([]tree.Column{
		{Name: "branch", Value: func(b *tree.Branch) float64 { return float64(b.Number) }},
		{Name: "parent", Value: func(b *tree.Branch) float64 { return float64(b.Parent) }},
		{Name: "generation", Value: func(b *tree.Branch) float64 { return float64(b.Generation) }},
		{Name: "opening", Value: func(b *tree.Branch) float64 { return float64(b.Opening) }},
	}, append(append([]tree.Column{}, tree.Columns...), further...)...)
	lines := make([][]r3.Vec, len(t.Branches))
	data := make([]Column, len(columns))
	for k, c := range columns {
		data[k].Name = c.Name
		for i := range t.Branches {
			data[k].Values = append(data[k].Values, float32(c.Value(&t.Branches[i])))
		}
	}
	for i := range t.Branches {
		lines[i] = t.Branches[i].Line
	}
	return WriteLines(path, lines, data)
}
