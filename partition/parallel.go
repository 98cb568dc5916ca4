package partition

import "sync"

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
// lend, and returns when all calls have. Calls must not depend on each other,
// so that the outcome is the same for any number of workers.
func (w *workers) each(n int, do func(i int)) {
	var group sync.WaitGroup
	for i := range n {
		if i == n-1 {
			do(i)
			break
		}
		select {
		case <-w.tokens:
			group.Add(1)
			go func() {
				defer func() { w.tokens <- struct{}{}; group.Done() }()
				do(i)
			}()
		default:
			do(i)
		}
	}
	group.Wait()
}

// stretch is how many vertices ranges hands out at a time.
const stretch = 1 << 15

// ranges calls do for consecutive ranges of 0..n-1, each but the last stretch
// long.
func (w *workers) ranges(n int, do func(begin, end int)) {
	w.each((n+stretch-1)/stretch, func(i int) { do(i*stretch, min((i+1)*stretch, n)) })
}
