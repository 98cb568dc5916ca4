package main

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"carina"
	"carina/geometry"
	"carina/geometry/meshtest"

	"gonum.org/v1/gonum/spatial/r3"
)

// A wrong surface of any format is refused in one sentence, and nothing is written.
func TestWrongSurfacesLeaveNothing(t *testing.T) {
	tube := meshtest.Tube(r3.Vec{}, r3.Vec{Z: 40}, 5, 16, 5, false)
	wrong := meshtest.WrongFiles(tube)
	wrong["NIfTI"] = meshtest.WrongImages(segmentedTube())
	for format, files := range wrong {
		for name, data := range files {
			folder := t.TempDir()
			surface := filepath.Join(folder, "surface")
			if err := os.WriteFile(surface, data, 0o644); err != nil {
				t.Fatal(err)
			}
			for _, line := range [][]string{
				{"voxelize", surface, "--spacing", "1mm", "-o", filepath.Join(folder, "a.grid")},
				{"init", surface, "-o", filepath.Join(folder, "a.yaml")},
			} {
				status, _, said := invoke(t, line...)
				if status != exitFailure || strings.Count(said, "\n") != 1 {
					t.Errorf("%s, %s: %s ends with %d and says %q", format, name, line[0], status, said)
				}
			}
			if entries, err := os.ReadDir(folder); err != nil || len(entries) != 1 {
				t.Errorf("%s, %s: left %v, %v", format, name, entries, err)
			}
		}
	}
}

// segmentedTube is an image of a tube 8 mm across and 28 mm long.
func segmentedTube() []byte {
	return meshtest.NIfTI([3]int{17, 17, 29}, [3]float64{0.8, 0.8, 1}, [3]float64{-30, 4, 100}, func(x, y, z int) uint8 {
		if math.Hypot(0.8*float64(x)-6.5, 0.8*float64(y)-6.3) < 4 {
			return 1
		}
		return 0
	})
}

// A segmentation has cells where its inside is; the unit and axes are those that the
// image states, and the partition keeps them.
func TestCellsOfASegmentation(t *testing.T) {
	folder := t.TempDir()
	image := filepath.Join(folder, "tube.nii")
	if err := os.WriteFile(image, segmentedTube(), 0o644); err != nil {
		t.Fatal(err)
	}
	if status, said, failed := invoke(t, "inspect", image); status != 0 || !strings.Contains(said, "unit: mm, stated by the file") {
		t.Errorf("status %d: %s %s", status, said, failed)
	}
	part := filepath.Join(folder, "tube.part.json")
	succeed[map[string]any](t, "partition", image, "--spacing", "0.5mm", "--ranks", "2", "-o", part)
	p, g, err := carina.ReadPartition(part)
	if err != nil {
		t.Fatal(err)
	}
	if p.Source.Axes != geometry.RAS || len(g.Openings) != 2 {
		t.Errorf("axes %q, %d openings", p.Source.Axes, len(g.Openings))
	}
	if volume := float64(g.Cells()) / 8; math.Abs(volume/(math.Pi*16*28)-1) > 0.03 {
		t.Errorf("%g mm³", volume)
	}
}
