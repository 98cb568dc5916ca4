package solver

import (
	"fmt"
	"maps"
	"slices"
	"sort"

	"carina/solver/saved"
	"carina/solver/transport"
)

// Move gives cells to other owners, after any step, and returns the rank that
// goes on with device, whose fields it allocates; the rank itself is closed. The
// domain is the same but for owners. Call it on all ranks. If it fails, the rank is
// as it was, unless the device of one is too small for the fields of before and after at
// once: then all go by the host's memory, and the rank is closed before.
func (r *Rank) Move(domain *Domain, physics Together, device Device) (*Rank, error) {
	return r.move(domain, nil, physics, device)
}

// move is Move, with what was prepared for it or nil.
func (r *Rank) move(domain *Domain, prepared *Prepared, physics Together, device Device) (*Rank, error) {
	short, err := r.isShort(domain, prepared)
	if err == nil && short {
		q, err := r.moveByHost(domain, physics, device)
		if err != nil {
			return nil, fmt.Errorf("moving cells by the host's memory: %w", err)
		}
		return q, nil
	}
	if err != nil {
		device.Close()
		return nil, fmt.Errorf("moving cells: %w", err)
	}
	q, err := newRank(domain, prepared, physics, device, r.transport, r.options)
	if err != nil {
		return nil, fmt.Errorf("moving cells: %w", err)
	}
	if err := r.moveTo(q, prepared); err != nil {
		q.Close()
		return nil, fmt.Errorf("moving cells: %w", err)
	}
	q.timing = r.timing
	r.Close()
	return q, nil
}

// moveTo gives all ranks q the states of their cells: as they lie in memory, where all
// devices have them by cell, from record kernel to record kernel, and as records elsewhere.
func (r *Rank) moveTo(q *Rank, prepared *Prepared) error {
	m := mover{from: r, to: q}
	plain := []int64{1}
	if r.recordKernel != nil || q.recordKernel != nil {
		plain[0] = 0
	}
	if err := r.transport.Reduce(transport.Min, plain); err != nil {
		return err
	}
	var err error
	m.own, err = r.saveKept()
	if err := transport.Agree(r.transport, err); err != nil {
		return err
	}
	if prepared != nil {
		m.lists = prepared.lists
		m.findPeers()
	} else if err := m.cut(q.layout.Ranges(), q.layout.Domain); err != nil {
		return err
	}
	received, err := m.exchange()
	if err != nil {
		return err
	}
	if plain[0] == 0 {
		return m.records(received)
	}
	if err := m.values(); err != nil {
		return err
	}
	if err := transport.Agree(r.transport, q.loadKept(received)); err != nil {
		return err
	}
	return q.fetch(nil)
}

// mover exchanges states between old and new owners.
type mover struct {
	from, to *Rank
	own      *State // but for the records
	lists
	peers []int // the other ranks in them
}

// lists are cells that a rank has, and will have, by who has them after and before.
type lists struct{ leaving, coming []part }

// part is cells in a row that leave one owner for another.
type part struct {
	rank int32
	CellRange
}

// parts cuts cells, by ascending number, by their owners in a domain.
func parts(own []CellRange, d *Domain) (list []part, err error) {
	err = d.eachPiece(false, func(p *Piece) {
		end := p.Global + int64(p.Cells())
		for len(own) > 0 && own[0].First < end {
			first, last := max(own[0].First, p.Global), min(own[0].First+own[0].Count, end)
			if n := len(list); n > 0 && list[n-1].rank == p.Owner && list[n-1].First+list[n-1].Count == first {
				list[n-1].Count += last - first
			} else {
				list = append(list, part{p.Owner, CellRange{First: first, Count: last - first}})
			}
			if last == end && last < own[0].First+own[0].Count {
				return
			}
			own = own[1:]
		}
	})
	return list, err
}

// ownerOf is the rank whose part has a cell, −1 if none has.
func ownerOf(list []part, cell int64) int32 {
	i := sort.Search(len(list), func(i int) bool { return list[i].First+list[i].Count > cell })
	if i == len(list) || list[i].First > cell {
		return -1
	}
	return list[i].rank
}

// cut lists the cells that change owner, given those that this rank will have.
func (m *mover) cut(cells []CellRange, after *Domain) (err error) {
	if m.leaving, err = parts(m.own.Cells, after); err != nil {
		return err
	}
	if m.coming, err = parts(cells, m.from.layout.Domain); err != nil {
		return err
	}
	m.findPeers()
	return nil
}

