package gpu

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"unsafe"

	"carina/internal/crash"
	"carina/solver"
	"carina/solver/airflow"
	"carina/solver/cuda/device"
	"carina/solver/cuda/tiling"
)

// recordTiles are saved, loaded or hashed at a time: up to 80 MiB of records.
const recordTiles = 1 << 13

// piecesAtOnce and tilesAtOnce are what a worker of the host takes at a time.
const piecesAtOnce, tilesAtOnce = 1 << 12, 64

// rowsOfTile are rows of cells along x.
const rowsOfTile = tiling.Side * tiling.Side

// recordBytes is what the values of a record take.
func (s *bound) recordBytes() int { return (s.Directions + 1) * s.ValueBytes() }

// numbering is numbers of the first cells of the rows of a part's tiles, in the order
// of memory. Those of a row's other cells follow.
type numbering []int64

// numbering numbers cells as their pieces are numbered.
func (s *bound) numbering(pieces []solver.Piece, number func(p *solver.Piece) int64) numbering {
	p := s.part
	starts := make(numbering, rowsOfTile*len(p.Numbers))
	for i := range starts {
		starts[i] = -1
	}
	index := newTileIndex(s.tiles)
	for i, t := range p.Numbers {
		index[t] = int32(i) + 1
	}
	s.workers.RangesOf(len(pieces), piecesAtOnce, func(begin, end int) {
		for i := begin; i < end; i++ {
			starts.add(s, index, &pieces[i], number)
		}
	})
	return starts
}

// ownNumbers numbers own cells by their indices, all of them once only: some 2 bytes a cell
// are kept, for a third of the time that saving the state takes.
func (s *bound) ownNumbers(cells []solver.CellRange, pieces []solver.Piece) numbering {
	if cells != nil {
		return s.numbering(pieces, ownIndex)
	}
	if s.owns == nil {
		s.owns = s.numbering(pieces, ownIndex)
	}
	return s.owns
}

// add numbers the rows of tiles that a piece begins. Others may add pieces meanwhile, also
// of the same row.
func (n numbering) add(s *bound, index tileIndex, r *solver.Piece, number func(p *solver.Piece) int64) {
	tile := s.tiles.Find(r.X0/tiling.Side, r.Y/tiling.Side, r.Z/tiling.Side)
	for x := r.X0; x < r.X1; tile++ {
		if at := index[tile]; at > 0 {
			first := &n[int(at-1)*rowsOfTile+tiling.CellBit(x, r.Y, r.Z)%rowsOfTile]
			own := number(r) + int64(x-r.X0)
			for is := atomic.LoadInt64(first); (is < 0 || own < is) && !atomic.CompareAndSwapInt64(first, is, own); {
				is = atomic.LoadInt64(first)
			}
		}
		x = min(r.X1, x/tiling.Side*tiling.Side+tiling.Side)
	}
}

// globalNumber and ownIndex number the cells of the whole and the own ones.
func globalNumber(p *solver.Piece) int64 { return p.Global }
func ownIndex(p *solver.Piece) int64     { return int64(p.Index) }

// number is that of a cell of tile i in the order of memory.
func (n numbering) number(i int, fluid uint64, cell int) int64 {
	row := cell % rowsOfTile
	number := n[i*rowsOfTile+row]
	for before := row; before < cell; before += rowsOfTile {
		number += int64(fluid >> before & 1)
	}
	return number
}

// eachRecord calls f for the fluid cells of some tiles of a list, with their records among
// those of the tiles, as long as it returns true, and tells whether it always did.
func (s *bound) eachRecord(numbers numbering, tiles []int32, records []byte, f func(number int64, record []byte) bool) bool {
	size := s.recordBytes()
	for k, i := range tiles {
		fluid := s.tiles.Fluid[s.part.Numbers[i]]
		for cell := range tiling.Cells {
			if fluid>>cell&1 == 0 {
				continue
			}
			at := (k*tiling.Cells + cell) * size
			if !f(numbers.number(int(i), fluid, cell), records[at:at+size]) {
				return false
			}
		}
	}
	return true
}

