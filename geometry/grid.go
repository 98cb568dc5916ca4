package geometry

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"math"
	"math/bits"
	"slices"
	"sort"

	"gonum.org/v1/gonum/spatial/r3"
)

// Run is a maximal row of fluid cells along x: the cells X0 ≤ x < X1 of row
// (Y, Z).
type Run struct{ X0, X1, Y, Z int32 }

// Grid is a voxelized lumen. Only fluid cells are stored, as runs, so that
// memory follows the surface and not the bounding box.
//
// The cells have a global number: their position when the runs are walked in
// order, x fastest. Everything that refers to single cells (links, halos,
// hashes) uses this number.
type Grid struct {
	// Origin is the lowest corner of cell (0, 0, 0), in metres.
	Origin r3.Vec
	// Spacing is the side of a cell, in metres.
	Spacing float64
	// Size is the number of cells of the bounding box along x, y and z.
	Size [3]int32
	// Runs are ordered by Z, then Y, then X0. Runs of one row neither overlap
	// nor touch.
	Runs []Run
	// Openings are the inlets and outlets; Openings[n-1] has Number n.
	Openings []Opening
	// Links says where links of fluid cells cross the wall and the openings.
	Links Links
	// Enclosed is the volume, in cubic metres, that the surface encloses where the
	// grid has cells: what lies in two bodies counts once, dropped islands do not; 0
	// where it is not known.
	Enclosed float64
	// Perhaps are places where the lumen may end beside the openings, the largest
	// first.
	Perhaps []Place
	// Narrow are places inside that are narrower than the openings on either side.
	Narrow []Narrow
}

// Volume is that of the cells, in cubic metres.
func (g *Grid) Volume() float64 {
	return float64(g.Cells()) * g.Spacing * g.Spacing * g.Spacing
}

// Cells returns the number of fluid cells.
func (g *Grid) Cells() int64 {
	var n int64
	for _, r := range g.Runs {
		n += int64(r.X1 - r.X0)
	}
	return n
}

// Starts returns the global number of the first cell of every run, followed
// by the number of all cells.
func (g *Grid) Starts() []int64 {
	starts := make([]int64, len(g.Runs)+1)
	for i, r := range g.Runs {
		starts[i+1] = starts[i] + int64(r.X1-r.X0)
	}
	return starts
}

// Center returns the centre of cell (x, y, z) in metres.
func (g *Grid) Center(x, y, z int32) r3.Vec {
	return r3.Vec{
		X: g.Origin.X + (float64(x)+0.5)*g.Spacing,
		Y: g.Origin.Y + (float64(y)+0.5)*g.Spacing,
		Z: g.Origin.Z + (float64(z)+0.5)*g.Spacing,
	}
}

// Row returns the runs of row (y, z), found by binary search.
func (g *Grid) Row(y, z int32) []Run {
	from := g.FirstOfRow(y, z)
	to := from
	for to < len(g.Runs) && g.Runs[to].Z == z && g.Runs[to].Y == y {
		to++
	}
	return g.Runs[from:to]
}

// FirstOfRow is the index of the first run of row (y, z), or of the one behind where it
// has none.
func (g *Grid) FirstOfRow(y, z int32) int {
	return sort.Search(len(g.Runs), func(i int) bool {
		r := &g.Runs[i]
		return r.Z > z || r.Z == z && r.Y >= y
	})
}

// Contains reports whether cell (x, y, z) is fluid.
func (g *Grid) Contains(x, y, z int32) bool {
	for _, r := range g.Row(y, z) {
		if x >= r.X0 && x < r.X1 {
			return true
		}
	}
	return false
}