// findPeers lists the other ranks that cells go to or come from.
func (m *mover) findPeers() {
	for _, p := range slices.Concat(m.leaving, m.coming) {
		if int(p.rank) != m.from.transport.Rank() {
			m.peers = append(m.peers, int(p.rank))
		}
	}
	slices.Sort(m.peers)
	m.peers = slices.Compact(m.peers)
}

// exchange returns what is kept beside the records of the cells that this rank will have,
// by where they come from.
func (m *mover) exchange() ([]*State, error) {
	states := m.states(m.coming)
	for k, list := range m.own.Beside {
		for i, b := range list {
			all, err := m.swap(&m.lists, saved.NewSource(m.own.Cells, b.Values, b.Bytes, b.Every), b.Bytes, b.Every)
			if err != nil {
				return nil, err
			}
			for rank, s := range states {
				s.Beside[k][i].Values = all[rank]
			}
		}
	}
	var received []*State
	for _, rank := range slices.Sorted(maps.Keys(states)) {
		received = append(received, states[rank])
	}
	if len(received) == 0 {
		received = []*State{m.like()}
	}
	return received, m.swapSparse(received[0])
}

// states are of cells, by where they come from, still with nothing of them.
func (m *mover) states(coming []part) map[int32]*State {
	states := map[int32]*State{}
	for _, p := range coming {
		s := states[p.rank]
		if s == nil {
			s = m.like()
			states[p.rank] = s
		}
		s.Cells = append(s.Cells, p.CellRange)
	}
	return states
}

// like is the state of no cells after as many steps.
func (m *mover) like() *State {
	s := *m.own
	s.Cells, s.Records, s.Sparse, s.Beside = nil, nil, make([]Sparse, len(s.Sparse)), nil
	for _, list := range m.own.Beside {
		list = slices.Clone(list)
		for i := range list {
			list[i].Values = nil
		}
		s.Beside = append(s.Beside, list)
	}
	return &s
}

// swap gives the new owners of cells in lists their records out of a source, or what is
// kept of every n-th cell, and returns those of the cells that come, by their old owners.
func (m *mover) swap(l *lists, source *RecordSource, bytes int, n int64) (map[int32][]byte, error) {
	outgoing, incoming, leaving := map[int32][]byte{}, map[int32][]byte{}, map[int32]int{}
	for _, p := range l.leaving {
		leaving[p.rank] += int(p.Each(n).Count) * bytes
	}
	for rank, size := range leaving {
		outgoing[rank] = make([]byte, 0, size)
	}
	for _, p := range l.leaving {
		c := p.Each(n)
		at := len(outgoing[p.rank])
		outgoing[p.rank] = outgoing[p.rank][:at+int(c.Count)*bytes]
		source.Read(c.First, outgoing[p.rank][at:], bytes)
	}
	sizes := map[int32]int{}
	for _, p := range l.coming {
		sizes[p.rank] += int(p.Each(n).Count) * bytes
	}
	peers := slices.Collect(maps.Keys(outgoing))
	peers = slices.AppendSeq(peers, maps.Keys(sizes))
	slices.Sort(peers)
	t := m.from.transport
	var messages []transport.Message
	for _, peer := range slices.Compact(peers) {
		if int(peer) == t.Rank() {
			incoming[peer] = outgoing[peer]
			continue
		}
		incoming[peer] = make([]byte, sizes[peer])
		messages = append(messages, transport.Message{Peer: int(peer), Send: outgoing[peer], Receive: incoming[peer]})
	}
	return incoming, t.Exchange(messages)
}

// swapSparse gives the new owners of cells their sparse data, and a state those that come.
func (m *mover) swapSparse(into *State) error {
	outgoing := map[int][]int64{}
	for k, own := range m.own.Sparse {
		if len(own.Cells) == 0 {
			continue
		}
		each := len(own.Numbers) / len(own.Cells)
		for i, cell := range own.Cells {
			owner := int(ownerOf(m.leaving, cell))
			if owner < 0 {
				return ErrOtherState
			}
			words := append(outgoing[owner], int64(k), cell, int64(each))
			for _, v := range own.Numbers[i*each : (i+1)*each] {
				words = append(words, floatBits(v))
			}
			outgoing[owner] = words
		}
	}
	incoming, err := transport.Tell(m.from.transport, outgoing)
	if err != nil {
		return err
	}
	for _, rank := range slices.Sorted(maps.Keys(incoming)) {
		for words := incoming[rank]; len(words) > 0; {
			sparse, cell, each := &into.Sparse[words[0]], words[1], words[2]
			sparse.Cells = append(sparse.Cells, cell)
			for _, w := range words[3 : 3+each] {
				sparse.Numbers = append(sparse.Numbers, floatOf(w))
			}
			words = words[3+each:]
		}
	}
	return nil
}
