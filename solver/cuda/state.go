package cuda

import (
	"cmp"
	"fmt"
	"slices"
	"unsafe"

	"carina/solver"
)

// recordTiles are saved, loaded or hashed at a time: up to 80 MiB of records.
const recordTiles = 1 << 13

// rowsOfTile are rows of cells along x.
const rowsOfTile = tileSide * tileSide

// recordValues is how many values a record has, recordBytes what they take.
func (s *Solver) recordValues() int { return s.directions + 1 }
func (s *Solver) recordBytes() int  { return s.recordValues() * s.valueBytes() }

// numbering is the global numbers of the first cells of the rows of a part's
// tiles, in the order of memory.
type numbering []int64

func (s *Solver) numbering(p *part) numbering {
	starts := make(numbering, rowsOfTile*len(p.tiles))
	for i := range starts {
		starts[i] = -1
	}
	index := newTileIndex(s.tiles)
	for i, t := range p.tiles {
		index[t] = int32(i) + 1
	}
	whole := s.flow.Domain.RunStarts()
	for i, r := range s.flow.Domain.Grid.Runs {
		tile := s.tiles.find(r.X0/tileSide, r.Y/tileSide, r.Z/tileSide)
		for x := r.X0; x < r.X1; tile++ {
			if at := index[tile]; at > 0 {
				first := &starts[int(at-1)*rowsOfTile+cellBit(x, r.Y, r.Z)%rowsOfTile]
				if *first < 0 {
					*first = whole[i] + int64(x-r.X0)
				}
			}
			x = min(r.X1, x/tileSide*tileSide+tileSide)
		}
	}
	return starts
}

// number is that of a cell of tile i in the order of memory.
func (n numbering) number(i int, fluid uint64, cell int) int64 {
	row := cell % rowsOfTile
	number := n[i*rowsOfTile+row]
	for before := row; before < cell; before += rowsOfTile {
		number += int64(fluid >> before & 1)
	}
	return number
}

// eachRecord calls f for the fluid cells of some tiles of a part, with their
// records among those of the tiles.
func (s *Solver) eachRecord(p *part, numbers numbering, first, count int, records []byte, f func(number int64, record []byte) error) error {
	size := s.recordBytes()
	for i := first; i < first+count; i++ {
		fluid := s.tiles.fluid[p.tiles[i]]
		for cell := range tileCells {
			if fluid>>cell&1 == 0 {
				continue
			}
			at := ((i-first)*tileCells + cell) * size
			if err := f(numbers.number(i, fluid, cell), records[at:at+size]); err != nil {
				return err
			}
		}
	}
	return nil
}

// The modes of records.
const (
	recordsOut, recordsIn = 0, 1
)

// eachPortionOfRecords calls f for the tiles of a part, portion by portion, with
// room for their records here and on the device.
func (s *Solver) eachPortionOfRecords(p *part, f func(first, count int, records []byte, buffer address) error) error {
	portion := min(len(p.tiles), recordTiles)
	records := make([]byte, portion*tileCells*s.recordBytes())
	buffer, err := p.device.allocate(int64(len(records)))
	if err != nil {
		return err
	}
	defer p.device.free(buffer)
	for first := 0; first < len(p.tiles); first += portion {
		count := min(portion, len(p.tiles)-first)
		if err := f(first, count, records[:count*tileCells*s.recordBytes()], buffer); err != nil {
			return err
		}
	}
	return nil
}

