package gpu

import (
	"cmp"
	"errors"
	"slices"
	"sync/atomic"

	"carina/internal/crash"
	"carina/solver"
	"carina/solver/cuda/device"
	"carina/solver/cuda/tiling"
)

// sorted is cells whose records come from the device in the order in which they are saved,
// portion by portion: all tiles of some rows of tiles, of which the device knows where
// among the portion's records those of each row of cells begin.
type sorted struct {
	pieces []solver.Piece
	tiles  []int32 // where they lie in memory, by number in the set
	// starts are, for each row of cells of the tiles, how many cells of the portion come
	// before it; some 1 byte a cell.
	starts   []uint32
	portions []portion
}

// portion is tiles in a row, their cells, and where these belong.
type portion struct {
	first, tiles, cells int
	stretches           []stretch
}

// stretch is pieces in a row whose cells follow each other in a portion, too: how many come
// before them there.
type stretch struct{ first, end, before int }

// sort sorts own cells, all of them or, where cells is not nil, some that fill tiles. A
// portion with so many tiles has whole rows of them and goes no farther.
func (s *bound) sort(cells []solver.CellRange, most int) *sorted {
	o := &sorted{pieces: s.layout.Pieces}
	if cells != nil {
		o.pieces = s.layout.Cut(cells)
	}
	index := newTileIndex(s.tiles)
	o.cut(s, index, cells == nil, most)
	before := o.stretch(s, index)
	o.starts = make([]uint32, rowsOfTile*len(o.tiles))
	for i := range o.starts {
		o.starts[i] = noRow
	}
	s.workers.RangesOf(len(o.pieces), piecesAtOnce, func(begin, end int) {
		for i := begin; i < end; i++ {
			o.start(s, index, &o.pieces[i], before[i])
		}
	})
	return o
}

// tilesOf are where the tiles of own cells lie in memory.
func (s *bound) tilesOf(cells []solver.CellRange) []int32 {
	o := &sorted{pieces: s.layout.Cut(cells)}
	o.cut(s, newTileIndex(s.tiles), false, recordTiles)
	return o.tiles
}

// noRow is where a row has no cell.
const noRow = 1<<32 - 1

// cut lists the tiles, or those that the pieces touch, cuts them into portions, and notes
// the place of each in the list, plus one.
func (o *sorted) cut(s *bound, index tileIndex, all bool, most int) {
	if !all {
		s.workers.RangesOf(len(o.pieces), piecesAtOnce, func(begin, end int) {
			for i := begin; i < end; i++ {
				o.eachTile(s, &o.pieces[i], func(tile, _ int32) { atomic.StoreInt32(&index[tile], 1) })
			}
		})
	}
	var last [3]int32
	for i, tile := range s.part.Sorted {
		if !all && index[tile] == 0 {
			continue
		}
		at := s.tiles.Position[tile]
		n := len(o.portions)
		if n == 0 || o.portions[n-1].tiles >= most && (at[1] != last[1] || at[2] != last[2]) {
			o.portions = append(o.portions, portion{first: len(o.tiles)})
			n++
		}
		o.portions[n-1].tiles++
		o.tiles, last = append(o.tiles, s.part.Index[i]), at
		index[tile] = int32(len(o.tiles))
	}
}

// eachTile calls f for the tiles of a piece with the first of its cells there.
func (o *sorted) eachTile(s *bound, p *solver.Piece, f func(tile, x int32)) {
	tile := s.tiles.Find(p.X0/tiling.Side, p.Y/tiling.Side, p.Z/tiling.Side)
	for x := p.X0; x < p.X1; tile++ {
		f(tile, x)
		x = x/tiling.Side*tiling.Side + tiling.Side
	}
}

// stretch gives the pieces to the portions, and returns how many cells come before each
// there.
func (o *sorted) stretch(s *bound, index tileIndex) (before []uint32) {
	before = make([]uint32, len(o.pieces))
	for i := range o.pieces {
		p := &o.pieces[i]
		place := int(index[s.tiles.Find(p.X0/tiling.Side, p.Y/tiling.Side, p.Z/tiling.Side)]) - 1
		k, found := slices.BinarySearchFunc(o.portions, place, func(q portion, place int) int { return cmp.Compare(q.first, place) })
		if !found {
			k--
		}
		q := &o.portions[k]
		if n := len(q.stretches); n > 0 && q.stretches[n-1].end == i {
			q.stretches[n-1].end++
		} else {
			q.stretches = append(q.stretches, stretch{i, i + 1, q.cells})
		}
		before[i] = uint32(q.cells)
		q.cells += int(p.Cells())
	}
	return before
}

