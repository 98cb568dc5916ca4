package solver

import (
	"cmp"
	"fmt"
	"slices"

	"carina/solver/saved"
	"carina/solver/transport"
)

// Move gives cells to other owners, after any step, and returns the rank that
// goes on with device, whose fields it allocates; the rank itself is closed. The
// domain is the same but for owners. Call it on all ranks. If it fails, the rank is
// as it was.
func (r *Rank) Move(domain *Domain, physics Together, device Device) (*Rank, error) {
	q, err := NewRank(domain, physics, device, r.transport, r.options)
	if err != nil {
		return nil, fmt.Errorf("moving cells: %w", err)
	}
	if err := r.moveTo(q); err != nil {
		q.Close()
		return nil, fmt.Errorf("moving cells: %w", err)
	}
	r.Close()
	return q, nil
}

// moveTo gives all ranks q the states of their cells.
func (r *Rank) moveTo(q *Rank) error {
	own, err := r.SaveState()
	if err := transport.Agree(r.transport, err); err != nil {
		return err
	}
	m := mover{from: r, to: q, own: own}
	received, err := m.exchange()
	if err != nil {
		return err
	}
	return q.LoadState(received)
}

// mover exchanges records between old and new owners.
type mover struct {
	from, to *Rank
	own      *State
}

// part is cells in a row that leave one owner for another.
type part struct {
	rank int32
	CellRange
}

// parts cuts cells by those of other pieces with their owners.
func parts(own []CellRange, others []Piece) (list []part) {
	at := 0
	for _, c := range own {
		for first, end := c.First, c.First+c.Count; first < end; {
			for others[at].Global+int64(others[at].Cells()) <= first {
				at++
			}
			last := min(end, others[at].Global+int64(others[at].Cells()))
			list = append(list, part{others[at].Owner, CellRange{First: first, Count: last - first}})
			first = last
		}
	}
	return list
}

// ranges lists the cells of pieces.
func ranges(pieces []Piece) (list []CellRange) {
	for i := range pieces {
		list = append(list, CellRange{First: pieces[i].Global, Count: int64(pieces[i].Cells())})
	}
	return list
}

// exchange returns the states of the cells that this rank will have, by where they
// come from.
func (m *mover) exchange() ([]*State, error) {
	before, err := m.from.layout.Domain.Pieces(false)
	if err != nil {
		return nil, err
	}
	after, err := m.to.layout.Domain.Pieces(false)
	if err != nil {
		return nil, err
	}
	size := m.from.transport.Size()
	outgoing, incoming := make([]*State, size), make([]*State, size)
	source := saved.NewRecordSource([]*State{m.own})
	for _, p := range parts(m.own.Cells, after) {
		s := stateOf(outgoing, p.rank, m.own)
		n := len(s.Records)
		s.Records = append(s.Records, make([]byte, int(p.Count)*s.RecordBytes)...)
		source.Read(p.First, s.Records[n:], s.RecordBytes)
		s.Cells = append(s.Cells, p.CellRange)
	}
	for _, p := range parts(ranges(m.to.layout.Pieces), before) {
		s := stateOf(incoming, p.rank, m.own)
		s.Records = append(s.Records, make([]byte, int(p.Count)*s.RecordBytes)...)
		s.Cells = append(s.Cells, p.CellRange)
	}
	me := m.from.transport.Rank()
	var messages []transport.Message
	var received []*State
	for peer := range size {
		out, in := outgoing[peer], incoming[peer]
		if in != nil {
			received = append(received, in)
		}
		if peer == me {
			if in != nil {
				in.Records = out.Records
			}
			continue
		}
		if out == nil && in == nil {
			continue
		}
		message := transport.Message{Peer: peer}
		if out != nil {
			message.Send = out.Records
		}
		if in != nil {
			message.Receive = in.Records
		}
		messages = append(messages, message)
	}
	if err := m.from.transport.Exchange(messages); err != nil {
		return nil, err
	}
	if len(received) == 0 {
		received = []*State{{Steps: m.own.Steps, Global: m.own.Global, RecordBytes: m.own.RecordBytes, Lots: make([]Lots, len(m.own.Lots))}}
	}
	return received, m.shareLots(received[0])
}

// stateOf is the state for or from a rank.
func stateOf(list []*State, rank int32, own *State) *State {
	if list[rank] == nil {
		list[rank] = &State{Steps: own.Steps, Global: own.Global, RecordBytes: own.RecordBytes, Lots: make([]Lots, len(own.Lots))}
	}
	return list[rank]
}

// shareLots gives a state the lots of all ranks, which are few.
func (m *mover) shareLots(into *State) error {
	for k := range m.own.Lots {
		own := m.own.Lots[k]
		each := 0
		if len(own.Cells) > 0 {
			each = len(own.Numbers) / len(own.Cells)
		}
		counts := make([]int64, m.from.transport.Size()+1)
		counts[m.from.transport.Rank()] = int64(len(own.Cells))
		if err := m.from.transport.Reduce(transport.Sum, counts); err != nil {
			return err
		}
		perCell := []int64{int64(each)}
		if err := m.from.transport.Reduce(transport.Max, perCell); err != nil {
			return err
		}
		if err := m.gatherLots(&into.Lots[k], own, counts, int(perCell[0])); err != nil {
			return err
		}
	}
	return nil
}

// gatherLots collects lots, given how many every rank has.
func (m *mover) gatherLots(into *Lots, own Lots, counts []int64, each int) error {
	var total, before int64
	for rank, n := range counts {
		if rank < m.from.transport.Rank() {
			before += n
		}
		total += n
	}
	words := make([]int64, total*int64(1+each))
	for i, c := range own.Cells {
		at := (before + int64(i)) * int64(1+each)
		words[at] = c
		for j := range each {
			words[at+1+int64(j)] = floatBits(own.Numbers[i*each+j])
		}
	}
	if err := m.from.transport.Reduce(transport.Sum, words); err != nil {
		return err
	}
	order := make([]int, total)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(words[a*(1+each)], words[b*(1+each)]) })
	for _, i := range order {
		at := i * (1 + each)
		into.Cells = append(into.Cells, words[at])
		for _, w := range words[at+1 : at+1+each] {
			into.Numbers = append(into.Numbers, floatOf(w))
		}
	}
	return nil
}
