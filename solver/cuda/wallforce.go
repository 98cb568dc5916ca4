package cuda

import (
	"math/bits"

	"carina/solver/airflow"

	"gonum.org/v1/gonum/spatial/r3"
)

// WallForce returns the force of the air on the walls next to cells whose
// centre is selected, in N, as airflow.Rank does. Call it after an even number
// of steps.
func (s *Solver) WallForce(selected func(center r3.Vec) bool) (r3.Vec, error) {
	masks := map[*part]address{}
	for _, p := range s.parts {
		own := make([]uint64, len(p.tiles))
		for i, tile := range p.tiles {
			if p.walls.ranges[i].links > 0 {
				own[i] = s.selectCells(tile, selected)
			}
		}
		a, err := p.device.allocate(sizeOf(own))
		if err != nil {
			return r3.Vec{}, err
		}
		defer p.device.free(a)
		if err := p.device.upload(a, bytesOf(own)); err != nil {
			return r3.Vec{}, err
		}
		masks[p] = a
	}
	program := s.observer("wallforce", 0)
	program.force, program.operator = s.flow.Forced(), s.operator()
	var sum [3]float64
	err := s.find(program, [foundWords]uint64{},
		func(p *part) [][]uint64 { return words(uint64(masks[p])) },
		func(found [foundWords]uint64) {
			for a := range sum {
				sum[a] += airflow.FromFixed(int64(found[a]))
			}
		})
	unit := s.flow.Units.Force()
	return r3.Scale(unit, r3.Vec{X: sum[0], Y: sum[1], Z: sum[2]}), err
}

// selectCells is the mask of the fluid cells of a tile whose centre is
// selected.
func (s *Solver) selectCells(tile int32, selected func(center r3.Vec) bool) (mask uint64) {
	at := s.tiles.position[tile]
	for fluid := s.tiles.fluid[tile]; fluid != 0; fluid &= fluid - 1 {
		cell := int32(bits.TrailingZeros64(fluid))
		if selected(s.flow.Domain.Grid.Center(at[0]*tileSide+cell>>4, at[1]*tileSide+cell>>2&3, at[2]*tileSide+cell&3)) {
			mask |= 1 << cell
		}
	}
	return mask
}
