package geometry

// masker works out which cells of a run have neighbours that are not fluid.
type masker struct {
	runs       []Run
	index      *rowIndex
	directions int
	scratch    []uint32
	// rows are the steps in y and z that the directions take, with the bit of
	// each step in x (-1, 0, 1) there, or -1.
	rows []maskRow
}

type maskRow struct {
	dy, dz int32
	bit    [3]int
}

func newMasker(runs []Run, index *rowIndex, directions int) *masker {
	m := &masker{runs: runs, index: index, directions: directions}
	where := map[[2]int8]int{}
	for d, o := range Directions[:directions] {
		i, ok := where[[2]int8{o.Y, o.Z}]
		if !ok {
			i = len(m.rows)
			where[[2]int8{o.Y, o.Z}] = i
			m.rows = append(m.rows, maskRow{dy: int32(o.Y), dz: int32(o.Z), bit: [3]int{-1, -1, -1}})
		}
		m.rows[i].bit[o.X+1] = d
	}
	return m
}

// run calls visit for every boundary cell of run i in ascending order.
func (m *masker) run(i int, visit func(x int32, mask uint32)) {
	r := m.runs[i]
	inner0, inner1 := m.interior(r)
	if inner0 >= inner1 {
		m.span(r, r.X0, r.X1, visit)
		return
	}
	m.span(r, r.X0, inner0, visit)
	m.span(r, inner1, r.X1, visit)
}

// interior returns a range of cells of the run whose neighbours are all
// fluid, large in ordinary cases, so that the work on a run does not grow with
// its length.
func (m *masker) interior(r Run) (x0, x1 int32) {
	x0, x1 = r.X0+1, r.X1-1
	for _, row := range m.rows {
		if row.dy == 0 && row.dz == 0 {
			continue
		}
		from, to := m.index.row(r.Y+row.dy, r.Z+row.dz)
		best0, best1 := int32(0), int32(0)
		for ; from < to; from++ {
			a, b := max(m.runs[from].X0+1, x0), min(m.runs[from].X1-1, x1)
			if b-a > best1-best0 {
				best0, best1 = a, b
			}
		}
		if best0 >= best1 {
			return 0, 0
		}
		x0, x1 = best0, best1
	}
	return x0, x1
}

// span visits the boundary cells x0 ≤ x < x1 of run r.
func (m *masker) span(r Run, x0, x1 int32, visit func(x int32, mask uint32)) {
	n := int(x1 - x0)
	if n <= 0 {
		return
	}
	if cap(m.scratch) < n {
		m.scratch = make([]uint32, n+n/2)
	}
	masks := m.scratch[:n]
	clear(masks)
	for _, row := range m.rows {
		from, to := m.index.row(r.Y+row.dy, r.Z+row.dz)
		m.markGaps(masks, x0, row, m.runs[from:to])
	}
	for k, mask := range masks {
		if mask != 0 {
			visit(x0+int32(k), mask)
		}
	}
}

// markGaps sets the bits of the directions into a row where it is not fluid.
func (m *masker) markGaps(masks []uint32, x0 int32, row maskRow, neighbours []Run) {
	low, high := x0-1, x0+int32(len(masks))+1
	gap := low
	for _, n := range neighbours {
		if n.X1 <= gap {
			continue
		}
		if n.X0 >= high {
			break
		}
		markGap(masks, x0, row, gap, n.X0)
		gap = n.X1
	}
	markGap(masks, x0, row, gap, high)
}

// markGap marks the cells that see the cells a ≤ x < b of the row.
func markGap(masks []uint32, x0 int32, row maskRow, a, b int32) {
	for step, bit := range row.bit {
		if bit < 0 {
			continue
		}
		shift := x0 + int32(step-1)
		for k := max(a-shift, 0); k < min(b-shift, int32(len(masks))); k++ {
			masks[k] |= 1 << bit
		}
	}
}