// The modes of records.
const (
	recordsOut, recordsIn, recordsSettled = 0, 1, 2
)

// settleWalls puts the quadratic parts of walls that the last step has left for the next
// into what is stored: a state that is saved afterwards is the one that goes on.
func (s *bound) settleWalls() error {
	p := s.part
	if !s.stepped || s.flow.Settings.Wall != airflow.Quadratic || len(p.walls.links) == 0 {
		return nil
	}
	if err := p.Device.Synchronize(); err != nil {
		return err
	}
	if err := p.observe(s.observer("records", recordsSettled), p.allTiles(), nil, device.Words(0)); err != nil {
		return err
	}
	s.stepped = false
	s.setCorrected(0)
	return p.Device.Synchronize()
}

// recordRooms are the host's memory for the records of two portions of tiles, which the
// device copies to and from directly, and the device's for one; and which tiles it is.
type recordRooms struct {
	device        device.Device
	portion       int // tiles
	tiles         []int32
	host          [2][]byte
	buffer, order device.Address
}

// newRecordRooms returns the memory; close gives it back.
func (s *bound) newRecordRooms(tiles []int32) (r *recordRooms, err error) {
	r = &recordRooms{device: s.part.Device, portion: max(1, min(len(tiles), recordTiles)), tiles: tiles}
	bytes := int64(r.portion) * tiling.Cells * int64(s.recordBytes())
	for i := range r.host {
		if r.host[i], err = r.device.Pin(bytes); err != nil {
			return nil, errors.Join(err, r.close())
		}
	}
	if r.buffer, err = r.device.Allocate(bytes); err != nil {
		return nil, errors.Join(err, r.close())
	}
	if r.order, err = uploaded(r.device, tiles); err != nil {
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
	for _, a := range []device.Address{r.buffer, r.order} {
		if a != 0 {
			err = errors.Join(err, r.device.Free(a))
		}
	}
	return err
}

// those are a portion of the tiles.
func (r *recordRooms) those(first, count int) tileRange {
	return tileRange{order: r.order, first: first, count: count}
}

// eachPortion calls fill and then empty for the tiles, portion by portion, with memory of
// the host for their records: one is filled while the one before is emptied.
func (s *bound) eachPortion(r *recordRooms, fill, empty func(first, count int, records []byte) error) error {
	tiles, before := len(r.tiles), make(chan error, 1)
	before <- nil
	for k, first := 0, 0; first < tiles; k, first = k+1, first+r.portion {
		count := min(r.portion, tiles-first)
		records := r.host[k%len(r.host)][:count*tiling.Cells*s.recordBytes()]
		err := fill(first, count, records)
		if err = errors.Join(err, <-before); err != nil {
			return err
		}
		go func() {
			defer crash.Guard()
			before <- empty(first, count, records)
		}()
	}
	return <-before
}

// some returns the pieces of own cells, all of them or, where cells is not nil, of some,
// numbered among these, and the tiles that hold them by index.
func (s *bound) some(cells []solver.CellRange) (pieces []solver.Piece, tiles []int32) {
	if cells == nil {
		tiles = make([]int32, len(s.part.Numbers))
		for i := range tiles {
			tiles[i] = int32(i)
		}
		return s.layout.Pieces, tiles
	}
	pieces = s.layout.Cut(cells)
	held := make([]bool, len(s.part.Numbers))
	for i := range pieces {
		p := &pieces[i]
		tile := s.tiles.Find(p.X0/tiling.Side, p.Y/tiling.Side, p.Z/tiling.Side)
		for x := p.X0 / tiling.Side; x <= (p.X1-1)/tiling.Side; x++ {
			if at, ok := s.part.Own(tile); ok {
				held[at] = true
			}
			tile++
		}
	}
	for at, is := range held {
		if is {
			tiles = append(tiles, int32(at))
		}
	}
	return pieces, tiles
}

// SaveRecords fills in the states of own cells.
func (s *bound) SaveRecords(state int, cells []solver.CellRange, list []byte) (err error) {
	p, size := s.part, int64(s.recordBytes())
	pieces, tiles := s.some(cells)
	numbers := s.ownNumbers(cells, pieces)
	if err := p.Device.Synchronize(); err != nil {
		return err
	}
	program := s.observerBefore("records", recordsOut, state == 1)
	rooms, err := s.newRecordRooms(tiles)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rooms.close()) }()
	return s.eachPortion(rooms, func(first, count int, records []byte) error {
		if err := p.observe(program, rooms.those(first, count), nil, device.Words(uint64(rooms.buffer))); err != nil {
			return err
		}
		return p.Device.Download(records, rooms.buffer)
	}, func(first, count int, records []byte) error {
		s.workers.RangesOf(count, tilesAtOnce, func(begin, end int) {
			s.eachRecord(numbers, tiles[first+begin:first+end], records[begin*tiling.Cells*int(size):], func(number int64, record []byte) bool {
				copy(list[number*size:], record)
				return true
			})
		})
		return nil
	})
}

