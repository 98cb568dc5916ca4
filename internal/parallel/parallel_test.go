package parallel

import (
	"sync/atomic"
	"testing"
)

// Every number is called once, calls within calls included, and all
// workers are free again afterwards.
func TestEach(t *testing.T) {
	for _, size := range []int{1, 2, 5} {
		w := New(size)
		for _, n := range []int{0, 1, 2, 40} {
			calls := make([]atomic.Int32, n*n)
			w.Each(n, func(i int) {
				w.Each(n, func(j int) { calls[i*n+j].Add(1) })
			})
			for i := range calls {
				if c := calls[i].Load(); c != 1 {
					t.Fatalf("%d workers, %d numbers: %d called %d times", size, n, i, c)
				}
			}
			if len(w.tokens) != size-1 {
				t.Fatalf("%d workers, %d free afterwards", size-1, len(w.tokens))
			}
		}
	}
}

// While one is busy with a long call, whichever it is, another does all the
// short ones.
func TestEachWaitsForNobody(t *testing.T) {
	const n = 10
	for long := range 2 {
		w := New(2)
		var short atomic.Int32
		begun, done := make(chan struct{}), make(chan struct{})
		w.Each(n, func(i int) {
			switch i {
			case 1 - long:
				<-begun // so that the long call is another worker's
			case long:
				close(begun)
				<-done // for ever, where nobody else does them
				return
			}
			if short.Add(1) == n-1 {
				close(done)
			}
		})
	}
}
