package cuboid

import (
	"cmp"
	"slices"
)

// Crossing says how much passes between two cuboids in one time step:
// Populations is the number of (cell, direction) pairs whose cell lies in A
// and whose neighbour in that direction is a fluid cell of B. It is as large
// the other way round, since every such link can be walked backwards.
type Crossing struct {
	A, B        int32 // A < B
	Populations int64
}

// rowReach is a neighbouring row and how far along x its cells are reached.
type rowReach struct{ dy, dz, reach int32 }

// rowReaches lists one row of every pair of opposite neighbouring rows for a
// stencil of 18 or 26 directions (geometry.Directions).
func rowReaches(directions int) []rowReach {
	diagonal := int32(0)
	if directions > 18 {
		diagonal = 1
	}
	return []rowReach{{1, 0, 1}, {0, 1, 1}, {1, 1, diagonal}, {-1, 1, diagonal}}
}

// Crossings counts what crosses between cuboids for D3Q19 (directions = 18)
// or D3Q27 (26), ordered by A, then B. It walks each row of segments beside
// its neighbouring rows: the time is linear in the segments, whatever the
// number of cells.
func Crossings(segments []Segment, directions int) []Crossing {
	rows := segmentRows(segments)
	parts := make([][]Crossing, ranges)
	_ = eachRange(len(rows), ranges, func(piece, from, to int) error {
		if from == to {
			return nil
		}
		reaches := rowReaches(directions)
		cursors := make([]cursor, len(reaches))
		for i, n := range reaches {
			cursors[i] = newCursor(rows, rows[from], n.dy, n.dz)
		}
		table := newPairTable()
		for _, r := range rows[from:to] {
			own := segments[r.from:r.to]
			for i := 1; i < len(own); i++ {
				if own[i].X0 == own[i-1].X1 && own[i].Cuboid != own[i-1].Cuboid {
					table.add(own[i].Cuboid, own[i-1].Cuboid, 1)
				}
			}
			for i, n := range reaches {
				other := cursors[i].seek(r)
				crossRows(table, own, segments[other.from:other.to], n.reach)
			}
		}
		parts[piece] = table.list()
		return nil
	})
	return mergeCrossings(join(parts))
}

// crossRows adds what crosses between two rows: cells of a reach those of b
// that are at most reach apart along x.
func crossRows(table *pairTable, a, b []Segment, reach int32) {
	from := 0
	for i := range a {
		s := &a[i]
		for from < len(b) && b[from].X1 <= s.X0-reach {
			from++
		}
		for j := from; j < len(b) && b[j].X0 < s.X1+reach; j++ {
			t := &b[j]
			if t.Cuboid == s.Cuboid {
				continue
			}
			n := int64(0)
			for dx := -reach; dx <= reach; dx++ {
				n += int64(max(0, min(s.X1, t.X1-dx)-max(s.X0, t.X0-dx)))
			}
			if n > 0 {
				table.add(s.Cuboid, t.Cuboid, n)
			}
		}
	}
}

// mergeCrossings sorts and adds up entries of the same pair.
func mergeCrossings(list []Crossing) []Crossing {
	slices.SortFunc(list, func(p, q Crossing) int {
		return cmp.Or(cmp.Compare(p.A, q.A), cmp.Compare(p.B, q.B))
	})
	merged := list[:0]
	for _, c := range list {
		if n := len(merged); n > 0 && merged[n-1].A == c.A && merged[n-1].B == c.B {
			merged[n-1].Populations += c.Populations
			continue
		}
		merged = append(merged, c)
	}
	return merged
}

// pairTable adds up a number per unordered pair, by open addressing: the
// built-in map costs several times more here, in the innermost loop.
type pairTable struct {
	keys  []uint64
	sums  []int64
	used  int
	shift uint
}

func newPairTable() *pairTable {
	const bits = 12
	return &pairTable{keys: make([]uint64, 1<<bits), sums: make([]int64, 1<<bits), shift: 64 - bits}
}

// add adds n > 0 to the pair {a, b}.
func (t *pairTable) add(a, b int32, n int64) {
	if a > b {
		a, b = b, a
	}
	t.put(uint64(a)<<32|uint64(b), n)
}

func (t *pairTable) put(key uint64, n int64) {
	// Multiplicative hashing (Knuth, TAOCP 3, 6.4) by 2^64 over the golden
	// ratio; a sum of zero marks a free place.
	for i := int(key * 0x9E3779B97F4A7C15 >> t.shift); ; i = (i + 1) & (len(t.keys) - 1) {
		switch {
		case t.sums[i] == 0:
			t.keys[i], t.sums[i] = key, n
			if t.used++; 2*t.used > len(t.keys) {
				t.grow()
			}
			return
		case t.keys[i] == key:
			t.sums[i] += n
			return
		}
	}
}

func (t *pairTable) grow() {
	keys, sums := t.keys, t.sums
	t.keys, t.sums = make([]uint64, 2*len(keys)), make([]int64, 2*len(sums))
	t.used, t.shift = 0, t.shift-1
	for i, n := range sums {
		if n != 0 {
			t.put(keys[i], n)
		}
	}
}

func (t *pairTable) list() []Crossing {
	list := make([]Crossing, 0, t.used)
	for i, n := range t.sums {
		if n != 0 {
			list = append(list, Crossing{int32(t.keys[i] >> 32), int32(uint32(t.keys[i])), n})
		}
	}
	return list
}
