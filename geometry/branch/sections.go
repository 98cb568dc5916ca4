package branch

import (
	"slices"

	"carina/internal/disjoint"

	"gonum.org/v1/gonum/spatial/r3"
)

// Section is a place of a lumen that all ways from the sources to some ends pass.
type Section struct {
	// Behind are the numbers of these ends, ascending.
	Behind []int
	// Center is its middle, in units of cells, and Area how many faces of cells it has.
	Center r3.Vec
	Area   float64
}

// Sections returns the narrowest section of each branch: of every set of ends that join as
// fronts sink from the farthest cell to the sources. Ends are one cell for each number.
func (l *Lumen) Sections(sources []int32, ends map[int32]int) []Section {
	d := l.distancesFrom(sources...)
	s := sweep{lumen: l, sets: disjoint.New(len(l.Cells)), reached: make([]bool, len(l.Cells)), streams: map[int32]*stream{}}
	for k := len(d.order) - 1; k >= 0; k-- {
		at := d.order[k]
		s.reach(at, ends[at])
		if level := d.of[at] / Step; k == 0 || d.of[d.order[k-1]]/Step < level {
			s.endLayer()
		}
	}
	for _, b := range s.order {
		s.leave(b)
	}
	return s.found
}

// sweep is the fronts of all branches at one distance from the sources.
type sweep struct {
	lumen   *Lumen
	sets    disjoint.Sets
	reached []bool
	// streams are those of the sets with an end, by what Find tells of the set.
	streams map[int32]*stream
	// order lists the streams in the order in which they began.
	order []*stream
	found []Section
}

// stream is a branch on its way to the sources: the last fronts, one cell thick, and the
// narrowest mean of some of them.
type stream struct {
	behind    []int
	fronts    []front
	narrowest Section
	gone      bool
}

// reach adds a cell, at which an end of a number may lie, 0 for none.
func (s *sweep) reach(at int32, end int) {
	s.reached[at] = true
	if end > 0 {
		s.begin(at, []int{end})
	}
	for _, n := range s.lumen.Next[at] {
		if n >= 0 && s.reached[n] {
			s.unite(at, n)
		}
	}
	if b := s.streams[s.sets.Find(at)]; b != nil {
		f := &b.fronts[len(b.fronts)-1]
		f.sum, f.cells = r3.Add(f.sum, s.lumen.center(at)), f.cells+1
	}
}

// begin lets a stream with some ends begin at a cell.
func (s *sweep) begin(at int32, behind []int) {
	b := &stream{behind: behind, fronts: make([]front, 1)}
	s.streams[s.sets.Find(at)] = b
	s.order = append(s.order, b)
}

// unite joins the sets of two cells; where both are streams, another begins.
func (s *sweep) unite(at, n int32) {
	a, b := s.sets.Find(at), s.sets.Find(n)
	if a == b {
		return
	}
	p, q := s.streams[a], s.streams[b]
	delete(s.streams, a)
	delete(s.streams, b)
	s.sets.Union(a, b)
	switch {
	case p != nil && q != nil:
		s.leave(p)
		s.leave(q)
		behind := slices.Concat(p.behind, q.behind)
		slices.Sort(behind)
		s.begin(at, behind)
	case p != nil:
		s.streams[s.sets.Find(at)] = p
	case q != nil:
		s.streams[s.sets.Find(at)] = q
	}
}

// leave ends a stream.
func (s *sweep) leave(b *stream) {
	if b.gone = true; b.narrowest.Area > 0 {
		s.found = append(s.found, b.narrowest)
	}
}

// endLayer ends the fronts at a distance and begins the next ones.
func (s *sweep) endLayer() {
	kept := s.order[:0]
	for _, b := range s.order {
		if b.gone {
			continue
		}
		b.measure()
		b.fronts = append(b.fronts, front{})
		kept = append(kept, b)
	}
	s.order = kept
}

// measure takes the mean of the last fronts for a section. The first fronts of a stream
// do not count: they are cut by the plane of an end, or by the ridge of a division.
func (b *stream) measure() {
	n := len(b.fronts)
	last := b.fronts[max(n-meanFronts, 0):]
	var sum r3.Vec
	cells := 0
	for i := range last {
		sum, cells = r3.Add(sum, last[i].sum), cells+last[i].cells
	}
	area := float64(cells) / meanFronts
	// As many fronts as the section is across lie behind it.
	if far := float64(n - meanFronts); far < 0 || far*far < area {
		return
	}
	if b.narrowest.Area == 0 || area < b.narrowest.Area {
		b.narrowest = Section{b.behind, r3.Scale(1/float64(cells), sum), area}
	}
}
