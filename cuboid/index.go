package cuboid

import (
	"fmt"
	"math"
	"slices"
)

// index finds the cuboids that meet a row of cells. It sorts them into square
// bins of the y-z plane; a bin lists its cuboids by ascending lower x.
type index struct {
	cuboids []Cuboid
	shift   uint // bins are 2^shift cells wide
	ny      int
	first   []int // CSR: bin b holds entries[first[b]:first[b+1]]
	entries []int32
}

// newIndex builds the index for cuboids inside a grid of the given size.
func newIndex(cuboids []Cuboid, size [3]int32) (*index, error) {
	if len(cuboids) > math.MaxInt32 {
		return nil, fmt.Errorf("%d cuboids, but at most %d can be numbered: use larger ones", len(cuboids), math.MaxInt32)
	}
	if err := inside(cuboids, size); err != nil {
		return nil, err
	}
	x := &index{cuboids: cuboids, shift: 2}
	// Bins fine enough that few cuboids share one, coarse enough that large
	// cuboids do not fill many: the entries stay linear in the cuboids.
	for x.count(size) > 6*len(cuboids)+64 {
		x.shift++
	}
	x.fill(size)
	return x, nil
}

// count returns bins plus entries at the present bin width.
func (x *index) count(size [3]int32) int {
	n := x.bins(size)
	for i := range x.cuboids {
		c := &x.cuboids[i]
		n += (int((c.Max[1]-1)>>x.shift) - int(c.Min[1]>>x.shift) + 1) * (int((c.Max[2]-1)>>x.shift) - int(c.Min[2]>>x.shift) + 1)
	}
	return n
}

func (x *index) bins(size [3]int32) int {
	return (int(size[1]>>x.shift) + 1) * (int(size[2]>>x.shift) + 1)
}

func (x *index) fill(size [3]int32) {
	x.ny = int(size[1]>>x.shift) + 1
	x.first = make([]int, x.bins(size)+1)
	order := make([]int32, len(x.cuboids))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int {
		if d := x.cuboids[a].Min[0] - x.cuboids[b].Min[0]; d != 0 {
			return int(d)
		}
		return int(a - b)
	})
	for _, i := range order {
		x.visit(i, func(bin int) { x.first[bin+1]++ })
	}
	for b := 1; b < len(x.first); b++ {
		x.first[b] += x.first[b-1]
	}
	x.entries = make([]int32, x.first[len(x.first)-1])
	next := slices.Clone(x.first)
	for _, i := range order {
		x.visit(i, func(bin int) {
			x.entries[next[bin]] = i
			next[bin]++
		})
	}
}

// visit calls f for every bin that cuboid i meets.
func (x *index) visit(i int32, f func(bin int)) {
	c := &x.cuboids[i]
	for z := int(c.Min[2] >> x.shift); z <= int((c.Max[2]-1)>>x.shift); z++ {
		for y := int(c.Min[1] >> x.shift); y <= int((c.Max[1]-1)>>x.shift); y++ {
			f(z*x.ny + y)
		}
	}
}

// row appends the cuboids that meet row (y, z) to list, by ascending lower x.
func (x *index) row(list []int32, y, z int32) []int32 {
	bin := int(z>>x.shift)*x.ny + int(y>>x.shift)
	for _, i := range x.entries[x.first[bin]:x.first[bin+1]] {
		c := &x.cuboids[i]
		if y >= c.Min[1] && y < c.Max[1] && z >= c.Min[2] && z < c.Max[2] {
			list = append(list, i)
		}
	}
	return list
}