// Fingerprint identifies a grid: it changes with spacing, size, cells and
// openings, and with nothing else. Lengths are rounded to a part in 10^9, so
// that the same grid read back, moved between machines or made by another
// number of workers keeps its fingerprint.
func (g *Grid) Fingerprint() string {
	h := sha256.New()
	put(h, quantise(g.Spacing, 1e-15), int64(g.Size[0]), int64(g.Size[1]), int64(g.Size[2]), int64(len(g.Runs)))
	buffer := make([]byte, 0, 1<<14)
	for _, r := range g.Runs {
		for _, x := range [4]int32{r.X0, r.X1, r.Y, r.Z} {
			buffer = binary.LittleEndian.AppendUint32(buffer, uint32(x))
		}
		if len(buffer) >= 1<<14-16 {
			h.Write(buffer)
			buffer = buffer[:0]
		}
	}
	h.Write(buffer)
	put(h, int64(len(g.Openings)))
	for _, o := range g.Openings {
		h.Write([]byte(o.Name + "\x00" + string(o.Role) + "\x00"))
		c := o.Center
		put(h, int64(o.Number), quantise(c.X-g.Origin.X, 1e-9), quantise(c.Y-g.Origin.Y, 1e-9), quantise(c.Z-g.Origin.Z, 1e-9), quantise(o.Area, 1e-12))
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

func quantise(x, step float64) int64 { return int64(math.Round(x / step)) }

func put(h hash.Hash, values ...int64) {
	for _, v := range values {
		binary.Write(h, binary.LittleEndian, v)
	}
}

// Links lists, for every fluid cell with at least one neighbour that is not
// fluid, the directions that leave the fluid and the distance to what they
// meet. Links of one cell stand together in ascending order of direction.
type Links struct {
	// Directions is how many of the package's Directions are covered: 18 for
	// D3Q19, 26 for D3Q27.
	Directions int
	// Part is set, before there are cells, where the links are those of a part of a
	// grid, of at most MostOfPart cells: lists take less memory, and looking for the
	// first link of a cell a little longer.
	Part bool
	// Mask has, for every boundary cell, bit d set where the neighbour in
	// Directions[d] is not fluid.
	Mask []uint32
	// Distance is the fraction q of the link that lies inside the fluid,
	// 0 < q ≤ 1, as q·65536 − 1 rounded: q = (Distance+1)/65536. The plain
	// half-way wall is q = ½.
	Distance []uint16
	// Openings names the links that meet an opening instead of the wall,
	// ordered by Link.
	Openings []OpeningLink
	// Extents are those of the openings in the whole grid, where the links are those of
	// a part; nil otherwise.
	Extents []OpeningExtent
	// cells are the numbers of the boundary cells, ascending; a part has them in few.
	cells []int64
	few   []uint32
	// first are the first links of the boundary cells, in a part of every counted one:
	// the masks of those between tell the others'.
	first []int64
}

const (
	// MostOfPart is how many cells a part of a grid may have.
	MostOfPart = math.MaxUint32
	counted    = 16
)

// Len is the number of boundary cells, by whose places, from 0, other methods know them.
func (l *Links) Len() int { return len(l.Mask) }

// Cell is the number of a boundary cell: its global one or, in a part of a grid, that
// among the cells of the part.
func (l *Links) Cell(i int) int64 {
	if l.Part {
		return int64(l.few[i])
	}
	return l.cells[i]
}

// Search is the place of the first boundary cell whose number is not less than one, Len
// where there is none, and whether it is that cell.
func (l *Links) Search(cell int64) (i int, found bool) {
	if l.Part {
		i = searchCells(l.few, uint32(max(0, min(cell, MostOfPart))))
	} else {
		i = searchCells(l.cells, cell)
	}
	return i, i < l.Len() && l.Cell(i) == cell
}

// searchCells returns the position of the first cell that is not less.
func searchCells[T int64 | uint32](cells []T, cell T) int {
	low, high := 0, len(cells)
	for low < high {
		if m := (low + high) / 2; cells[m] < cell {
			low = m + 1
		} else {
			high = m
		}
	}
	return low
}

// First is the index in Distance of the first link of a boundary cell.
func (l *Links) First(i int) int64 {
	if !l.Part {
		return l.first[i]
	}
	n := l.first[i/counted]
	for _, mask := range l.Mask[i/counted*counted : i] {
		n += int64(bits.OnesCount32(mask))
	}
	return n
}

// Range is the first link of a boundary cell and the one behind its last.
func (l *Links) Range(i int) (first, end int64) {
	first = l.First(i)
	return first, first + int64(bits.OnesCount32(l.Mask[i]))
}

// Link is the number of the link of a boundary cell in a direction that leaves the fluid.
func (l *Links) Link(i, direction int) int64 {
	return l.First(i) + int64(bits.OnesCount32(l.Mask[i]&(1<<direction-1)))
}

// CellOf is the place of the boundary cell that has a link.
func (l *Links) CellOf(link int64) int {
	i, found := slices.BinarySearch(l.first, link)
	if !found {
		i--
	}
	if !l.Part || i < 0 {
		return i
	}
	end := l.first[i]
	for i *= counted; i < l.Len()-1; i++ {
		if end += int64(bits.OnesCount32(l.Mask[i])); link < end {
			break
		}
	}
	return i
}

// Append adds a boundary cell behind the others. Its links are for the caller to add.
func (l *Links) Append(cell int64, mask uint32) {
	var first int64
	if n := l.Len(); n > 0 && (!l.Part || n%counted == 0) {
		_, first = l.Range(n - 1)
	}
	if !l.Part {
		l.cells, l.first = append(l.cells, cell), append(l.first, first)
	} else if l.few = append(l.few, uint32(cell)); l.Len()%counted == 0 {
		l.first = append(l.first, first)
	}
	l.Mask = append(l.Mask, mask)
}

// roomed makes room for one boundary cell more of so many, as the function of this name.
func (l *Links) roomed(count int64) {
	l.Mask = roomed(l.Mask, 1, count)
	if l.Part {
		l.few, l.first = roomed(l.few, 1, count), roomed(l.first, 1, (count+counted-1)/counted)
		return
	}
	l.cells, l.first = roomed(l.cells, 1, count), roomed(l.first, 1, count)
}

// bytes is the memory of the lists.
func (l *Links) bytes() int64 {
	return int64(8*len(l.cells) + 4*len(l.few) + 8*len(l.first) + 4*len(l.Mask) + 2*len(l.Distance) + 16*len(l.Openings))
}

// Meet tells of a number of openings, by index, which of them links meet, in the whole
// where the links are those of a part.
func (l *Links) Meet(openings int) []bool {
	list := make([]bool, openings)
	for _, o := range l.Openings {
		list[o.Number-1] = true
	}
	for i := range l.Extents {
		list[i] = l.Extents[i].Links > 0
	}
	return list
}

// OpeningExtent is how far an opening reaches in a grid.
type OpeningExtent struct {
	// Links is how many links meet the opening.
	Links int64
	// Areas are those that its links stand for, in cell faces: those of D3Q19, and of
	// D3Q27.
	Areas [2]float64
	// Reach is how far from the opening's centre they end at most, in metres: those of
	// D3Q19, and of D3Q27.
	Reach [2]float64
	// Inside is the part of Areas of those links whose cells have none to walls.
	Inside [2]float64
}

// OpeningLink says that link number Link (an index into Links.Distance) meets
// the opening of index Number, from 1, in Grid.Openings.
type OpeningLink struct {
	Link   int64
	Number uint16
}

// Fraction returns q of link number link.
func (l *Links) Fraction(link int64) float64 {
	return (float64(l.Distance[link]) + 1) / 65536
}

// Direction returns the place in Directions of a link of boundary cell i.
func (l *Links) Direction(i int, link int64) int {
	mask := l.Mask[i]
	for range link - l.First(i) {
		mask &= mask - 1
	}
	return bits.TrailingZeros32(mask)
}

// Opening returns the number of the opening that a link ends at, 0 for the wall.
func (l *Links) Opening(link int64) int {
	i, found := slices.BinarySearchFunc(l.Openings, link, func(o OpeningLink, link int64) int { return cmp.Compare(o.Link, link) })
	if !found {
		return 0
	}
	return int(l.Openings[i].Number)
}

// Offset is the step from a cell to one of its neighbours, in cells.
type Offset struct{ X, Y, Z int8 }

// Directions lists the 26 neighbours of a cell: the six faces, then the
// twelve edges, then the eight corners. Opposite directions are neighbours in
// the list, so that Directions[d^1] is the opposite of Directions[d]. The
// first 18 are the moving velocities of D3Q19, all 26 those of D3Q27.
var Directions = [26]Offset{
	{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1},
	{1, 1, 0}, {-1, -1, 0}, {1, -1, 0}, {-1, 1, 0},
	{1, 0, 1}, {-1, 0, -1}, {1, 0, -1}, {-1, 0, 1},
	{0, 1, 1}, {0, -1, -1}, {0, 1, -1}, {0, -1, 1},
	{1, 1, 1}, {-1, -1, -1}, {1, 1, -1}, {-1, -1, 1},
	{1, -1, 1}, {-1, 1, -1}, {-1, 1, 1}, {1, -1, -1},
}
