package cuda

import (
	"errors"

	"carina/solver/cuda/driver"
)

// gpu is a device of this machine with a stream for each queue.
type gpu struct {
	number  int
	opened  driver.Device
	streams [queues]driver.Stream
	turn    driver.Event   // by which a stream follows the other
	stamps  []driver.Event // closed with the device
}

var _ device = (*gpu)(nil)

func openDevice(number int) (device, error) {
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
	for q := range g.streams {
		if g.streams[q], err = d.NewStream(queue(q) == borderQueue); err != nil {
			return nil, errors.Join(err, g.close())
		}
	}
	if g.turn, err = d.NewEvent(false); err != nil {
		return nil, errors.Join(err, g.close())
	}
	return g, nil
}

func (g *gpu) close() error {
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
	return errors.Join(append(failures, g.opened.Close())...)
}

func (g *gpu) main() driver.Stream { return g.streams[mainQueue] }

func (g *gpu) border() driver.Stream { return g.streams[borderQueue] }

func (g *gpu) name() string { return g.opened.Name() }

func (g *gpu) memory() (free, total int64, err error) { return g.opened.Memory() }

func (g *gpu) allocate(bytes int64) (address, error) { return g.opened.Allocate(bytes) }

func (g *gpu) free(a address) error { return g.opened.Free(a) }

func (g *gpu) zero(to address, bytes int64) error { return g.main().Zero(to, bytes) }

func (g *gpu) upload(to address, from []byte) error { return g.main().Upload(to, from) }

func (g *gpu) download(to []byte, from address) error {
	if err := g.main().Download(to, from); err != nil {
		return err
	}
	return g.main().Wait()
}

func (g *gpu) copy(to, from address, bytes int64) error { return g.main().Copy(to, from, bytes) }

func (g *gpu) launch(q queue, k kernel, l launch) error {
	words, begin := l.flat()
	return g.streams[q].Launch(k.(driver.Kernel), driver.Launch{Blocks: l.blocks, Threads: l.threads, SharedBytes: l.sharedBytes, Words: words, Begin: begin})
}

func (g *gpu) follow(q, other queue) error {
	if err := g.streams[other].Record(g.turn); err != nil {
		return err
	}
	return g.streams[q].Follow(g.turn)
}

func (g *gpu) reach(other device) error {
	o, ok := other.(*gpu)
	if !ok || o.number == g.number {
		// Kernels of one context that wait for each other block what waits for all of
		// them: a kernel that needs more local memory, for instance.
		return errors.New("it is on the same GPU in the same process")
	}
	return g.opened.Reach(o.opened)
}

func (g *gpu) export(a address) ([]byte, error) { return g.opened.Export(a) }

func (g *gpu) open(handle []byte) (address, error) { return g.opened.OpenExported(handle) }

func (g *gpu) closeOpened(a address) error { return g.opened.CloseOpened(a) }

func (g *gpu) pin(bytes int64) ([]byte, error) { return g.opened.Pin(bytes) }

func (g *gpu) unpin(p []byte) error { return g.opened.Unpin(p) }

func (g *gpu) fetch(to []byte, from address) error { return g.border().Download(to, from) }

func (g *gpu) deliver(to address, from []byte) error { return g.border().Upload(to, from) }

func (g *gpu) settle() error { return g.border().Wait() }

func (g *gpu) stamp(q queue) (stamp, error) {
	event, err := g.opened.NewEvent(true)
	if err != nil {
		return nil, err
	}
	g.stamps = append(g.stamps, event)
	return event, g.streams[q].Record(event)
}

func (g *gpu) between(from, to stamp) (float64, error) {
	return to.(driver.Event).Since(from.(driver.Event))
}

func (g *gpu) synchronize() error { return errors.Join(g.main().Wait(), g.settle()) }

func (g *gpu) elapsed(f func() error) (float64, error) {
	from, err := g.stamp(mainQueue)
	if err != nil {
		return 0, err
	}
	if err := f(); err != nil {
		return 0, err
	}
	to, err := g.stamp(mainQueue)
	if err != nil {
		return 0, err
	}
	return g.between(from, to)
}

// gpuFollower is a stream beside those of a gpu.
type gpuFollower struct{ stream driver.Stream }

func (g *gpu) follower() (follower, error) {
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

func (f *gpuFollower) begin(to []byte, from address) error { return f.stream.Download(to, from) }

func (f *gpuFollower) wait() error { return f.stream.Wait() }

func (f *gpuFollower) close() error { return f.stream.Close() }
