package solver

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sync"

	"carina/balance"
	"carina/cuboid"
	"carina/geometry"
)

// Domain is a grid together with the ranks that own its cells. It may be
// shared by the ranks of one process and is not changed.
type Domain struct {
	Grid *geometry.Grid
	// Segments are the parts of the grid's runs in each cuboid, in any order; a share
	// needs none, see AllSegments.
	Segments []cuboid.Segment
	// Owners is the rank of each cuboid; where there are none, cuboids have the
	// numbers of ranks.
	Owners []int32
	// Boxes are the cuboids themselves, for the dense layout; where there are
	// none it takes the smallest boxes around their segments.
	Boxes []cuboid.Cuboid
	// Ranks is the number of ranks.
	Ranks int
	// Work is the work of each rank by the partition's cost model, for
	// reports; it may be nil.
	Work []float64
	// Periodic joins the ends of the bounding box along an axis.
	Periodic [3]bool
	// Share is set where Grid holds only what one rank needs of a geometry.
	Share *Share
	unit  int32 // side of the cubes of one owner that Rounded has made
}

// Share tells where the cells of a part of a geometry belong in the whole.
type Share struct {
	// Cells is the number of all cells of the whole, Starts the number there of
	// the first cell of every run.
	Cells  int64
	Starts []int64
	// Lengths and Owners are how many cells the parts of the runs have, one part after
	// the other, and the ranks that own them.
	Lengths, Owners []int32

	once   sync.Once
	inGrid []int64 // numbers of the same cells among those of the part, of every mark-th run
}

// mark is how far apart runs are whose numbers in the part are kept.
const mark = 64

// CellCount is the number of fluid cells of the whole geometry.
func (d *Domain) CellCount() int64 {
	if d.Share != nil {
		return d.Share.Cells
	}
	return d.Grid.Cells()
}

// InGrid is the number of a cell among those of Grid, by which its links are listed, given
// its global number.
func (d *Domain) InGrid(global int64) int64 {
	s := d.Share
	if s == nil {
		return global
	}
	s.once.Do(func() {
		number := int64(0)
		for i, r := range d.Grid.Runs {
			if i%mark == 0 {
				s.inGrid = append(s.inGrid, number)
			}
			number += int64(r.X1 - r.X0)
		}
	})
	i, found := slices.BinarySearch(s.Starts, global)
	if !found {
		i--
	}
	number := s.inGrid[i/mark] + global - s.Starts[i]
	for _, r := range d.Grid.Runs[i/mark*mark : i] {
		number += int64(r.X1 - r.X0)
	}
	return number
}

// AllSegments are the Segments, or those of a share, which are made anew in the order of
// its runs.
func (d *Domain) AllSegments() []cuboid.Segment {
	if len(d.Segments) > 0 || d.Share == nil {
		return d.Segments
	}
	s := d.Share
	segments := make([]cuboid.Segment, 0, len(s.Lengths))
	for _, r := range d.Grid.Runs {
		for x, part := r.X0, len(segments); x < r.X1 && part < len(s.Lengths); part++ {
			end := x + s.Lengths[part]
			segments = append(segments, cuboid.Segment{Run: geometry.Run{X0: x, X1: end, Y: r.Y, Z: r.Z}, Cuboid: s.Owners[part]})
			x = end
		}
	}
	return segments
}

// Unit is the side of the cubes of cells that have one owner, as Rounded has made
// them, 0 where it has not.
func (d *Domain) Unit() int32 { return d.unit }

// WholeDomain gives all cells of a grid to one rank.
func WholeDomain(grid *geometry.Grid) *Domain {
	segments := make([]cuboid.Segment, len(grid.Runs))
	for i, r := range grid.Runs {
		segments[i] = cuboid.Segment{Run: r}
	}
	return &Domain{Grid: grid, Segments: segments, Owners: []int32{0}, Ranks: 1}
}

