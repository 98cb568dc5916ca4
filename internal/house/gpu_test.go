package house

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// lattices are words of one physics and its velocities.
var lattices = regexp.MustCompile(`(?i)lattice|population|velocit|d[23]q[0-9]+|airflow|\b(7|18|19|26|27|37)\b`)

// What makes GPUs devices of the engine serves any physics: but for the rooms of tiles it
// names neither a lattice nor a number of populations.
func TestGPUsKnowNoLattice(t *testing.T) {
	found := 0
	for _, folder := range []string{"solver/cuda", "solver/cuda/kernels", "solver/cuda/device", "solver/cuda/physicstest"} {
		for _, kind := range []string{"*.go", "*.cu", "*.h"} {
			paths, err := filepath.Glob(filepath.Join("..", "..", folder, kind))
			if err != nil {
				t.Fatal(err)
			}
			for _, path := range paths {
				text, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				found++
				if word := lattices.Find(text); word != nil && !regexp.MustCompile(`_test\.go$`).MatchString(path) {
					t.Errorf("%s names %q", path, word)
				}
			}
		}
	}
	if found < 10 {
		t.Errorf("%d files are looked at", found)
	}
}
