package solver

import (
	"encoding/binary"
	"fmt"
	"sync"
	"sync/atomic"
	"unsafe"

	"carina/solver/transport"
)

// Row is cells in a row: their local numbers on the old and on the new rank.
type Row struct{ From, To, Count int32 }

// Heir is a device that takes over cells from other devices of this process faster than
// value by value: what stays with its rank and what comes from other ranks.
type Heir interface {
	// Reaches tells whether it can take over cells of another device.
	Reaches(from Device) bool
	// Inherit copies the values of all arrays in rows of cells out of the memory of
	// another device, for which nobody waits and which nobody changes.
	Inherit(from Device, rows []Row) error
}

// SameOwners tells whether all cells have the same owners in two domains of a grid.
func SameOwners(a, b *Domain) bool {
	if len(a.Segments) == len(b.Segments) && len(a.Segments) > 0 && &a.Segments[0] == &b.Segments[0] && len(a.Owners) == len(b.Owners) {
		same := true
		for i := range a.Owners {
			same = same && a.Owners[i] == b.Owners[i]
		}
		if same {
			return true
		}
	}
	those, others := a.AllSegments(), b.AllSegments()
	if len(those) == 0 || len(others) == 0 {
		return false
	}
	// What is left of a segment of each begins at the same cell.
	s, t := those[0], others[0]
	for i, k := 0, 0; ; {
		p, err := a.Owner(s)
		q, other := b.Owner(t)
		if s.Y != t.Y || s.Z != t.Z || s.X0 != t.X0 || p != q || err != nil || other != nil {
			return false // or segments are in other orders
		}
		end := min(s.X1, t.X1)
		s.X0, t.X0 = end, end
		if s.X0 == s.X1 {
			if i++; i < len(those) {
				s = those[i]
			}
		}
		if t.X0 == t.X1 {
			if k++; k < len(others) {
				t = others[k]
			}
		}
		if i == len(those) || k == len(others) {
			return i == len(those) && k == len(others)
		}
	}
}

// SameOwners tells whether no cell of any rank would move to another. Call it on all
// ranks.
func (r *Rank) SameOwners(domain *Domain) (bool, error) {
	same := []int64{0}
	if SameOwners(r.layout.Domain, domain) {
		same[0] = 1
	}
	if err := r.transport.Reduce(transport.Min, same); err != nil {
		return false, fmt.Errorf("comparing owners: %w", err)
	}
	return same[0] == 1, nil
}

// staying lists the rows of cells that two layouts of a rank have both.
func staying(before, after *Layout) (rows []Row) {
	ends := func(p *Piece) int64 { return p.Global + int64(p.Cells()) }
	a, b := before.Pieces, after.Pieces
	i, k := 0, 0
	for i < len(a) && k < len(b) {
		p, q := &a[i], &b[k]
		first, end := max(p.Global, q.Global), min(ends(p), ends(q))
		if first < end {
			row := Row{p.Local + int32(first-p.Global), q.Local + int32(first-q.Global), int32(end - first)}
			if n := len(rows); n > 0 && rows[n-1].From+rows[n-1].Count == row.From && rows[n-1].To+rows[n-1].Count == row.To {
				rows[n-1].Count += row.Count
			} else {
				rows = append(rows, row)
			}
		}
		if ends(p) == end {
			i++
		}
		if ends(q) == end {
			k++
		}
	}
	return rows
}

// locals lists the local numbers of cells by the other ranks that they go to or come from.
func (l *Layout) locals(cells []part) map[int][]int32 {
	by, count := map[int][]int32{}, map[int32]int64{}
	for _, c := range cells {
		count[c.rank] += c.Count
	}
	for _, c := range cells {
		if c.rank == l.Rank {
			continue
		}
		list := by[int(c.rank)]
		if list == nil {
			list = make([]int32, 0, count[c.rank])
		}
		for global, end := c.First, c.First+c.Count; global < end; {
			p := holding(l.Pieces, global)
			for ; global < min(end, p.Global+int64(p.Cells())); global++ {
				list = append(list, p.Local+int32(global-p.Global))
			}
		}
		by[int(c.rank)] = list
	}
	return by
}

