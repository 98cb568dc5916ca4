package tiling

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"runtime"
	"slices"
	"sync"

	"carina/geometry"
	"carina/internal/crash"
	"carina/internal/quantity"
	"carina/solver"
)

// Set is the tiles that hold fluid, ordered by z, y, x.
type Set struct {
	size     [3]int32 // of the bounding box, in tiles
	periodic [3]bool
	// Position is where the tiles are, Fluid has bit 16x+4y+z of each cell.
	Position [][3]int32
	Fluid    []uint64
	// neighbours are by tile and direction, −1 where there is no tile.
	neighbours []int32
	Directions int // 18, or 26 with corners
	layers     []layer
}

// layer is the tiles of one z, as a bitmap over y and x, how many tiles come before
// each word, how many tiles these are and the number of the first.
type layer struct {
	words        []uint64
	before       []int32
	tiles, first int64
}

// NewSet finds the tiles of a domain, their cells and their neighbours in
// so many directions.
func NewSet(domain *solver.Domain, directions int) (*Set, error) {
	s, err := NewPositions(domain)
	if err != nil {
		return nil, err
	}
	n := len(s.Position)
	s.Directions = directions
	s.Fluid, s.neighbours = make([]uint64, n), make([]int32, n*directions)
	byLayer := s.runsByLayer(domain.Grid.Runs)
	s.eachLayer(func(z int) {
		for _, r := range byLayer[z] {
			s.fill(r)
		}
		s.findNeighbours(z)
	})
	return s, nil
}

// NewPositions finds where the tiles of a domain are, and no more.
func NewPositions(domain *solver.Domain) (*Set, error) {
	grid := domain.Grid
	if len(grid.Runs) == 0 {
		return nil, errors.New("the grid has no fluid cell; choose a finer spacing")
	}
	s := &Set{periodic: domain.Periodic}
	for a := range 3 {
		s.size[a] = (grid.Size[a] + Side - 1) / Side
		if s.periodic[a] && grid.Size[a]%Side != 0 {
			return nil, fmt.Errorf("a periodic axis of %s does not fit tiles of %d on a GPU; choose a multiple", quantity.Count(grid.Size[a], "cell"), Side)
		}
	}
	return s, s.mark(grid.Runs)
}

// runsByLayer cuts the runs, which are ordered by z, into layers of tiles.
func (s *Set) runsByLayer(runs []geometry.Run) [][]geometry.Run {
	layers := make([][]geometry.Run, s.size[2])
	from := 0
	for z := range layers {
		limit := int32(z+1) * Side
		n, _ := slices.BinarySearchFunc(runs[from:], limit, func(r geometry.Run, limit int32) int { return cmp.Compare(r.Z, limit) })
		layers[z] = runs[from : from+n]
		from += n
	}
	return layers
}

// mark numbers the tiles that the runs touch.
func (s *Set) mark(runs []geometry.Run) error {
	s.layers = make([]layer, s.size[2])
	words := (int(s.size[0])*int(s.size[1]) + 63) / 64
	byLayer := s.runsByLayer(runs)
	s.eachLayer(func(z int) {
		if len(byLayer[z]) == 0 {
			return
		}
		l := &s.layers[z]
		l.words, l.before = make([]uint64, words), make([]int32, words)
		for _, r := range byLayer[z] {
			row := int(r.Y/Side) * int(s.size[0])
			for x := r.X0 / Side; x <= (r.X1-1)/Side; x++ {
				bit := row + int(x)
				l.words[bit/64] |= 1 << (bit % 64)
			}
		}
		for _, word := range l.words {
			l.tiles += int64(bits.OnesCount64(word))
		}
	})
	total := int64(0)
	for z := range s.layers {
		s.layers[z].first = total
		total += s.layers[z].tiles
	}
	if total > math.MaxInt32 {
		return errors.New("one GPU cannot hold more than two billion tiles; use more ranks")
	}
	s.Position = make([][3]int32, total)
	s.eachLayer(s.number)
	return nil
}

// number numbers the tiles of a layer.
func (s *Set) number(z int) {
	l := &s.layers[z]
	next := l.first
	for w, word := range l.words {
		l.before[w] = int32(next)
		for ; word != 0; word &= word - 1 {
			bit := int32(w*64 + bits.TrailingZeros64(word))
			s.Position[next] = [3]int32{bit % s.size[0], bit / s.size[0], int32(z)}
			next++
		}
	}
}

// eachLayer calls f for all layers, several at a time.
func (s *Set) eachLayer(f func(z int)) {
	var next int
	var lock sync.Mutex
	var all sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		all.Go(func() {
			defer crash.Guard()
			for {
				lock.Lock()
				z := next
				next++
				lock.Unlock()
				if z >= int(s.size[2]) {
					return
				}
				f(z)
			}
		})
	}
	all.Wait()
}

// Find returns the number of the tile at a position, −1 where there is none.
func (s *Set) Find(x, y, z int32) int32 {
	at := [3]int32{x, y, z}
	for a := range 3 {
		if s.periodic[a] {
			at[a] = (at[a] + s.size[a]) % s.size[a]
		} else if at[a] < 0 || at[a] >= s.size[a] {
			return -1
		}
	}
	l := &s.layers[at[2]]
	if l.words == nil {
		return -1
	}
	bit := int(at[1])*int(s.size[0]) + int(at[0])
	word := l.words[bit/64]
	if word>>(bit%64)&1 == 0 {
		return -1
	}
	return l.before[bit/64] + int32(bits.OnesCount64(word&(1<<(bit%64)-1)))
}

// CellBit is the number of a cell in its tile.
func CellBit(x, y, z int32) int { return int(x%Side*16 + y%Side*4 + z%Side) }

// fill marks the cells of a run as fluid.
func (s *Set) fill(r geometry.Run) {
	tile := s.Find(r.X0/Side, r.Y/Side, r.Z/Side)
	for x := r.X0; x < r.X1; x++ {
		if x > r.X0 && x%Side == 0 {
			tile++ // a run is without gaps, so its tiles follow each other
		}
		s.Fluid[tile] |= 1 << CellBit(x, r.Y, r.Z)
	}
}

// Around returns the neighbours of a tile by direction.
func (s *Set) Around(tile int32) []int32 {
	return s.neighbours[int(tile)*s.Directions:][:s.Directions]
}

// Endless tells whether no cell lacks a neighbour: all tiles are full and have all
// theirs.
func (s *Set) Endless() bool {
	const full = math.MaxUint64
	return !slices.ContainsFunc(s.Fluid, func(fluid uint64) bool { return fluid != full }) && !slices.Contains(s.neighbours, -1)
}

// findNeighbours finds the neighbours of the tiles of a layer.
func (s *Set) findNeighbours(z int) {
	if s.layers[z].words == nil {
		return
	}
	l := &s.layers[z]
	for i := l.first; i < l.first+l.tiles; i++ {
		p := s.Position[i]
		around := s.Around(int32(i))
		for d, o := range geometry.Directions[:s.Directions] {
			around[d] = s.Find(p[0]+int32(o.X), p[1]+int32(o.Y), p[2]+int32(o.Z))
		}
	}
}
