package solver

import (
	"cmp"
	"fmt"

	"carina/internal/random"
	"carina/solver/saved"
	"carina/solver/transport"
)

// identify finds what the rank's states belong to. All ranks call it together.
func (r *Rank) identify() error {
	d := r.layout.Domain
	g := d.Grid
	places := []int64{int64(r.layout.places())}
	if err := r.transport.Reduce(transport.Sum, places); err != nil {
		return fmt.Errorf("identifying the grid: %w", err)
	}
	r.identity = saved.Identity{Form: saved.Form, Grid: saved.Grid{
		Size: g.Size, Spacing: g.Spacing, Origin: [3]float64{g.Origin.X, g.Origin.Y, g.Origin.Z},
		Periodic: d.Periodic, Cells: d.CellCount(), Places: uint64(places[0]),
	}}
	for _, f := range r.fields {
		r.identity.Fields = append(r.identity.Fields, saved.Field{Name: f.Name, Values: f.Values, Kind: f.Kind.String(), Scale: cmp.Or(f.Scale, 1)})
	}
	return nil
}

// places is this rank's part of a hash of where the fluid cells are: every piece adds
// what belongs to its end and takes away what belongs to its beginning, so that the sum
// over all ranks is that of the grid's runs however they are cut.
func (l *Layout) places() (sum uint64) {
	for i := range l.Pieces {
		p := &l.Pieces[i]
		row := random.Mix(random.Mix(uint64(p.Global-int64(p.X0))+1) ^ uint64(uint32(p.Y)) ^ uint64(uint32(p.Z))<<32)
		end := func(x int32) uint64 { return random.Mix(row + uint64(uint32(x)) + 1) }
		sum += end(p.X1) - end(p.X0)
	}
	return sum
}

// loadBeside gives kernel number k what was kept of its cells beside the fields.
func (r *Rank) loadBeside(k int, states []*State) error {
	kernel, ok := r.kernels[k].(Auxiliary)
	if !ok {
		return nil
	}
	var own []Beside
	if len(states[0].Beside) > 0 {
		for i, b := range states[0].Beside[k] {
			source := saved.NewBesideSource(states, k, i)
			b.Values = nil
			for _, c := range r.layout.Ranges() {
				c = c.Each(b.Every)
				at := len(b.Values)
				b.Values = append(b.Values, make([]byte, int(c.Count)*b.Bytes)...)
				if !source.Read(c.First, b.Values[at:], b.Bytes) {
					return ErrOtherState
				}
			}
			own = append(own, b)
		}
	}
	return kernel.LoadBeside(own)
}
