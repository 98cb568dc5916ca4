package transport

import (
	"errors"
	"sync"

	"carina/internal/crash"
)

// InProcess calls run for so many ranks, each in a goroutine of this process with a
// transport to the others, and waits for all. Of their errors it returns that of the
// lowest rank that failed by itself, and not because another one had.
func InProcess(ranks int, run func(t Transport) error) error {
	transports := NewLocal(ranks)
	failures := make([]error, ranks)
	var all sync.WaitGroup
	for i, t := range transports {
		all.Go(func() {
			defer crash.Guard()
			failures[i] = run(t)
		})
	}
	all.Wait()
	var aborted error
	for _, err := range failures {
		if err != nil && !errors.Is(err, ErrAborted) {
			return err
		}
		if err != nil {
			aborted = err
		}
	}
	return aborted
}
