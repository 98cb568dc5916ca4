package machine

import (
	"sync"
	"time"

	"carina/internal/crash"
)

// Copier measures how fast memory is copied.
type Copier struct {
	from, to [][]byte
	now      func() time.Time // the clock, or a test's
}

// NewCopier returns a copier with as many workers, each with two arrays of its
// own, which are together several times the caches when bytesPerWorker is.
func NewCopier(workers, bytesPerWorker int) *Copier {
	half := bytesPerWorker / 2
	c := &Copier{make([][]byte, workers), make([][]byte, workers), time.Now}
	c.each(func(w int) {
		c.from[w], c.to[w] = make([]byte, half), make([]byte, half)
		for i := range c.from[w] {
			c.from[w][i], c.to[w][i] = byte(i), 1
		}
	})
	return c
}

// Bandwidth copies every worker's array repeatedly and returns the bytes per
// second of the fastest time, counting what is read and what is written.
func (c *Copier) Bandwidth(repetitions int) float64 {
	var best float64
	for range repetitions {
		begin := c.now()
		c.each(func(w int) { copy(c.to[w], c.from[w]) })
		best = max(best, 2*float64(len(c.to)*len(c.to[0]))/c.now().Sub(begin).Seconds())
	}
	return best
}

// each runs all workers.
func (c *Copier) each(work func(worker int)) {
	var group sync.WaitGroup
	for w := range c.from {
		group.Go(func() {
			defer crash.Guard()
			work(w)
		})
	}
	group.Wait()
}
