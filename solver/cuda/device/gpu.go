package device

import (
	"errors"

	"carina/solver/cuda/driver"
)

// gpu is a device of this machine with a stream for each queue.
type gpu struct {
	number  int
	opened  driver.Device
	streams [Queues]driver.Stream
	turn    driver.Event   // by which a stream follows the other
	stamps  []driver.Event // closed with the device
	spare   []driver.Event // of these, to be used again
}

var _ Device = (*gpu)(nil)

// Start finds the driver: without one, or in a binary without GPU code, the error says
// what to do.
func Start() error { return driver.Start() }

// Count is how many GPUs this machine has that can be used.
func Count() int { return driver.Count() }

// Open opens a GPU of this machine by its number, from 0 on.
func Open(number int) (Device, error) {
	g, err := openGPU(number)
	if err != nil {
		return nil, err
	}
	return g, nil
}

func openGPU(number int) (*gpu, error) {
	d, err := driver.Open(number)
	if err != nil {
		return nil, err
	}
	g := &gpu{number: number, opened: d}
	noteOpened(number)
	for q := range g.streams {
		if g.streams[q], err = d.NewStream(Queue(q) == BorderQueue); err != nil {
			return nil, errors.Join(err, g.Close())
		}
	}
	if g.turn, err = d.NewEvent(false); err != nil {
		return nil, errors.Join(err, g.Close())
	}
	return g, nil
}

func (g *gpu) Close() error {
	var failures []error
	for _, s := range g.streams {
		if s != nil {
			failures = append(failures, s.Close())
		}
	}
	for _, e := range append(g.stamps, g.turn) {
		if e != nil {
			failures = append(failures, e.Close())
		}
	}
	noteClosed(g.number)
	return errors.Join(append(failures, g.opened.Close())...)
}

func (g *gpu) main() driver.Stream { return g.streams[MainQueue] }

func (g *gpu) border() driver.Stream { return g.streams[BorderQueue] }

func (g *gpu) Name() string { return g.opened.Name() }

func (g *gpu) Memory() (free, total int64, err error) { return g.opened.Memory() }

func (g *gpu) Allocate(bytes int64) (Address, error) { return g.opened.Allocate(max(1, bytes)) }

func (g *gpu) AllocateSplit(bytes, onDevice int64) (Address, error) {
	return g.opened.AllocateSplit(max(1, bytes), onDevice)
}

func (g *gpu) Free(a Address) error { return g.opened.Free(a) }

func (g *gpu) Zero(to Address, bytes int64) error { return g.main().Zero(to, bytes) }

func (g *gpu) Upload(to Address, from []byte) error { return g.main().Upload(to, from) }

func (g *gpu) Download(to []byte, from Address) error {
	if err := g.main().Download(to, from); err != nil {
		return err
	}
	return g.main().Wait()
}

func (g *gpu) copy(to, from Address, bytes int64) error { return g.main().Copy(to, from, bytes) }

func (g *gpu) Launch(q Queue, k Kernel, l Launch) error {
	if l.Blocks == 0 {
		return nil
	}
	words, begin := l.Flat()
	return g.streams[q].Launch(k.(driver.Kernel), driver.Launch{Blocks: l.Blocks, Threads: l.Threads, SharedBytes: l.SharedBytes, Words: words, Begin: begin})
}

func (g *gpu) Follow(q, other Queue) error {
	if err := g.streams[other].Record(g.turn); err != nil {
		return err
	}
	return g.streams[q].Follow(g.turn)
}

func (g *gpu) Reach(other Device) error {
	o, ok := other.(*gpu)
	if !ok || o.number == g.number {
		// Kernels of one context that wait for each other block what waits for all of
		// them: a kernel that needs more local memory, for instance.
		return errors.New("it is on the same GPU in the same process")
	}
	return g.opened.Reach(o.opened)
}

func (g *gpu) Sees(other Device) bool {
	o, ok := other.(*gpu)
	return ok && (o.number == g.number || g.opened.Reach(o.opened) == nil)
}

func (g *gpu) Export(a Address) ([]byte, error) { return g.opened.Export(a) }

func (g *gpu) Open(handle []byte) (Address, error) { return g.opened.OpenExported(handle) }

func (g *gpu) CloseOpened(a Address) error { return g.opened.CloseOpened(a) }

func (g *gpu) Pin(bytes int64) ([]byte, error) { return g.opened.Pin(bytes) }

func (g *gpu) Unpin(p []byte) error { return g.opened.Unpin(p) }

func (g *gpu) Fetch(to []byte, from Address) error { return g.border().Download(to, from) }

func (g *gpu) Deliver(to Address, from []byte) error { return g.border().Upload(to, from) }

func (g *gpu) Settle() error { return g.border().Wait() }

func (g *gpu) Stamp(q Queue) (Stamp, error) {
	if n := len(g.spare); n > 0 {
		event := g.spare[n-1]
		g.spare = g.spare[:n-1]
		return event, g.streams[q].Record(event)
	}
	event, err := g.opened.NewEvent(true)
	if err != nil {
		return nil, err
	}
	g.stamps = append(g.stamps, event)
	return event, g.streams[q].Record(event)
}

func (g *gpu) Unstamp(stamps ...Stamp) {
	for _, s := range stamps {
		g.spare = append(g.spare, s.(driver.Event))
	}
}

func (g *gpu) Between(from, to Stamp) (float64, error) {
	return to.(driver.Event).Since(from.(driver.Event))
}

func (g *gpu) Synchronize() error { return errors.Join(g.main().Wait(), g.Settle()) }

func (g *gpu) Elapsed(f func() error) (float64, error) {
	from, err := g.Stamp(MainQueue)
	if err != nil {
		return 0, err
	}
	if err := f(); err != nil {
		return 0, err
	}
	to, err := g.Stamp(MainQueue)
	if err != nil {
		return 0, err
	}
	return g.Between(from, to)
}

// gpuFollower is a stream beside those of a gpu.
type gpuFollower struct{ stream driver.Stream }

func (g *gpu) Follower() (Follower, error) {
	s, err := g.opened.NewStream(false)
	if err != nil {
		return nil, err
	}
	event, err := g.opened.NewEvent(false)
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	if err := errors.Join(g.main().Record(event), s.Follow(event), event.Close()); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return &gpuFollower{s}, nil
}

func (f *gpuFollower) Begin(to []byte, from Address) error { return f.stream.Download(to, from) }

func (f *gpuFollower) Wait() error { return f.stream.Wait() }

func (f *gpuFollower) Close() error { return f.stream.Close() }
