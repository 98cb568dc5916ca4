package branch

import (
	"math"
	"slices"
)

// Step is the distance of two cells that share a face. Those that share an edge
// are Step+1 and those that share a corner Step+2 apart, so that ways in any
// direction are within 11 % of their lengths (Borgefors 1986).
const Step = 3

// way leads to one of the 26 neighbours of a cell: through a face from an earlier
// neighbour, or from the cell itself where from is negative.
type way struct {
	from, face int
	length     int32
}

// ways lists those to the neighbours across a face, then an edge, then a corner.
var ways = func() (all []way) {
	for face := range Faces {
		all = append(all, way{-1, face, Step})
	}
	// Ways turn to an axis after the one along which they go.
	for from := 0; from < len(all); from++ {
		for face := all[from].face/2*2 + 2; face < len(Faces); face++ {
			all = append(all, way{from, face, all[from].length + 1})
		}
	}
	return all
}()

// distances are those of all cells from one of them, and the cells in their
// order.
type distances struct {
	of    []int32
	order []int32
}

// farthest returns the cell that is farthest away.
func (d *distances) farthest() int32 { return d.order[len(d.order)-1] }

// Distances returns the lengths of the shortest ways to all cells from the nearest of
// some sources, where a step through a face counts Step, and the cells in their order.
func (l *Lumen) Distances(sources ...int32) (of, order []int32) {
	d := l.distancesFrom(sources...)
	return d.of, d.order
}

// distancesFrom finds the shortest ways to all cells from the nearest of some.
func (l *Lumen) distancesFrom(sources ...int32) *distances {
	d := &distances{of: make([]int32, len(l.Cells))}
	for i := range d.of {
		d.of[i] = math.MaxInt32
	}
	for _, source := range sources {
		d.of[source] = 0
	}
	// What is reached from cells at one distance lies at most Step+2 farther.
	const lists = Step + 3
	reached := [lists][]int32{slices.Clone(sources)}
	for at, idle := int32(0), 0; idle < lists; at++ {
		idle++
		list := reached[at%lists]
		for _, cell := range list {
			if d.of[cell] != at {
				continue // it was reached on a shorter way
			}
			idle = 0
			d.order = append(d.order, cell)
			l.eachNeighbour(cell, func(n, length int32) {
				if far := at + length; far < d.of[n] {
					d.of[n] = far
					reached[far%lists] = append(reached[far%lists], n)
				}
			})
		}
		reached[at%lists] = list[:0]
	}
	return d
}

// eachNeighbour calls a function with the neighbours of a cell and their
// distances.
func (l *Lumen) eachNeighbour(cell int32, call func(n, length int32)) {
	var found [26]int32
	for i := range ways {
		w := &ways[i]
		from := cell
		if w.from >= 0 {
			from = found[w.from]
		}
		found[i] = -1
		if from >= 0 {
			found[i] = l.Next[from][w.face]
		}
		if found[i] >= 0 {
			call(found[i], w.length)
		}
	}
}

// middle returns a cell halfway along the longest way through the lumen.
func (l *Lumen) middle() int32 {
	end := l.distancesFrom(0).farthest()
	d := l.distancesFrom(end)
	at := d.farthest()
	for half := d.of[at] / 2; d.of[at] > half; {
		for _, n := range l.Next[at] {
			// The way to any cell comes through a face from a nearer one.
			if n >= 0 && d.of[n] < d.of[at] {
				at = n
				break
			}
		}
	}
	return at
}
