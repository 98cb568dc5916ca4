package tiling

// mortonOrder returns the numbers of wanted tiles in the order in which they lie
// in memory, along Morton's space-filling curve: what neighbours share is
// touched within a short time, which is worth 2 % of the speed (NOTES.md).
func (s *Set) mortonOrder(wanted func(tile int) bool) []int32 {
	var tiles []keyed
	for i, p := range s.Position {
		if wanted(i) {
			tiles = append(tiles, keyed{spread(p[0]) | spread(p[1])<<1 | spread(p[2])<<2, int32(i)})
		}
	}
	tiles = sortedByKey(tiles)
	order := make([]int32, len(tiles))
	for i, t := range tiles {
		order[i] = t.tile
	}
	return order
}

// keyed is a tile and its place on Morton's curve.
type keyed struct {
	key  uint64
	tile int32
}

// sortedByKey sorts by digits from the last on, which takes time in proportion to the
// tiles. What it is given it uses as room.
func sortedByKey(tiles []keyed) []keyed {
	const digit = 11
	largest := uint64(0)
	for _, t := range tiles {
		largest |= t.key
	}
	room := make([]keyed, len(tiles))
	for shift := 0; largest>>shift != 0; shift += digit {
		var next [1 << digit]int
		at := func(t keyed) int { return int(t.key >> shift & (1<<digit - 1)) }
		for _, t := range tiles {
			next[at(t)]++
		}
		sum := 0
		for i, n := range next {
			next[i] = sum
			sum += n
		}
		for _, t := range tiles {
			i := at(t)
			room[next[i]] = t
			next[i]++
		}
		tiles, room = room, tiles
	}
	return tiles
}

// divide gives ranks consecutive pieces of the tiles along Morton's curve, by shares of
// the work, and returns the rank of every tile.
func (s *Set) divide(shares []float64, work func(tile int32) int64) (owner []int32) {
	owner = make([]int32, len(s.Position))
	ranks := len(shares)
	if ranks == 1 {
		return owner
	}
	order := s.mortonOrder(func(int) bool { return true })
	var total, done int64
	for i := range owner {
		total += work(int32(i))
	}
	all, upTo, next := 0.0, 0.0, 0
	for _, share := range shares {
		all += share
	}
	for rank, share := range shares {
		upTo += share
		limit := int64(float64(total)*upTo/all + 1e-3) // thirds are whole, too
		for first := next; next < len(order) && (done < limit || next == first || rank == ranks-1) && len(order)-next >= ranks-rank; next++ {
			owner[order[next]] = int32(rank)
			done += work(order[next])
		}
	}
	return owner
}

// spread puts two zero bits between the lowest 21 bits.
func spread(v int32) uint64 {
	x := uint64(v) & (1<<21 - 1)
	x = (x | x<<32) & 0x1f00000000ffff
	x = (x | x<<16) & 0x1f0000ff0000ff
	x = (x | x<<8) & 0x100f00f00f00f00f
	x = (x | x<<4) & 0x10c30c30c30c30c3
	return (x | x<<2) & 0x1249249249249249
}
