// Package disjoint keeps disjoint sets of numbers that unite: union-find.
package disjoint

// Sets are disjoint sets of the numbers below its length, each known by its
// lowest member.
type Sets []int32

// New returns n sets of one number each.
func New(n int) Sets {
	d := make(Sets, n)
	for i := range d {
		d[i] = int32(i)
	}
	return d
}

// Find returns the lowest number in the set of i.
func (d Sets) Find(i int32) int32 {
	for d[i] != i {
		d[i] = d[d[i]]
		i = d[i]
	}
	return i
}

// Union unites the sets of a and b.
func (d Sets) Union(a, b int32) {
	a, b = d.Find(a), d.Find(b)
	if a < b {
		d[b] = a
	} else {
		d[a] = b
	}
}
