package refine

import (
	"testing"

	"pgregory.net/rapid"
)

func TestGainQueueOrders(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := NewQueue(20)
		want := map[int32]int64{}
		for range rapid.IntRange(0, 60).Draw(t, "operations") {
			v := rapid.Int32Range(0, 19).Draw(t, "vertex")
			if q.contains(v) && rapid.Bool().Draw(t, "remove") {
				q.Remove(v)
				delete(want, v)
			} else {
				gain := rapid.Int64Range(-5, 5).Draw(t, "gain")
				q.Set(v, gain)
				want[v] = gain
			}
		}
		for last := int64(6); !q.Empty(); {
			v, gain := q.Top()
			if gain > last || want[v] != gain {
				t.Fatalf("vertex %d came with gain %d after %d, want %d", v, gain, last, want[v])
			}
			last = gain
			q.Remove(v)
			delete(want, v)
		}
		if len(want) > 0 {
			t.Fatalf("%d vertices lost", len(want))
		}
	})
}
