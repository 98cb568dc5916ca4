package cuboid

import (
	"cmp"
	"runtime"
	"slices"

	"carina/internal/crash"

	"golang.org/x/sync/errgroup"
)

// eachRange divides 0 ≤ i < n into at most count pieces of near-equal length and
// calls work on several at a time. Results that are kept per piece and joined
// in order do not depend on how many run at once, nor does the error: it is
// that of the first piece that fails.
func eachRange(n, count int, work func(piece, from, to int) error) error {
	count = max(1, min(count, n))
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	failures := make([]error, count)
	for piece := range count {
		from, to := n*piece/count, n*(piece+1)/count
		group.Go(func() error {
			defer crash.Guard()
			failures[piece] = work(piece, from, to)
			return nil
		})
	}
	_ = group.Wait()
	for _, err := range failures {
		if err != nil {
			return err
		}
	}
	return nil
}

// ranges is how many ranges long lists are divided into: enough to keep many
// cores busy although slabs of an airway differ.
const ranges = 64

// row is the place of one row's segments or runs in their list.
type row struct {
	y, z     int32
	from, to int
}

// compare orders rows.
func (r row) compare(other row) int {
	return cmp.Or(cmp.Compare(r.z, other.z), cmp.Compare(r.y, other.y))
}

// before reports whether r comes before row (y, z).
func (r row) before(y, z int32) bool { return r.z < z || r.z == z && r.y < y }

// rowsOf indexes a list of n entries that is ordered by row.
func rowsOf(n int, at func(i int) (y, z int32)) []row {
	var rows []row
	for i := 0; i < n; {
		y, z := at(i)
		from := i
		for i < n {
			y1, z1 := at(i)
			if y1 != y || z1 != z {
				break
			}
			i++
		}
		rows = append(rows, row{y, z, from, i})
	}
	return rows
}

func segmentRows(segments []Segment) []row {
	return rowsOf(len(segments), func(i int) (int32, int32) { return segments[i].Y, segments[i].Z })
}

// Beside are the segments of a row beside another, whose cells reach so far
// along x of them.
type Beside struct {
	Segments []Segment
	Reach    int32
}

// WalkRows calls visit for every row of segments with the number of its first
// one, its segments and those of the rows beside it, for 18 or 26 directions.
// Several calls run at a time; what visit does to beside is forgotten.
func WalkRows(segments []Segment, directions int, visit func(from int, own []Segment, beside []Beside)) {
	rows := segmentRows(segments)
	_ = eachRange(len(rows), ranges, func(_, from, to int) error {
		if from == to {
			return nil
		}
		var cursors []cursor
		var beside []Beside
		for _, n := range rowReaches(directions) {
			for _, sign := range []int32{1, -1} {
				cursors = append(cursors, newCursor(rows, rows[from], sign*n.dy, sign*n.dz))
				beside = append(beside, Beside{Reach: n.reach})
			}
		}
		for _, r := range rows[from:to] {
			for i := range cursors {
				n := cursors[i].seek(r)
				beside[i].Segments = segments[n.from:n.to]
			}
			visit(r.from, segments[r.from:r.to], beside)
		}
		return nil
	})
}

// cursor finds the row at a fixed offset from the rows that are visited in
// order; it only moves forward.
type cursor struct {
	rows   []row
	dy, dz int32
	at     int
}

// newCursor places a cursor for a walk that starts at row first.
func newCursor(rows []row, first row, dy, dz int32) cursor {
	at, _ := slices.BinarySearchFunc(rows, row{y: first.y + dy, z: first.z + dz}, row.compare)
	return cursor{rows, dy, dz, at}
}

// seek returns the row at the cursor's offset from r, or an empty row.
func (c *cursor) seek(r row) row {
	y, z := r.y+c.dy, r.z+c.dz
	for c.at < len(c.rows) && c.rows[c.at].before(y, z) {
		c.at++
	}
	if c.at < len(c.rows) && c.rows[c.at].y == y && c.rows[c.at].z == z {
		return c.rows[c.at]
	}
	return row{}
}
