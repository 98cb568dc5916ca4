package cuda

import (
	"cmp"
	"fmt"
	"slices"

	"carina/solver"
)

// ownersOf returns the rank of every tile of a partitioned domain: the one
// that owns most of its cells, the lowest of several. Where cuboids begin and
// end at multiples of four cells, that is the owner of all.
func (s *tileSet) ownersOf(domain *solver.Domain) ([]int32, error) {
	owner := make([]int32, len(s.position))
	for i := range owner {
		owner[i] = none
	}
	// cells of the tiles that several own
	shared := map[int32]map[int32]int{}
	visit := func(f func(tile, rank int32, cells int)) error {
		for i := range domain.Segments {
			segment := &domain.Segments[i]
			if int(segment.Cuboid) >= len(domain.Owners) {
				return fmt.Errorf("cell (%d, %d, %d) lies in cuboid %d of %d; partition the geometry again",
					segment.X0, segment.Y, segment.Z, segment.Cuboid, len(domain.Owners))
			}
			rank := domain.Owners[segment.Cuboid]
			tile := s.find(segment.X0/tileSide, segment.Y/tileSide, segment.Z/tileSide)
			for x := segment.X0; x < segment.X1; tile++ {
				end := min(segment.X1, x/tileSide*tileSide+tileSide)
				f(tile, rank, int(end-x))
				x = end
			}
		}
		return nil
	}
	err := visit(func(tile, rank int32, _ int) {
		switch owner[tile] {
		case none:
			owner[tile] = rank
		case rank:
		default:
			shared[tile] = map[int32]int{}
		}
	})
	if err != nil || len(shared) == 0 {
		return owner, err
	}
	err = visit(func(tile, rank int32, cells int) {
		if count, ok := shared[tile]; ok {
			count[rank] += cells
		}
	})
	for tile, count := range shared {
		owner[tile] = mostOf(count)
	}
	return owner, err
}

// none is no rank.
const none = -1

// mostOf returns the rank with the largest count, the lowest of several.
func mostOf(count map[int32]int) int32 {
	var ranks []int32
	for rank := range count {
		ranks = append(ranks, rank)
	}
	slices.Sort(ranks)
	return slices.MaxFunc(ranks, func(a, b int32) int { return cmp.Compare(count[a], count[b]) })
}
