package processor

import (
	"sync"
	"sync/atomic"

	"carina/internal/crash"
)

// pool runs work on the blocks of a rank, or other parts, on a fixed number of goroutines. Every
// worker begins with the same part of the list each time, so that memory
// stays near it, and then helps the others.
type pool struct {
	ranges []blockRange
	// start wakes the workers that are goroutines of the pool's own.
	start       []chan struct{}
	callerHelps bool
	done        sync.WaitGroup
	work        func(part, worker int)
}

// blockRange is a worker's part of the list, on its own cache line.
type blockRange struct {
	next atomic.Int64
	end  int64
	_    [48]byte
}

// newPool starts a pool of n workers. One of them is the caller of run, unless
// processors are given: then every worker is pinned to one of these.
func newPool(n int, processors []int) *pool {
	p := &pool{ranges: make([]blockRange, n)}
	p.callerHelps = n == 1 || len(processors) < n
	for i := range n {
		if i == 0 && p.callerHelps {
			continue
		}
		start := make(chan struct{}, 1)
		p.start = append(p.start, start)
		go func() {
			defer crash.Guard()
			if !p.callerHelps {
				pin(processors[i])
			}
			for range start {
				p.help(i)
				p.done.Done()
			}
		}()
	}
	return p
}

// close ends the workers.
func (p *pool) close() {
	for _, c := range p.start {
		close(c)
	}
}

// run calls work for so many parts and returns when all are done.
func (p *pool) run(parts int, work func(part, worker int)) {
	n := len(p.ranges)
	if n == 1 || parts <= 1 {
		for i := range parts {
			work(i, 0)
		}
		return
	}
	p.work = work
	for i := range p.ranges {
		p.ranges[i].next.Store(int64(parts * i / n))
		p.ranges[i].end = int64(parts * (i + 1) / n)
	}
	p.done.Add(len(p.start))
	for _, c := range p.start {
		c <- struct{}{}
	}
	if p.callerHelps {
		p.help(0)
	}
	p.done.Wait()
}

// help works on range number first and then on the others.
func (p *pool) help(first int) {
	for k := range p.ranges {
		s := &p.ranges[(first+k)%len(p.ranges)]
		for {
			i := s.next.Add(1) - 1
			if i >= s.end {
				break
			}
			p.work(int(i), first)
		}
	}
}
