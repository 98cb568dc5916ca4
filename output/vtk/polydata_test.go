package vtk

import (
	"encoding/xml"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"carina/geometry/tree"

	"gonum.org/v1/gonum/spatial/r3"
)

// polyPiece is what a reader needs of a file of poly data.
type polyPiece struct {
	Type  string `xml:"type,attr"`
	Piece struct {
		Points int `xml:"NumberOfPoints,attr"`
		Lines  int `xml:"NumberOfLines,attr"`
		Polys  int `xml:"NumberOfPolys,attr"`
		Arrays []struct {
			Data []struct {
				Name string `xml:"Name,attr"`
			} `xml:"DataArray"`
		} `xml:",any"`
	} `xml:"PolyData>Piece"`
}

func readPoly(t *testing.T, path string) (p polyPiece, names string) {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	head, _, _ := strings.Cut(string(raw), "<AppendedData")
	if err := xml.Unmarshal([]byte(head+"</VTKFile>"), &p); err != nil {
		t.Fatal(err)
	}
	for _, a := range p.Piece.Arrays {
		for _, d := range a.Data {
			names += d.Name + " "
		}
	}
	return p, names
}

func TestWriteBranches(t *testing.T) {
	path := filepath.Join(t.TempDir(), "branches.vtp")
	tr := &tree.Tree{Branches: []tree.Branch{
		{Number: 1, Daughters: []int{2}, Line: []r3.Vec{{}, {Z: 1}, {Z: 2}}}, {Number: 2, Parent: 1, Line: []r3.Vec{{Z: 2}, {X: 1, Z: 3}}},
	}}
	if err := WriteBranches(path, tr, tree.Column{Name: "flow", Value: func(*tree.Branch) float64 { return 1 }}); err != nil {
		t.Fatal(err)
	}
	p, names := readPoly(t, path)
	if p.Type != "PolyData" || p.Piece.Points != 5 || p.Piece.Lines != 2 || p.Piece.Polys != 0 ||
		names != "points connectivity offsets branch parent generation opening length_m diameter_m angle_deg volume_m3 cells_across flow " {
		t.Errorf("%+v with arrays %s", p, names)
	}
}

func TestWriteTriangles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "wall.vtp")
	points := []r3.Vec{{}, {X: 1}, {Y: 1}, {X: 1, Y: 1}}
	err := WriteTriangles(path, points, [][3]int32{{0, 1, 2}, {1, 3, 2}}, []Column{{Name: "pressure", Values: []float32{1, 2}}, {Name: "shear", Values: make([]float32, 6), Components: 3}})
	if err != nil {
		t.Fatal(err)
	}
	if p, names := readPoly(t, path); p.Piece.Points != 4 || p.Piece.Polys != 2 || p.Piece.Lines != 0 || names != "points connectivity offsets pressure shear " {
		t.Errorf("%+v with arrays %s", p, names)
	}
	if err := WriteTriangles(path, points, [][3]int32{{0, 1, 2}}, []Column{{Name: "pressure"}}); err == nil {
		t.Error("a column without values is taken")
	}
}
