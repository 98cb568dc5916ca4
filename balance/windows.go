package balance

import (
	"slices"

	"carina/cuboid"
)

// Vector kernels of a solver that stores cuboids whole update WindowCells
// neighbouring cells of a row at once. Every row of a cuboid is divided into
// windows from its lower end on. One that holds no fluid is passed over; the
// others are computed whole in every other step, in several parts where cells
// have neighbours in different cuboids, which are stored elsewhere. In the steps
// between no neighbour takes part, and runs of up to sweptCells stored cells are
// computed without regard to rows, with the empty cells between the windows.
const (
	WindowCells = 16
	sweptCells  = 256
)

// lanesPerCut is about how many lanes more a row takes that is cut in two: the
// last cell at either side gets a window of its own.
const lanesPerCut = 2 * WindowCells

// CountWindows works out Lanes and Passed, for counts that cuboid.Count made of
// the same cuboids and segments.
func CountWindows(cuboids []cuboid.Cuboid, segments []cuboid.Segment, counts []cuboid.Counts) {
	for i := range counts {
		counts[i].Lanes, counts[i].Passed = -counts[i].Fluid, cuboids[i].Cells()
	}
	parts := windowParts(cuboids, segments)
	sweeps := make([]sweep, len(cuboids))
	for i := range segments {
		s := &segments[i]
		box, n, w := &cuboids[s.Cuboid], &counts[s.Cuboid], &sweeps[s.Cuboid]
		size := box.Size()
		row := (int64(s.Z-box.Min[2])*int64(size[1]) + int64(s.Y-box.Min[1])) * int64(size[0])
		first, last := (s.X0-box.Min[0])/WindowCells, (s.X1-1-box.Min[0])/WindowCells
		if w.row == row+1 && w.window == first {
			first++ // it holds a segment before this one, too
		}
		n.Lanes += WindowCells * int64(last-first+1+parts[i])
		for k := first; k <= last; k++ {
			from := row + int64(k)*WindowCells
			n.Passed -= w.take(from, from+int64(min(WindowCells, size[0]-k*WindowCells)))
		}
		w.row, w.window = row+1, last
	}
}

// sweep walks through the windows of a cuboid in the order of storage.
type sweep struct {
	row        int64 // where the row at hand begins in storage, plus one
	window     int32 // the last of this row so far
	begin, end int64 // of the run at hand
}

// take adds a window to the run at hand, or begins another, and returns how
// many cells more are computed.
func (w *sweep) take(from, to int64) int64 {
	if w.end == 0 || to-w.begin >= sweptCells || w.end-w.begin >= sweptCells-WindowCells {
		w.begin, w.end = from, to
		return to - from
	}
	before := w.end
	w.end = to
	return to - before
}

// windowParts returns for every segment how many parts its windows have besides
// one each: there is another wherever the cuboid of a neighbour changes from one
// cell to the next.
func windowParts(cuboids []cuboid.Cuboid, segments []cuboid.Segment) []int32 {
	parts := make([]int32, len(segments))
	const directions = 18
	cuboid.WalkRows(segments, directions, func(from int, own []cuboid.Segment, beside []cuboid.Beside) {
		var buffer [32]int32
		for i := range own {
			changes := changesAlong(buffer[:0], own, i)
			for k := range beside {
				changes, beside[k].Segments = changesBeside(changes, &own[i], beside[k].Segments, beside[k].Reach)
			}
			slices.Sort(changes)
			for _, x := range slices.Compact(changes) {
				if (x-cuboids[own[i].Cuboid].Min[0])%WindowCells != 0 {
					parts[from+i]++
				}
			}
		}
	})
	return parts
}

// changesAlong appends the cells of segment i of a row from which on a neighbour
// in the row lies in another cuboid than that of the cell before.
func changesAlong(changes []int32, own []cuboid.Segment, i int) []int32 {
	s := &own[i]
	if s.X1-s.X0 == 1 {
		return changes
	}
	if i > 0 && own[i-1].X1 == s.X0 {
		changes = append(changes, s.X0+1)
	}
	if i+1 < len(own) && own[i+1].X0 == s.X1 {
		changes = append(changes, s.X1-1)
	}
	return changes
}

// changesBeside appends those for the neighbours in a row beside the segment's,
// which reach so far along x, and returns what of that row may matter to the
// segments behind.
func changesBeside(changes []int32, s *cuboid.Segment, row []cuboid.Segment, reach int32) ([]int32, []cuboid.Segment) {
	for len(row) > 1 && row[1].X0 <= s.X0-reach {
		row = row[1:]
	}
	for i := 1; i < len(row) && row[i].X0 < s.X1+reach; i++ {
		before, next := &row[i-1], &row[i]
		if before.Cuboid == next.Cuboid {
			continue
		}
		for dx := -reach; dx <= reach; dx++ {
			if x := next.X0 - dx; x > s.X0 && x < s.X1 && before.X1-dx > s.X0 {
				changes = append(changes, x)
			}
		}
	}
	return changes, row
}
