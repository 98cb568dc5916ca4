package picture

import (
	"image/png"
	"math"
	"os"
	"path/filepath"
	"testing"
)

// A section is painted where it has numbers, in colours up to its largest speed.
func TestSlices(t *testing.T) {
	path := filepath.Join(t.TempDir(), "slices.png")
	nan := float32(math.NaN())
	p := SlicesPicture{Title: "t", Sections: []Section{{Name: "n", Side: 0.01, Rows: 2, Speed: []float32{nan, 4, 2, nan}}}}
	if err := WriteSlices(path, p); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	picture, err := png.Decode(file)
	if err != nil {
		t.Fatal(err)
	}
	count := map[[3]uint32]int{}
	for y := range 340 {
		for x := range 300 {
			r, g, b, _ := picture.At(x, y).RGBA()
			count[[3]uint32{r >> 8, g >> 8, b >> 8}]++
		}
	}
	for share, want := range map[float64]int{1: 10_000, 0.5: 10_000} {
		c := SpeedColour(share)
		// The scale bar covers a little.
		if n := count[[3]uint32{uint32(c.R), uint32(c.G), uint32(c.B)}]; n > want || n < want*9/10 {
			t.Errorf("%d pixels have the colour of %g, want %d", n, share, want)
		}
	}
	for _, wrong := range []SlicesPicture{{}, {Sections: []Section{{Side: 1, Rows: 2, Speed: make([]float32, 3)}}}, {Sections: []Section{{Rows: 1, Speed: make([]float32, 1)}}}} {
		if WriteSlices(path, wrong) == nil {
			t.Errorf("%+v is drawn", wrong)
		}
	}
}
