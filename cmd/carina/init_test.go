package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"carina/cmd/carina/report"
)

// A case file that init writes is run as it is, with the roles and shares that it
// tells.
func TestInitWritesACaseThatRuns(t *testing.T) {
	surface := generated(t, "bifurcation")
	file := filepath.Join(t.TempDir(), "fork.yaml")
	n := succeed[report.NewCase](t, "init", surface, "-o", file)
	if n.Ends != 3 || n.Cells < 50_000 {
		t.Errorf("%+v", n)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"unit: mm", "inlet: 1", "{opening: 2, kind: share, share: 0.5}", "spacing: ", "flow: 15L/min"} {
		if !strings.Contains(string(data), want) {
			t.Errorf("the case does not say %q", want)
		}
	}
	if _, err := os.Stat(strings.TrimSuffix(file, ".yaml") + ".png"); err != nil {
		t.Error(err)
	}
	out := filepath.Join(t.TempDir(), "out")
	s := succeed[struct {
		Branches []struct {
			Flow float64 `json:"flow_m3_per_s"`
		} `json:"branches"`
	}](t, "run", file, "--spacing", "2mm", "--steps", "20", "--out", out)
	if len(s.Branches) != 3 {
		t.Errorf("%d branches", len(s.Branches))
	}
	// What is there is not overwritten.
	if status, _, message := invoke(t, "init", surface, "-o", file); status != 1 || !strings.Contains(message, "is there already") {
		t.Errorf("exit status %d: %s", status, message)
	}
	if status, _, message := invoke(t, "init", surface, "-o", file+".txt"); status != 2 || !strings.Contains(message, "ends in .yaml") {
		t.Errorf("exit status %d: %s", status, message)
	}
}
