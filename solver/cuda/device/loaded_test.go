package device

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
)

// What several ask for at once is made once, what fails is made again, and what is
// forgotten, too.
func TestMadeOnce(t *testing.T) {
	o := once[int, int]{made: map[int]func() (int, error){}}
	var made atomic.Int32
	square := func(n int) (int, error) {
		return o.get(n, func() (int, error) {
			made.Add(1)
			return n * n, nil
		})
	}
	var all sync.WaitGroup
	for range 8 {
		for n := range 3 {
			all.Go(func() {
				if got, err := square(n); got != n*n || err != nil {
					t.Errorf("%d for %d, %v", got, n, err)
				}
			})
		}
	}
	all.Wait()
	if n := made.Load(); n != 3 {
		t.Errorf("3 are asked for and %d made", n)
	}
	o.forget(func(n int) bool { return n == 2 })
	for n := range 3 {
		square(n)
	}
	if n := made.Load(); n != 4 {
		t.Errorf("one of 3 is forgotten and %d are made in all", n)
	}
	failed := errors.New("failed")
	if _, err := o.get(9, func() (int, error) { return 0, failed }); err != failed {
		t.Errorf("a failure is told as %v", err)
	}
	if got, err := square(9); got != 81 || err != nil {
		t.Errorf("what has failed is not made again: %d, %v", got, err)
	}
}
