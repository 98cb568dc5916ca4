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

// A study that goes on keeps the rows of earlier slices, one for each machine, grid
// and number of ranks, in order; no machine gains more than its ranks.
func TestScaleGoesOn(t *testing.T) {
	folder := t.TempDir()
	study := func(cells int64, ranks ...int) []Row {
		t.Helper()
		opt := Options{Folder: folder, FluidCells: cells, Ranks: ranks}
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
	study(30_000, 16, 2)
	study(10_000, 2)
	rows := study(30_000, 8, 2)
	var got, want []string
	for _, r := range rows {
		got = append(got, fmt.Sprintf("%s, %d0000, %d", r.Geometry, (r.FluidCells+5000)/10_000, r.Ranks))
		if gain := r.Alone / r.Predicted; gain <= 0 || gain > 1 {
			t.Errorf("%s: %g of what its ranks could gain", got[len(got)-1], gain)
		}
	}
	for _, machine := range []string{"cpu", "gpu"} {
		for _, c := range []string{"10000, 2", "30000, 2", "30000, 8", "30000, 16"} {
			want = append(want, "airway on "+machine+", "+c)
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