// values gives the new rank the values of all arrays in its cells as they lie in
// memory: what stays is copied there, and what moves goes straight to its new owner, which
// takes it itself where it reaches the memory.
// Between steps all that the next one reads lies in its cell, or is fetched from there.
func (m *mover) values() error {
	rows := staying(m.from.layout, m.to.layout)
	if err := m.from.wait(); err != nil {
		return err
	}
	heir, ok := m.to.device.(Heir)
	var err error
	if ok && heir.Reaches(m.from.device) {
		err = heir.Inherit(m.from.device, rows)
	} else {
		err = m.copyRows(rows)
	}
	if err != nil {
		return err
	}
	gives, takes := m.from.layout.locals(m.leaving), m.to.layout.locals(m.coming)
	sources, reached, err := m.meet(func(from *Rank) bool { return ok && heir.Reaches(from.device) })
	if err != nil {
		return err
	}
	size := 0
	for _, kind := range m.from.kinds {
		size += kind.Bytes()
	}
	var messages []transport.Message
	for i, peer := range m.peers {
		message := transport.Message{Peer: peer}
		if sources[i] != nil {
			message.Receive = newMessage([]Segment{{Bytes: cellBytes, Cells: takes[peer]}})
		} else {
			message.Receive = make([]byte, len(takes[peer])*size)
		}
		if reached[i] {
			message.Send = unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(gives[peer]))), len(gives[peer])*cellBytes)
		} else {
			message.Send = make([]byte, len(gives[peer])*size)
			if err := m.from.pack(gives[peer], message.Send, true); err != nil {
				return err
			}
		}
		messages = append(messages, message)
	}
	if err := m.from.transport.Exchange(messages); err != nil {
		return err
	}
	for i, message := range messages {
		cells := takes[message.Peer]
		if sources[i] == nil {
			if err := m.to.pack(cells, message.Receive, false); err != nil {
				return err
			}
			continue
		}
		from := unsafe.Slice((*int32)(unsafe.Pointer(unsafe.SliceData(message.Receive))), len(cells))
		if err := heir.Inherit(sources[i].device, rowsOf(from, cells)); err != nil {
			return err
		}
	}
	return nil
}

const cellBytes = 4 // of a local number

// rowsOf joins cells that follow each other on both ranks.
func rowsOf(from, to []int32) (rows []Row) {
	for i := range from {
		if n := len(rows); n > 0 && rows[n-1].From+rows[n-1].Count == from[i] && rows[n-1].To+rows[n-1].Count == to[i] {
			rows[n-1].Count++
		} else {
			rows = append(rows, Row{from[i], to[i], 1})
		}
	}
	return rows
}

// leavers are the ranks of this process that cells leave, by a number.
var leavers struct {
	next  atomic.Int64
	ranks sync.Map
}

// meet tells the peers of this process, which do the same, of the rank that cells leave, and
// returns theirs where this rank reaches it and takes cells from there itself, nil
// elsewhere, and which peers do so here. Until all ranks have agreed on the move all stay
// as they are.
func (m *mover) meet(reaches func(from *Rank) bool) (sources []*Rank, reached []bool, err error) {
	sources, reached = make([]*Rank, len(m.peers)), make([]bool, len(m.peers))
	if _, local := m.from.transport.(*transport.Local); !local {
		return sources, reached, nil
	}
	number := leavers.next.Add(1)
	leavers.ranks.Store(number, m.from)
	defer leavers.ranks.Delete(number)
	// Each tells its number, and then whether it reaches the other.
	tellPeers := func(mine func(i int) int64) ([]int64, error) {
		var messages []transport.Message
		theirs := make([]int64, len(m.peers))
		for i, peer := range m.peers {
			messages = append(messages, transport.Message{Peer: peer, Send: binary.NativeEndian.AppendUint64(nil, uint64(mine(i))), Receive: make([]byte, 8)})
		}
		err := m.from.transport.Exchange(messages)
		for i := range messages {
			theirs[i] = int64(binary.NativeEndian.Uint64(messages[i].Receive))
		}
		return theirs, err
	}
	numbers, err := tellPeers(func(int) int64 { return number })
	if err != nil {
		return nil, nil, err
	}
	theirs, err := tellPeers(func(i int) int64 {
		from, found := leavers.ranks.Load(numbers[i])
		if !found || !reaches(from.(*Rank)) {
			return 0
		}
		sources[i] = from.(*Rank)
		return 1
	})
	for i := range theirs {
		reached[i] = theirs[i] == 1
	}
	return sources, reached, err
}

// pack moves the values of all arrays of cells into a message, or out of it.
func (r *Rank) pack(cells []int32, message []byte, into bool) error {
	room := newMessage([]Segment{{Bytes: 8, Cells: cells}}) // aligned for any value
	for array, kind := range r.kinds {
		s := Segment{Array: int32(array), Bytes: kind.Bytes(), Cells: cells}
		values, part := room[:len(cells)*s.Bytes], message[:len(cells)*s.Bytes]
		message = message[len(part):]
		if into {
			if err := r.device.Read(&s, values); err != nil {
				return err
			}
			copy(part, values)
			continue
		}
		copy(values, part)
		if err := r.device.Write(&s, values); err != nil {
			return err
		}
	}
	return nil
}

// copyRows copies what stays by reading and writing.
func (m *mover) copyRows(rows []Row) error {
	var from, to [recordCells]int32
	n := 0
	buffer := newMessage([]Segment{{Bytes: 8, Cells: from[:]}})
	flush := func() error {
		for array, kind := range m.from.kinds {
			values := buffer[:n*kind.Bytes()]
			if err := m.from.device.Read(&Segment{Array: int32(array), Bytes: kind.Bytes(), Cells: from[:n]}, values); err != nil {
				return err
			}
			if err := m.to.device.Write(&Segment{Array: int32(array), Bytes: kind.Bytes(), Cells: to[:n]}, values); err != nil {
				return err
			}
		}
		n = 0
		return nil
	}
	for _, row := range rows {
		for i := range row.Count {
			from[n], to[n] = row.From+i, row.To+i
			if n++; n == recordCells {
				if err := flush(); err != nil {
					return err
				}
			}
		}
	}
	return flush()
}
