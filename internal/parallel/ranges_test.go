package parallel

import (
	"sync"
	"testing"
)

// Ranges follow each other without gap and end with the last item.
func TestRangesCoverAllOnce(t *testing.T) {
	for _, n := range []int{0, 1, 9, 10, 11, 25} {
		const length = 10
		var lock sync.Mutex
		ends := map[int]int{}
		New(3).RangesOf(n, length, func(begin, end int) {
			lock.Lock()
			defer lock.Unlock()
			if _, twice := ends[begin]; twice || begin >= end || end-begin > length {
				t.Errorf("%d items: range %d to %d", n, begin, end)
			}
			ends[begin] = end
		})
		at := 0
		for range len(ends) {
			end, found := ends[at]
			if !found || end < n && end-at != length {
				t.Fatalf("%d items: ranges %v", n, ends)
			}
			at = end
		}
		if at != n {
			t.Errorf("%d items: ranges end at %d", n, at)
		}
	}
}