// NewDomain gives the cells of a grid to the ranks that a partition of it says. It is an
// error where the partition belongs to another grid.
func NewDomain(grid *geometry.Grid, p *balance.Partition) (*Domain, error) {
	segments, err := p.Segments(grid)
	if err != nil {
		return nil, err
	}
	d := &Domain{Grid: grid, Segments: segments, Owners: p.Owners, Boxes: p.Cuboids, Ranks: len(p.Ranks)}
	for _, rank := range p.Quality.Ranks {
		d.Work = append(d.Work, rank.Work)
	}
	return d, nil
}

// Owner is the rank that owns a segment.
func (d *Domain) Owner(s cuboid.Segment) (int32, error) {
	owner := s.Cuboid
	if d.Owners != nil {
		if owner < 0 || int(owner) >= len(d.Owners) {
			return 0, fmt.Errorf("cell (%d, %d, %d) lies in cuboid %d of %d; partition the geometry again", s.X0, s.Y, s.Z, owner, len(d.Owners))
		}
		owner = d.Owners[owner]
	}
	if owner < 0 || int(owner) >= d.Ranks {
		return 0, fmt.Errorf("cuboid %d belongs to rank %d of %d; partition the geometry again", s.Cuboid, owner, d.Ranks)
	}
	return owner, nil
}

// Piece is a row of consecutive cells of one rank.
type Piece struct {
	geometry.Run
	Owner, Cuboid int32
	// Global is the global number of the first cell.
	Global int64
	// Local is the local number of the first cell on the rank at hand, −1
	// elsewhere, and Index its place among the rank's cells by ascending global
	// number.
	Local, Index int32
}

// Cells is how many.
func (p *Piece) Cells() int32 { return p.X1 - p.X0 }

// Pieces returns all segments in run order with owner and global number;
// neighbouring segments of one owner are joined, unless they are to be kept
// apart by cuboid. It checks that every cell is owned exactly once.
func (d *Domain) Pieces(byCuboid bool) ([]Piece, error) {
	pieces := make([]Piece, 0, len(d.Segments)) // most segments are
	err := d.eachPiece(byCuboid, func(p *Piece) { pieces = append(pieces, *p) })
	if err != nil {
		return nil, err
	}
	return pieces, nil
}

// eachPiece calls f for all pieces, in the order of Pieces.
func (d *Domain) eachPiece(byCuboid bool, f func(p *Piece)) error {
	if d.Grid == nil || len(d.Grid.Runs) == 0 {
		return errors.New("the grid has no fluid cell; choose a finer spacing")
	}
	segments := d.AllSegments()
	inOrder := func(a, b cuboid.Segment) int {
		return cmp.Or(cmp.Compare(a.Z, b.Z), cmp.Compare(a.Y, b.Y), cmp.Compare(a.X0, b.X0))
	}
	if !slices.IsSortedFunc(segments, inOrder) {
		segments = slices.Clone(segments)
		slices.SortFunc(segments, inOrder)
	}
	var piece Piece // that is not yet complete
	var global int64
	next := 0
	for i, run := range d.Grid.Runs {
		if d.Share != nil {
			global = d.Share.Starts[i]
		}
		for x := run.X0; x < run.X1; {
			if next == len(segments) || segments[next].Z != run.Z || segments[next].Y != run.Y || segments[next].X0 != x || segments[next].X1 > run.X1 || segments[next].X1 <= x {
				return fmt.Errorf("cell (%d, %d, %d) is not owned exactly once; partition the geometry again", x, run.Y, run.Z)
			}
			s := segments[next]
			next++
			owner, err := d.Owner(s)
			if err != nil {
				return err
			}
			if x > run.X0 && piece.Owner == owner && !(byCuboid && piece.Cuboid != s.Cuboid) {
				piece.X1 = s.X1
			} else {
				if piece.Cells() > 0 {
					f(&piece)
				}
				piece = Piece{Run: s.Run, Owner: owner, Global: global, Cuboid: s.Cuboid, Local: -1}
			}
			global += int64(s.X1 - x)
			x = s.X1
		}
	}
	if next != len(segments) {
		s := segments[next]
		return fmt.Errorf("cuboid %d claims cells from (%d, %d, %d) on that are not fluid or have another owner; partition the geometry again", s.Cuboid, s.X0, s.Y, s.Z)
	}
	f(&piece)
	return nil
}
