package gpu

import (
	"cmp"
	"fmt"
	"slices"
	"sync/atomic"
	"unsafe"

	"carina/solver"
	"carina/solver/airflow"
	"carina/solver/cuda/device"
	"carina/solver/cuda/tiling"
)

// recordTiles are saved, loaded or hashed at a time: up to 40 MiB of records.
const recordTiles = 1 << 12

// piecesAtOnce is what a worker of the host takes at a time.
const piecesAtOnce = 1 << 12

// rowsOfTile are rows of cells along x.
const rowsOfTile = tiling.Side * tiling.Side

// recordBytes is what the values of a record take.
func (s *bound) recordBytes() int { return (s.Directions + 1) * s.ValueBytes() }

// numbering is numbers of the first cells of the rows of a part's tiles, in the order
// of memory. Those of a row's other cells follow.
type numbering []int64

// numbering numbers cells as their pieces are numbered.
func (s *bound) numbering(pieces []solver.Piece, number func(p *solver.Piece) int64) numbering {
	p := s.part
	starts := make(numbering, rowsOfTile*len(p.Numbers))
	for i := range starts {
		starts[i] = -1
	}
	index := newTileIndex(s.tiles)
	for i, t := range p.Numbers {
		index[t] = int32(i) + 1
	}
	s.workers.RangesOf(len(pieces), piecesAtOnce, func(begin, end int) {
		for i := begin; i < end; i++ {
			starts.add(s, index, &pieces[i], number)
		}
	})
	return starts
}

// add numbers the rows of tiles that a piece begins. Others may add pieces meanwhile, also
// of the same row.
func (n numbering) add(s *bound, index tileIndex, r *solver.Piece, number func(p *solver.Piece) int64) {
	tile := s.tiles.Find(r.X0/tiling.Side, r.Y/tiling.Side, r.Z/tiling.Side)
	for x := r.X0; x < r.X1; tile++ {
		if at := index[tile]; at > 0 {
			first := &n[int(at-1)*rowsOfTile+tiling.CellBit(x, r.Y, r.Z)%rowsOfTile]
			own := number(r) + int64(x-r.X0)
			for is := atomic.LoadInt64(first); (is < 0 || own < is) && !atomic.CompareAndSwapInt64(first, is, own); {
				is = atomic.LoadInt64(first)
			}
		}
		x = min(r.X1, x/tiling.Side*tiling.Side+tiling.Side)
	}
}

// globalNumber numbers the cells of the whole.
func globalNumber(p *solver.Piece) int64 { return p.Global }

// The modes of records.
const (
	recordsOut, recordsIn, recordsSettled = 0, 1, 2
)

// settleWalls puts the quadratic parts of walls that the last step has left for the next
// into what is stored: a state that is saved afterwards is the one that goes on.
func (s *bound) settleWalls() error {
	p := s.part
	if !s.stepped || s.flow.Settings.Wall != airflow.Quadratic || len(p.walls.links) == 0 {
		return nil
	}
	if err := p.Device.Synchronize(); err != nil {
		return err
	}
	if err := p.observe(s.observer("records", recordsSettled), p.allTiles(), nil, device.Words(0, 0)); err != nil {
		return err
	}
	s.stepped = false
	s.setCorrected(0)
	return p.Device.Synchronize()
}

// HashRecords adds up the hashes of the states.
func (s *bound) HashRecords(state int) (uint64, error) {
	p, numbers := s.part, s.numbering(s.layout.Pieces, globalNumber)
	if err := p.Device.Synchronize(); err != nil {
		return 0, err
	}
	var found [foundWords]uint64
	if err := p.Device.Upload(p.findings, device.BytesOf(found[:])); err != nil {
		return 0, err
	}
	portion := min(len(p.Numbers), recordTiles)
	buffer, err := p.Device.Allocate(device.SizeOf(numbers[:portion*rowsOfTile]))
	if err != nil {
		return 0, err
	}
	defer p.Device.Free(buffer)
	program := s.observerBefore("hash", 0, state == 1)
	for first := 0; first < len(p.Numbers); first += portion {
		count := min(portion, len(p.Numbers)-first)
		if err := p.Device.Upload(buffer, device.BytesOf(numbers[first*rowsOfTile:(first+count)*rowsOfTile])); err != nil {
			return 0, err
		}
		if err := p.observe(program, tileRange{first: first, count: count}, nil, device.Words(uint64(p.findings), uint64(buffer))); err != nil {
			return 0, err
		}
	}
	err = p.Device.Download(device.BytesOf(found[:]), p.findings)
	return found[0], err
}

