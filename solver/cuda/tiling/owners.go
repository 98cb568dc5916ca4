package tiling

import (
	"fmt"
	"math/bits"

	"carina/cuboid"
	"carina/geometry"
	"carina/internal/quantity"
	"carina/solver"
)

// Owners returns the rank of every tile of a domain in which all cells of a tile
// have one owner, as solver.Rounded makes it.
func (s *Set) Owners(domain *solver.Domain) ([]int32, error) {
	owner := make([]int32, len(s.Position))
	for _, segment := range domain.AllSegments() {
		rank, err := domain.Owner(segment)
		if err != nil {
			return nil, err
		}
		tile := s.Find(segment.X0/Side, segment.Y/Side, segment.Z/Side)
		for x := segment.X0; x < segment.X1; tile++ {
			owner[tile] = rank
			x = min(segment.X1, x/Side*Side+Side)
		}
	}
	return owner, nil
}

// Divide gives the cells of a domain to ranks by their shares of the work, of any
// scale: consecutive pieces of the tiles along Morton's curve, where a tile with so many
// links has that work.
func Divide(domain *solver.Domain, shares []float64, work func(links int32) int64) (*solver.Domain, error) {
	ranks := len(shares)
	if ranks == 1 {
		return domain, nil
	}
	tiles, err := NewPositions(domain)
	if err != nil {
		return nil, err
	}
	if len(tiles.Position) < ranks {
		return nil, fmt.Errorf("%s cannot share %s of 4×4×4 cells; use fewer GPUs", quantity.Count(ranks, "GPU"), quantity.Count(len(tiles.Position), "tile"))
	}
	links := make([]int32, len(tiles.Position))
	l := &domain.Grid.Links
	EachBoundaryCell(tiles, domain.Grid, func(tile int32, _, i int) {
		links[tile] += int32(bits.OnesCount32(l.Mask[i] & (1<<StraightDirections - 1)))
	})
	owner := tiles.divide(shares, func(tile int32) int64 { return work(links[tile]) })
	d := *domain
	d.Ranks, d.Segments, d.Owners, d.Boxes, d.Work = ranks, nil, nil, nil, nil
	for rank := range ranks {
		d.Owners = append(d.Owners, int32(rank))
	}
	for _, r := range domain.Grid.Runs {
		tile := tiles.Find(r.X0/Side, r.Y/Side, r.Z/Side)
		for x := r.X0; x < r.X1; tile++ {
			end := min(r.X1, x/Side*Side+Side)
			if n := len(d.Segments) - 1; x > r.X0 && d.Segments[n].Cuboid == owner[tile] {
				d.Segments[n].X1 = end
			} else {
				d.Segments = append(d.Segments, cuboid.Segment{Run: geometry.Run{X0: x, X1: end, Y: r.Y, Z: r.Z}, Cuboid: owner[tile]})
			}
			x = end
		}
	}
	return &d, nil
}
