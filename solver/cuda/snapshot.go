package cuda

import (
	"errors"
	"fmt"
	"sync"
	"unsafe"

	"carina/internal/crash"
	"carina/solver/airflow"
)

// kept is room on the devices for the fields of all cells.
type kept struct {
	of map[*part]address
	// pinned is the host memory through which a part's fields come, made once:
	// pinning takes longer than many steps, and so does giving back.
	pinned map[*part]*[2][]byte
	full   bool // it holds fields
	// busy is held while a Snapshot reads from there.
	busy sync.Mutex
}

// reserve makes the room on all devices, and reports whether they have it.
func (s *Solver) reserve() (bool, error) {
	if s.kept != nil {
		return len(s.kept.of) > 0, nil
	}
	s.kept = &kept{of: map[*part]address{}, pinned: map[*part]*[2][]byte{}}
	for _, p := range s.parts {
		free, _, err := p.device.memory()
		if err != nil {
			return false, err
		}
		const spare = 2 // as much again stays free for what is short-lived
		if p.cellBytes() > free/spare {
			return false, nil
		}
	}
	for _, p := range s.parts {
		a, err := p.allocate(p.cellBytes(), nil)
		if err != nil {
			return false, err
		}
		s.kept.of[p] = a
	}
	return true, nil
}

// cellBytes is the memory of the fields of all cells of the part's tiles.
func (p *part) cellBytes() int64 { return int64(len(p.tiles)) * tileCells * fieldBytes }

// keepFields keeps the present fields on the devices, if they have room.
func (s *Solver) keepFields() error {
	room, err := s.reserve()
	if err != nil || !room {
		return err
	}
	s.kept.busy.Lock()
	defer s.kept.busy.Unlock()
	if err := s.requireComplete(); err != nil {
		return err
	}
	for _, p := range s.parts {
		err := p.observe(s.observer("fields", fieldsNow), tileRange{p.order, 0, len(p.tiles)}, s.plainRates(),
			append(words(uint64(s.kept.of[p])), s.fieldArguments(0)...))
		if err != nil {
			return err
		}
	}
	s.kept.full = true
	return nil
}

// keptFields returns the fields that were kept last, nil if none were.
func (s *Solver) keptFields() (*airflow.Fields, error) {
	if s.kept == nil || !s.kept.full {
		return nil, nil
	}
	fields := airflow.NewFields(int(s.flow.Domain.Grid.Cells()))
	for _, p := range s.parts {
		if err := s.download(p, s.kept.of[p], fieldsOf(fields)); err != nil {
			return nil, err
		}
	}
	return fields, nil
}

// Snapshot is the flow at one moment, on its way from the devices.
type Snapshot struct {
	fields *airflow.Fields
	err    error
	done   chan struct{}
}

// Wait returns the flow in all cells by global number.
func (n *Snapshot) Wait() (*airflow.Fields, error) {
	<-n.done
	return n.fields, n.err
}

// Snapshot begins to fetch the flow, after an even number of steps. Steps may
// follow at once: the devices keep a copy, which comes to the host through
// pinned memory on a stream of its own while they compute. A second Snapshot
// waits for the first. Where the devices have no room for the copy, all is
// fetched before Snapshot returns.
func (s *Solver) Snapshot() (*Snapshot, error) {
	n := &Snapshot{done: make(chan struct{})}
	room, err := s.reserve()
	if err != nil {
		return nil, err
	}
	if !room {
		n.fields, err = s.Fields()
		close(n.done)
		return n, err
	}
	if err := s.keepFields(); err != nil {
		return nil, err
	}
	s.starts() // made before others read them
	followers := make([]follower, len(s.parts))
	for i, p := range s.parts {
		if followers[i], err = p.device.follower(); err != nil {
			return nil, errors.Join(err, closeFollowers(followers[:i]))
		}
	}
	s.kept.busy.Lock()
	go func() {
		defer crash.Guard()
		defer close(n.done)
		defer s.kept.busy.Unlock()
		n.fields = airflow.NewFields(int(s.flow.Domain.Grid.Cells()))
		var failures []error
		for i, p := range s.parts {
			failures = append(failures, s.fetch(p, followers[i], fieldsOf(n.fields)))
		}
		n.err = errors.Join(append(failures, closeFollowers(followers))...)
	}()
	return n, nil
}

func closeFollowers(list []follower) error {
	var err error
	for _, f := range list {
		err = errors.Join(err, f.close())
	}
	return err
}

// buffers returns the pinned memory of a part.
func (k *kept) buffers(p *part, bytes int64) (*[2][]byte, error) {
	if b, ok := k.pinned[p]; ok {
		return b, nil
	}
	var b [2][]byte
	for i := range b {
		m, err := p.device.pin(bytes)
		if err != nil && i > 0 {
			err = errors.Join(err, p.device.unpin(b[0]))
		}
		if err != nil {
			return nil, err
		}
		b[i] = m
	}
	k.pinned[p] = &b
	return &b, nil
}

// close waits for the last Snapshot and gives the pinned memory back.
func (k *kept) close() error {
	if k == nil {
		return nil
	}
	k.busy.Lock()
	defer k.busy.Unlock()
	var failures []error
	for p, b := range k.pinned {
		failures = append(failures, p.device.unpin(b[0]), p.device.unpin(b[1]))
	}
	clear(k.pinned)
	return errors.Join(failures...)
}

// fetch stores the kept fields of a part as download does, in two buffers: one
// is filled while the other is read.
func (s *Solver) fetch(p *part, from follower, store func(global int64, cell []float32)) error {
	portion := min(len(p.tiles), fieldTiles)
	memory, err := s.kept.buffers(p, int64(portion)*tileCells*fieldBytes)
	if err != nil {
		return fmt.Errorf("fetching the fields: %w", err)
	}
	var buffers [2][]float32
	for i, m := range memory {
		buffers[i] = unsafe.Slice((*float32)(unsafe.Pointer(&m[0])), len(m)/4)
	}
	part := func(first, buffer int) ([]float32, []int32) {
		tiles := p.sorted[first:min(first+portion, len(p.tiles))]
		return buffers[buffer][:len(tiles)*tileCells*fieldNumbers], tiles
	}
	begin := func(first, buffer int) error {
		cells, _ := part(first, buffer)
		return from.begin(bytesOf(cells), s.kept.of[p]+address(first)*tileCells*fieldBytes)
	}
	if err := begin(0, 0); err != nil {
		return err
	}
	index := newTileIndex(s.tiles)
	for first, buffer := 0, 0; first < len(p.tiles); first, buffer = first+portion, 1-buffer {
		if err := from.wait(); err != nil {
			return err
		}
		if next := first + portion; next < len(p.tiles) {
			if err := begin(next, 1-buffer); err != nil {
				return err
			}
		}
		cells, tiles := part(first, buffer)
		s.scatter(cells, fieldNumbers, tiles, index, store)
	}
	return nil
}
