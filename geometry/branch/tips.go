package branch

import (
	"math"

	"carina/internal/disjoint"
)

const (
	// A branch is so many cells long at least, and
	leastLength = 4
	// so many of its mean radii: more than half a ball on a wall, 1.2, and the
	// corner of a cube, 1.4.
	leastSlenderness = 1.6
)

// tip is the far end of a branch, which meets another one so far from there.
type tip struct{ cell, length int32 }

// part is connected cells above a level: its farthest cell and how many they are.
type part struct {
	top, cells int32
	// forked is a part in which branches have met, so that their tips are known.
	forked bool
}

// slender reports whether a part is long for its mean radius, down to a level.
func (p part) slender(d *distances, level int32) bool {
	length := float64(d.of[p.top]-level) / Step
	return length >= leastLength && math.Pi*length*length*length >= leastSlenderness*leastSlenderness*float64(p.cells)
}

// tips returns the ends of branches in the order in which they meet. A lumen
// that does not fork has one.
func (l *Lumen) tips(d *distances) []tip {
	var found []tip
	set := disjoint.New(len(l.Cells))
	parts := make([]part, len(l.Cells))
	isBranch := func(p part, level int32) bool { return p.forked || p.slender(d, level) }
	end := func(p part, level int32) {
		if !p.forked {
			found = append(found, tip{p.top, d.of[p.top] - level})
		}
	}
	for k := len(d.order) - 1; k >= 0; k-- {
		at := d.order[k]
		level := d.of[at]
		parts[at] = part{top: at, cells: 1}
		for _, n := range l.Next[at] {
			if n < 0 || parts[n].cells == 0 {
				continue
			}
			a, b := set.Find(at), set.Find(n)
			if a == b {
				continue
			}
			p, q := parts[a], parts[b]
			switch branches := [2]bool{isBranch(p, level), isBranch(q, level)}; {
			case branches[0] && branches[1]:
				end(p, level)
				end(q, level)
				p.forked = true
			case branches[1], !branches[0] && d.of[q.top] > d.of[p.top]:
				p, q = q, p
			}
			p.cells += q.cells
			set.Union(a, b)
			parts[set.Find(a)] = p
		}
	}
	if whole := parts[set.Find(d.order[0])]; isBranch(whole, 0) {
		end(whole, 0)
	}
	return found
}
