package solver

import (
	"sync"
	"sync/atomic"
)

// pool runs the chunks of a rank on a fixed number of goroutines. Every
// worker begins with the same part of the list each time, so that memory
// stays near it, and then helps the others.
type pool struct {
	workspaces []*workspace
	shares     []share
	start      []chan struct{}
	done       sync.WaitGroup
	work       func(chunk int, w *workspace)
}

// share is a worker's part of the list, on its own cache line.
type share struct {
	next atomic.Int64
	end  int64
	_    [48]byte
}

// newPool starts a pool of n workers, one of which is the caller of run.
func newPool(n int) *pool {
	p := &pool{workspaces: make([]*workspace, n), shares: make([]share, n), start: make([]chan struct{}, n)}
	for i := range n {
		p.workspaces[i] = newWorkspace()
	}
	for i := 1; i < n; i++ {
		p.start[i] = make(chan struct{}, 1)
		go func() {
			for range p.start[i] {
				p.help(i)
				p.done.Done()
			}
		}()
	}
	return p
}

// close ends the workers.
func (p *pool) close() {
	for _, c := range p.start[1:] {
		close(c)
	}
}

// run calls work for every from ≤ chunk < to and returns when all are done.
func (p *pool) run(from, to int, work func(chunk int, w *workspace)) {
	n := len(p.shares)
	if n == 1 || to-from <= 1 {
		for i := from; i < to; i++ {
			work(i, p.workspaces[0])
		}
		return
	}
	p.work = work
	for i := range p.shares {
		p.shares[i].next.Store(int64(from + (to-from)*i/n))
		p.shares[i].end = int64(from + (to-from)*(i+1)/n)
	}
	p.done.Add(n - 1)
	for _, c := range p.start[1:] {
		c <- struct{}{}
	}
	p.help(0)
	p.done.Wait()
}

// help works on share number first and then on the others.
func (p *pool) help(first int) {
	w := p.workspaces[first]
	for k := range p.shares {
		s := &p.shares[(first+k)%len(p.shares)]
		for {
			i := s.next.Add(1) - 1
			if i >= s.end {
				break
			}
			p.work(int(i), w)
		}
	}
}
