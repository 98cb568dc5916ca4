package terrain

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"carina/geometry"

	"gonum.org/v1/gonum/spatial/r3"
)

const valley = "ncols 3\nnrows 2\nxllcorner 10\nYLLCENTER -5\ncellsize 2\nNODATA_value -9999\n1 2 3\n4 -9999 6\n"

func TestRead(t *testing.T) {
	g, err := Read(strings.NewReader(valley))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []struct{ x, y, value float64 }{
		{10.1, -5.9, 4}, {15.9, -4.1, 6}, {10.1, -3.9, 1}, {13, -2.1, 2}, {15, -3, 3},
		{13, -5, math.NaN()}, {9.9, -5, math.NaN()}, {16.1, -5, math.NaN()}, {13, -6.1, math.NaN()}, {13, -1.9, math.NaN()}, {math.NaN(), -5, math.NaN()},
	} {
		if v := g.At(r3.Vec{X: want.x, Y: want.y}); v != want.value && !(math.IsNaN(v) && math.IsNaN(want.value)) {
			t.Errorf("%g at %g, %g, not %g", v, want.x, want.y, want.value)
		}
	}
	grid, err := g.Grid()
	if err != nil {
		t.Fatal(err)
	}
	runs := []geometry.Run{{X0: 0, X1: 1}, {X0: 2, X1: 3}, {X0: 0, X1: 3, Y: 1}}
	if !slices.Equal(grid.Runs, runs) || grid.Size != [3]int32{3, 2, 1} || grid.Spacing != 2 || grid.Origin != (r3.Vec{X: 10, Y: -6}) {
		t.Errorf("the grid is %+v", grid)
	}
	for i := range grid.Cells() {
		// Every cell has the height of its square.
		r := runs[min(i, 2)]
		if v := g.At(grid.Center(r.X0, r.Y, 0)); math.IsNaN(v) {
			t.Errorf("cell %d has no height", i)
		}
	}
	if g, err = Read(strings.NewReader(strings.Replace(valley, "NODATA_value -9999\n1", "nodata_value NaN\nnan", 1))); err != nil || !math.IsNaN(g.Values[3]) || g.Values[1] != -9999 {
		t.Errorf("%+v, %v", g, err)
	}
	for name, text := range map[string]string{
		"no line for it":           strings.Replace(valley, "NODATA_value -9999\n", "", 1),
		"single and double digits": strings.NewReplacer("-9999\n1", "-3.4028235e+38\n1", " -9999 ", " -3.4028234663852886e+38 ").Replace(valley),
	} {
		if g, err = Read(strings.NewReader(text)); err != nil || !math.IsNaN(g.Values[1]) || g.Values[0] != 4 {
			t.Errorf("%s: %+v, %v", name, g, err)
		}
	}
}

func TestRefuses(t *testing.T) {
	for _, bad := range []struct{ from, to, says string }{
		{"ncols 3", "", "no ncols"},
		{"YLLCENTER -5", "", "no yllcorner"},
		{"ncols 3", "ncols 3 ncols 3", "two lines"},
		{"YLLCENTER", "xllcenter", "two lines"},
		{"ncols 3", "ncols 0", "whole number"},
		{"ncols 3", "ncols 3.5", "whole number"},
		{"nrows 2", "nrows 99999999999", "whole number"},
		{"nrows 2", "nrows 2000000", "ends after 6"},
		{"cellsize 2", "cellsize 0", "above 0"},
		{"cellsize 2", "cellsize inf", "no finite number"},
		{"cellsize 2", "dx 2 dy 3", `"dx"`},
		{"cellsize 2", "cellsize 2_0", "no finite number"},
		{"-9999\n1", "-99_99\n1", "NODATA_value"},
		{"1 2 3", "1 2_0 3", "no number"},
		{"-9999\n1", "nothing\n1", "NODATA_value"},
		{"1 2 3", "1 NaN 3", "column 2 of row 1"},
		{"6\n", "inf", "column 3 of row 2"},
		{"6\n", "6x", "no number"},
		{"6\n", "6 7", "more than the 6"},
		{"6\n", "", "ends after 5"},
		{valley, "", "no ncols"},
		{"cellsize 2\n", "", "no cellsize"},
		{"xllcorner 10\n", "", "no xllcorner"},
		{valley, "ncols", "needs a number"},
		{"1 2 3", strings.Repeat("1", 1<<17), "put spaces between"},
		{"1 2 3", "1,5 2 3", "numbers have a point"},
		{"1 2 3", "1;2;3", "spaces between them"},
		{"ncols", "II*\x00", "gdal_translate"},
		{"ncols", "MM\x00+", "gdal_translate"},
	} {
		text := strings.Replace(valley, bad.from, bad.to, 1)
		if _, err := Read(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), bad.says) || strings.Contains(err.Error(), "\n") || len(err.Error()) > 300 {
			t.Errorf("%q for %q: says %v", bad.to, bad.from, err)
		}
	}
	empty := strings.NewReplacer("1 2 3", "-9999 -9999 -9999", "4 -9999 6", "-9999 -9999 -9999").Replace(valley)
	if g, err := Read(strings.NewReader(empty)); err != nil {
		t.Error(err)
	} else if _, err := g.Grid(); err == nil {
		t.Error("a grid without cells is made")
	}
}

// What is read, written again, is read alike.
func FuzzRead(f *testing.F) {
	f.Add([]byte(valley))
	f.Add([]byte("ncols 1 nrows 1 xllcorner 0 yllcorner 0 cellsize 1 nan"))
	f.Fuzz(func(t *testing.T, data []byte) {
		g, err := Read(bytes.NewReader(data))
		if err != nil {
			return
		}
		var b bytes.Buffer
		fmt.Fprintf(&b, "ncols %d nrows %d xllcorner %v yllcorner %v cellsize %v nodata_value nan", g.Columns, g.Rows, g.West, g.South, g.Spacing)
		for y := g.Rows - 1; y >= 0; y-- {
			for _, v := range g.row(y) {
				fmt.Fprintf(&b, " %v", v)
			}
		}
		again, err := Read(&b)
		same := func(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }
		if err != nil || !slices.EqualFunc(again.Values, g.Values, same) || again.West != g.West || again.South != g.South || again.Spacing != g.Spacing {
			t.Errorf("%v: %+v, not %+v", err, again, g)
		}
		if grid, err := g.Grid(); err == nil && grid.Cells() > int64(len(g.Values)) {
			t.Errorf("%d cells of %d values", grid.Cells(), len(g.Values))
		}
	})
}
