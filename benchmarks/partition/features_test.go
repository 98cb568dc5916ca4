package partitionbench

import (
	"context"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"carina/partition"
)

// On a ring the best unconstrained parts are connected, and neighbours on the
// machine follow each other, so neither wish costs anything.
func TestRunFeatures(t *testing.T) {
	var progress []float64
	features, err := RunFeatures(context.Background(), Options{Progress: func(_ string, done float64) { progress = append(progress, done) }, Folder: folderWithRing(t, 640), Parts: []int{2, 4, 32}, Seeds: 1, Presets: []partition.Preset{partition.Fast}})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(progress, []float64{0, 1. / 3, 2. / 3}) {
		t.Errorf("progress %v, want thirds", progress)
	}
	want := map[string]int{"contiguous": 3, "mapping": 1}
	for _, row := range features.Rows {
		want[row.Feature]--
		if row.Infeasible > 0 || row.Feature == "contiguous" && (row.Disconnected > 0 || row.With > row.Without) {
			t.Errorf("%+v", row)
		}
		if _, err := exec.LookPath("gpmetis"); err == nil && row.Feature == "contiguous" && row.Metis < float64(row.Parts) {
			t.Errorf("gpmetis -contig cuts a ring in %d by %v edges", row.Parts, row.Metis)
		}
	}
	if want["contiguous"] != 0 || want["mapping"] != 0 {
		t.Errorf("rows %+v", features.Rows)
	}
	// 4 of the 32 cut edges must run between hosts.
	if r := features.Ratio("mapping", "fast", 32, 32); r > 1 || features.Rows[3].With < 4*10+28 {
		t.Errorf("mapping ratio %v, rows %+v", r, features.Rows)
	}
	var table strings.Builder
	if err := features.WriteTable(&table); err != nil || !strings.Contains(table.String(), "ring") {
		t.Errorf("%v: %s", err, table.String())
	}
}