// start notes where the rows begin of which a piece has cells. Others may do so meanwhile,
// also for the same row.
func (o *sorted) start(s *bound, index tileIndex, p *solver.Piece, before uint32) {
	o.eachTile(s, p, func(tile, x int32) {
		first := &o.starts[int(index[tile]-1)*rowsOfTile+tiling.CellBit(x, p.Y, p.Z)%rowsOfTile]
		own := before + uint32(x-p.X0)
		for is := atomic.LoadUint32(first); own < is && !atomic.CompareAndSwapUint32(first, is, own); {
			is = atomic.LoadUint32(first)
		}
	})
}

// part is a part of the records of a portion and of all.
type partOfRecords struct{ from, to, bytes int }

// partBytes is what a worker copies at a time.
const partBytes = 1 << 18

// parts are those of a portion, for records of so many bytes.
func (o *sorted) parts(q *portion, record int) (list []partOfRecords) {
	for _, t := range q.stretches {
		first, last := &o.pieces[t.first], &o.pieces[t.end-1]
		from, to := t.before*record, int(first.Index)*record
		for left := int(last.Index+last.Cells()-first.Index) * record; left > 0; {
			n := min(left, partBytes)
			list = append(list, partOfRecords{from, to, n})
			from, to, left = from+n, to+n, left-n
		}
	}
	return list
}

// recordRooms are the host's memory for the records of two portions, which the device
// copies to and from directly, and the device's for one with its tiles and their starts.
type recordRooms struct {
	device        device.Device
	host          [2][]byte
	buffer, order device.Address
	starts        device.Address
}

// newRooms returns the memory for portions of cells; close gives it back.
func (s *bound) newRooms(o *sorted) (r *recordRooms, err error) {
	r = &recordRooms{device: s.part.Device}
	tiles, cells := 0, 0
	for i := range o.portions {
		tiles, cells = max(tiles, o.portions[i].tiles), max(cells, o.portions[i].cells)
	}
	bytes := int64(max(1, cells)) * int64(s.recordBytes())
	for i := range r.host {
		if r.host[i], err = r.device.Pin(bytes); err != nil {
			return nil, errors.Join(err, r.close())
		}
	}
	if r.buffer, err = r.device.Allocate(bytes); err != nil {
		return nil, errors.Join(err, r.close())
	}
	if r.order, err = uploaded(r.device, o.tiles); err != nil {
		return nil, errors.Join(err, r.close())
	}
	const startBytes = 4
	if r.starts, err = r.device.Allocate(int64(max(1, tiles)) * rowsOfTile * startBytes); err != nil {
		return nil, errors.Join(err, r.close())
	}
	return r, nil
}

// uploaded is a list in memory of the device.
func uploaded(d device.Device, list []int32) (device.Address, error) {
	a, err := d.Allocate(max(device.SizeOf(list), 4))
	if err != nil {
		return 0, err
	}
	return a, d.Upload(a, device.BytesOf(list))
}

func (r *recordRooms) close() (err error) {
	for _, m := range r.host {
		if m != nil {
			err = errors.Join(err, r.device.Unpin(m))
		}
	}
	for _, a := range []device.Address{r.buffer, r.order, r.starts} {
		if a != 0 {
			err = errors.Join(err, r.device.Free(a))
		}
	}
	return err
}

// copied is what saving or loading records needs, kept once it was made for all own cells.
type copied struct {
	*sorted
	*recordRooms
}

// PrepareRecords begins to prepare SaveRecords, beside the steps. The device has no part in
// that: who gives it work besides may have to wait for it, and other ranks for both.
func (s *bound) PrepareRecords() {
	if s.sorting != nil || s.copied != nil {
		return
	}
	done := make(chan *sorted, 1)
	s.sorting = done
	program := s.observerBefore("records", recordsOut, false)
	go func() {
		defer crash.Guard()
		// Why it cannot be compiled is found out, and told, when it is needed.
		_ = s.part.Device.Prepare(program.source())
		done <- s.sort(nil, recordTiles)
	}()
}

