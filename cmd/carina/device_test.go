package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"carina/solver/cuda/device"
)

// Where there is no GPU to be had, run says so at once: before it reads the surface,
// which is not there, and before it makes the folder for results.
func TestGPUIsAskedForFirst(t *testing.T) {
	missing := device.Start()
	if missing == nil {
		t.Skip("this machine has a GPU")
	}
	folder := t.TempDir()
	out := filepath.Join(folder, "out")
	for _, input := range []string{"none.stl", "none.part.json"} {
		status, stdout, stderr := invoke(t, "run", filepath.Join(folder, input), "--spacing", "2mm", "--device", "gpu", "--out", out)
		if status != exitFailure || stdout != "" || !strings.Contains(stderr, missing.Error()) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: status %d, says %q%q; want %q in one line", input, status, stdout, stderr, missing)
		}
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("a folder for results was made")
	}
}
