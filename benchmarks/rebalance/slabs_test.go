package rebalancebench

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"carina/balance"
	"carina/geometry/generate"
)

// TestSlabs divides rows: even and automatic ones stay where they are, dynamic ones
// follow the speeds, and what is said to move is what changes owner.
func TestSlabs(t *testing.T) {
	g := generate.TreeGrid(60, 3)
	cost := balance.DefaultCost(balance.Sparse)
	const ranks = 4
	for _, scheme := range Schemes {
		s := NewSlabs(g, &cost, ranks, scheme)
		for look, slowed := range []int{0, 1, 1, 2} {
			before, held := s.owners(), s.Held()
			m := balance.Measured{Steps: 10}
			for r, work := range held {
				if r == slowed {
					work *= 3
				}
				m.Busy = append(m.Busy, work)
			}
			d := s.Look(context.Background(), m)
			var moved int64
			for i, r := range s.owners() {
				if r != before[i] {
					moved += s.cells[i+1] - s.cells[i]
				}
			}
			if moved != d.Moved || d.Moves() != (moved > 0) {
				t.Errorf("%s: %d cells move of %d", scheme, moved, d.Moved)
			}
			if should := scheme == Dynamic && look != 2 || scheme == Automatic && look == 0; d.Moves() != should {
				t.Errorf("%s: look %d: %v", scheme, look, d)
			}
			if !d.Moves() {
				continue
			}
			busy := s.Held()
			busy[slowed] *= 3
			mean := (busy[0] + busy[1] + busy[2] + busy[3]) / ranks
			if worst := slices.Max(busy) / mean; worst > 1.05 || math.Abs(slices.Max(busy)/d.After-1) > 1e-9 {
				t.Errorf("%s: the slowest takes %.2f of the mean", scheme, worst)
			}
		}
	}
}

// All files are written, and balancing at run time takes less than half of what lies
// above the oracle without.
func TestQuickSuite(t *testing.T) {
	if testing.Short() {
		t.Skip("some seconds")
	}
	folder := t.TempDir()
	rows, err := Run(context.Background(), Options{Folder: folder, Ranks: []int{8}, leastCells: 50_000, slowedCells: 4_000, phase: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"rebalance.csv", "rebalance.md", "rebalance.png", "slowed.csv", "slowed.png"} {
		if info, err := os.Stat(filepath.Join(folder, name)); err != nil || info.Size() < 300 {
			t.Errorf("%s: %v", name, err)
		}
	}
	above := map[string]float64{}
	for _, r := range rows {
		if r.MoveSteps == moveSteps[0] {
			above[r.Policy] = r.AboveOracle
		}
	}
	if len(above) != len(policies) || above["auto"] > above["never"]/2 {
		t.Errorf("above the oracle: %v", above)
	}
}
