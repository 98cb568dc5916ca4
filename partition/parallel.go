package partition

import (
	"sync"
	"sync/atomic"

	"carina/internal/crash"
)

// workers lends out goroutines: at most size-1 besides the caller's.
type workers struct{ tokens chan struct{} }

func newWorkers(size int) *workers {
	w := &workers{make(chan struct{}, max(size-1, 0))}
	for range cap(w.tokens) {
		w.tokens <- struct{}{}
	}
	return w
}

// each calls do for 0..n-1, on other goroutines as far as there are any to
// lend, and returns when all calls have. Whoever is done takes the next number,
// so that nobody waits while another is busy. Calls must not depend on each
// other, so that the outcome is the same for any number of workers.
func (w *workers) each(n int, do func(i int)) {
	var next atomic.Int64
	var group sync.WaitGroup
	var work func()
	work = func() {
		for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
			if i+1 < n {
				w.lend(&group, work)
			}
			do(i)
		}
	}
	work()
	group.Wait()
}

// lend runs work on another goroutine if there is one to lend.
func (w *workers) lend(group *sync.WaitGroup, work func()) {
	select {
	case <-w.tokens:
		group.Go(func() {
			defer crash.Guard()
			work()
			w.tokens <- struct{}{}
		})
	default:
	}
}

// stretch is how many vertices ranges hands out at a time.
const stretch = 1 << 15

// ranges calls do for consecutive ranges of 0..n-1, each but the last stretch
// long.
func (w *workers) ranges(n int, do func(begin, end int)) {
	w.rangesOf(n, stretch, do)
}

// rangesOf is ranges for any length.
func (w *workers) rangesOf(n, length int, do func(begin, end int)) {
	w.each((n+length-1)/length, func(i int) { do(i*length, min((i+1)*length, n)) })
}