// LoadRecords takes over states.
func (s *bound) LoadRecords(state int, cells []solver.CellRange, from *solver.RecordSource) (err error) {
	p, size := s.part, s.recordBytes()
	pieces, tiles := s.some(cells)
	numbers := s.numbering(pieces, globalNumber)
	if err := p.Device.Synchronize(); err != nil {
		return err
	}
	rooms, err := s.newRecordRooms(tiles)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rooms.close()) }()
	program := s.observerBefore("records", recordsIn, state == 1)
	err = s.eachPortion(rooms, func(first, count int, records []byte) error {
		var lacking atomic.Bool
		s.workers.RangesOf(count, tilesAtOnce, func(begin, end int) {
			source := *from // each looks for cells by itself
			records := records[begin*tiling.Cells*size : end*tiling.Cells*size]
			clear(records)
			if !s.eachRecord(numbers, tiles[first+begin:first+end], records, func(number int64, record []byte) bool {
				of := source.Record(number)
				return len(of) == len(record) && copy(record, of) > 0
			}) {
				lacking.Store(true)
			}
		})
		if lacking.Load() {
			return solver.ErrOtherState
		}
		return nil
	}, func(first, count int, records []byte) error {
		if err := p.Device.Upload(rooms.buffer, records); err != nil {
			return err
		}
		return p.observe(program, rooms.those(first, count), nil, device.Words(uint64(rooms.buffer)))
	})
	if err != nil {
		return err
	}
	if err := s.uploadLots(); err != nil {
		return err
	}
	return p.Device.Synchronize()
}

// HashRecords adds up the hashes of the states.
func (s *bound) HashRecords(state int) (uint64, error) {
	p, numbers := s.part, s.numbering(s.layout.Pieces, globalNumber)
	if err := p.Device.Synchronize(); err != nil {
		return 0, err
	}
	var found [foundWords]uint64
	if err := p.Device.Upload(p.findings, device.BytesOf(found[:])); err != nil {
		return 0, err
	}
	portion := min(len(p.Numbers), recordTiles)
	buffer, err := p.Device.Allocate(device.SizeOf(numbers[:portion*rowsOfTile]))
	if err != nil {
		return 0, err
	}
	defer p.Device.Free(buffer)
	program := s.observerBefore("hash", 0, state == 1)
	for first := 0; first < len(p.Numbers); first += portion {
		count := min(portion, len(p.Numbers)-first)
		if err := p.Device.Upload(buffer, device.BytesOf(numbers[first*rowsOfTile:(first+count)*rowsOfTile])); err != nil {
			return 0, err
		}
		if err := p.observe(program, tileRange{first: first, count: count}, nil, device.Words(uint64(p.findings), uint64(buffer))); err != nil {
			return 0, err
		}
	}
	err = p.Device.Download(device.BytesOf(found[:]), p.findings)
	return found[0], err
}

