package machine

import (
	"sync"
	"time"
)

// CopyBandwidth measures how fast memory is copied, in bytes per second,
// counting what is read and what is written. Every worker copies within its
// own two arrays, which are together several times the caches when
// bytesPerWorker is; the fastest of the repetitions counts.
func CopyBandwidth(workers int, bytesPerWorker int, repetitions int) float64 {
	half := bytesPerWorker / 2
	from, to := make([][]byte, workers), make([][]byte, workers)
	var group sync.WaitGroup
	for w := range workers {
		group.Go(func() {
			from[w], to[w] = make([]byte, half), make([]byte, half)
			for i := range from[w] {
				from[w][i], to[w][i] = byte(i), 1
			}
		})
	}
	group.Wait()
	var best float64
	for range repetitions {
		begin := time.Now()
		for w := range workers {
			group.Go(func() { copy(to[w], from[w]) })
		}
		group.Wait()
		best = max(best, 2*float64(half)*float64(workers)/time.Since(begin).Seconds())
	}
	return best
}
