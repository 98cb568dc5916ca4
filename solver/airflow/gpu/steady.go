package gpu

import (
	"math/bits"

	"carina/solver"
	"carina/solver/airflow"
	"carina/solver/cuda/device"
	"carina/solver/cuda/tiling"
)

// compared is the cells whose velocity is compared with that of the last
// observation: masks of the cells of all tiles, where the samples of a tile begin,
// and the last velocities.
type compared struct {
	sampled, starts, before device.Address
	// places are those of the samples, in the order of their global numbers, among
	// the last velocities.
	places []uint32
	filled bool // there are velocities
}

// newCompared chooses the cells.
func (s *bound) newCompared() (*compared, error) {
	p := s.part
	masks := make([]uint64, len(s.tiles.Position))
	find := func(global int64, r *solver.Piece) (tile int32, bit int) {
		x := r.X0 + int32(global-r.Global)
		return s.tiles.Find(x/tiling.Side, r.Y/tiling.Side, r.Z/tiling.Side), tiling.CellBit(x, r.Y, r.Z)
	}
	airflow.EachSampled(s.layout, func(global int64, r *solver.Piece) {
		tile, bit := find(global, r)
		masks[tile] |= 1 << bit
	})
	own := inOrder(masks, p.Numbers)
	starts := make([]uint32, len(own))
	samples := uint32(0)
	for i, m := range own {
		starts[i] = samples
		samples += uint32(bits.OnesCount64(m))
	}
	c := &compared{}
	indices := p.Indices()
	airflow.EachSampled(s.layout, func(global int64, r *solver.Piece) {
		tile, bit := find(global, r)
		c.places = append(c.places, starts[indices[tile]]+uint32(bits.OnesCount64(masks[tile]&(1<<bit-1))))
	})
	for _, list := range []struct {
		to      *device.Address
		bytes   int64
		content []byte
	}{
		{&c.sampled, 0, device.BytesOf(own)},
		{&c.starts, 0, device.BytesOf(starts)},
		{&c.before, int64(samples) * 3 * int64(realBytes(s.Bits)), nil},
	} {
		var err error
		if *list.to, err = p.Allocate(list.bytes, list.content); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// Compare compares a sample of the velocity with the one before.
func (s *bound) Compare(scale float64) (change, square int64, err error) {
	if s.compared == nil {
		if s.compared, err = s.newCompared(); err != nil {
			return 0, 0, err
		}
	}
	c := s.compared
	found, err := s.find(s.observer("change", 0), [foundWords]uint64{}, append(device.Words(uint64(c.sampled), uint64(c.starts), uint64(c.before)), s.reals(scale)))
	first := !c.filled
	c.filled = true
	if first { // there was nothing to compare with
		return 0, 0, err
	}
	return int64(found[0]), int64(found[1]), err
}
