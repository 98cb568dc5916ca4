package partition

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestSortUntilStopped(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 1 << 15, 1<<15 + 1, 200_000} {
		items := make([]int, n)
		for i := range items {
			items[i] = r.Int()
		}
		want := slices.Clone(items)
		slices.Sort(want)
		if got := sortUntilStopped(slices.Clone(items), cmp.Compare[int], never); !slices.Equal(got, want) {
			t.Errorf("%d items are out of order", n)
		}
		calls := 0
		got := sortUntilStopped(slices.Clone(items), cmp.Compare[int], func() bool { calls++; return calls > 2 })
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%d items: some were lost when stopped", n)
		}
	}
}

func TestSumOverVertices(t *testing.T) {
	for _, n := range []int{0, 5, 1 << 17, 1<<19 + 3} {
		got := sumOverVertices(n, func(begin, end int) int64 {
			var s int64
			for v := begin; v < end; v++ {
				s += int64(v)
			}
			return s
		})
		if want := int64(n) * int64(n-1) / 2; got != want {
			t.Errorf("sum below %d is %d, want %d", n, got, want)
		}
	}
}

// Large graphs are counted in stretches side by side.
func TestVolumesOfLargeGraphs(t *testing.T) {
	const side, k = 60, 7
	g := gridGraph(side, side, side)
	r := rand.New(rand.NewPCG(7, 8))
	parts := make([]int32, g.Vertices())
	for v := range parts {
		parts[v] = int32(r.IntN(k))
	}
	var total, bottleneck int64
	for _, volume := range volumesBetween(g, parts, k, 0, g.Vertices()) {
		total += volume
		bottleneck = max(bottleneck, volume)
	}
	if gotTotal, gotBottleneck := VolumesOf(g, parts, k); gotTotal != total || gotBottleneck != bottleneck {
		t.Errorf("volumes %d and %d, want %d and %d", gotTotal, gotBottleneck, total, bottleneck)
	}
}
