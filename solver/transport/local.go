package transport

import (
	"fmt"
	"sync"

	"carina/internal/quantity"
)

// Local connects ranks that are goroutines of one process.
type Local struct {
	rank int
	mesh *mesh
}

var _ Transport = (*Local)(nil)

// mesh is what the ranks of one process share.
type mesh struct {
	size int
	// channels has the ways between pairs of ranks, by from·size + to, that were
	// used: few of very many.
	channels map[int]channel

	stop  chan struct{}
	abort sync.Once
	cause error

	mu      sync.Mutex
	arrived int
	// sums are those of even and odd turns: the next turn may begin before all ranks
	// have read the last one's. Wake has a channel for every rank.
	sums [2][]int64
	turn int
	wake []chan struct{}
}

// channel carries messages one way between two ranks: the sender offers its
// slice and waits until the receiver has copied it.
type channel struct {
	offer chan []byte
	taken chan struct{}
}

// NewLocal returns the transports of size ranks of this process.
func NewLocal(size int) []*Local {
	m := &mesh{size: size, channels: map[int]channel{}, stop: make(chan struct{}), wake: make([]chan struct{}, size)}
	for i := range m.wake {
		m.wake[i] = make(chan struct{}, 1)
	}
	ranks := make([]*Local, size)
	for i := range ranks {
		ranks[i] = &Local{rank: i, mesh: m}
	}
	return ranks
}

// Rank is the number of this rank.
func (l *Local) Rank() int { return l.rank }

// Size is the number of ranks.
func (l *Local) Size() int { return l.mesh.size }

// Abort ends the waiting of all ranks.
func (l *Local) Abort(cause error) {
	l.mesh.abort.Do(func() {
		l.mesh.cause = fmt.Errorf("%w: %w", ErrAborted, cause)
		close(l.mesh.stop)
	})
}

// channel returns the way from one rank to another, made on first use.
func (m *mesh) channel(from, to int) channel {
	m.mu.Lock()
	defer m.mu.Unlock()
	l, used := m.channels[from*m.size+to]
	if !used {
		l = channel{make(chan []byte, 1), make(chan struct{}, 1)}
		m.channels[from*m.size+to] = l
	}
	return l
}

func (l *Local) offer(peer int, data []byte) error {
	select {
	case l.mesh.channel(l.rank, peer).offer <- data:
		return nil
	case <-l.mesh.stop:
		return l.mesh.cause
	}
}

func (l *Local) waitTaken(peer int) error {
	select {
	case <-l.mesh.channel(l.rank, peer).taken:
		return nil
	case <-l.mesh.stop:
		return l.mesh.cause
	}
}

// Receive copies the next message of peer into data.
func (l *Local) Receive(peer int, data []byte) error {
	way := l.mesh.channel(peer, l.rank)
	select {
	case sent := <-way.offer:
		if len(sent) != len(data) {
			return fmt.Errorf("rank %d expected %s from rank %d and got %d: the ranks disagree about their border",
				l.rank, quantity.Count(len(data), "byte"), peer, len(sent))
		}
		copy(data, sent)
		way.taken <- struct{}{}
		return nil
	case <-l.mesh.stop:
		return l.mesh.cause
	}
}

// Send gives data to peer and returns when it has been received.
func (l *Local) Send(peer int, data []byte) error {
	if err := l.offer(peer, data); err != nil {
		return err
	}
	return l.waitTaken(peer)
}

// Exchange sends and receives all messages.
func (l *Local) Exchange(messages []Message) error {
	for i := range messages {
		if len(messages[i].Send) == 0 {
			continue
		}
		if err := l.offer(messages[i].Peer, messages[i].Send); err != nil {
			return err
		}
	}
	for i := range messages {
		if len(messages[i].Receive) == 0 {
			continue
		}
		if err := l.Receive(messages[i].Peer, messages[i].Receive); err != nil {
			return err
		}
	}
	for i := range messages {
		if len(messages[i].Send) == 0 {
			continue
		}
		if err := l.waitTaken(messages[i].Peer); err != nil {
			return err
		}
	}
	return nil
}

// Reduce combines values over all ranks. It does not allocate once a number of
// values was combined before.
func (l *Local) Reduce(op Operation, values []int64) error {
	m := l.mesh
	m.mu.Lock()
	sums := &m.sums[m.turn%2]
	if m.arrived == 0 {
		*sums = append((*sums)[:0], values...)
	} else {
		combine(op, *sums, values)
	}
	m.arrived++
	last := m.arrived == m.size
	if last {
		m.arrived = 0
		m.turn++
		for rank, wake := range m.wake {
			if rank != l.rank {
				wake <- struct{}{}
			}
		}
	}
	m.mu.Unlock()
	if !last {
		select {
		case <-m.wake[l.rank]:
		case <-m.stop:
			return m.cause
		}
	}
	copy(values, *sums)
	return nil
}

func combine(op Operation, into, values []int64) {
	for i, v := range values {
		switch op {
		case Sum:
			into[i] += v
		case Min:
			into[i] = min(into[i], v)
		case Max:
			into[i] = max(into[i], v)
		}
	}
}
