package main

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"carina/cmd/carina/report"
	"carina/internal/race"
)

// The branches of a surface and of a grid are printed and written, in both formats; other names are
// refused before any work.
func TestInspectBranches(t *testing.T) {
	folder := t.TempDir()
	surface, grid := generated(t, "bifurcation"), filepath.Join(folder, "fork.grid")
	succeed[map[string]any](t, "voxelize", surface, "--fluid-cells", "4000", "-o", grid)
	table := filepath.Join(folder, "branches.csv")
	found := succeed[struct {
		Tree struct{ Branches []report.BranchReport }
	}](t, "inspect", race.Few(grid, surface), "--branches", table)
	if len(found.Tree.Branches) != 3 {
		t.Fatalf("%+v", found)
	}
	file, err := os.Open(table)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if rows, err := csv.NewReader(file).ReadAll(); err != nil || len(rows) != 4 {
		t.Fatalf("%v: %v", err, rows)
	}
	const words = "3 branches in 2 generations, 2 with an opening"
	if status, out, _ := invoke(t, "inspect", grid, "--branches", filepath.Join(folder, "branches.vtp")); status != 0 || !strings.Contains(out, words) {
		t.Error(out)
	}
	if status, _, message := invoke(t, "inspect", surface, "--branches", filepath.Join(folder, "branches.txt")); status != 2 || !strings.Contains(message, ".csv or .vtp") {
		t.Errorf("exit status %d: %s", status, message)
	}
}
