package device

import (
	"errors"

	"carina/internal/crash"
)

// Compete lets a GPU of this machine do other work, for tests and benchmarks of balance:
// copies on the device, one after the other, which take their part of its bandwidth until
// stop.
func Compete(number int) (stop func() error, err error) {
	g, err := openGPU(number)
	if err != nil {
		return nil, err
	}
	const bytes, ahead = 256 << 20, 4
	from, err := g.Allocate(2 * bytes)
	if err != nil {
		return nil, errors.Join(err, g.Close())
	}
	end, done := make(chan struct{}), make(chan error)
	go func() {
		defer crash.Guard()
		for {
			select {
			case <-end:
				done <- errors.Join(g.Free(from), g.Close())
				return
			default:
			}
			err := g.Synchronize()
			for range ahead {
				err = errors.Join(err, g.copy(from+bytes, from, bytes))
			}
			if err != nil {
				<-end
				done <- errors.Join(err, g.Close())
				return
			}
		}
	}()
	return func() error {
		close(end)
		return <-done
	}, nil
}
