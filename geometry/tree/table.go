package tree

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"
)

// Column is a number that a table gives for every branch.
type Column struct {
	Name  string
	Value func(b *Branch) float64
}

// Columns are those of the geometry. Lengths are in metres, angles in degrees.
var Columns = []Column{
	{"length_m", func(b *Branch) float64 { return b.Length }},
	{"diameter_m", func(b *Branch) float64 { return b.Diameter }},
	{"angle_deg", func(b *Branch) float64 { return b.Angle * 180 / math.Pi }},
	{"volume_m3", func(b *Branch) float64 { return b.Volume }},
	{"cells_across", func(b *Branch) float64 { return b.CellsAcross }},
}

// WriteCSV writes a row for every branch: its number, its parent's, its generation, the
// number of its opening (0 for none), the columns of the geometry and further ones.
func (t *Tree) WriteCSV(w io.Writer, further ...Column) error {
	table := csv.NewWriter(w)
	columns := append(append([]Column{}, Columns...), further...)
	heading := []string{"branch", "parent", "generation", "opening"}
	for _, c := range columns {
		heading = append(heading, c.Name)
	}
	// A csv.Writer keeps its first error.
	_ = table.Write(heading)
	for i := range t.Branches {
		b := &t.Branches[i]
		row := []string{strconv.Itoa(b.Number), strconv.Itoa(b.Parent), strconv.Itoa(b.Generation), strconv.Itoa(b.Opening)}
		for _, c := range columns {
			row = append(row, Number(c.Value(b)))
		}
		_ = table.Write(row)
	}
	table.Flush()
	if err := table.Error(); err != nil {
		return fmt.Errorf("writing the table of branches: %w", err)
	}
	return nil
}

// Number is a number as tables have it, empty where it is not known.
func Number(v float64) string {
	if math.IsNaN(v) {
		return ""
	}
	// Adding 0 turns −0 into 0.
	return strconv.FormatFloat(v+0, 'g', 6, 64)
}

// Behind are the numbers of a branch and of all that it leads to.
func (t *Tree) Behind(number int) []int {
	list := []int{number}
	for k := 0; k < len(list); k++ {
		list = append(list, t.Branches[list[k]-1].Daughters...)
	}
	return list
}

// Generations is the number of generations, the first one included.
func (t *Tree) Generations() int {
	n := 0
	for i := range t.Branches {
		n = max(n, t.Branches[i].Generation+1)
	}
	return n
}
