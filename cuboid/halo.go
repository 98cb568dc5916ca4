package cuboid

import (
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
	_ = eachRange(len(rows), ranges, func(_, from, to int) error {
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

// need says that a rank has cells x0 ≤ x < x1 of the present segment as
// neighbours.
type need struct {
	rank   int32
	x0, x1 int32
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
	others   []row // the row itself and its neighbouring rows, still to visit
	needs    []need
	needed   []rankCells
}

func (w *haloWalk) row(r row) {
	w.others = append(w.others[:0], r)
	for i := range w.cursors {
		w.others = append(w.others, w.cursors[i].seek(r))
	}
	for i := r.from; i < r.to; i++ {
		s := &w.segments[i]
		w.needs = w.needs[:0]
		w.beside(s, &w.others[0], 1)
		for j := range w.reaches {
			w.beside(s, &w.others[j+1], w.reaches[j])
		}
		if len(w.needs) > 0 {
			w.addUp()
		}
	}
}

// beside notes which cells of a segment the ranks of another row reach. The
// row forgets the segments that lie behind.
func (w *haloWalk) beside(s *Segment, other *row, reach int32) {
	for other.from < other.to && w.segments[other.from].X1 <= s.X0-reach {
		other.from++
	}
	for j := other.from; j < other.to && w.segments[j].X0 < s.X1+reach; j++ {
		if t := &w.segments[j]; t.Cuboid != s.Cuboid {
			w.needs = append(w.needs, need{t.Cuboid, max(s.X0, t.X0-reach), min(s.X1, t.X1+reach)})
		}
	}
}

// addUp counts the different cells of a segment that each rank needs.
func (w *haloWalk) addUp() {
	slices.SortFunc(w.needs, func(a, b need) int {
		if a.rank != b.rank {
			return int(a.rank - b.rank)
		}
		return int(a.x0 - b.x0)
	})
	for i := 0; i < len(w.needs); {
		rank, end, cells := w.needs[i].rank, w.needs[i].x0, int64(0)
		for ; i < len(w.needs) && w.needs[i].rank == rank; i++ {
			cells += int64(max(0, w.needs[i].x1-max(end, w.needs[i].x0)))
			end = max(end, w.needs[i].x1)
		}
		w.needed = append(w.needed, rankCells{rank, cells})
	}
}
