package cuda

import (
	"bytes"
	"encoding/gob"
	"fmt"
	"slices"

	"carina/solver"
	"carina/solver/cuda/device"
	"carina/solver/transport"
)

// connection is another rank on a GPU with which this one exchanges.
type connection struct {
	rank int
	// direct tells that each writes to the other's memory, which lies at memory here.
	direct, opened bool
	memory         device.Address
	mine, theirs   offer
	next           int // of the exchanges
}

// offer is what a rank tells another one: its memory, how far behind the beginning
// arrays lie, and the exchanges of the two in order.
type offer struct {
	Memory    Offer
	Arrays    []int64
	Exchanges []exchangeOffer
}

// exchangeOffer is what a rank takes and gives in an exchange, by local cells, and the
// flag that the other sets in its memory.
type exchangeOffer struct {
	Flag       int64
	Give, Take []int32
}

// link is an exchange on the device: what is moved to messages and to other GPUs, and
// what from messages.
type link struct {
	out, in            device.Launch
	handshake          device.Launch
	count              uint32 // of handshakes
	messages           []transport.Message
	send, receive      []byte
	outgoing, incoming device.Address
}

var (
	_ solver.Linker    = (*Device)(nil)
	_ solver.Inspector = (*Device)(nil)
	_ solver.Heir      = (*Device)(nil)
	_ solver.Stopwatch = (*Device)(nil)
	_ solver.Limited   = (*Device)(nil)
)

// Kind is that of all GPUs whose values lie in arrays.
func (d *Device) Kind() string { return "GPU with arrays" }

// Link prepares exchanges, together with the other ranks on GPUs. Two exchange directly
// where both reach the other's memory.
func (d *Device) Link(t transport.Transport, alike func(rank int) bool, list []*solver.Exchange) error {
	flags := make([]int64, len(list)) // of an exchange's first message
	next := int64(0)
	for k, x := range list {
		flags[k] = d.memoryBytes + next*HandshakeFlagBytes
		if x.Asks || alike == nil {
			continue
		}
		for i := range x.Messages {
			if alike(x.Messages[i].Peer) {
				c := d.connection(x.Messages[i].Peer)
				c.mine.Exchanges = append(c.mine.Exchanges, exchangeOffer{flags[k] + int64(i)*HandshakeFlagBytes, cellsOf(x.Give[i]), cellsOf(x.Take[i])})
			}
		}
		next += int64(len(x.Messages))
	}
	slices.SortFunc(d.connections, func(a, b *connection) int { return a.rank - b.rank })
	failed := d.swapOffers(t)
	if next > flagRoom {
		failed = fmt.Errorf("rank %d exchanges %d times with others in a cycle, more than %d; use fewer ranks", t.Rank(), next, flagRoom)
	}
	if failed != nil {
		return failed
	}
	for k, x := range list {
		if x.Asks || len(x.Messages) == 0 {
			continue
		}
		if err := d.newLink(x, d.memory+device.Address(flags[k])); err != nil {
			return err
		}
	}
	return d.gpu.Synchronize()
}

// connection is that with a rank.
func (d *Device) connection(rank int) *connection {
	for _, c := range d.connections {
		if c.rank == rank {
			return c
		}
	}
	c := &connection{rank: rank}
	d.connections = append(d.connections, c)
	return c
}

// cellsOf lists the cells of segments.
func cellsOf(list []solver.Segment) (cells []int32) {
	for i := range list {
		cells = append(cells, list[i].Cells...)
	}
	return cells
}

// swapOffers tells the other ranks where they reach this one, and learns it of them. All
// go through all of it, whatever fails, since they wait for each other.
func (d *Device) swapOffers(t transport.Transport) (failed error) {
	if len(d.connections) == 0 {
		return nil
	}
	keep := func(err error) {
		if failed == nil {
			failed = err
		}
	}
	memory := NewOffer(d.gpu, d.number, d.memory)
	var offsets []int64
	for _, a := range d.arrays {
		offsets = append(offsets, a.offset)
	}
	var ranks []int
	var mine [][]byte
	for _, c := range d.connections {
		c.mine.Memory, c.mine.Arrays = memory, offsets
		var b bytes.Buffer
		keep(gob.NewEncoder(&b).Encode(&c.mine))
		c.mine = offer{}
		ranks, mine = append(ranks, c.rank), append(mine, b.Bytes())
	}
	theirs, err := Swap(t, ranks, mine)
	if err != nil {
		return fmt.Errorf("telling the other ranks where to reach this one: %w", err)
	}
	reached := make([]bool, len(ranks))
	for i, c := range d.connections {
		keep(gob.NewDecoder(bytes.NewReader(theirs[i])).Decode(&c.theirs))
		if d.exchange == Host {
			continue
		}
		c.memory, c.opened, err = c.theirs.Memory.Reach(d.gpu)
		if reached[i] = err == nil; err != nil && d.exchange == IPC {
			keep(fmt.Errorf("rank %d cannot be reached directly (%w); choose the exchange host", c.rank, err))
		}
	}
	if err := TellReached(t, ranks, reached); err != nil {
		return err
	}
	for i, c := range d.connections {
		c.direct = reached[i]
	}
	return failed
}

// linking is a link while it is made.
type linking struct {
	*link
	out, in              moves
	sendBytes, takeBytes int64
	sends, takes         []message
	remote               []uint64 // flags
	direct               int
}

