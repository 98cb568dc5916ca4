package cuboid

import (
	"cmp"
	"runtime"
	"slices"

	"carina/internal/crash"

	"golang.org/x/sync/errgroup"
)

// chunks divides 0 ≤ i < n into at most count pieces of near-equal length and
// calls work on several at a time. Results that are kept per piece and joined
// in order do not depend on how many run at once, nor does the error: it is
// that of the first piece that fails.
func chunks(n, count int, work func(piece, from, to int) error) error {
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

// pieces is how many chunks long lists are cut into: enough to keep many
// cores busy although slabs of an airway differ.
const pieces = 64

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