// lots are what the absorption of sound remembers, by the links of a cell to one
// opening. Cells and numbers are as solver.Scattered has them.
type lots struct {
	groups  []linkGroup
	cells   []int64
	numbers []float64
}

// linkGroup is the links of a cell to one opening: where their first one is among a
// part's, how many there are, and the cell's global number.
type linkGroup struct {
	first, links int32
	cell         int64
}

// numbersOfGroup are what the absorption of sound remembers of a group: the mean
// and the slope, at its first two links.
const numbersOfGroup = 2

// findLots lists the groups, by cell in the order of the openings.
func (s *bound) findLots() {
	p := s.part
	if s.lots.groups != nil || len(p.walls.openingCells) == 0 {
		return
	}
	numbers := s.numbering(s.layout.Pieces, globalNumber)
	for i := range p.walls.ranges {
		wall := &p.walls.ranges[i]
		for _, c := range p.walls.cells[wall.firstCell:][:wall.cells&^meetsOpenings] {
			if c.opening > 0 {
				s.addGroups(p.walls.openingCells[c.opening-1], numbers.number(i, s.tiles.Fluid[p.Numbers[i]], int(c.cell%tiling.Cells)))
			}
		}
	}
	slices.SortStableFunc(s.lots.groups, func(a, b linkGroup) int { return cmp.Compare(a.cell, b.cell) })
	for _, g := range s.lots.groups {
		s.lots.cells = append(s.lots.cells, g.cell)
	}
	s.lots.numbers = make([]float64, numbersOfGroup*len(s.lots.groups))
}

// addGroups adds those of a cell at openings.
func (s *bound) addGroups(o openingCell, cell int64) {
	links := s.part.walls.openingLinks
	for first := o.firstLink; first < o.firstLink+o.links; {
		g := linkGroup{first: first, cell: cell}
		for first < o.firstLink+o.links && links[first].opening == links[g.first].opening {
			first++
		}
		g.links = first - g.first
		s.lots.groups = append(s.lots.groups, g)
	}
}

// Scattered is what the absorption of sound remembers.
func (s *bound) Scattered() (cells []int64, numbers []float64, err error) {
	s.findLots()
	p, l := s.part, &s.lots
	if len(l.groups) == 0 {
		return nil, nil, nil
	}
	memory := make([]byte, len(p.walls.openingLinks)*realBytes(p.Bits))
	if err := p.Device.Download(memory, p.wallParts.memory); err != nil {
		return nil, nil, fmt.Errorf("fetching what openings remember: %w", err)
	}
	for i, g := range l.groups {
		for k := range int(min(g.links, numbersOfGroup)) {
			l.numbers[i*numbersOfGroup+k] = p.real(memory, int(g.first)+k)
		}
	}
	return l.cells, l.numbers, nil
}

// uploadLots gives the device what was remembered.
func (s *bound) uploadLots() error {
	if len(s.lots.groups) == 0 {
		return nil
	}
	p := s.part
	numbers := make([]float64, len(p.walls.openingLinks))
	for i, g := range s.lots.groups {
		copy(numbers[g.first:g.first+g.links], s.lots.numbers[i*numbersOfGroup:(i+1)*numbersOfGroup])
	}
	return p.Device.Upload(p.wallParts.memory, appendReals(nil, p.Bits, numbers...))
}

// real is a number of those in the precision that is computed with.
func (p *part) real(list []byte, i int) float64 {
	at := unsafe.Pointer(&list[i*realBytes(p.Bits)])
	if realBytes(p.Bits) == 8 {
		return *(*float64)(at)
	}
	return float64(*(*float32)(at))
}
