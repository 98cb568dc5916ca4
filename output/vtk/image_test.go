package vtk

import (
	"path/filepath"
	"testing"

	"carina/output"

	"gonum.org/v1/gonum/spatial/r3"
)

// An image has the values of its cells, of a plane where it is one layer, over several blocks.
func TestWriteImage(t *testing.T) {
	for _, c := range []struct {
		size   [3]int32
		extent string
	}{{[3]int32{5, 3, 2}, "0 5 0 3 0 2"}, {[3]int32{700, 500, 1}, "0 700 0 500 0 0"}} {
		value := func(cell int64, component int) float64 { return float64(cell)/2 - float64(component) }
		path := filepath.Join(t.TempDir(), "a.vti")
		err := WriteImage(path, &Image{
			Frame: output.Frame{Origin: r3.Vec{X: -1, Y: 2}, Spacing: 0.25, Size: c.size}, Time: 12,
			Fields: []ImageField{{"density", 1, value}, {"velocity", 3, value}},
		})
		if err != nil {
			t.Fatal(err)
		}
		file, arrays := readVTU(t, path)
		m := &file.Image
		if file.Type != "ImageData" || m.Extent != c.extent || m.Piece.Extent != c.extent || m.Origin != "-1 2 0" || m.Spacing != "0.25 0.25 0.25" || m.Time != 12 {
			t.Errorf("%v: header %+v", c.size, m)
		}
		for name, components := range map[string]int{"density": 1, "velocity": 3} {
			list := arrays[name]
			if want := components * int(c.size[0]*c.size[1]*c.size[2]); len(list) != want {
				t.Fatalf("%d values of %s, want %d", len(list), name, want)
			}
			for i, v := range list {
				if want := float64(float32(value(int64(i/components), i%components))); v != want {
					t.Fatalf("value %d of %s is %g, want %g", i, name, v, want)
				}
			}
		}
	}
	if err := WriteImage(filepath.Join(t.TempDir(), "a.vti"), &Image{}); err == nil {
		t.Error("a box without cells is written")
	}
}
