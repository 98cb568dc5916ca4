package cuboid

import (
	"fmt"
	"math"

	"carina/internal/quantity"
)

// Regular divides a box into count blocks of near-equal volume that are as
// close to cubes as the count allows: the traditional decomposition (Fietz
// 2011, chapter 3). Any count works, primes too: the box is cut into layers,
// each layer into rows and each row into blocks, always in proportion to the
// blocks that go there. A box with fewer cells than count is an error.
func Regular(box Cuboid, count int) ([]Cuboid, error) {
	if count < 1 {
		return nil, fmt.Errorf("%d blocks asked for: ask for at least one", count)
	}
	if box.Cells() < int64(count) {
		return nil, fmt.Errorf("%s asked for, but the box %v has only %s: ask for fewer blocks or a finer spacing", quantity.Count(count, "block"), box, quantity.Count(box.Cells(), "cell"))
	}
	best, least := layering{}, int64(math.MaxInt64)
	for _, candidate := range layerings(box, count) {
		surface := int64(0)
		n := 0
		candidate.each(box, count, func(c Cuboid) {
			surface += c.Surface()
			n++
		})
		if n == count && surface < least {
			best, least = candidate, surface
		}
	}
	if least == math.MaxInt64 {
		return bisect(box, count, nil), nil
	}
	blocks := make([]Cuboid, 0, count)
	best.each(box, count, func(c Cuboid) { blocks = append(blocks, c) })
	return blocks, nil
}

// layering says how a box is cut: first along axes[0] into layers, then each
// layer along axes[1] into rows of about equal block count, then along axes[2].
type layering struct {
	axes         [3]int
	layers, rows int
}

// layerings lists sensible ways: every order of the axes, with the number of
// layers and rows that cubes would need, rounded down and up.
func layerings(box Cuboid, count int) []layering {
	size := box.Size()
	side := math.Cbrt(float64(box.Cells()) / float64(count))
	var list []layering
	for _, axes := range [][3]int{{2, 1, 0}, {2, 0, 1}, {1, 2, 0}, {1, 0, 2}, {0, 1, 2}, {0, 2, 1}} {
		for dl := -1; dl <= 1; dl++ {
			for dr := -1; dr <= 1; dr++ {
				layers := int(math.Round(float64(size[axes[0]])/side)) + dl
				rows := int(math.Round(float64(size[axes[1]])/side)) + dr
				if layers >= 1 && rows >= 1 && layers <= count && layers <= int(size[axes[0]]) {
					list = append(list, layering{axes, layers, rows})
				}
			}
		}
	}
	return list
}

// each calls f for the blocks in order. Where a row has fewer cells than
// blocks, blocks are missing.
func (l layering) each(box Cuboid, count int, f func(Cuboid)) {
	layers(box, l.axes[0], count, l.layers, func(layer Cuboid, n int) {
		rows := max(1, min(l.rows, n))
		layers(layer, l.axes[1], n, rows, func(line Cuboid, m int) {
			layers(line, l.axes[2], m, m, func(block Cuboid, _ int) { f(block) })
		})
	})
}

// layers cuts a box along an axis into parts that hold count/parts blocks
// each, or one more, with thicknesses in proportion.
func layers(box Cuboid, axis, count, parts int, f func(part Cuboid, blocks int)) {
	length := int64(box.Max[axis] - box.Min[axis])
	for i := range parts {
		from, to := count*i/parts, count*(i+1)/parts
		part := box
		part.Min[axis] = box.Min[axis] + int32(length*int64(from)/int64(count))
		part.Max[axis] = box.Min[axis] + int32(length*int64(to)/int64(count))
		if part.Cells() > 0 {
			f(part, to-from)
		}
	}
}

// bisect cuts the box in two along its longest side again and again; it is
// for counts close to the number of cells, where layers run out of room.
func bisect(box Cuboid, count int, blocks []Cuboid) []Cuboid {
	if count == 1 {
		return append(blocks, box)
	}
	size := box.Size()
	axis := 0
	for a := range size {
		if size[a] > size[axis] {
			axis = a
		}
	}
	across := box.Cells() / int64(size[axis])
	left := count / 2
	cut := int64(size[axis]) * int64(left) / int64(count)
	cut = max(1, min(cut, int64(size[axis])-1))
	left = int(min(int64(left), cut*across))
	if right := (int64(size[axis]) - cut) * across; int64(count-left) > right {
		left = count - int(right)
	}
	a, b := box, box
	a.Max[axis] = box.Min[axis] + int32(cut)
	b.Min[axis] = a.Max[axis]
	return bisect(b, count-left, bisect(a, left, blocks))
}
