package airflow

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"carina/geometry"
	"carina/solver"

	"gonum.org/v1/gonum/spatial/r3"
)

// Surroundings are where in a lumen a cell lies. Lengths in cells.
type Surroundings struct {
	// Position is the cell's centre, in metres.
	Position r3.Vec
	// Opening is the nearest, with its number and name, ToOpening the distance
	// from there.
	Opening   string
	ToOpening float64
	// ToWall is the distance of the cell's centre from the wall, Across the
	// diameter of the largest ball found that reaches the cell. Both are 0 where
	// they are not known.
	ToWall, Across float64
}

// surroundingsOf describes where a cell lies.
func surroundingsOf(d *solver.Domain, cell [3]int32) Surroundings {
	g := d.Grid
	s := Surroundings{Position: g.Center(cell[0], cell[1], cell[2]), ToOpening: math.Inf(1)}
	for i := range g.Openings {
		o := &g.Openings[i]
		if distance := toOpening(o, s.Position) / g.Spacing; distance < s.ToOpening {
			s.Opening, s.ToOpening = strings.TrimSuffix(fmt.Sprintf("opening %d (%s)", o.Number, o.Name), " ()"), distance
		}
	}
	if l := (lumen{g, g.Starts()}); l.number(cell) >= 0 {
		s.ToWall, s.Across = l.around(cell)
	}
	return s
}

// toOpening is the distance of a point from an opening, taken as a disc.
func toOpening(o *geometry.Opening, p r3.Vec) float64 {
	offset := r3.Sub(p, o.Center)
	height := r3.Dot(offset, o.Normal)
	radial := r3.Norm(r3.Sub(offset, r3.Scale(height, o.Normal)))
	return math.Hypot(height, max(0, radial-math.Sqrt(o.Area/math.Pi)))
}

// lumen finds distances from the wall in a grid.
type lumen struct {
	*geometry.Grid
	starts []int64
}

// around climbs from a cell to where the wall is farthest, as long as the ball
// there reaches the cell, and returns the cell's distance from the wall and the
// ball's diameter; zeros where no wall is seen.
func (l *lumen) around(cell [3]int32) (toWall, across float64) {
	const slack = 1 // by which distances along few directions are off
	toWall = l.wallDistance(cell)
	if math.IsInf(toWall, 1) {
		return 0, 0
	}
	center, best := cell, toWall
	for {
		next, farthest := center, best
		for _, c := range geometry.Directions {
			n := stepped(center, c, 1)
			if l.number(n) < 0 {
				continue
			}
			if w := l.wallDistance(n); w > farthest && between(n, cell) < w+slack && !math.IsInf(w, 1) {
				next, farthest = n, w
			}
		}
		if next == center {
			return toWall, 2 * best
		}
		center, best = next, farthest
	}
}

// wallDistance is the distance from a cell's centre to the wall along the nearest
// of the grid's directions, in cells; infinite where all of them end elsewhere.
func (l *lumen) wallDistance(cell [3]int32) float64 {
	nearest := math.Inf(1)
	for d, c := range geometry.Directions[:l.Links.Directions] {
		length := math.Sqrt(float64(int(c.X)*int(c.X) + int(c.Y)*int(c.Y) + int(c.Z)*int(c.Z)))
		last := l.number(cell)
		for n := int32(1); float64(n-1)*length < nearest; n++ {
			next := l.number(stepped(cell, c, n))
			if next >= 0 {
				last = next
				continue
			}
			nearest = min(nearest, (float64(n-1)+l.fraction(last, d))*length)
			break
		}
	}
	return nearest
}

// fraction is that of the link from a cell in a direction that lies inside the
// wall; infinite where it ends elsewhere.
func (l *lumen) fraction(number int64, direction int) float64 {
	links := &l.Links
	i, found := links.Search(number)
	if !found || links.Mask[i]>>direction&1 == 0 {
		return math.Inf(1)
	}
	link := links.Link(i, direction)
	if links.Opening(link) != 0 {
		return math.Inf(1)
	}
	return links.Fraction(link)
}

// number is the global number of a cell, negative where it is not fluid.
func (l *lumen) number(cell [3]int32) int64 {
	i, found := slices.BinarySearchFunc(l.Runs, cell, func(r geometry.Run, c [3]int32) int {
		switch row := cmp.Or(cmp.Compare(r.Z, c[2]), cmp.Compare(r.Y, c[1])); {
		case row != 0:
			return row
		case r.X1 <= c[0]:
			return -1
		case r.X0 > c[0]:
			return 1
		}
		return 0
	})
	if !found {
		return -1
	}
	return l.starts[i] + int64(cell[0]-l.Runs[i].X0)
}

// stepped is the cell n steps from another.
func stepped(cell [3]int32, c geometry.Offset, n int32) [3]int32 {
	return [3]int32{cell[0] + n*int32(c.X), cell[1] + n*int32(c.Y), cell[2] + n*int32(c.Z)}
}

// between is the distance of two cells.
func between(a, b [3]int32) float64 {
	return r3.Norm(r3.Vec{X: float64(a[0] - b[0]), Y: float64(a[1] - b[1]), Z: float64(a[2] - b[2])})
}
