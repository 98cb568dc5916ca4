package heap

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Whatever comes and goes, the top is the least there is.
func TestTopIsTheLeast(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.IntRange(-5, 5), 0, 20)
		want := values.Draw(t, "first")
		h := New(func(a, b *int) bool { return *a < *b })
		if rapid.Bool().Draw(t, "all at once") {
			var items []*int
			for _, x := range want {
				items = append(items, &x)
			}
			h = New(func(a, b *int) bool { return *a < *b }, items...)
		} else {
			for _, x := range want {
				h.Push(&x)
			}
		}
		want = slices.Clone(want)
		for range rapid.IntRange(0, 40).Draw(t, "operations") {
			slices.Sort(want)
			if h.Len() != len(want) {
				t.Fatalf("%d items, want %d", h.Len(), len(want))
			}
			if len(want) > 0 && *h.Top() != want[0] {
				t.Fatalf("%d on top of %v", *h.Top(), want)
			}
			switch operation := rapid.IntRange(0, 2).Draw(t, "operation"); {
			case operation == 0 || len(want) == 0:
				x := rapid.IntRange(-5, 5).Draw(t, "item")
				h.Push(&x)
				want = append(want, x)
			case operation == 1:
				if got := *h.Pop(); got != want[0] {
					t.Fatalf("popped %d of %v", got, want)
				}
				want = want[1:]
			default:
				later := rapid.IntRange(0, 6).Draw(t, "later by")
				*h.Top() += later
				h.Fix()
				want[0] += later
			}
		}
	})
}
