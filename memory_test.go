package carina

import (
	"math"
	"slices"
	"strings"
	"testing"

	"carina/balance"
	"carina/geometry"
	"carina/internal/run"
	"carina/solver/airflow"
)

// Measured on a grid of 19,958 cells: the heaps of all ranks in one process.
// 3000 ranks filled 216 GB of address space and were killed.
func TestManyRanksInOneProcessAreForeseen(t *testing.T) {
	for _, test := range []struct{ ranks, measured int64 }{{700, 3_088 << 20}, {3000, 216e9}} {
		if got := ranksMemory(test.ranks, test.ranks); got < test.measured || got > 2*test.measured {
			t.Errorf("%d ranks: %d bytes foreseen, %d measured", test.ranks, got, test.measured)
		}
	}
	const ranks = 100_000
	f := Flow{from: origin{grid: &geometry.Grid{}, partition: &balance.Partition{Quality: balance.Quality{Ranks: make([]balance.RankQuality, ranks)}}},
		job: run.Job{Devices: slices.Repeat([]Device{CPU}, ranks), Settings: airflow.DefaultSettings()}}
	err := f.admit()
	if err == nil || !strings.Contains(err.Error(), "fewer ranks") {
		t.Errorf("%d ranks in one process: %v", ranks, err)
	}
	if all := int64(math.MaxUint16); ranksMemory(1, all) > 40e9 || ranksMemory(all, all) < 0 {
		t.Errorf("one of %d ranks is taken to hold %d bytes, all %d", all, ranksMemory(1, all), ranksMemory(all, all))
	}
}
