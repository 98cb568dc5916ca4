package picture

import (
	"path/filepath"
	"testing"

	"carina/internal/palette"
	"carina/internal/race"
)

// A history shows the flow above the pressure, each line in its colour.
func TestHistoryShowsThePressure(t *testing.T) {
	race.SkipArithmetic(t)
	h := History{Title: "Flow", Names: []string{"in", "out"}, Time: []float64{0, 1, 2},
		Flow: [][]float64{{1e-5, 2e-5, 3e-5}, {-1e-5, -2e-5, -3e-5}}}
	lines := func(pressure [][]float64) (upper, lower int) {
		h.Pressure = pressure
		path := filepath.Join(t.TempDir(), "history.png")
		if err := WriteHistory(path, h); err != nil {
			t.Fatal(err)
		}
		m, _ := readPNG(t, path)
		second := palette.Lines[1]
		for y := range figureHeight {
			for x := range legendAt {
				if r, g, b, _ := m.At(x, y).RGBA(); uint8(r>>8) == second.R && uint8(g>>8) == second.G && uint8(b>>8) == second.B {
					if y < figureHeight/2 {
						upper++
					} else {
						lower++
					}
				}
			}
		}
		return upper, lower
	}
	// A line that rises lies in both halves where it is alone; one that is level in
	// its own half.
	if upper, lower := lines([][]float64{{5, 6, 7}, {1, 1, 1}}); upper < 500 || lower < 500 {
		t.Errorf("the second opening has %d pixels in the upper chart and %d in the lower", upper, lower)
	}
	h.Flow[1] = []float64{1e-5, 1e-5, 1e-5}
	h.Flow[0] = []float64{1e-5, 0, -6e-5}
	if upper, lower := lines(nil); upper < 500 || lower > 0 {
		t.Errorf("without a pressure, the second opening has %d pixels in the upper half and %d in the lower", upper, lower)
	}
	h.Pressure = [][]float64{{1, 2, 3}}
	if err := WriteHistory(filepath.Join(t.TempDir(), "no.png"), h); err == nil {
		t.Error("one pressure for two openings is taken")
	}
}
