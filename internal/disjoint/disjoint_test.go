package disjoint

import (
	"testing"

	"pgregory.net/rapid"
)

// Sets agree with labels that are rewritten whole at every union.
func TestSetsAgreeWithLabels(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 40).Draw(t, "n")
		sets, label := New(n), make([]int, n)
		for i := range label {
			label[i] = i
		}
		for range rapid.IntRange(0, 60).Draw(t, "unions") {
			a, b := rapid.IntRange(0, n-1).Draw(t, "a"), rapid.IntRange(0, n-1).Draw(t, "b")
			sets.Union(int32(a), int32(b))
			low, high := min(label[a], label[b]), max(label[a], label[b])
			for i := range label {
				if label[i] == high {
					label[i] = low
				}
			}
		}
		for i := range label {
			if got := sets.Find(int32(i)); got != int32(label[i]) {
				t.Fatalf("%d is in the set of %d, want %d", i, got, label[i])
			}
		}
	})
}
