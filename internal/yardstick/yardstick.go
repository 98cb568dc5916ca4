// Package yardstick lets tests limit the time of work without a say of the machine: by
// the time that other work takes there, at the same time, under the race detector or not.
package yardstick

import (
	"time"

	"carina/internal/machine"
)

// Yardstick is work by whose time that of other work is measured.
type Yardstick struct {
	work  func()
	takes time.Duration // 0 before it was measured
	clock func() time.Duration
}

// New returns a yardstick that takes as long as work does.
func New(work func()) *Yardstick {
	return &Yardstick{work: work, clock: machine.ProcessorTime}
}

// tries is how often work is tried that seems to take too long: whatever else happens
// on the machine does not happen each time.
const tries = 3

// Exceeds tells whether work takes more than so many times the processors' time of the
// yardstick, whenever it is tried.
func (y *Yardstick) Exceeds(times float64, work func()) bool {
	for try := range tries {
		if y.takes == 0 || try > 0 {
			y.takes = y.time(y.work)
		}
		if float64(y.time(work)) <= times*float64(y.takes) {
			return false
		}
	}
	return true
}

func (y *Yardstick) time(work func()) time.Duration {
	begin := y.clock()
	work()
	return y.clock() - begin
}