// sparse is what the absorption of sound remembers, by the links of a cell to one
// opening. Cells and numbers are as solver.Scattered has them.
type sparse struct {
	groups  []linkGroup
	cells   []int64
	numbers []float64
}

// linkGroup is the links of a cell to one opening: where their first one is among a
// part's, how many there are, and the cell's global number.
type linkGroup struct {
	first, links int32
	cell         int64
}

// numbersOfGroup are what the absorption of sound remembers of a group: the mean
// and the slope, at its first two links.
const numbersOfGroup = 2

// findLots lists the groups, by cell in the order of the openings.
func (s *bound) findLots() {
	p := s.part
	if s.sparse.groups != nil || len(p.walls.openingCells) == 0 {
		return
	}
	for i := range p.walls.ranges {
		wall := &p.walls.ranges[i]
		if wall.cells&meetsOpenings == 0 {
			continue
		}
		at := s.tiles.Position[p.Numbers[i]]
		for _, c := range p.walls.cells[wall.firstCell:][:wall.cells&^meetsOpenings] {
			if c.opening > 0 {
				x, y, z := at[0]*tiling.Side+int32(c.cell>>4&3), at[1]*tiling.Side+int32(c.cell>>2&3), at[2]*tiling.Side+int32(c.cell&3)
				s.addGroups(p.walls.openingCells[c.opening-1], s.cellNumber(x, y, z))
			}
		}
	}
	slices.SortStableFunc(s.sparse.groups, func(a, b linkGroup) int { return cmp.Compare(a.cell, b.cell) })
	for _, g := range s.sparse.groups {
		s.sparse.cells = append(s.sparse.cells, g.cell)
	}
	s.sparse.numbers = make([]float64, numbersOfGroup*len(s.sparse.groups))
}

// addGroups adds those of a cell at openings.
func (s *bound) addGroups(o openingCell, cell int64) {
	links := s.part.walls.openingLinks
	for first := o.firstLink; first < o.firstLink+o.links; {
		g := linkGroup{first: first, cell: cell}
		for first < o.firstLink+o.links && links[first].opening == links[g.first].opening {
			first++
		}
		g.links = first - g.first
		s.sparse.groups = append(s.sparse.groups, g)
	}
}

// Scattered is what the absorption of sound remembers.
func (s *bound) Scattered() (cells []int64, numbers []float64, err error) {
	s.findLots()
	p, l := s.part, &s.sparse
	if len(l.groups) == 0 {
		return nil, nil, nil
	}
	memory := make([]byte, len(p.walls.openingLinks)*realBytes(p.Bits))
	if err := p.Device.Download(memory, p.wallParts.memory); err != nil {
		return nil, nil, fmt.Errorf("fetching what openings remember: %w", err)
	}
	for i, g := range l.groups {
		for k := range int(min(g.links, numbersOfGroup)) {
			l.numbers[i*numbersOfGroup+k] = p.real(memory, int(g.first)+k)
		}
	}
	return l.cells, l.numbers, nil
}

// uploadLots gives the device what was remembered.
func (s *bound) uploadLots() error {
	if len(s.sparse.groups) == 0 {
		return nil
	}
	p := s.part
	numbers := make([]float64, len(p.walls.openingLinks))
	for i, g := range s.sparse.groups {
		copy(numbers[g.first:g.first+g.links], s.sparse.numbers[i*numbersOfGroup:(i+1)*numbersOfGroup])
	}
	return p.Device.Upload(p.wallParts.memory, appendReals(nil, p.Bits, numbers...))
}

// real is a number of those in the precision that is computed with.
func (p *part) real(list []byte, i int) float64 {
	at := unsafe.Pointer(&list[i*realBytes(p.Bits)])
	if realBytes(p.Bits) == 8 {
		return *(*float64)(at)
	}
	return float64(*(*float32)(at))
}