// message is where one lies among others.
type message struct{ number, at, bytes int }

// newLink prepares an exchange; flags is where this rank's begin.
func (d *Device) newLink(x *solver.Exchange, flags device.Address) (err error) {
	l := linking{link: &link{}, remote: make([]uint64, len(x.Messages))}
	for i := range x.Messages {
		if c := d.connected(x.Messages[i].Peer); c != nil {
			o := &c.theirs.Exchanges[c.next]
			c.next++
			if c.direct {
				l.remote[i] = uint64(c.memory) + uint64(o.Flag)
				l.direct++
				if err := d.addDirect(&l.out, x.Give[i], c, o); err != nil {
					return err
				}
				continue
			}
		}
		l.sends = append(l.sends, message{i, int(l.sendBytes), bytesOf(x.Give[i])})
		l.takes = append(l.takes, message{i, int(l.takeBytes), bytesOf(x.Take[i])})
		const aligned = 8
		l.sendBytes += (int64(bytesOf(x.Give[i])) + aligned - 1) / aligned * aligned
		l.takeBytes += (int64(bytesOf(x.Take[i])) + aligned - 1) / aligned * aligned
	}
	if err := d.addMessages(&l, x); err != nil {
		return err
	}
	if l.link.out, err = d.prepare(&l.out); err != nil {
		return err
	}
	if l.link.in, err = d.prepare(&l.in); err != nil {
		return err
	}
	if l.direct > 0 {
		if d.handshake, err = d.gpu.Compile(HandshakeSource()); err != nil {
			return err
		}
		remote, err := d.Room(0, device.BytesOf(l.remote))
		if err != nil {
			return err
		}
		l.handshake = device.Launch{Blocks: 1, Threads: (len(l.remote) + 31) / 32 * 32,
			Arguments: device.Words(uint64(remote), uint64(flags), uint64(len(l.remote)), 0)}.Prepared()
	}
	d.links[x] = l.link
	return nil
}

// connected is the connection with a rank, nil if there is none.
func (d *Device) connected(rank int) *connection {
	i, ok := slices.BinarySearchFunc(d.connections, rank, func(c *connection, rank int) int { return c.rank - rank })
	if !ok {
		return nil
	}
	return d.connections[i]
}

// bytesOf is the size of the values of segments.
func bytesOf(list []solver.Segment) (n int) {
	for i := range list {
		n += len(list[i].Cells) * list[i].Bytes
	}
	return n
}

// addDirect adds what is written to another rank's memory.
func (d *Device) addDirect(m *moves, give []solver.Segment, c *connection, o *exchangeOffer) error {
	take := o.Take
	for i := range give {
		s := &give[i]
		if len(take) < len(s.Cells) || int(s.Array) >= len(c.theirs.Arrays) {
			return fmt.Errorf("rank %d takes other values than this one gives: the ranks disagree about their border", c.rank)
		}
		m.add(d.At(s.Array), c.memory+device.Address(c.theirs.Arrays[s.Array]), s.Bytes, len(s.Cells), s.Cells, take[:len(s.Cells)])
		take = take[len(s.Cells):]
	}
	return nil
}

// addMessages makes room for messages and adds what is moved to and from them.
func (d *Device) addMessages(l *linking, x *solver.Exchange) (err error) {
	if len(l.sends) == 0 {
		return nil
	}
	if l.outgoing, err = d.Room(l.sendBytes, nil); err != nil {
		return err
	}
	if l.incoming, err = d.Room(l.takeBytes, nil); err != nil {
		return err
	}
	if l.send, err = d.pin(l.sendBytes); err != nil {
		return err
	}
	if l.receive, err = d.pin(l.takeBytes); err != nil {
		return err
	}
	for k, s := range l.sends {
		t := l.takes[k]
		m := &x.Messages[s.number]
		m.Send, m.Receive = l.send[s.at:][:s.bytes], l.receive[t.at:][:t.bytes]
		l.messages = append(l.messages, *m)
		at := l.outgoing + device.Address(s.at)
		for i := range x.Give[s.number] {
			g := &x.Give[s.number][i]
			l.out.add(d.At(g.Array), at, g.Bytes, len(g.Cells), g.Cells, nil)
			at += device.Address(len(g.Cells) * g.Bytes)
		}
		at = l.incoming + device.Address(t.at)
		for i := range x.Take[s.number] {
			g := &x.Take[s.number][i]
			l.in.add(at, d.At(g.Array), g.Bytes, len(g.Cells), nil, g.Cells)
			at += device.Address(len(g.Cells) * g.Bytes)
		}
	}
	return nil
}

// pin returns memory of the host that is given back with the device.
func (d *Device) pin(bytes int64) ([]byte, error) {
	m, err := d.gpu.Pin(max(bytes, 8))
	if err == nil {
		d.pinned = append(d.pinned, m)
	}
	return m, err
}

// prepare uploads moves.
func (d *Device) prepare(m *moves) (device.Launch, error) {
	if len(m.list) == 0 {
		return device.Launch{}, nil
	}
	list, err := d.Room(0, device.BytesOf(m.list))
	if err != nil {
		return device.Launch{}, err
	}
	places, err := d.Room(0, device.BytesOf(m.places))
	return m.launch(list, places).Prepared(), err
}
