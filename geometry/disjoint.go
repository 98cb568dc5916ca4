package geometry

// disjoint is a union-find structure whose roots are the lowest members.
type disjoint []int32

func newDisjoint(n int) disjoint {
	d := make(disjoint, n)
	for i := range d {
		d[i] = int32(i)
	}
	return d
}

func (d disjoint) find(i int32) int32 {
	for d[i] != i {
		d[i] = d[d[i]]
		i = d[i]
	}
	return i
}

func (d disjoint) union(a, b int32) {
	a, b = d.find(a), d.find(b)
	if a < b {
		d[b] = a
	} else {
		d[a] = b
	}
}
