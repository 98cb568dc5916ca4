package gpu

import (
	"math/bits"

	"carina/solver/cuda/device"
	"carina/solver/cuda/tiling"

	"gonum.org/v1/gonum/spatial/r3"
)

// WallMomentum is what the links of cells with selected centres give to walls in a
// step, in fixed point.
func (s *bound) WallMomentum(selected func(center r3.Vec) bool) (sums [3]int64, err error) {
	p := s.part
	masks := make([]uint64, len(p.Numbers))
	for i, tile := range p.Numbers {
		if p.walls.ranges[i].links > 0 {
			masks[i] = s.selectCells(tile, selected)
		}
	}
	a, err := p.Device.Allocate(device.SizeOf(masks))
	if err != nil {
		return sums, err
	}
	defer p.Device.Free(a)
	if err := p.Device.Upload(a, device.BytesOf(masks)); err != nil {
		return sums, err
	}
	program := s.observer("wallforce", 0)
	program.force, program.operator = s.flow.Forced(), s.operator()
	found, err := s.find(program, [foundWords]uint64{}, device.Words(uint64(a)))
	for axis := range sums {
		sums[axis] = int64(found[axis])
	}
	return sums, err
}

// selectCells is the mask of the fluid cells of a tile whose centre is
// selected.
func (s *bound) selectCells(tile int32, selected func(center r3.Vec) bool) (mask uint64) {
	at := s.tiles.Position[tile]
	for fluid := s.tiles.Fluid[tile]; fluid != 0; fluid &= fluid - 1 {
		cell := int32(bits.TrailingZeros64(fluid))
		if selected(s.flow.Domain.Grid.Center(at[0]*tiling.Side+cell>>4, at[1]*tiling.Side+cell>>2&3, at[2]*tiling.Side+cell&3)) {
			mask |= 1 << cell
		}
	}
	return mask
}
