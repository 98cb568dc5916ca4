package tree

import (
	"carina/geometry/branch"
	"carina/internal/disjoint"
)

// follow finds which branches join where, and the part that each cell belongs to.
func (f *finder) follow() {
	f.distance, f.order = f.lumen.Distances(f.sources...)
	f.part = make([]int32, len(f.distance))
	for i := range f.part {
		f.part[i] = -1
	}
	sets := disjoint.New(len(f.distance))
	reached := make([]bool, len(f.distance))
	// owner is the draft of the set that a cell stands for.
	owner := map[int32]int32{}
	for k := len(f.order) - 1; k >= 0; k-- {
		at := f.order[k]
		reached[at] = true
		if opening := f.tips[at]; opening > 0 {
			owner[at] = int32(f.add(&draft{opening: opening, ridge: -1, top: f.distance[at]}))
		}
		for _, n := range f.lumen.Next[at] {
			if n >= 0 && reached[n] {
				f.unite(sets, owner, at, n)
			}
		}
		f.part[at] = f.ownerOf(sets, owner, at)
	}
	// What belonged to no branch when it was reached belongs to what it flows into.
	for _, at := range f.order {
		if f.part[at] >= 0 {
			continue
		}
		for _, n := range f.lumen.Next[at] {
			if n >= 0 && f.distance[n] < f.distance[at] && f.part[n] >= 0 {
				f.part[at] = f.part[n]
				break
			}
		}
		if f.part[at] < 0 {
			f.part[at] = int32(f.first())
		}
	}
}

func (f *finder) ownerOf(sets disjoint.Sets, owner map[int32]int32, cell int32) int32 {
	if o, ok := owner[sets.Find(cell)]; ok {
		return o
	}
	return -1
}

// unite joins the sets of two cells; where both are branches, their parent begins.
func (f *finder) unite(sets disjoint.Sets, owner map[int32]int32, at, n int32) {
	a, b := sets.Find(at), sets.Find(n)
	if a == b {
		return
	}
	p, q := f.ownerOf(sets, owner, at), f.ownerOf(sets, owner, n)
	delete(owner, a)
	delete(owner, b)
	sets.Union(a, b)
	joined := max(p, q)
	if p >= 0 && q >= 0 {
		joined = f.join(int(p), int(q), at)
	}
	if joined >= 0 {
		owner[sets.Find(at)] = joined
	}
}

// add appends a draft.
func (f *finder) add(d *draft) int {
	d.parent = -1
	f.drafts = append(f.drafts, d)
	return len(f.drafts) - 1
}

// join makes the parent of two branches that meet at a cell, or adds one to another
// that has just begun there.
func (f *finder) join(p, q int, at int32) int32 {
	if f.drafts[q].ridge == at {
		p, q = q, p
	}
	if f.drafts[p].ridge == at {
		f.adopt(p, q)
		return int32(p)
	}
	parent := f.add(&draft{ridge: at, top: f.distance[at]})
	f.adopt(parent, p)
	f.adopt(parent, q)
	return int32(parent)
}

func (f *finder) adopt(parent, daughter int) {
	f.drafts[daughter].parent = parent
	f.drafts[daughter].bottom = f.drafts[parent].top
	f.drafts[parent].daughters = append(f.drafts[parent].daughters, daughter)
}

// leastBetween is how many of its radii lie at least between two ridges, or three
// branches divide at one place.
const leastBetween = 0.8

// joinShort makes one division of two that follow each other at once, the shortest
// first. It reports whether it did.
func (f *finder) joinShort() bool {
	shortest, least := -1, leastBetween
	for i, d := range f.drafts {
		if d.gone || d.parent < 0 || d.opening > 0 {
			continue
		}
		between := float64(d.top-d.bottom) / branch.Step
		if ratio := between / max(d.radius(), 1); ratio < least {
			shortest, least = i, ratio
		}
	}
	if shortest < 0 {
		return false
	}
	d := f.drafts[shortest]
	parent := f.drafts[d.parent]
	kept := parent.daughters[:0]
	for _, n := range parent.daughters {
		if n != shortest {
			kept = append(kept, n)
		}
	}
	parent.daughters = kept
	for _, n := range d.daughters {
		f.drafts[n].parent = d.parent
		parent.daughters = append(parent.daughters, n)
	}
	// Its cells lie before the ridge of its daughters, as the parent's now do.
	parent.ridge, parent.top = d.ridge, d.top
	for _, n := range parent.daughters {
		f.drafts[n].bottom = parent.top
	}
	d.gone = true
	f.lists = nil
	for cell, p := range f.part {
		if int(p) == shortest {
			f.part[cell] = int32(d.parent)
		}
	}
	return true
}

// cellsOf are the cells of a branch by fronts or by planes.
func (f *finder) cellsOf(d *draft) []int32 {
	if f.lists == nil {
		f.lists = map[*draft][]int32{}
		add := func(i int32, cell int) { f.lists[f.drafts[i]] = append(f.lists[f.drafts[i]], int32(cell)) }
		for cell, i := range f.part {
			if add(i, cell); f.of[cell] != i {
				add(f.of[cell], cell)
			}
		}
	}
	return f.lists[d]
}
