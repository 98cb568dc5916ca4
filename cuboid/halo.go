package cuboid

import (
	"cmp"
	"slices"
	"sync"
)

// HaloCells returns, for every rank, how many different fluid cells of other
// ranks it has as neighbours, for 18 or 26 directions. owners says which rank
// owns each cuboid.
func HaloCells(segments []Segment, owners []int32, ranks, directions int) []int64 {
	owned := byOwner(segments, owners)
	rows := segmentRows(owned)
	halo := make([]int64, ranks)
	var lock sync.Mutex
	_ = chunks(len(rows), pieces, func(_, from, to int) error {
		if from == to {
			return nil
		}
		w := haloWalk{segments: owned}
		for _, n := range rowReaches(directions) {
			for _, sign := range []int32{1, -1} {
				w.cursors = append(w.cursors, newCursor(rows, rows[from], sign*n.dy, sign*n.dz))
				w.reaches = append(w.reaches, n.reach)
			}
		}
		for _, r := range rows[from:to] {
			w.row(r)
		}
		lock.Lock()
		defer lock.Unlock()
		for _, n := range w.needed {
			halo[n.rank] += n.cells
		}
		return nil
	})
	return halo
}

// byOwner joins neighbouring segments of one rank; Cuboid becomes the rank.
func byOwner(segments []Segment, owners []int32) []Segment {
	var joined []Segment
	for _, s := range segments {
		s.Cuboid = owners[s.Cuboid]
		if n := len(joined); n > 0 {
			if p := &joined[n-1]; p.Z == s.Z && p.Y == s.Y && p.X1 == s.X0 && p.Cuboid == s.Cuboid {
				p.X1 = s.X1
				continue
			}
		}
		joined = append(joined, s)
	}
	return joined
}

// need says that a rank has cells x0 ≤ x < x1 of the present row as
// neighbours.
type need struct {
	segment int
	rank    int32
	x0, x1  int32
}

type rankCells struct {
	rank  int32
	cells int64
}

// haloWalk finds who needs the cells of each row.
type haloWalk struct {
	segments []Segment
	cursors  []cursor
	reaches  []int32
	needs    []need
	needed   []rankCells
}

func (w *haloWalk) row(r row) {
	w.needs = w.needs[:0]
	w.beside(r, r, 1)
	for i := range w.cursors {
		w.beside(r, w.cursors[i].seek(r), w.reaches[i])
	}
	slices.SortFunc(w.needs, func(a, b need) int {
		return cmp.Or(cmp.Compare(a.segment, b.segment), cmp.Compare(a.rank, b.rank), cmp.Compare(a.x0, b.x0))
	})
	for i := 0; i < len(w.needs); {
		n := w.needs[i]
		cells := int64(0)
		end := n.x0
		for ; i < len(w.needs) && w.needs[i].segment == n.segment && w.needs[i].rank == n.rank; i++ {
			cells += int64(max(0, w.needs[i].x1-max(end, w.needs[i].x0)))
			end = max(end, w.needs[i].x1)
		}
		w.needed = append(w.needed, rankCells{n.rank, cells})
	}
}

// beside notes which cells of row r the ranks of row other reach.
func (w *haloWalk) beside(r, other row, reach int32) {
	from := other.from
	for i := r.from; i < r.to; i++ {
		s := &w.segments[i]
		for from < other.to && w.segments[from].X1 <= s.X0-reach {
			from++
		}
		for j := from; j < other.to && w.segments[j].X0 < s.X1+reach; j++ {
			if t := &w.segments[j]; t.Cuboid != s.Cuboid {
				w.needs = append(w.needs, need{i, t.Cuboid, max(s.X0, t.X0-reach), min(s.X1, t.X1+reach)})
			}
		}
	}
}
