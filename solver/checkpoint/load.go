package checkpoint

import (
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sort"

	"carina/solver/saved"
)

// loader fills a state from the files of a checkpoint.
type loader struct {
	checkpoint *Checkpoint
	cells      []saved.CellRange
	state      *saved.State
	before     []int64   // cells wanted before each range
	each       [][]int64 // of those that every value beside the fields is of, by range
	found      []uint64  // a bit for every cell
	left       int64
}

// prepare makes room for as many cells as there are, after it is known that the files
// have room for these.
func (l *loader) prepare() error {
	c := l.checkpoint
	if err := c.hasRoom(); err != nil {
		return err
	}
	end := int64(0)
	for _, r := range l.cells {
		if r.First < end || r.Count < 1 || r.First+r.Count > c.Grid.Cells {
			return saved.ErrOtherState
		}
		end = r.First + r.Count
		l.before, l.left = append(l.before, l.left), l.left+r.Count
	}
	l.found = make([]uint64, l.left/64+1)
	l.state = c.state()
	l.state.Cells = l.cells
	l.state.Records = make([]byte, l.left*int64(c.RecordBytes))
	for _, list := range l.state.Beside {
		for i := range list {
			var first []int64
			n := int64(0)
			for _, r := range l.cells {
				first, n = append(first, n), n+r.Each(list[i].Every).Count
			}
			list[i].Values = make([]byte, n*int64(list[i].Bytes))
			l.each = append(l.each, first)
		}
	}
	return nil
}

// hasRoom tells whether the files can hold as many cells as there are, which nobody
// makes room for before.
func (c *Checkpoint) hasRoom() error {
	var has float64
	for rank := range c.Ranks {
		info, err := os.Lstat(filepath.Join(c.folder, stateName(c.ID, rank)))
		if err != nil {
			return damaged("%v", err)
		}
		has += float64(info.Size())
	}
	needs := float64(c.RecordBytes)
	for _, list := range c.Beside {
		for _, b := range list {
			needs += float64(b.Bytes) / float64(b.Every)
		}
	}
	const few = 1 << 20 // bytes, what every n-th cell may need more
	if needs *= float64(c.Grid.Cells); needs > has+few {
		return damaged("the states of %d cells have %.0f bytes and the files %.0f", c.Grid.Cells, needs, has)
	}
	return nil
}

// from takes over what the file of a rank has.
func (l *loader) from(rank int) error {
	s, err := l.checkpoint.open(rank)
	if err != nil {
		return err
	}
	defer s.file.Close()
	for i := range s.index {
		c := &s.index[i]
		if k := l.next(c.First); k == len(l.cells) || l.cells[k].First > c.Last {
			continue
		}
		ranges, err := s.cells(c)
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(ranges, l.wants) {
			continue
		}
		data, err := s.payload(c)
		if err != nil {
			return err
		}
		if !l.take(ranges, c, data) {
			return damaged("cells %d to %d are not what was saved", c.First, c.Last)
		}
	}
	return nil
}

// next is the number of the first range wanted that ends after a cell.
func (l *loader) next(cell int64) int {
	return sort.Search(len(l.cells), func(i int) bool { return l.cells[i].First+l.cells[i].Count > cell })
}

// wants tells whether some of the cells are wanted.
func (l *loader) wants(c saved.CellRange) bool {
	k := l.next(c.First)
	return k < len(l.cells) && l.cells[k].First < c.First+c.Count
}

// overlaps calls f for the cells of a range that are wanted, with the number of their
// range.
func (l *loader) overlaps(c saved.CellRange, f func(k int, part saved.CellRange)) {
	for k := l.next(c.First); k < len(l.cells) && l.cells[k].First < c.First+c.Count; k++ {
		first := max(c.First, l.cells[k].First)
		f(k, saved.CellRange{First: first, Count: min(c.First+c.Count, l.cells[k].First+l.cells[k].Count) - first})
	}
}

// take takes over what a chunk has of cells that are wanted, and tells whether it has
// what it is to.
func (l *loader) take(ranges []saved.CellRange, c *chunk, data []byte) bool {
	record := int64(l.checkpoint.RecordBytes)
	once := true
	at := int64(0)
	for _, r := range ranges {
		l.overlaps(r, func(k int, part saved.CellRange) {
			to := l.before[k] + part.First - l.cells[k].First
			copy(l.state.Records[to*record:(to+part.Count)*record], data[(at+part.First-r.First)*record:])
			for i := to; i < to+part.Count; i++ {
				bit := uint64(1) << (i % 64)
				once = once && l.found[i/64]&bit == 0
				l.found[i/64] |= bit
			}
			l.left -= part.Count
		})
		at += r.Count
	}
	data = data[at*record:]
	number := 0
	for _, list := range l.state.Beside {
		for i := range list {
			var ok bool
			if data, ok = l.takeBeside(ranges, &list[i], l.each[number], data); !ok {
				return false
			}
			number++
		}
	}
	for k := range l.state.Sparse {
		var ok bool
		if data, ok = l.takeSparse(&l.state.Sparse[k], data); !ok {
			return false
		}
	}
	return once && len(data) == 0
}

// takeBeside takes over values of every n-th cell and returns what follows them.
func (l *loader) takeBeside(ranges []saved.CellRange, b *saved.Beside, firsts []int64, data []byte) ([]byte, bool) {
	size := int64(b.Bytes)
	for _, r := range ranges {
		each := r.Each(b.Every)
		if each.Count*size > int64(len(data)) {
			return nil, false
		}
		l.overlaps(r, func(k int, part saved.CellRange) {
			p := part.Each(b.Every)
			to := firsts[k] + p.First - l.cells[k].Each(b.Every).First
			from := p.First - each.First
			if p.Count > 0 {
				copy(b.Values[to*size:(to+p.Count)*size], data[from*size:(from+p.Count)*size])
			}
		})
		data = data[each.Count*size:]
	}
	return data, true
}

// takeSparse takes over what is kept at few cells and returns what follows.
func (l *loader) takeSparse(sparse *saved.Sparse, data []byte) ([]byte, bool) {
	n, size := binary.Uvarint(data)
	if size <= 0 {
		return nil, false
	}
	if data = data[size:]; n == 0 {
		return data, true
	}
	each, size := binary.Uvarint(data)
	const number = 8
	if size <= 0 || each > uint64(len(data)) || n > uint64(len(data)) || n*(each+1) > uint64(len(data)-size)/number {
		return nil, false
	}
	data = data[size:]
	for range n {
		cell := binary.LittleEndian.Uint64(data)
		data = data[number:]
		wanted := cell <= math.MaxInt64/2 && l.wants(saved.CellRange{First: int64(cell), Count: 1})
		if wanted {
			sparse.Cells = append(sparse.Cells, int64(cell))
		}
		for range each {
			if wanted {
				sparse.Numbers = append(sparse.Numbers, math.Float64frombits(binary.LittleEndian.Uint64(data)))
			}
			data = data[number:]
		}
	}
	return data, true
}
