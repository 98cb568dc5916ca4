package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"carina/balance"
)

// Axes that are said once go from the surface through the partition file to the
// page and the summary; wrong ones are refused before any work.
func TestAxesReachPageAndSummary(t *testing.T) {
	pipe, folder := generated(t, "pipe"), t.TempDir()
	part, grid := filepath.Join(folder, "pipe.part.json"), filepath.Join(folder, "pipe.grid")
	succeed[map[string]any](t, "partition", pipe, "--spacing", "3mm", "--ranks", "2", "--axes", "ras", "-o", part)
	p, err := balance.ReadFile(part)
	if err != nil || p.Source.Axes != "RAS" || p.Source.Surface == nil || p.Source.Surface.Axes != "" {
		t.Fatalf("source %+v, %v", p.Source, err)
	}
	out := filepath.Join(folder, "out")
	for _, c := range []struct {
		line []string
		want string
	}{
		{[]string{"solve", part}, `"axes": "RAS"`},
		{[]string{"solve", part, "--axes", "LPS"}, `"axes": "LPS"`},
		{[]string{"run", caseFile(t, "axes: lps")}, `"axes": "lps"`},
	} {
		succeed[map[string]any](t, append(c.line, "--steps", "4", "--out", out)...)
		summary, err := os.ReadFile(filepath.Join(out, "summary.json"))
		if err != nil || !strings.Contains(string(summary), c.want) {
			t.Errorf("%v: the summary says nothing of %s: %v", c.line, c.want, err)
		}
	}
	for _, line := range [][]string{
		{"run", pipe, "--spacing", "3mm", "--axes", "LPI", "--out", out}, {"solve", part, "--axes", "x"}, {"view", grid, "--axes", "PLS", "-o", filepath.Join(folder, "a.html")},
		{"inspect", pipe, "--axes", "SAR"}, {"partition", pipe, "--spacing", "3mm", "--ranks", "2", "--axes", "12", "-o", filepath.Join(folder, "b.part.json")},
		{"run", caseFile(t, "axes: left"), "--out", out},
	} {
		if status, _, said := invoke(t, line...); status != exitFailure || !strings.Contains(said, "use LPS") {
			t.Errorf("%v: status %d, says %q", line, status, said)
		}
	}
	succeed[map[string]string](t, "view", grid, "--axes", "LPS", "-o", filepath.Join(folder, "grid.html"))
}
