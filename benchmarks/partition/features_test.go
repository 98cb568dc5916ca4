package partitionbench

import (
	"context"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"carina/partition"
)

// On a ring the best unconstrained parts are connected, and neighbours on the
// machine follow each other, so neither wish costs anything.
func TestRunFeatures(t *testing.T) {
	features, err := RunFeatures(context.Background(), Options{Folder: folderWithRing(t, 640), Parts: []int{2, 4, 32}, Seeds: 1, Presets: []partition.Preset{partition.Fast}})
	if err != nil {
		t.Fatal(err)
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
		// A ring cannot be cut in two by fewer than two edges.
		if row.Parts == 2 && row.Bound != 2 {
			t.Errorf("bound %v of a ring, want 2", row.Bound)
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

// Four connected parts of a ring have four edges between them, as the bound of
// their quarters and halves, two edges each, tells too.
func TestBoundOfFourParts(t *testing.T) {
	g, err := readGraph(filepath.Join(folderWithRing(t, 64), "ring"+graphSuffix))
	if err != nil {
		t.Fatal(err)
	}
	c := comparison{g: g, options: partition.Options{Parts: 4, Imbalance: 0.03}, seeds: 1, boundStates: 1000}
	row := FeatureRow{Graph: "ring", Parts: 4, Without: 3, With: 4}
	if err := c.bound(context.Background(), &row); err != nil || row.Bound != 4 {
		t.Errorf("bound %v, error %v; want 4", row.Bound, err)
	}
}
