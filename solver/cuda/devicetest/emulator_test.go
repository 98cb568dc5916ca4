//go:build !cuda

package devicetest

import (
	"errors"
	"testing"
	"time"

	"carina/solver/cuda/device"
)

// Bytes are copied and cleared within one allocation, as on a GPU, and allocations
// do not touch.
func TestCopiesStayInAllocations(t *testing.T) {
	e := newEmulators(t, 1)[0]
	var first []device.Address
	const bytes = 300
	for range 3 {
		a, err := e.Allocate(bytes)
		if err != nil {
			t.Fatal(err)
		}
		for _, other := range first {
			if a < other+bytes {
				t.Fatalf("%d bytes at %d and at %d", bytes, other, a)
			}
		}
		first = append(first, a)
	}
	for _, c := range []struct {
		from   device.Address
		bytes  int
		inside bool
	}{
		{first[1], bytes, true}, {first[1], 0, true}, {first[1] + 100, 200, true}, {first[1] + bytes - 1, 1, true},
		{first[1], bytes + 1, false}, {first[1] + 100, 201, false}, {first[1] - 1, 10, false}, {first[1] + bytes, 1, false}, {first[0] - 1, 1, false},
	} {
		list := make([]byte, c.bytes)
		for name, err := range map[string]error{
			"clearing":    e.Zero(c.from, int64(c.bytes)),
			"uploading":   e.Upload(c.from, list),
			"downloading": e.Download(list, c.from),
			"fetching":    e.Fetch(list, c.from),
			"delivering":  e.Deliver(c.from, list),
		} {
			if (err == nil) != c.inside {
				t.Errorf("%s %d bytes %d behind the beginning: %v", name, c.bytes, int64(c.from)-int64(first[1]), err)
			}
		}
	}
	if err := e.Synchronize(); err != nil {
		t.Error(err)
	}
}

// A queue does its own work in order, and what follows the other queue after what
// that one was given.
func TestQueuesFollowEachOther(t *testing.T) {
	for _, q := range []device.Queue{device.MainQueue, device.BorderQueue} {
		e := newEmulators(t, 1)[0].(*emulator)
		var done []int
		note := func(n int, late time.Duration) func() error {
			return func() error {
				time.Sleep(late)
				e.lock.Lock()
				defer e.lock.Unlock()
				done = append(done, n)
				return nil
			}
		}
		const late = 2 * time.Millisecond
		e.give(1-q, note(1, late))
		e.give(1-q, note(2, late))
		if err := e.Follow(q, 1-q); err != nil {
			t.Fatal(err)
		}
		e.give(q, note(3, 0))
		e.give(q, note(4, 0))
		if err := errors.Join(e.wait(q, -1), e.Synchronize()); err != nil {
			t.Fatal(err)
		}
		for i, n := range done {
			if n != i+1 || len(done) != 4 {
				t.Fatalf("queue %d follows: done in the order %v", q, done)
			}
		}
	}
}

// The first failure of a queue stays, and nothing is done after it.
func TestFailuresOfQueuesStay(t *testing.T) {
	e := newEmulators(t, 1)[0].(*emulator)
	failure, after := errors.New("a failure"), false
	e.give(device.MainQueue, func() error { return failure })
	e.give(device.MainQueue, func() error { after = true; return nil })
	for range 2 {
		if err := e.Synchronize(); !errors.Is(err, failure) || after {
			t.Errorf("error %v, went on: %v", err, after)
		}
	}
}
