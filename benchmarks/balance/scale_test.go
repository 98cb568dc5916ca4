package balancebench

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The study is of the grids and ranks asked for, and of one geometry.
func TestScaleTakesWhatIsAskedFor(t *testing.T) {
	for _, test := range []struct {
		opt   Options
		cells []int64
		ranks int
	}{
		{Options{}, []int64{10_000_000, 100_000_000, 1_000_000_000}, 0},
		{Options{Ranks: []int{3, 5}}, []int64{10_000_000, 100_000_000, 1_000_000_000}, 2},
		{Options{Quick: true, Ranks: []int{3}}, []int64{1_000_000}, 1},
		{Options{FluidCells: 7, Ranks: []int{3}}, []int64{7}, 1},
	} {
		var cells []int64
		for _, c := range scaleCases(&test.opt) {
			cells = append(cells, c.cells)
			if test.ranks > 0 && !slices.Equal(c.ranks, test.opt.Ranks) {
				t.Errorf("%+v: ranks %d", test.opt, c.ranks)
			}
		}
		if !slices.Equal(cells, test.cells) {
			t.Errorf("%+v: grids of %d cells", test.opt, cells)
		}
	}
	opt := Options{Folder: t.TempDir(), Geometries: []string{"airway", "cavity"}, FluidCells: 1000, Ranks: []int{1}}
	if err := Scale(context.Background(), opt); err == nil || !strings.Contains(err.Error(), "name one") {
		t.Errorf("two geometries: %v", err)
	}
}

// A study that goes on keeps the rows of earlier slices, one for each machine, grid
// and number of ranks, in order; no machine gains more than its ranks.
func TestScaleGoesOn(t *testing.T) {
	folder := t.TempDir()
	study := func(cells int64, ranks ...int) []Row {
		t.Helper()
		opt := Options{Folder: folder, Geometries: []string{"bifurcation"}, FluidCells: cells, Ranks: ranks}
		count := newCounted(t, &opt.Progress)
		if err := Scale(context.Background(), opt); err != nil {
			t.Fatal(err)
		}
		count.check(3, 0.6)
		rows, err := readCSV(filepath.Join(folder, "scale.csv"))
		if err != nil {
			t.Fatal(err)
		}
		return rows
	}
	study(9_000, 16, 2)
	study(3_000, 2)
	rows := study(9_000, 8, 2)
	var got, want []string
	for _, r := range rows {
		got = append(got, fmt.Sprintf("%s, %d000, %d", r.Geometry, (r.FluidCells+1500)/3000*3, r.Ranks))
		if gain := r.Alone / r.Predicted; gain <= 0 || gain > 1 {
			t.Errorf("%s: %g of what its ranks could gain", got[len(got)-1], gain)
		}
	}
	for _, machine := range []string{"cpu", "gpu"} {
		for _, c := range []string{"3000, 2", "9000, 2", "9000, 8", "9000, 16"} {
			want = append(want, "bifurcation on "+machine+", "+c)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("rows %q, want %q", got, want)
	}
	page, err := os.ReadFile(filepath.Join(folder, "scale.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		if line := fmt.Sprintf("\n| %d | %d | graph |", r.FluidCells, r.Ranks); strings.Count(string(page), line) != 2 {
			t.Errorf("the page has not one line %q for each machine:\n%s", line, page)
		}
	}
}
