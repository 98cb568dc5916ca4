package partition

import (
	"sync"
	"sync/atomic"
	"time"

	"carina/internal/parallel"
)

// task is one run's shared context.
type task struct {
	c       config
	fast    bool // the preset is Fast
	uneven  bool // vertex weights differ much
	hubs    bool // degrees do, and vertex weights do not
	halt    *atomic.Bool
	workers *parallel.Workers
	// distance between parts if the mapping cost is wanted, else nil.
	distance [][]int64

	// contiguous asks for connected parts.
	contiguous bool
	// generationsWithoutGain, if positive, is after how many generations combining ends.
	generationsWithoutGain int
	// previous partition to start from, or nil.
	previous []int32

	start     time.Duration // by the clock
	clock     func() time.Duration
	timeLimit time.Duration

	mutex    sync.Mutex
	progress func(Progress)
	steps    int // expected
	done     int
	best     *individual
}

func (t *task) stopped() bool { return t.halt.Load() }

// timed tells whether the search goes on until a time limit.
func (t *task) timed() bool { return t.timeLimit > 0 }

// elapsed returns the share of the time limit that has passed.
func (t *task) elapsed() float64 { return float64(t.clock()-t.start) / float64(t.timeLimit) }

// expect announces how many steps will be reported.
func (t *task) expect(steps int) { t.steps = steps }

// report tells the caller of steps done and the best partition so far.
func (t *task) report(stage string, steps int, found *individual) {
	if t.progress == nil {
		return
	}
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if t.best == nil || found.better(t.best) {
		t.best = found
	}
	t.done += steps
	fraction := 0.0
	if t.timed() {
		fraction = t.elapsed()
	} else if t.steps > 0 {
		fraction = float64(t.done) / float64(t.steps)
	}
	t.progress(Progress{Stage: stage, Done: min(fraction, 1), Objective: t.best.cut})
}
