package parallel

import (
	"sync"
	"sync/atomic"

	"carina/internal/crash"
)

// Workers are a limited number of goroutines besides the caller's.
type Workers struct{ tokens chan struct{} }

// New returns workers of which size work at once, the caller among them.
func New(size int) *Workers {
	w := &Workers{make(chan struct{}, max(size-1, 0))}
	for range cap(w.tokens) {
		w.tokens <- struct{}{}
	}
	return w
}

// Each calls do for 0..n-1, on other goroutines as far as any are free,
// and returns when all calls have. Whoever is done takes the next number,
// so that nobody waits while another is busy. Calls must not depend on each
// other, so that the outcome is the same for any number of workers.
func (w *Workers) Each(n int, do func(i int)) {
	var next atomic.Int64
	var group sync.WaitGroup
	var work func()
	work = func() {
		for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
			if i+1 < n {
				w.start(&group, work)
			}
			do(i)
		}
	}
	work()
	group.Wait()
}

// start runs work on another goroutine if one is free.
func (w *Workers) start(group *sync.WaitGroup, work func()) {
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

// ChunkLength is how many items Ranges gives out at a time.
const ChunkLength = 1 << 15

// Ranges calls do for consecutive ranges of 0..n-1, each but the last of
// ChunkLength.
func (w *Workers) Ranges(n int, do func(begin, end int)) {
	w.RangesOf(n, ChunkLength, do)
}

// RangesOf is Ranges for chunks of any length.
func (w *Workers) RangesOf(n, length int, do func(begin, end int)) {
	w.Each((n+length-1)/length, func(i int) { do(i*length, min((i+1)*length, n)) })
}

// CheckEvery is how many items or so may be worked on between two looks at whether
// to stop.
const CheckEvery = 4096

// Never does not stop.
func Never() bool { return false }
