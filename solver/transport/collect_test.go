package transport

import (
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

// What any rank says is heard by all.
func TestCollect(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		want := rapid.SliceOfN(rapid.StringN(0, 40, 40), 1, 7).Draw(r, "texts")
		heard := make([][]string, len(want))
		failures := make([]error, len(want))
		var all sync.WaitGroup
		for i, rank := range NewLocal(len(want)) {
			all.Go(func() { heard[i], failures[i] = Collect(rank, want[i]) })
		}
		all.Wait()
		for i := range want {
			if failures[i] != nil || !slices.Equal(heard[i], want) {
				r.Fatalf("rank %d heard %q (%v), want %q", i, heard[i], failures[i], want)
			}
		}
	})
	if alone, err := Collect(nil, "alone"); err != nil || !slices.Equal(alone, []string{"alone"}) {
		t.Errorf("%q, %v", alone, err)
	}
}
