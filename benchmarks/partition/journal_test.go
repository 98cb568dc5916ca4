package partitionbench

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"carina/partition"
)

// A run that is taken up measures only what the journal lacks: a row that no
// partitioner would return must come back as it was written.
func TestJournal(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.jsonl")
	options := Options{Folder: folderWithRing(t, 640), Parts: []int{4}, Seeds: 1, Tools: []string{"fast", "eco"}, Journal: path}
	if err := os.WriteFile(path, []byte(`{"graph":"ring","parts":4,"tool":"fast","runs":7,"mean_cut":3}`+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	var reports [2]*Report
	for i := range reports {
		var err error
		if reports[i], err = Run(context.Background(), options); err != nil {
			t.Fatal(err)
		}
	}
	rows := reports[0].Rows
	if len(rows) != 2 || rows[0].Tool != "fast" || rows[0].MeanCut != 3 || rows[1].Tool != "eco" || rows[1].MeanCut != 4 {
		t.Errorf("rows %+v", rows)
	}
	if !slices.Equal(rows, reports[1].Rows) {
		t.Errorf("taken up: %+v, want %+v", reports[1].Rows, rows)
	}
	text, err := os.ReadFile(path)
	if err != nil || strings.Count(string(text), "\n") != 2 {
		t.Errorf("journal %q, %v; want two lines", text, err)
	}
	if err := os.WriteFile(path, []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Run(context.Background(), options); err == nil {
		t.Error("a broken journal was accepted")
	}
}

func TestUnknownTool(t *testing.T) {
	for _, name := range []string{"fats", "memetic"} { // that one has no time limit
		_, err := Run(context.Background(), Options{Folder: folderWithRing(t, 64), Tools: []string{name}})
		if err == nil || !strings.Contains(err.Error(), `"`+name+`"`) || !strings.Contains(err.Error(), "strong") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The limit is one of processor time, of which a run on one worker cannot use
// more than passes.
func TestProcessorTime(t *testing.T) {
	const limit = 300 * time.Millisecond
	report, err := Run(context.Background(), Options{Folder: folderWithRing(t, 640), Parts: []int{4}, Tools: []string{"memetic"},
		Presets: []partition.Preset{}, TimeLimit: limit, ProcessorTime: true})
	if err != nil {
		t.Fatal(err)
	}
	if row := report.Rows[0]; row.MeanCut != 4 || row.MeanCPUSeconds < limit.Seconds() {
		t.Errorf("%+v; want at least %v of processor time", row, limit)
	}
}
