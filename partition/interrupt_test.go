package partition

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"carina/internal/parallel"
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
		if got := sortUntilStopped(slices.Clone(items), cmp.Compare[int], parallel.Never); !slices.Equal(got, want) {
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
