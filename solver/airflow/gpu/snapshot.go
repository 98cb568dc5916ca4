package gpu

import (
	"errors"
	"fmt"
	"sync"
	"unsafe"

	"carina/internal/crash"
	"carina/solver/airflow"
	"carina/solver/cuda/device"
	"carina/solver/cuda/tiling"
)

// snapshotMemory is room on the device for the fields of all cells.
type snapshotMemory struct {
	fields device.Address // 0 where there is no room
	// pinned is the host memory through which fields come, made once:
	// pinning takes longer than many steps, and so does giving back.
	pinned [2][]byte
	full   bool  // it holds fields
	steps  int64 // after how many steps
	// ambient is the ambient pressure of these, in Pa.
	ambient float64
	// busy is held while a snapshot reads from there.
	busy sync.Mutex
}

// reserve makes the room, and reports whether the device has it.
func (s *bound) reserve() (bool, error) {
	if s.kept != nil {
		return s.kept.fields != 0, nil
	}
	s.kept = &snapshotMemory{}
	p := s.part
	free, _, err := p.Device.Memory()
	if err != nil {
		return false, err
	}
	const spare = 2 // as much again stays free for what is short-lived
	if p.cellBytes() > free/spare {
		return false, nil
	}
	s.kept.fields, err = p.Allocate(p.cellBytes(), nil)
	return err == nil, err
}

// cellBytes is the memory of the fields of all cells of the part's tiles.
func (p *part) cellBytes() int64 { return int64(len(p.Numbers)) * tiling.Cells * fieldBytes }

// Keep keeps the present fields on the device, if it has room.
func (s *bound) Keep() error {
	room, err := s.reserve()
	if err != nil || !room {
		return err
	}
	s.kept.busy.Lock()
	defer s.kept.busy.Unlock()
	p := s.part
	if err := p.Device.Synchronize(); err != nil {
		return err
	}
	err = p.observe(s.observer("fields", fieldsNow), tileRange{p.order, 0, len(p.Numbers)}, s.plainRates(),
		append(device.Words(uint64(s.kept.fields)), s.fieldArguments(0)...))
	if err != nil {
		return err
	}
	s.kept.full, s.kept.steps, s.kept.ambient = true, s.steps, s.ambient()
	return nil
}

// Kept returns the fields that were kept last, nil if none were.
func (s *bound) Kept() (*airflow.Fields, error) {
	if s.kept == nil || !s.kept.full {
		return nil, nil
	}
	return s.download(s.kept.fields, s.kept.ambient)
}

// Snapshot begins to fetch the fields. Steps may follow at once: the device keeps
// a copy, which comes to the host through pinned memory on a stream of its own while
// it computes. A second Snapshot waits for the first. Where the device has no room
// for the copy, all is fetched before Snapshot returns.
func (s *bound) Snapshot() (wait func() (*airflow.Fields, error), err error) {
	room, err := s.reserve()
	if err != nil {
		return nil, err
	}
	if !room {
		fields, err := s.Fields()
		return func() (*airflow.Fields, error) { return fields, err }, err
	}
	if err := s.Keep(); err != nil {
		return nil, err
	}
	from, err := s.part.Device.Follower()
	if err != nil {
		return nil, err
	}
	fields := airflow.NewFields(s.layout.Fluid)
	store := s.fieldsOf(fields, s.kept.ambient)
	var failed error
	done := make(chan struct{})
	s.kept.busy.Lock()
	go func() {
		defer crash.Guard()
		defer close(done)
		defer s.kept.busy.Unlock()
		failed = errors.Join(s.fetch(from, store), from.Close())
	}()
	return func() (*airflow.Fields, error) {
		<-done
		return fields, failed
	}, nil
}

// buffers returns the pinned memory.
func (k *snapshotMemory) buffers(d device.Device, bytes int64) (*[2][]byte, error) {
	for i := range k.pinned {
		if k.pinned[i] != nil {
			continue
		}
		var err error
		if k.pinned[i], err = d.Pin(bytes); err != nil {
			return nil, err
		}
	}
	return &k.pinned, nil
}

// forget tells that no fields are kept.
func (k *snapshotMemory) forget() {
	if k == nil {
		return
	}
	k.busy.Lock()
	defer k.busy.Unlock()
	k.full = false
}

// close waits for the last snapshot and gives the pinned memory back.
func (k *snapshotMemory) close(d device.Device) (err error) {
	if k == nil {
		return nil
	}
	k.busy.Lock()
	defer k.busy.Unlock()
	for i, m := range k.pinned {
		if m != nil {
			err = errors.Join(err, d.Unpin(m))
		}
		k.pinned[i] = nil
	}
	return err
}

// fetch stores the kept fields as download does, in two buffers: one is filled
// while the other is read.
func (s *bound) fetch(from device.Follower, store func(index int32, cell []float32)) error {
	p := s.part
	portion := min(len(p.Numbers), fieldTiles)
	memory, err := s.kept.buffers(p.Device, int64(portion)*tiling.Cells*fieldBytes)
	if err != nil {
		return fmt.Errorf("fetching the fields: %w", err)
	}
	var buffers [2][]float32
	for i, m := range memory {
		buffers[i] = unsafe.Slice((*float32)(unsafe.Pointer(&m[0])), len(m)/4)
	}
	part := func(first, buffer int) ([]float32, []int32) {
		tiles := p.Sorted[first:min(first+portion, len(p.Numbers))]
		return buffers[buffer][:len(tiles)*tiling.Cells*fieldNumbers], tiles
	}
	begin := func(first, buffer int) error {
		cells, _ := part(first, buffer)
		return from.Begin(device.BytesOf(cells), s.kept.fields+device.Address(first)*tiling.Cells*fieldBytes)
	}
	if err := begin(0, 0); err != nil {
		return err
	}
	index := newTileIndex(s.tiles)
	for first, buffer := 0, 0; first < len(p.Numbers); first, buffer = first+portion, 1-buffer {
		if err := from.Wait(); err != nil {
			return err
		}
		if next := first + portion; next < len(p.Numbers) {
			if err := begin(next, 1-buffer); err != nil {
				return err
			}
		}
		cells, tiles := part(first, buffer)
		s.scatter(cells, fieldNumbers, tiles, index, store)
	}
	return nil
}
