package cuda

import (
	"carina/solver"
	"carina/solver/cuda/device"
)

// move is struct Move of the kernel: values of so many bytes in a row or at places.
type move struct {
	from, to     uint64
	bytes, count uint32
	fromAt, toAt int32
}

const (
	// inARow is in place of an index of places.
	inARow = -1
	// rowValues is how many values in a row are worth a move of their own, mostValues how
	// many one has at most.
	rowValues, mostValues = 32, 512
)

// moves are values that one launch copies.
type moves struct {
	list   []move
	places []int32
}

// add adds values of so many bytes from places behind an address to places behind
// another; places that are nil are those in a row.
func (m *moves) add(from, to device.Address, bytes int, count int, fromAt, toAt []int32) {
	follows := func(places []int32, i int) bool { return places == nil || places[i] == places[i-1]+1 }
	place := func(places []int32, i int) int {
		if places == nil {
			return i
		}
		return int(places[i])
	}
	index := func(places []int32, i, n int) (first uint64, at int32) {
		if places == nil {
			return uint64(i * bytes), inARow
		}
		at = int32(len(m.places))
		m.places = append(m.places, places[i:i+n]...)
		return 0, at
	}
	row := func(i int) int {
		n := 1
		for i+n < count && n < mostValues && follows(fromAt, i+n) && follows(toAt, i+n) {
			n++
		}
		return n
	}
	for i := 0; i < count; {
		if n := row(i); n >= rowValues || i+n == count {
			m.list = append(m.list, move{uint64(from) + uint64(place(fromAt, i)*bytes), uint64(to) + uint64(place(toAt, i)*bytes), uint32(bytes), uint32(n), inARow, inARow})
			i += n
			continue
		}
		n := min(rowValues, count-i)
		first, at := index(fromAt, i, n)
		last, end := index(toAt, i, n)
		m.list = append(m.list, move{uint64(from) + first, uint64(to) + last, uint32(bytes), uint32(n), at, end})
		i += n
	}
}

// launch is that of moves which lie on the device.
func (m *moves) launch(list, places device.Address) device.Launch {
	return device.Launch{Blocks: (len(m.list) + warps - 1) / warps, Threads: Threads,
		Arguments: device.Words(uint64(list), uint64(places), uint64(len(m.list)))}
}

// scratch is memory for what is moved outside of steps, as large as was needed.
type scratch struct {
	at    device.Address
	bytes int64
}

// What scratches hold.
const (
	scratchMoves = iota
	scratchPlaces
	scratchValues
)

// room makes a scratch large enough and returns where it lies.
func (d *Device) room(which int, bytes int64) (device.Address, error) {
	s := &d.scratch[which]
	if s.bytes >= bytes {
		return s.at, nil
	}
	a, err := d.Room(2*bytes, nil)
	*s = scratch{a, 2 * bytes}
	return a, err
}

// row tells whether cells follow each other.
func row(cells []int32) bool {
	for i := range cells {
		if cells[i] != cells[0]+int32(i) {
			return false
		}
	}
	return true
}

// Read copies values out of memory, and waits.
func (d *Device) Read(s *solver.Segment, values []byte) error {
	if len(s.Cells) == 0 {
		return nil
	}
	values = values[:len(s.Cells)*s.Bytes]
	if err := d.catchUp(); err != nil {
		return err
	}
	if row(s.Cells) {
		return d.gpu.Download(values, d.At(s.Array)+device.Address(int(s.Cells[0])*s.Bytes))
	}
	at, err := d.room(scratchValues, int64(len(values)))
	if err != nil {
		return err
	}
	var m moves
	m.add(d.At(s.Array), at, s.Bytes, len(s.Cells), s.Cells, nil)
	if err := d.moveNow(&m); err != nil {
		return err
	}
	return d.gpu.Download(values, at)
}

// Write copies values into memory.
func (d *Device) Write(s *solver.Segment, values []byte) error {
	if len(s.Cells) == 0 {
		return nil
	}
	values = values[:len(s.Cells)*s.Bytes]
	if err := d.catchUp(); err != nil {
		return err
	}
	if row(s.Cells) {
		return d.gpu.Upload(d.At(s.Array)+device.Address(int(s.Cells[0])*s.Bytes), values)
	}
	at, err := d.room(scratchValues, int64(len(values)))
	if err != nil {
		return err
	}
	if err := d.gpu.Upload(at, values); err != nil {
		return err
	}
	var m moves
	m.add(at, d.At(s.Array), s.Bytes, len(s.Cells), nil, s.Cells)
	return d.moveNow(&m)
}

// Reaches tells whether Inherit can read the memory of a rank's device of this process.
func (d *Device) Reaches(from solver.Device) bool {
	other, ok := from.(*Device)
	return ok && len(other.arrays) == len(d.arrays) && d.gpu.Sees(other.gpu)
}

// Inherit copies the values of rows of cells from GPU to GPU, array after array.
func (d *Device) Inherit(from solver.Device, rows []solver.Row) error {
	if len(rows) == 0 {
		return nil
	}
	other := from.(*Device)
	for a := range d.arrays {
		var m moves
		bytes := d.arrays[a].bytes
		for _, r := range rows {
			m.add(other.At(int32(a))+device.Address(int(r.From)*bytes), d.At(int32(a))+device.Address(int(r.To)*bytes), bytes, int(r.Count), nil, nil)
		}
		if err := d.moveNow(&m); err != nil {
			return err
		}
	}
	return d.gpu.Synchronize()
}

// moveNow moves values on the main queue.
func (d *Device) moveNow(m *moves) error {
	list, err := d.room(scratchMoves, device.SizeOf(m.list))
	if err != nil {
		return err
	}
	places, err := d.room(scratchPlaces, max(8, device.SizeOf(m.places)))
	if err != nil {
		return err
	}
	if err := d.gpu.Upload(list, device.BytesOf(m.list)); err != nil {
		return err
	}
	if len(m.places) > 0 {
		if err := d.gpu.Upload(places, device.BytesOf(m.places)); err != nil {
			return err
		}
	}
	return d.gpu.Launch(device.MainQueue, d.move, m.launch(list, places))
}
