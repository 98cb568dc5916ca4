package cuboid

import (
	"cmp"
	"slices"

	"carina/internal/heap"
)

// Merging says which cuboids Recombine may merge.
type Merging struct {
	// Gain is what merging two cuboids saves, in any unit: populations is what
	// crosses between them, alongX whether it crosses a face across x, so that
	// rows become one, and wasted the number of empty cells that the union holds
	// in addition. Only unions with a positive gain are made, the largest gain
	// first.
	Gain func(populations int64, alongX bool, wasted int64) float64
	// Allowed says whether cuboids with these counts (Fluid and Empty of the
	// union) may be one; nil allows all.
	Allowed func(union Counts) bool
	// Group has a number per cuboid; only cuboids of one group are merged. Nil
	// puts all into one.
	Group []int32
}

// Recombine merges neighbouring cuboids into larger ones as long as that
// gains something. The union is the smallest cuboid that covers both; it may
// take in empty cells but nothing of a third cuboid. It returns the cuboids
// that are left, in the order of their first parts, and for every old cuboid
// the number of the one it went into. fluid has the fluid cells of each.
func Recombine(cuboids []Cuboid, fluid []int64, crossings []Crossing, opt Merging) ([]Cuboid, []int32) {
	m := newMerger(cuboids, fluid, crossings, opt)
	for m.candidates.Len() > 0 {
		c := m.candidates.Pop()
		if m.version[c.a] == c.versionA && m.version[c.b] == c.versionB && m.free(c) {
			m.merge(c)
		}
	}
	number := make([]int32, len(cuboids))
	var left []Cuboid
	for i := range cuboids {
		if m.parent[i] == int32(i) {
			number[i] = int32(len(left))
			left = append(left, m.cuboids[i])
		}
	}
	into := make([]int32, len(cuboids))
	for i := range into {
		into[i] = number[m.root(int32(i))]
	}
	return left, into
}

// candidate is a pair that may be merged; it is out of date when one of the
// two has changed since. a < b.
type candidate struct {
	a, b               int32
	versionA, versionB int32
	gain               float64
	union              Cuboid
}

// before puts candidates that gain more first.
func (c *candidate) before(other *candidate) bool {
	return cmp.Or(cmp.Compare(other.gain, c.gain), cmp.Compare(c.a, other.a), cmp.Compare(c.b, other.b)) < 0
}

// merger has the candidate that gains most on top of its heap.
type merger struct {
	opt        Merging
	cuboids    []Cuboid
	fluid      []int64
	parent     []int32
	version    []int32
	neighbours []map[int32]int64 // populations that cross
	bins       bins
	candidates *heap.Heap[*candidate]
}

func newMerger(cuboids []Cuboid, fluid []int64, crossings []Crossing, opt Merging) *merger {
	m := &merger{
		opt: opt, cuboids: slices.Clone(cuboids), fluid: slices.Clone(fluid),
		parent: make([]int32, len(cuboids)), version: make([]int32, len(cuboids)),
		neighbours: make([]map[int32]int64, len(cuboids)), bins: newBins(cuboids),
		candidates: heap.New((*candidate).before),
	}
	for i := range cuboids {
		m.parent[i] = int32(i)
		m.neighbours[i] = make(map[int32]int64)
	}
	for _, c := range crossings {
		m.neighbours[c.A][c.B] = c.Populations
		m.neighbours[c.B][c.A] = c.Populations
		m.consider(c.A, c.B)
	}
	return m
}

// consider adds the pair to the candidates if merging it gains.
func (m *merger) consider(a, b int32) {
	if m.opt.Group != nil && m.opt.Group[a] != m.opt.Group[b] {
		return
	}
	a, b = min(a, b), max(a, b)
	union := m.cuboids[a].Union(m.cuboids[b])
	wasted := union.Cells() - m.cuboids[a].Cells() - m.cuboids[b].Cells()
	gain := m.opt.Gain(m.neighbours[a][b], m.alongX(a, b), wasted)
	if gain <= 0 {
		return
	}
	if m.opt.Allowed != nil {
		n := m.fluid[a] + m.fluid[b]
		if !m.opt.Allowed(Counts{Fluid: n, Empty: union.Cells() - n}) {
			return
		}
	}
	m.candidates.Push(&candidate{a, b, m.version[a], m.version[b], gain, union})
}

// alongX reports whether two cuboids share a face across x.
func (m *merger) alongX(a, b int32) bool {
	p, q := m.cuboids[a], m.cuboids[b]
	if p.Max[0] != q.Min[0] && q.Max[0] != p.Min[0] {
		return false
	}
	q.Min[0], q.Max[0] = p.Min[0], p.Max[0]
	return p.Intersect(q).Cells() > 0
}

// free reports whether the union touches no third cuboid.
func (m *merger) free(c *candidate) bool {
	free := true
	m.bins.visit(c.union, func(list []int32) []int32 {
		for _, i := range list {
			i = m.root(i)
			if i != c.a && i != c.b && m.cuboids[i].Intersect(c.union).Cells() > 0 {
				free = false
			}
		}
		return list
	})
	return free
}

func (m *merger) root(i int32) int32 {
	for m.parent[i] != i {
		m.parent[i] = m.parent[m.parent[i]]
		i = m.parent[i]
	}
	return i
}

// merge puts b into a.
func (m *merger) merge(c *candidate) {
	a, b := c.a, c.b
	m.cuboids[a] = c.union
	m.fluid[a] += m.fluid[b]
	m.parent[b] = a
	m.version[a]++
	m.version[b]++
	m.bins.add(a, c.union)
	delete(m.neighbours[a], b)
	delete(m.neighbours[b], a)
	for n, populations := range m.neighbours[b] {
		m.neighbours[a][n] += populations
		delete(m.neighbours[n], b)
		m.neighbours[n][a] = m.neighbours[a][n]
	}
	m.neighbours[b] = nil
	for n := range m.neighbours[a] { // the heap's order does not depend on this one
		m.consider(a, n)
	}
}

// bins finds the cuboids near a box: a hash of cubes of cells.
type bins struct {
	shift uint
	lists map[[3]int32][]int32
}

// newBins chooses cubes about as large as the cuboids.
func newBins(cuboids []Cuboid) bins {
	var cells int64
	for _, c := range cuboids {
		cells += c.Cells()
	}
	b := bins{lists: make(map[[3]int32][]int32)}
	for len(cuboids) > 0 && int64(1)<<(3*b.shift) < cells/int64(len(cuboids)) {
		b.shift++
	}
	for i, c := range cuboids {
		b.add(int32(i), c)
	}
	return b
}

func (b *bins) add(i int32, c Cuboid) {
	b.visit(c, func(list []int32) []int32 { return append(list, i) })
}

// visit replaces the lists of all cubes that the box meets.
func (b *bins) visit(c Cuboid, f func(list []int32) []int32) {
	for z := c.Min[2] >> b.shift; z <= (c.Max[2]-1)>>b.shift; z++ {
		for y := c.Min[1] >> b.shift; y <= (c.Max[1]-1)>>b.shift; y++ {
			for x := c.Min[0] >> b.shift; x <= (c.Max[0]-1)>>b.shift; x++ {
				key := [3]int32{x, y, z}
				if list := f(b.lists[key]); len(list) > 0 {
					b.lists[key] = list
				}
			}
		}
	}
}
