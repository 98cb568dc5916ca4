package solver

import "carina/solver/transport"

// Device keeps the values of a rank's cells and works on them. Values are in
// arrays, one for each value of a field, by local cell: own ones and ghosts.
type Device interface {
	// Unit is the side of the cubes of cells that have one owner; 1 where every
	// cell may have its own.
	Unit() int32
	// Allocate makes room for the fields of all cells of a layout, all zero.
	Allocate(l *Layout, fields []Field) error
	// Run does work on a side of a phase. Later calls may use its outcome, and so may
	// others after Wait.
	Run(w Work, s Side) error
	// Wait waits for all that was begun.
	Wait() error
	// Begin starts exchanges, one after the other, of what the border has left or, if
	// they are late, all blocks; End waits for them.
	Begin(list []*Exchange, late bool) error
	End() error
	// Read copies values out of memory, Write into it: as many as the segment has
	// cells, one after the other.
	Read(s *Segment, values []byte) error
	Write(s *Segment, values []byte) error
	// Bytes is the memory held.
	Bytes() int64
	// Close ends what runs.
	Close()
}

// Side is some of a rank's cells: those at the border of a phase, or the others.
type Side struct {
	Border bool
	Blocks []Block
}

// Peer is a device that exchanges what crosses with others of its kind in a way of
// their own: the engine exchanges with unlike ones alone.
type Peer interface {
	// Kind tells the kinds apart.
	Kind() string
	// Join makes the ways to the other ranks of the same kind, which do so together;
	// alike tells which they are, and is nil where there is one rank.
	Join(t transport.Transport, alike func(rank int) bool) error
	// Swap exchanges what the last step has left for ranks of the same kind.
	Swap() error
}

// Linker is a device that prepares the exchanges of steps itself, together with others
// of its kind.
type Linker interface {
	// Kind tells the kinds apart.
	Kind() string
	// Link prepares exchanges, each of which it is given once, in the same order on all
	// ranks that have messages in it. Ranks of its kind call it together; alike tells
	// which they are, and is nil where there is one rank.
	Link(t transport.Transport, alike func(rank int) bool, list []*Exchange) error
}

// Inspector is a device that looks for values that make no sense itself: one that does
// not work on blocks of cells as processors do.
type Inspector interface {
	// AllFinite tells whether the values of arrays of floats are finite numbers in all
	// own cells.
	AllFinite(arrays []int32) (bool, error)
}

// Stopwatch is a device that computes beside the host, whose clock does not tell for how
// long.
type Stopwatch interface {
	// Start lets so many of the next steps be timed.
	Start(steps int)
	// Next tells that a step begins.
	Next() error
	// Stop returns the seconds of a step that the device computed and did not wait for
	// others, of those that were timed since Start; 0 where none was. The device has done
	// all that was begun.
	Stop() (seconds float64, err error)
}

// Limited is a device with a memory of its own that fields may fill.
type Limited interface {
	// Spare is how much more it may hold, in bytes.
	Spare() (int64, error)
}

// Segment is values of one array, of so many bytes each.
type Segment struct {
	Array int32
	Bytes int
	Cells []int32
	// Memory, if not nil, is used in place of an array: cells are places there.
	Memory []byte
}

// Exchange is what goes to and comes from other ranks at once. Messages hold
// their segments one after the other.
type Exchange struct {
	// Peer, if not nil, exchanges with ranks of its kind; there are no messages.
	Peer       Peer
	Transport  transport.Transport
	Messages   []transport.Message
	Give, Take [][]Segment // by message
	// Asks tells that what comes is asked for, and goes to memory of kernels.
	Asks bool
}

// Run exchanges, reading and writing values by a device.
func (x *Exchange) Run(d Device) error {
	if x.Peer != nil {
		return x.Peer.Swap()
	}
	for i := range x.Messages {
		message := x.Messages[i].Send
		for k := range x.Give[i] {
			s := &x.Give[i][k]
			n := len(s.Cells) * s.Bytes
			if err := d.Read(s, message[:n]); err != nil {
				return err
			}
			message = message[n:]
		}
	}
	if err := x.Transport.Exchange(x.Messages); err != nil {
		return err
	}
	for i := range x.Messages {
		message := x.Messages[i].Receive
		for k := range x.Take[i] {
			s := &x.Take[i][k]
			n := len(s.Cells) * s.Bytes
			if s.Memory != nil {
				s.fill(message[:n])
			} else if err := d.Write(s, message[:n]); err != nil {
				return err
			}
			message = message[n:]
		}
	}
	return nil
}

// fill puts values into memory.
func (s *Segment) fill(values []byte) {
	for i, place := range s.Cells {
		copy(s.Memory[int(place)*s.Bytes:][:s.Bytes], values[i*s.Bytes:])
	}
}

// reversed is the same the other way round, in the same memory.
func (x *Exchange) reversed() *Exchange {
	y := &Exchange{Transport: x.Transport, Give: x.Take, Take: x.Give}
	for _, m := range x.Messages {
		y.Messages = append(y.Messages, transport.Message{Peer: m.Peer, Send: m.Receive, Receive: m.Send})
	}
	return y
}

// bytes is the memory held.
func (x *Exchange) bytes() (n int64) {
	for i, m := range x.Messages {
		n += int64(len(m.Send) + len(m.Receive))
		for _, list := range [][]Segment{x.Give[i], x.Take[i]} {
			for _, s := range list {
				n += 4 * int64(cap(s.Cells))
			}
		}
	}
	return n
}
