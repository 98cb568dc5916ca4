package solver

import (
	"fmt"
	"maps"
	"slices"

	"carina/solver/saved"
	"carina/solver/transport"
)

// mostOfRoom is the part of a device's memory that the fields of a move may take by what
// those of before take for each cell; borders differ.
const mostOfRoom = 0.9

// isShort tells, alike on all ranks, whether the device of one cannot hold what it has and
// what it will have at once.
func (r *Rank) isShort(domain *Domain, prepared *Prepared) (bool, error) {
	short := []int64{0}
	err := func() error {
		limited, ok := r.device.(Limited)
		if !ok || r.layout.Fluid == 0 {
			return nil
		}
		room, err := limited.Spare()
		if err != nil {
			return err
		}
		after := int64(0)
		if prepared != nil {
			after = int64(prepared.finder.Fluid)
		} else {
			var cells []CellRange
			cells, err = domain.rangesOf(r.layout.Rank)
			for _, c := range cells {
				after += c.Count
			}
		}
		if float64(r.device.Bytes())*float64(after)/float64(r.layout.Fluid) > mostOfRoom*float64(room) {
			short[0] = 1
		}
		return err
	}()
	if err := transport.Agree(r.transport, err); err != nil {
		return false, err
	}
	err = r.transport.Reduce(transport.Max, short)
	return short[0] == 1, err
}

// Capacity is how many cells the rank's device can hold by what those that it has take, at
// least these; 0 where nothing bounds them but the host's memory.
func (r *Rank) Capacity() (int64, error) {
	limited, ok := r.device.(Limited)
	own := int64(r.layout.Fluid)
	if !ok || own == 0 || r.device.Bytes() == 0 {
		return 0, nil
	}
	room, err := limited.Spare()
	return max(own, int64(mostOfRoom*float64(own)*(1+float64(room)/float64(r.device.Bytes())))), err
}

// rangesOf are the cells of a rank by ascending global number.
func (d *Domain) rangesOf(rank int32) (list []CellRange, err error) {
	err = d.eachPiece(false, func(p *Piece) {
		if p.Owner != rank {
			return
		}
		if n := len(list); n > 0 && list[n-1].First+list[n-1].Count == p.Global {
			list[n-1].Count += int64(p.Cells())
			return
		}
		list = append(list, CellRange{First: p.Global, Count: int64(p.Cells())})
	})
	return list, err
}

// moveByHost is Move where the old rank gives its device's memory back before the new one
// takes it: meanwhile the host holds the states.
func (r *Rank) moveByHost(domain *Domain, physics Together, device Device) (*Rank, error) {
	t := r.transport
	m := mover{from: r}
	states, err := m.toHost(domain)
	if err != nil {
		device.Close()
		return nil, err
	}
	kept, err := m.exchange()
	if err != nil {
		device.Close()
		return nil, err
	}
	r.Close()
	q, err := NewRank(domain, physics, device, t, r.options)
	if err != nil {
		return nil, fmt.Errorf("the cells are lost, go on from a checkpoint: %w", err)
	}
	q.timing = r.timing
	if err = transport.Agree(t, q.takeOver(kept, nil, states, func() error { return nil })); err == nil {
		err = q.updateGhosts()
	}
	if err != nil {
		q.Close()
		return nil, err
	}
	return q, nil
}

// toHost returns the records of the cells that the rank has, and of those that come to it.
func (m *mover) toHost(domain *Domain) ([]*State, error) {
	r := m.from
	var cells []CellRange
	own, err := r.SaveState()
	if err == nil {
		m.own = own
		cells, err = domain.rangesOf(r.layout.Rank)
	}
	if err == nil {
		err = m.cut(cells, domain)
	}
	if err := transport.Agree(r.transport, err); err != nil {
		return nil, err
	}
	itself := func(rank int32) bool { return rank == r.layout.Rank }
	byMessage := lists{others(m.leaving, itself), others(m.coming, itself)}
	all, err := m.swap(&byMessage, saved.NewRecordSource([]*State{own}), own.RecordBytes, 1)
	if err != nil {
		return nil, err
	}
	states := m.states(byMessage.coming)
	for rank, s := range states {
		s.Records = all[rank]
	}
	return slices.AppendSeq([]*State{own}, maps.Values(states)), nil
}