// SaveState returns a copy of all that the next steps of this process's ranks
// depend on, after an even number of steps. Processors go on from it as GPUs do.
func (s *Solver) SaveState() (*solver.State, error) {
	if err := s.requireComplete(); err != nil {
		return nil, err
	}
	if err := s.couple(); err != nil {
		return nil, err
	}
	state := &solver.State{Steps: s.steps, Global: [][]byte{s.flow.SaveGlobal()}, RecordBytes: s.recordBytes(), Lots: make([]solver.Lots, 1)}
	cells := int64(0)
	for _, r := range s.OwnRuns() {
		count := int64(r.X1 - r.X0)
		cells += count
		if n := len(state.Cells); n > 0 && state.Cells[n-1].First+state.Cells[n-1].Count == r.Whole {
			state.Cells[n-1].Count += count
			continue
		}
		state.Cells = append(state.Cells, solver.CellRange{First: r.Whole, Count: count})
	}
	state.Records = make([]byte, cells*int64(state.RecordBytes))
	to := solver.NewRecordSource([]*solver.State{state})
	for _, p := range s.parts {
		numbers := s.numbering(p)
		err := s.eachPortionOfRecords(p, func(first, count int, records []byte, buffer address) error {
			if err := p.observe(s.observer("records", recordsOut), tileRange{first: first, count: count}, nil, words(uint64(buffer))); err != nil {
				return err
			}
			if err := p.device.download(records, buffer); err != nil {
				return err
			}
			return s.eachRecord(p, numbers, first, count, records, func(number int64, record []byte) error {
				copy(to.Record(number), record)
				return nil
			})
		})
		if err != nil {
			return nil, fmt.Errorf("saving the state: %w", err)
		}
		if err := p.saveLots(&state.Lots[0], s.groups(p, numbers)); err != nil {
			return nil, fmt.Errorf("saving the state: %w", err)
		}
	}
	sortLots(&state.Lots[0])
	return state, nil
}

// LoadState goes on from the state that any number of ranks of GPUs or processors
// have saved after an even number of steps, with the same grid and settings, given
// what all of them have. Call it in all processes. After an error the computation
// cannot go on.
func (s *Solver) LoadState(saved []*solver.State) error {
	if err := s.together(s.loadState(saved)); err != nil {
		return fmt.Errorf("loading a state: %w", err)
	}
	return nil
}

func (s *Solver) loadState(saved []*solver.State) error {
	if len(saved) == 0 || len(saved[0].Global) != 1 {
		return solver.ErrOtherState
	}
	if saved[0].Steps%2 == 1 {
		return fmt.Errorf("it was saved after %d steps; a GPU goes on after an even number: save it one step earlier or later", saved[0].Steps)
	}
	if err := s.synchronize(); err != nil {
		return err
	}
	if err := s.flow.LoadGlobal(saved[0].Global[0]); err != nil {
		return err
	}
	from, lots := solver.NewRecordSource(saved), lotsOf(saved)
	for _, p := range s.parts {
		numbers := s.numbering(p)
		err := s.eachPortionOfRecords(p, func(first, count int, records []byte, buffer address) error {
			clear(records)
			err := s.eachRecord(p, numbers, first, count, records, func(number int64, record []byte) error {
				if of := from.Record(number); len(of) != len(record) {
					return solver.ErrOtherState
				} else {
					copy(record, of)
				}
				return nil
			})
			if err != nil {
				return err
			}
			if err := p.device.upload(buffer, records); err != nil {
				return err
			}
			return p.observe(s.observer("records", recordsIn), tileRange{first: first, count: count}, nil, words(uint64(buffer)))
		})
		if err != nil {
			return err
		}
		if err := p.loadLots(lots, s.groups(p, numbers)); err != nil {
			return err
		}
	}
	s.steps, s.coupled = saved[0].Steps, saved[0].Steps
	s.setCorrected(0) // records hold the quadratic parts
	return s.synchronize()
}

// Hash returns a hash of the state, after an even number of steps: that of
// processors with the same state.
func (s *Solver) Hash() (uint64, error) {
	if err := s.requireComplete(); err != nil {
		return 0, err
	}
	own := make([][foundWords]uint64, len(s.parts))
	for i, p := range s.parts {
		if err := s.hashPart(p, &own[i]); err != nil {
			return 0, fmt.Errorf("hashing the state: %w", err)
		}
	}
	all, err := s.fromAll(own)
	var hash uint64
	for _, found := range all {
		hash += found[0]
	}
	return hash, err
}

func (s *Solver) hashPart(p *part, found *[foundWords]uint64) error {
	if err := p.device.upload(p.findings, bytesOf(found[:])); err != nil {
		return err
	}
	numbers := s.numbering(p)
	portion := min(len(p.tiles), recordTiles)
	buffer, err := p.device.allocate(sizeOf(numbers[:portion*rowsOfTile]))
	if err != nil {
		return err
	}
	defer p.device.free(buffer)
	for first := 0; first < len(p.tiles); first += portion {
		count := min(portion, len(p.tiles)-first)
		if err := p.device.upload(buffer, bytesOf(numbers[first*rowsOfTile:(first+count)*rowsOfTile])); err != nil {
			return err
		}
		if err := p.observe(s.observer("hash", 0), tileRange{first: first, count: count}, nil, words(uint64(p.findings), uint64(buffer))); err != nil {
			return err
		}
	}
	return p.device.download(bytesOf(found[:]), p.findings)
}

