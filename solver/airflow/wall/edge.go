package wall

import (
	"carina/solver/airflow/kernel"
	"carina/solver/lattice"
)

// Edge is the wall links at the edges of openings: those of which the opposite one of
// the cell ends at an opening. What interpolation needs leaves through the opening or
// comes in there, so that nothing but the cell is needed, and all is done around the
// openings' own work: near links (see Links) after it, far and reflected ones before.
type Edge []EdgeCell

// EdgeCell is a cell with such links.
type EdgeCell struct {
	// Local is its number on the rank.
	Local int32
	// Links are they, and where some are reflected all that are: they must find the
	// population at rest as it was.
	Links []EdgeLink
}

// EdgeLink is one of them.
type EdgeLink struct {
	Correction
	// Population is ī, the one that comes back.
	Population uint8
	// Opposite is the neighbour along it, −1 where the opposite link ends at an
	// opening.
	Opposite int32
}

// Leave makes what comes back of what has left along far and reflected links, before
// anything comes in through the openings.
func Leave[T kernel.Real, S kernel.Stored](slots *kernel.Slots[S], set *lattice.Set, edge Edge, odd bool) {
	for i := range edge {
		cell := &edge[i]
		rest := kernel.Load[T](slots.At(0, cell.Local))
		var taken T
		for _, l := range cell.Links {
			if l.Kind == Near {
				continue
			}
			p := int(l.Population)
			back, against := slots.At(p, cell.Local), slots.At(lattice.Opposite(p), cell.Local)
			if odd && l.Opposite >= 0 {
				against = slots.At(p, l.Opposite)
			}
			bounced, other := kernel.Load[T](back), kernel.Load[T](against)
			change := T(T(l.Factor) * (other - bounced))
			if l.Kind == Reflected {
				still := T(kernel.ReflectionRatio[T](set, p) * rest)
				even := T(0.5 * T(bounced+other))
				change = still + T(T(l.Factor)*T(even-still)) - bounced
			}
			kernel.Store(back, bounced+change)
			taken += change
		}
		take(slots, cell, taken)
	}
}

// Arrive makes what comes back along near links towards what has come in through
// the openings.
func Arrive[T kernel.Real, S kernel.Stored](slots *kernel.Slots[S], edge Edge) {
	for i := range edge {
		cell := &edge[i]
		var taken T
		for _, l := range cell.Links {
			if l.Kind != Near {
				continue
			}
			p := int(l.Population)
			back := slots.At(p, cell.Local)
			bounced, other := kernel.Load[T](back), kernel.Load[T](slots.At(lattice.Opposite(p), cell.Local))
			change := T(T(l.Factor) * (other - bounced))
			kernel.Store(back, bounced+change)
			taken += change
		}
		take(slots, cell, taken)
	}
}

// take takes from a cell's population at rest what its links have gained.
func take[T kernel.Real, S kernel.Stored](slots *kernel.Slots[S], cell *EdgeCell, gained T) {
	if gained == 0 {
		return
	}
	rest := slots.At(0, cell.Local)
	kernel.Store(rest, kernel.Load[T](rest)-gained)
}