// forSome is what saving and loading some own cells needs, all if cells is nil, until end.
func (s *bound) forSome(cells []solver.CellRange) (c *copied, end func() error, err error) {
	if cells == nil && s.copied != nil {
		return s.copied, func() error { return nil }, nil
	}
	c = &copied{}
	if cells == nil && s.sorting != nil {
		c.sorted, s.sorting = <-s.sorting, nil
	} else {
		c.sorted = s.sort(cells, recordTiles)
	}
	if c.recordRooms, err = s.newRooms(c.sorted); err != nil {
		return nil, nil, err
	}
	if cells != nil {
		return c, c.close, nil
	}
	s.copied = c
	return c, func() error { return nil }, nil
}

// closeCopied gives back what is kept for saving and loading.
func (s *bound) closeCopied() error {
	if s.sorting != nil {
		<-s.sorting
	}
	if s.copied == nil {
		return nil
	}
	return s.copied.close()
}

// eachPortion calls fill and then empty for the portions, one after the other, with memory
// of the host for their records: one is filled while the one before is emptied.
func (c *copied) eachPortion(record int, fill, empty func(q *portion, records []byte) error) error {
	before := make(chan error, 1)
	before <- nil
	for k := range c.portions {
		q := &c.portions[k]
		records := c.host[k%len(c.host)][:q.cells*record]
		err := fill(q, records)
		if err = errors.Join(err, <-before); err != nil {
			return err
		}
		go func() {
			defer crash.Guard()
			before <- empty(q, records)
		}()
	}
	return <-before
}

// move lets a kernel bring the records of a portion into the device's memory, or take them
// from there.
func (c *copied) move(p *part, program program, q *portion) error {
	rows := c.sorted.starts[q.first*rowsOfTile : (q.first+q.tiles)*rowsOfTile]
	if err := p.Device.Upload(c.recordRooms.starts, device.BytesOf(rows)); err != nil {
		return err
	}
	return p.observe(program, tileRange{order: c.order, first: q.first, count: q.tiles}, nil, device.Words(uint64(c.buffer), uint64(c.recordRooms.starts)))
}

// SaveRecords fills in the states of own cells.
func (s *bound) SaveRecords(state int, cells []solver.CellRange, list []byte) (err error) {
	p, size := s.part, s.recordBytes()
	c, end, err := s.forSome(cells)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, end()) }()
	if err := p.Device.Synchronize(); err != nil {
		return err
	}
	program := s.observerBefore("records", recordsOut, state == 1)
	return c.eachPortion(size, func(q *portion, records []byte) error {
		if err := c.move(p, program, q); err != nil {
			return err
		}
		return p.Device.Download(records, c.buffer)
	}, func(q *portion, records []byte) error {
		parts := c.parts(q, size)
		s.workers.Each(len(parts), func(i int) {
			t := parts[i]
			copy(list[t.to:t.to+t.bytes], records[t.from:])
		})
		return nil
	})
}

// LoadRecords takes over states.
func (s *bound) LoadRecords(state int, cells []solver.CellRange, from *solver.RecordSource) (err error) {
	p, size := s.part, s.recordBytes()
	c, end, err := s.forSome(cells)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, end()) }()
	if err := p.Device.Synchronize(); err != nil {
		return err
	}
	program := s.observerBefore("records", recordsIn, state == 1)
	err = c.eachPortion(size, func(q *portion, records []byte) error {
		var lacking atomic.Bool
		s.workers.Each(len(q.stretches), func(i int) {
			source, t := *from, q.stretches[i] // each looks for cells by itself
			rest := records[t.before*size:]
			for k := t.first; k < t.end; k++ {
				piece := &c.pieces[k]
				n := int(piece.Cells()) * size
				if !source.Read(piece.Global, rest[:n], size) {
					lacking.Store(true)
				}
				rest = rest[n:]
			}
		})
		if lacking.Load() {
			return solver.ErrOtherState
		}
		return nil
	}, func(q *portion, records []byte) error {
		if err := p.Device.Upload(c.buffer, records); err != nil {
			return err
		}
		return c.move(p, program, q)
	})
	if err != nil {
		return err
	}
	if err := s.uploadLots(); err != nil {
		return err
	}
	return p.Device.Synchronize()
}