// linkGroup is the links of a cell to one opening: where their first one is among a
// part's, how many there are, and the cell's global number.
type linkGroup struct {
	first, links int32
	cell         int64
}

// groups lists those of a part, by cell in the order of the openings.
func (s *Solver) groups(p *part, numbers numbering) (list []linkGroup) {
	for i := range p.walls.ranges {
		wall := &p.walls.ranges[i]
		for _, c := range p.walls.cells[wall.firstCell:][:wall.cells&^meetsOpenings] {
			if c.opening == 0 {
				continue
			}
			number := numbers.number(i, s.tiles.fluid[p.tiles[i]], int(c.cell%tileCells))
			o := p.walls.openingCells[c.opening-1]
			for first := o.firstLink; first < o.firstLink+o.links; {
				g := linkGroup{first: first, cell: number}
				for first < o.firstLink+o.links && p.walls.openingLinks[first].opening == p.walls.openingLinks[g.first].opening {
					first++
				}
				g.links = first - g.first
				list = append(list, g)
			}
		}
	}
	return list
}

// numbersOfGroup are what the absorption of sound remembers of a group: the mean
// and the slope, at its first two links.
const numbersOfGroup = 2

// saveLots adds what a part remembers of its groups.
func (p *part) saveLots(to *solver.Lots, groups []linkGroup) error {
	if len(groups) == 0 {
		return nil
	}
	memory := make([]byte, len(p.walls.openingLinks)*realBytes(p.bits))
	if err := p.device.download(memory, p.wallParts.memory); err != nil {
		return err
	}
	for _, g := range groups {
		var numbers [numbersOfGroup]float64
		for k := range min(g.links, numbersOfGroup) {
			numbers[k] = p.real(memory, int(g.first+k))
		}
		to.Cells, to.Numbers = append(to.Cells, g.cell), append(to.Numbers, numbers[:]...)
	}
	return nil
}

// real is a number of those in the precision that is computed with.
func (p *part) real(list []byte, i int) float64 {
	at := unsafe.Pointer(&list[i*realBytes(p.bits)])
	if realBytes(p.bits) == 8 {
		return *(*float64)(at)
	}
	return float64(*(*float32)(at))
}

// loadLots gives a part what was remembered of its groups.
func (p *part) loadLots(lots map[int64][]float64, groups []linkGroup) error {
	numbers := make([]float64, len(p.walls.openingLinks))
	next := map[int64]int{}
	for _, g := range groups {
		at := next[g.cell]
		next[g.cell] += numbersOfGroup
		if len(lots[g.cell]) < at+numbersOfGroup {
			return solver.ErrOtherState
		}
		copy(numbers[g.first:g.first+g.links], lots[g.cell][at:at+numbersOfGroup])
	}
	if len(numbers) == 0 {
		return nil
	}
	return p.device.upload(p.wallParts.memory, appendReals(nil, p.bits, numbers...))
}

// lotsOf are the numbers of all states by cell.
func lotsOf(saved []*solver.State) map[int64][]float64 {
	lots := map[int64][]float64{}
	for _, s := range saved {
		for _, l := range s.Lots {
			for i, c := range l.Cells {
				each := len(l.Numbers) / len(l.Cells)
				lots[c] = append(lots[c], l.Numbers[i*each:(i+1)*each]...)
			}
		}
	}
	return lots
}

// sortLots orders lots by cell, those of one as they are.
func sortLots(l *solver.Lots) {
	order := make([]int, len(l.Cells))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(l.Cells[a], l.Cells[b]) })
	var sorted solver.Lots
	for _, i := range order {
		sorted.Cells = append(sorted.Cells, l.Cells[i])
		sorted.Numbers = append(sorted.Numbers, l.Numbers[i*numbersOfGroup:(i+1)*numbersOfGroup]...)
	}
	*l = sorted
}
