package run

import (
	"encoding/binary"
	"fmt"
	"slices"
	"time"

	"carina/balance"
	"carina/internal/crash"
	"carina/solver/transport"
)

// weigh counts the cells that are dear.
func (b *Rebalancing) weigh(c Computation, owners []int32) error {
	t := c.Engine().Transport()
	dear := make([]int64, len(owners))
	count, err := b.Dear(c)
	if err := transport.Agree(t, err); err != nil {
		return fmt.Errorf("counting cells that cost much: %w", err)
	}
	for i := range b.pieces {
		if p := &b.pieces[i]; int(owners[p.Cuboid]) == t.Rank() {
			dear[p.Cuboid] += count(p.Global, p.Cells())
		}
	}
	if err := t.Reduce(transport.Sum, dear); err != nil {
		return fmt.Errorf("counting cells that cost much: %w", err)
	}
	if t.Rank() == 0 {
		b.rebalancer.Weigh(dear)
	}
	return nil
}

// decide judges what was measured. Before the cells are cut it tells whether they should
// be.
func (b *Rebalancing) decide(c Computation, measured []int64, steps int64, owners []int32) (l Look, differ bool) {
	n := b.domain.Ranks
	l = Look{Step: c.Engine().Steps(), Seconds: 1e-9 * float64(measured[2*n]), Shares: b.shares(owners)}
	spread := make([]float64, n)
	for r := range n {
		l.Busy = append(l.Busy, 1e-9*float64(measured[r]))
		spread[r] = spreadUnit * float64(measured[n+r])
	}
	b.looked = true
	m := balance.Measured{Busy: l.Busy, Spread: spread, Steps: steps, Left: max(1, b.left(c))}
	if owners == nil {
		if l.Decision, differ = b.watch.Watch(m); differ {
			l.Why = "the ranks differ: their cells are being cut to be shared anew"
		}
		return l, differ
	}
	select {
	case owners := <-b.distant:
		b.rebalancer.Found(owners)
		b.distant = nil
	default:
	}
	b.rebalancer.Limit(measured[2*n+1:])
	l.Decision = b.rebalancer.Look(b.ctx, m)
	if l.Far && b.distant == nil {
		done := make(chan []int32, 1)
		b.distant = done
		find := b.rebalancer.Distant(steps)
		go func() {
			defer crash.Guard()
			// What fails is not found.
			owners, _ := find(b.ctx)
			done <- owners
		}()
	}
	return l, false
}

// shares are of the cells, by rank; without owners of the cuboids that were cut, those of
// the partition.
func (b *Rebalancing) shares(owners []int32) []float64 {
	list := make([]float64, b.domain.Ranks)
	all := float64(b.domain.CellCount())
	if owners == nil {
		for i, r := range b.Partition.Owners {
			list[r] += float64(b.Partition.Counts[i].Fluid) / all
		}
		return list
	}
	for i := range b.cut.Segments {
		s := &b.cut.Segments[i]
		list[owners[s.Cuboid]] += float64(s.X1-s.X0) / all
	}
	return list
}

// encode says when the next look is, whether cells are to be cut, and which cuboids have
// which owners from now on.
func (b *Rebalancing) encode(l *Look, owners []int32, step, steps int64, took time.Duration, cut bool) []byte {
	next := b.Every
	if next == 0 {
		step := max(l.Seconds, 1e-9)
		next = max(steps/2, leastLook, int64(took.Seconds()/mostOfLooks/step), int64(b.took/mostOfMoves/step))
	}
	words := binary.LittleEndian.AppendUint64(nil, uint64(step+next))
	words = binary.LittleEndian.AppendUint32(words, 0)
	if cut {
		words[8] = 1
	}
	for i, owner := range l.Owners {
		if owner != owners[i] {
			words = binary.LittleEndian.AppendUint32(words, uint32(i))
			words = binary.LittleEndian.AppendUint32(words, uint32(owner))
		}
	}
	return words
}

// decode returns what encode has said; no owners where none changes.
func decode(words []byte, before []int32) (next int64, cut bool, owners []int32) {
	next, cut = int64(binary.LittleEndian.Uint64(words)), words[8] == 1
	if words = words[12:]; len(words) > 0 {
		owners = slices.Clone(before)
	}
	for ; len(words) > 0; words = words[8:] {
		owners[binary.LittleEndian.Uint32(words)] = int32(binary.LittleEndian.Uint32(words[4:]))
	}
	return next, cut, owners
}
