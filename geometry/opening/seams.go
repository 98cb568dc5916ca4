package opening

import (
	"math"
	"slices"

	"carina/internal/disjoint"

	"gonum.org/v1/gonum/spatial/r3"
)

// misfit rates how badly a triangle fits an end: by its distance from the
// centre and by how far it is turned from the plane.
func (f *Finder) misfit(t int32, p *Patch) float64 {
	turned := math.Acos(min(r3.Dot(f.unit[t], p.core.Normal), 1))
	return r3.Norm(r3.Sub(f.center[t], p.Center)) * (1 + turned)
}

// settle gives triangles at the seam of two ends to the one whose centre is
// nearer, if they fit its plane.
func (f *Finder) settle(found []Patch) {
	owner := map[int32]int{}
	var queue []int32
	for i := range found {
		for _, t := range found[i].Triangles {
			owner[t] = i
			queue = append(queue, t)
		}
	}
	moved := map[int]bool{}
	for len(queue) > 0 {
		t := queue[0]
		queue = queue[1:]
		for side := 3 * t; side < 3*t+3; side++ {
			m := f.topology.Mate[side]
			if m < 0 {
				continue
			}
			from := owner[t]
			to, ok := owner[m/3]
			if !ok || to == from || !f.facing(t, found[to].core.Normal, found[to].Center, cosRim, rimDepth) ||
				f.misfit(t, &found[to]) >= f.misfit(t, &found[from]) {
				continue
			}
			owner[t] = to
			moved[from], moved[to] = true, true
			for next := 3 * t; next < 3*t+3; next++ {
				if n := f.topology.Mate[next]; n >= 0 && owner[n/3] == from {
					queue = append(queue, n/3)
				}
			}
		}
	}
	for i := range moved {
		found[i].Triangles = found[i].Triangles[:0]
	}
	for t := range f.unit {
		if i, ok := owner[int32(t)]; ok && moved[i] {
			found[i].Triangles = append(found[i].Triangles, int32(t))
		}
	}
	for i := range moved {
		f.fit(&found[i])
	}
}

// withoutRims drops small patches on or beside a much larger one: pieces of
// its bevelled rim.
func (f *Finder) withoutRims(found []Patch) []Patch {
	owners := map[int32][]int{}
	kept := found[:0]
	for _, p := range found {
		if f.isRim(&p, owners, kept) || slices.ContainsFunc(kept, func(end Patch) bool { return p.liesOn(&end) }) {
			continue
		}
		for _, t := range p.Triangles {
			for _, v := range f.mesh.Triangles[t].V {
				if o := owners[v]; len(o) == 0 || o[len(o)-1] != len(kept) {
					owners[v] = append(o, len(kept))
				}
			}
		}
		kept = append(kept, p)
	}
	return kept
}

// isRim reports whether a patch touches one of those kept that is more than
// twice as large, lies within its circumference and faces another way.
func (f *Finder) isRim(p *Patch, owners map[int32][]int, kept []Patch) bool {
	of := func(end *Patch) bool {
		d := r3.Sub(p.Center, end.Center)
		wide := r3.Norm(r3.Sub(d, r3.Scale(r3.Dot(d, end.core.Normal), end.core.Normal)))
		return p.Area < end.Area/2 && wide < rimWide*math.Sqrt(end.Area/math.Pi) && r3.Dot(p.core.Normal, end.core.Normal) < rimCos
	}
	for _, t := range p.Triangles {
		for _, v := range f.mesh.Triangles[t].V {
			for _, i := range owners[v] {
				if of(&kept[i]) {
					return true
				}
			}
		}
	}
	return false
}

// liesOn reports whether a patch is a facet of a much larger end: with its own
// radius within that of the end, near its plane, turned little, where no other
// tube could end.
func (p *Patch) liesOn(end *Patch) bool {
	radius := math.Sqrt(end.Area / math.Pi)
	d := r3.Sub(p.Center, end.Center)
	h := r3.Dot(d, end.core.Normal)
	reach := math.Sqrt(r3.Norm2(d)-h*h) + math.Sqrt(p.Area/math.Pi)
	return p.Area < end.Area/2 && reach < facetReach*radius && math.Abs(h) < facetHeight*radius &&
		r3.Dot(p.core.Normal, end.core.Normal) > facetCos
}

// boxCos is the cosine of the angle between neighbouring faces below which
// they make an edge of a box.
const boxCos = 0.7

// So many ends or more that border on one another at an angle and are alike in area,
// the least over the largest, are the sides of a plate. Ends that have grown
// together are two, or unlike.
const rowEnds, rowAlike = 3, 0.4

// withoutBoxes drops ends that mostly border on other ends at an angle, the
// faces of a box, those of which several do so in a row, the sides of a plate,
// and those that border so on the end of a prism, its walls.
func (f *Finder) withoutBoxes(found []Patch) []Patch {
	owner := map[int32]int{}
	for i, p := range found {
		for _, t := range p.Triangles {
			owner[t] = i
		}
	}
	prism := make([]bool, len(found))
	for i := range found {
		prism[i] = f.endsPrism(&found[i])
	}
	rows, box := disjoint.New(len(found)), make([]bool, len(found))
	for i, p := range found {
		var rim, angled float64
		for _, t := range p.Triangles {
			for side := 3 * t; side < 3*t+3; side++ {
				other, isEnd := owner[f.topology.Mate[side]/3]
				if isEnd && other == i || f.topology.Mate[side] < 0 {
					continue
				}
				a, b := f.mesh.Side(side)
				length := r3.Norm(r3.Sub(f.mesh.Vertices[a], f.mesh.Vertices[b]))
				rim += length
				if !isEnd {
					continue
				}
				cos := r3.Dot(p.core.Normal, found[other].core.Normal)
				if cos < cosPrismEdge {
					rows.Union(int32(i), int32(other))
				}
				if cos < boxCos {
					angled += length
					box[i] = box[i] || prism[other]
				}
			}
		}
		box[i] = box[i] || angled > rim/2
	}
	plate := sidesOfPlates(found, rows)
	var kept []Patch
	for i, p := range found {
		if prism[i] || !box[i] && !plate[rows.Find(int32(i))] {
			kept = append(kept, p)
		}
	}
	return kept
}

// sidesOfPlates tells by their first members which rows of ends, the largest
// first, are sides of plates.
func sidesOfPlates(found []Patch, rows disjoint.Sets) map[int32]bool {
	plate, members, largest := map[int32]bool{}, map[int32]int{}, map[int32]float64{}
	for i := range found {
		row := rows.Find(int32(i))
		largest[row] = max(largest[row], found[i].Area)
		members[row]++
		plate[row] = members[row] >= rowEnds && found[i].Area >= rowAlike*largest[row]
	}
	return plate
}
