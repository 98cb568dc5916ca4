package cuboid

import (
	"cmp"
	"fmt"
	"slices"
)

// inside returns an error that names a cuboid that is empty or lies outside a
// grid of the given size, if there is one.
func inside(cuboids []Cuboid, size [3]int32) error {
	for i, c := range cuboids {
		for axis := range 3 {
			if c.Min[axis] < 0 || c.Max[axis] > size[axis] || c.Min[axis] >= c.Max[axis] {
				return fmt.Errorf("cuboid %d, %v, is empty or reaches outside the grid of %d×%d×%d cells: it belongs to another grid", i, c, size[0], size[1], size[2])
			}
		}
	}
	return nil
}

// Disjoint returns an error that names two cuboids with a common cell, if
// there are any, or one that lies outside a grid of the given size.
func Disjoint(cuboids []Cuboid, size [3]int32) error {
	if err := inside(cuboids, size); err != nil {
		return err
	}
	if a, b := newComparison(cuboids).find(); a >= 0 {
		return fmt.Errorf("cuboids %d, %v, and %d, %v, overlap: every cell may belong to one only", a, cuboids[a], b, cuboids[b])
	}
	return nil
}

// comparison looks for two cuboids that overlap.
type comparison struct {
	cuboids []Cuboid // by their lower ends along x
	order   []int32  // what number each had
	looks   int64    // at cuboids and at pairs of them, so far
}

func newComparison(cuboids []Cuboid) *comparison {
	c := &comparison{cuboids: make([]Cuboid, len(cuboids)), order: make([]int32, len(cuboids))}
	for i := range c.order {
		c.order[i] = int32(i)
	}
	slices.SortFunc(c.order, func(a, b int32) int { return cmp.Compare(cuboids[a].Min[0], cuboids[b].Min[0]) })
	for to, from := range c.order {
		c.cuboids[to] = cuboids[from]
	}
	return c
}

// find returns the numbers of two that overlap, the lower one first, or -1, -1.
func (c *comparison) find() (a, b int32) {
	all := make([]int32, len(c.cuboids))
	for i := range all {
		all[i] = int32(i)
	}
	const lastAxis = 2
	if a, b = c.overlapping(all, all, lastAxis); a < 0 {
		return a, b
	}
	return min(c.order[a], c.order[b]), max(c.order[a], c.order[b])
}

// few cuboids are compared with each of the others.
const few = 8

// overlapping finds one of spans and one of starts with a common cell, where
// the first holds the lower end of the second along the axis, and along all axes
// above it they are known to overlap; or returns -1, -1. The lists are sorted
// by number. After Zomorodian and
// Edelsbrunner, Fast software for box intersections, 2000: a tree of segments
// along an axis is walked, not built, and holds such a tree along the next axis
// in each of its nodes. So the work is near linear, however the cuboids lie.
func (c *comparison) overlapping(spans, starts []int32, axis int) (a, b int32) {
	cuboids := c.cuboids
	c.looks += int64(len(spans) + len(starts))
	switch {
	case min(len(spans), len(starts)) <= few:
		return c.overlappingPair(spans, starts)
	case axis == 0:
		return c.overlappingAlongX(spans, starts)
	}
	low, high := cuboids[starts[0]].Min[axis], cuboids[starts[0]].Min[axis]
	for _, i := range starts {
		low, high = min(low, cuboids[i].Min[axis]), max(high, cuboids[i].Min[axis])
	}
	// Those that go through all lower ends overlap along this axis with all of starts.
	var through, others []int32
	for _, i := range spans {
		switch s := &cuboids[i]; {
		case s.Min[axis] <= low && s.Max[axis] > high:
			through = append(through, i)
		case s.Max[axis] > low && s.Min[axis] <= high:
			others = append(others, i)
		}
	}
	if a, b = c.overlapping(through, starts, axis-1); a >= 0 {
		return a, b
	}
	if a, b = c.overlapping(starts, through, axis-1); a >= 0 {
		return a, b
	}
	if len(others) == 0 {
		return -1, -1
	}
	middle := low + (high-low)/2
	var left, right []int32
	for _, i := range starts {
		if cuboids[i].Min[axis] <= middle {
			left = append(left, i)
		} else {
			right = append(right, i)
		}
	}
	if a, b = c.overlapping(others, left, axis); a >= 0 {
		return a, b
	}
	return c.overlapping(others, right, axis)
}

// overlappingAlongX is overlapping along the axis by which the lists are sorted.
func (c *comparison) overlappingAlongX(spans, starts []int32) (a, b int32) {
	cuboids, next := c.cuboids, 0
	for _, i := range spans {
		s := &cuboids[i]
		for next < len(starts) && cuboids[starts[next]].Min[0] < s.Min[0] {
			next++
		}
		const itselfToo = 2
		for _, j := range starts[next:min(next+itselfToo, len(starts))] {
			c.looks++
			if j != i && cuboids[j].Min[0] < s.Max[0] {
				return i, j
			}
		}
	}
	return -1, -1
}

// overlappingPair is overlapping by comparing each with each.
func (c *comparison) overlappingPair(spans, starts []int32) (a, b int32) {
	cuboids := c.cuboids
	for _, i := range spans {
		c.looks += int64(len(starts))
		for _, j := range starts {
			if i != j && cuboids[i].Intersect(cuboids[j]).Cells() > 0 {
				return i, j
			}
		}
	}
	return -1, -1
}
