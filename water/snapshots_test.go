package water

import (
	"context"
	"math"
	"path/filepath"
	"strings"
	"testing"
)

// A snapshot has the water of every cell on its ground: its volume, and its level where a lake
// is at rest.
func TestSnapshots(t *testing.T) {
	const level, spacing = 12.0, 25.0
	var c Case
	c.Terrain, c.Level, c.Spacing, c.Time, c.Snapshots = "valley", "12m", "25m", "4s", "2s"
	if err := c.Check(); err == nil || !strings.Contains(err.Error(), "name one") {
		t.Errorf("without a folder: %v", err)
	}
	c.Ranks, c.Output = 2, filepath.Join(t.TempDir(), "out")
	f, err := Open(context.Background(), c, Options{})
	if err == nil {
		err = f.Run(context.Background())
	}
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(c.Output, "series", "fields_*.vti"))
	if err != nil || len(files) != 2 {
		t.Errorf("moments %v (%v)", files, err)
	}
	m := f.image(4, f.outcome.values[:3])
	volume := 0.0
	for cell := range int64(m.Size[0]) * int64(m.Size[1]) {
		depth, ground := m.Fields[0].Value(cell, 0), m.Fields[1].Value(cell, 0)
		volume += depth * spacing * spacing
		if depth > 0.5 && math.Abs(depth+ground-level) > 1e-3 {
			t.Fatalf("cell %d: water of %g m on %g m, level %g m", cell, depth, ground, level)
		}
	}
	if after := f.Summary().After; math.Abs(volume/after-1) > 1e-6 || after < 1e3 {
		t.Errorf("%g m³ in the snapshot, %g m³ in the summary", volume, after)
	}
}
