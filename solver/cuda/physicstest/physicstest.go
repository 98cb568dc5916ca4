// Package physicstest tests a physics on GPUs, which are emulated ones unless the tests are
// built with the tag cuda, as enginetest does on processors.
package physicstest

import (
	"slices"
	"testing"

	"carina/solver"
	"carina/solver/cuda"
	"carina/solver/cuda/device"
	"carina/solver/cuda/devicetest"
	"carina/solver/enginetest"
	"carina/solver/processor"
	"carina/solver/transport"
)

// Accept runs all tests of what must hold for any physics: on GPUs that exchange by
// messages and on others that reach each other, and with every other rank on a processor,
// so that states are saved on one kind and loaded on the other. All have the bits of
// processors, and a step allocates nothing.
func Accept(t *testing.T, c enginetest.Case) {
	t.Helper()
	c.Device = nil
	want := c.Hashes(t)
	for _, kind := range []struct {
		name     string
		exchange cuda.Exchange
		open     func(t testing.TB) func(rank int) (device.Device, error)
		mixed    bool
	}{
		{"GPUs that reach each other", "", reaching, false},
		{"GPUs beside processors", cuda.Host, apart, true},
	} {
		t.Run(kind.name, func(t *testing.T) {
			open := kind.open(t)
			c.Device = func(workers int, tr transport.Transport) (solver.Device, error) {
				if kind.mixed && tr.Rank()%2 == 1 {
					return processor.New(workers, tr), nil
				}
				d, err := open(tr.Rank())
				if err != nil {
					return nil, err
				}
				exchange := kind.exchange
				if !devicetest.ReachEachOther(tr.Size()) {
					exchange = cuda.Host // ranks that share a GPU must not wait for each other there
				}
				return cuda.New(d, tr, exchange), nil
			}
			if got := c.Hashes(t); !slices.Equal(got, want) {
				t.Errorf("%x on a GPU, %x on a processor", got, want)
			}
			c.Accept(t)
		})
	}
	t.Run("no allocation", func(t *testing.T) {
		c.Device = func(_ int, tr transport.Transport) (solver.Device, error) {
			d, err := devicetest.Fresh(t, 0)
			return cuda.New(idle{d}, tr, cuda.Host), err
		}
		c.AllocatesNothing(t)
	})
}

// Same tells whether one rank has the bits on a GPU that it has on a processor.
func Same(t *testing.T, c enginetest.Case) {
	t.Helper()
	c.Device = nil
	want := c.Hashes(t)
	c.Device = func(_ int, tr transport.Transport) (solver.Device, error) {
		d, err := devicetest.Fresh(t, 0)
		return cuda.New(d, tr, ""), err
	}
	if got := c.Hashes(t); !slices.Equal(got, want) {
		t.Errorf("%x on a GPU, %x on a processor", got, want)
	}
}

// idle is a GPU that does nothing, at once: what is left of a step is what the host does.
type idle struct{ device.Device }

func (idle) Zero(device.Address, int64) error                        { return nil }
func (idle) Upload(device.Address, []byte) error                     { return nil }
func (idle) Download([]byte, device.Address) error                   { return nil }
func (idle) Launch(device.Queue, device.Kernel, device.Launch) error { return nil }
func (idle) Follow(device.Queue, device.Queue) error                 { return nil }
func (idle) Synchronize() error                                      { return nil }

func reaching(t testing.TB) func(rank int) (device.Device, error) { return devicetest.Reaching(t) }

func apart(t testing.TB) func(rank int) (device.Device, error) {
	return func(rank int) (device.Device, error) { return devicetest.Fresh(t, rank) }
}
