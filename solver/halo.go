package solver

import (
	"cmp"
	"slices"
	"unsafe"

	"carina/internal/crash"
	"carina/solver/lattice"
	"carina/solver/transport"
)

// location is slot p of a cell.
type location struct {
	cell int32
	p    uint8
}

// peer is a rank that shares a border with this one.
type peer struct {
	rank int
	// borrowed are slots of the peer's cells, kept in ghosts, that updates of
	// own cells touch in odd steps. After an even step they come from the
	// peer; after an odd step they return.
	borrowed []location
	// lent are slots of own cells that the peer borrows. Both ranks list them
	// in the same order: by population, then by global cell number.
	lent []location
}

// findPeers makes the lists of crossing populations from the pairs of
// neighbouring cells on different ranks.
func (b *layoutBuilder) findPeers() {
	byPeer := func(a, b crossingPair) int {
		return cmp.Or(cmp.Compare(a.peer, b.peer), cmp.Compare(a.p, b.p), cmp.Compare(a.globalGhosts, b.globalGhosts))
	}
	slices.SortFunc(b.pairs, byPeer)
	for _, c := range b.pairs {
		if n := len(b.peers); n == 0 || b.peers[n-1].rank != int(c.peer) {
			b.peers = append(b.peers, peer{rank: int(c.peer)})
		}
		p := &b.peers[len(b.peers)-1]
		p.borrowed = append(p.borrowed, location{c.ghost, c.p})
	}
	// Seen from the peer, the same pair reaches from its cell to ours against p.
	for i := range b.pairs {
		b.pairs[i].p = uint8(lattice.Opposite(int(b.pairs[i].p)))
	}
	slices.SortFunc(b.pairs, func(a, b crossingPair) int {
		return cmp.Or(cmp.Compare(a.peer, b.peer), cmp.Compare(a.p, b.p), cmp.Compare(a.globalCell, b.globalCell))
	})
	next := 0
	for i := range b.peers {
		p := &b.peers[i]
		for range p.borrowed {
			p.lent = append(p.lent, location{b.pairs[next].cell, b.pairs[next].p})
			next++
		}
	}
}

// halo exchanges crossing populations on a goroutine of its own while the
// interior is computed.
type halo struct {
	peers     []peer
	state     state
	transport transport.Transport
	messages  []transport.Message
	start     chan bool // odd
	done      chan error
}

func newHalo(peers []peer, s state, t transport.Transport) *halo {
	h := &halo{peers: peers, state: s, transport: t}
	if len(peers) == 0 {
		return h
	}
	for i := range peers {
		size := len(peers[i].lent) * s.bytesPerValue()
		h.messages = append(h.messages, transport.Message{Peer: peers[i].rank, Send: newMessage(size), Receive: newMessage(size)})
	}
	h.start, h.done = make(chan bool, 1), make(chan error, 1)
	go func() {
		defer crash.Guard()
		for odd := range h.start {
			h.done <- h.exchange(odd)
		}
	}()
	return h
}

// newMessage returns memory aligned for any population.
func newMessage(size int) []byte {
	words := make([]uint64, (size+7)/8)
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), size)
}

// begin starts the exchange that belongs after a step.
func (h *halo) begin(odd bool) {
	if h.start != nil {
		h.start <- odd
	}
}

// finish waits for the exchange begun last.
func (h *halo) finish() error {
	if h.start == nil {
		return nil
	}
	return <-h.done
}

func (h *halo) close() {
	if h.start != nil {
		close(h.start)
	}
}

// exchange gives the owners of borrowed slots what belongs to them after an
// odd step, and the borrowers what they need after an even one. The slots
// concerned are touched by no interior cell in the step at hand.
func (h *halo) exchange(odd bool) error {
	for i := range h.peers {
		if odd {
			h.state.pack(h.peers[i].borrowed, h.messages[i].Send)
		} else {
			h.state.pack(h.peers[i].lent, h.messages[i].Send)
		}
	}
	if err := h.transport.Exchange(h.messages); err != nil {
		return err
	}
	for i := range h.peers {
		if odd {
			h.state.unpack(h.peers[i].lent, h.messages[i].Receive)
		} else {
			h.state.unpack(h.peers[i].borrowed, h.messages[i].Receive)
		}
	}
	return nil
}
