package shallow

import (
	"slices"
	"unsafe"

	"carina/solver"
	"carina/solver/shallow/scheme"
)

// What is kept of a face for the cell above it: what passes, depth, discharge across and
// along, and of the cell its high side along y and what its ground bears there.
const (
	keptFace   = 0
	keptHigh   = 3
	keptSource = keptHigh + scheme.CellValues
	keptValues = keptSource + 1
)

// faceCache is what a worker has computed of the faces below cells: in the places of a ring.
type faceCache[T float32 | float64] struct {
	values [keptValues][]T
	list   []keptCells
	next   int32 // place
	stage  int64
}

// keptCells are n cells that follow each other, in places that do.
type keptCells struct{ first, n, place int32 }

// find is the place from which on what is below cells is kept, and of how many of them. What
// was kept before is forgotten.
func (k *faceCache[T]) find(from, to int32) (place, n int32) {
	for i, c := range k.list {
		if c.first <= from && from < c.first+c.n {
			k.list = append(k.list[:0], k.list[i:]...)
			return c.place + from - c.first, min(to, c.first+c.n) - from
		}
	}
	return -1, 0
}

// room makes some for n cells, and forgets what was there.
func (k *faceCache[T]) room(n int32) int32 {
	if int(k.next+n) > len(k.values[0]) {
		k.list = slices.DeleteFunc(k.list, func(c keptCells) bool { return c.place >= k.next })
		k.next = 0
	}
	end := k.next + n
	gone := 0
	for i := range k.list {
		c := &k.list[i]
		if c.place >= end || c.place+c.n <= k.next {
			break
		}
		if lost := end - c.place; lost < c.n {
			c.first, c.n, c.place = c.first+lost, c.n-lost, end
			break
		}
		gone++
	}
	k.list = append(k.list[:0], k.list[gone:]...)
	k.next = end
	return end - n
}

// pointers are those of the values at a place.
func (k *faceCache[T]) pointers(place int32) (list [keptValues]unsafe.Pointer) {
	for v := range list {
		list[v] = unsafe.Pointer(&k.values[v][place])
	}
	return list
}

// add keeps what is below the cells above a line, from a place on.
func (k *faceCache[T]) add(w *solver.Windows, from, to, into int32) {
	w.Each(beyond[North], from, to, func(cell, n, other int32) {
		place := into + cell - from
		if last := len(k.list) - 1; last >= 0 && k.list[last].first+k.list[last].n == other && k.list[last].place+k.list[last].n == place {
			k.list[last].n += n
		} else if other >= 0 {
			k.list = append(k.list, keptCells{other, n, place})
		}
	})
}
