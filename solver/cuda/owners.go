package cuda

import (
	"cmp"
	"fmt"
	"slices"

	"carina/solver"
	"carina/solver/transport"
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
	err := s.eachOwned(domain, func(tile, rank int32, _ int) {
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
	err = s.eachOwned(domain, func(tile, rank int32, cells int) {
		if count, ok := shared[tile]; ok {
			count[rank] += cells
		}
	})
	for tile, count := range shared {
		owner[tile] = mostOf(count)
	}
	return owner, err
}

// eachOwned calls f for the cells of tiles by the rank that a partition gives them.
func (s *tileSet) eachOwned(domain *solver.Domain, f func(tile, rank int32, cells int)) error {
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

// warnOfRounding says how many cells of all ranks are computed by another rank than
// the partition gives them, since their tile is another rank's. Owners are those of
// the tiles.
func (s *Solver) warnOfRounding(owner []int32) error {
	domain := s.flow.Domain
	if domain.Ranks < 2 {
		return nil
	}
	own := map[int32]bool{}
	for _, p := range s.parts {
		own[int32(p.subdomain.rank)] = true
	}
	moved := []int64{0}
	if err := s.tiles.eachOwned(domain, func(tile, rank int32, cells int) {
		if rank != owner[tile] && own[owner[tile]] {
			moved[0] += int64(cells)
		}
	}); err != nil {
		return err
	}
	if err := s.reduce(transport.Sum, moved); err != nil {
		return fmt.Errorf("counting the cells of other ranks: %w", err)
	}
	if n, all := moved[0], domain.CellCount(); n > 0 {
		s.flow.Warnings = append(s.flow.Warnings, fmt.Sprintf("%d cells (%.2g %%) are computed by another rank than the partition says, since GPUs take tiles of %d×%[3]d×%[3]d cells; for what was planned partition with --decompose bricks and a multiple of %[3]d as --min-side",
			n, 100*float64(n)/float64(all), tileSide))
	}
	return nil
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
