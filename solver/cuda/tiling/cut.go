package tiling

import (
	"fmt"
	"math"

	"carina/geometry"
	"carina/solver"

	"gonum.org/v1/gonum/spatial/r3"
)

// Cut returns what one rank needs of a partitioned domain, in memory of its
// own: its tiles and those around them, the links of its own cells and, of openings that
// these meet, all links and what lies around, which decide profiles. How far
// openings reach, geometry.Links.Extents, is for the caller to add.
func Cut(domain *solver.Domain, rank int) (*solver.Domain, error) {
	if domain.Ranks < 2 || rank < 0 || rank >= domain.Ranks {
		return nil, fmt.Errorf("there is no share of rank %d in a domain of %d", rank, domain.Ranks)
	}
	domain, _, err := solver.Rounded(domain, Side, nil)
	if err != nil {
		return nil, err
	}
	tiles, err := NewPositions(domain)
	if err != nil {
		return nil, err
	}
	c := &cutter{tiles: tiles, domain: domain, rank: int32(rank)}
	if c.owner, err = tiles.Owners(domain); err != nil {
		return nil, err
	}
	c.keep = make([]bool, len(tiles.Position))
	c.keepOwn()
	c.keepOpenings()
	c.cutRuns()
	if n := c.share.Grid.Cells(); n > geometry.MostOfPart {
		return nil, fmt.Errorf("rank %d needs %d cells of the grid, a share has at most %d; use more ranks", rank, n, int64(geometry.MostOfPart))
	}
	c.cutLinks()
	return c.share, nil
}

// cutter makes the share of a rank.
type cutter struct {
	tiles  *Set
	domain *solver.Domain
	rank   int32
	owner  []int32
	keep   []bool // tiles
	meets  []bool // openings: own cells meet them
	share  *solver.Domain
}

// keepOwn keeps the rank's tiles and all tiles around them.
func (c *cutter) keepOwn() {
	for t, owner := range c.owner {
		if owner != c.rank {
			continue
		}
		c.keep[t] = true
		p := c.tiles.Position[t]
		for _, o := range geometry.Directions {
			if n := c.tiles.Find(p[0]+int32(o.X), p[1]+int32(o.Y), p[2]+int32(o.Z)); n >= 0 {
				c.keep[n] = true
			}
		}
	}
}

// eachOpening calls f for all links to openings with their cell's tile.
func (c *cutter) eachOpening(f func(tile int32, opening int)) {
	links := &c.domain.Grid.Links
	opening := NewOpeningFinder(links.Openings)
	EachBoundaryCell(c.tiles, c.domain.Grid, func(tile int32, _, i int) {
		for link, end := links.Range(i); link < end; link++ {
			if o := opening.Find(link); o >= 0 {
				f(tile, o)
			}
		}
	})
}

// keepOpenings keeps, of openings that own cells meet, the tiles of all cells that do
// and those around the disc: a developed profile is found from the lumen there.
func (c *cutter) keepOpenings() {
	grid := c.domain.Grid
	c.meets = make([]bool, len(grid.Openings))
	c.eachOpening(func(tile int32, o int) {
		if c.owner[tile] == c.rank {
			c.meets[o] = true
		}
	})
	centers, farthest := make([]r3.Vec, len(grid.Openings)), make([]float64, len(grid.Openings)) // in cells
	for i := range grid.Openings {
		centers[i] = r3.Scale(1/grid.Spacing, r3.Sub(grid.Openings[i].Center, grid.Origin))
	}
	c.eachOpening(func(tile int32, o int) {
		if c.meets[o] {
			c.keep[tile] = true
			farthest[o] = max(farthest[o], r3.Norm(r3.Sub(middleOf(c.tiles.Position[tile]), centers[o])))
		}
	})
	for i := range grid.Openings {
		if !c.meets[i] {
			continue
		}
		o := &grid.Openings[i]
		// The section reaches two radii of the area's circle, or the farthest link,
		// along two axes.
		const margin = 12
		reach := math.Sqrt2*max(2*math.Sqrt(o.Area/math.Pi)/grid.Spacing, farthest[i]+Side) + margin
		c.keepDisc(centers[i], o.Normal, reach)
	}
}

// middleOf is the middle of the tile at a position, in cells.
func middleOf(p [3]int32) r3.Vec {
	return r3.Scale(Side, r3.Vec{X: float64(p[0]) + 0.5, Y: float64(p[1]) + 0.5, Z: float64(p[2]) + 0.5})
}

// keepDisc keeps the tiles within a distance of a centre that lie at the plane
// through it, in cells.
func (c *cutter) keepDisc(center, normal r3.Vec, reach float64) {
	const near = 2 * Side
	low := func(x float64) int32 { return int32(math.Floor((x - reach) / Side)) }
	high := func(x float64) int32 { return int32(math.Floor((x + reach) / Side)) }
	for z := max(0, low(center.Z)); z <= min(c.tiles.size[2]-1, high(center.Z)); z++ {
		for y := max(0, low(center.Y)); y <= min(c.tiles.size[1]-1, high(center.Y)); y++ {
			for x := max(0, low(center.X)); x <= min(c.tiles.size[0]-1, high(center.X)); x++ {
				if math.Abs(r3.Dot(r3.Sub(middleOf([3]int32{x, y, z}), center), normal)) > near {
					continue
				}
				if t := c.tiles.Find(x, y, z); t >= 0 {
					c.keep[t] = true
				}
			}
		}
	}
}

// cutRuns copies what is kept of the runs, with their owners.
func (c *cutter) cutRuns() {
	d := c.domain
	grid := &geometry.Grid{Origin: d.Grid.Origin, Spacing: d.Grid.Spacing, Size: d.Grid.Size, Openings: d.Grid.Openings, Enclosed: d.Grid.Enclosed, Narrow: d.Grid.Narrow}
	c.share = &solver.Domain{Grid: grid, Ranks: d.Ranks, Work: d.Work, Periodic: d.Periodic, Share: &solver.Share{}}
	first := int64(0)
	for _, r := range d.Grid.Runs {
		tile := c.tiles.Find(r.X0/Side, r.Y/Side, r.Z/Side)
		joins := false
		for x := r.X0; x < r.X1; tile++ {
			piece := geometry.Run{X0: x, X1: min(r.X1, x/Side*Side+Side), Y: r.Y, Z: r.Z}
			if c.keep[tile] {
				c.addPiece(piece, c.owner[tile], first+int64(x-r.X0), joins)
			}
			joins = c.keep[tile]
			x = piece.X1
		}
		first += int64(r.X1 - r.X0)
	}
	c.share.Share.Cells = first
}

// addPiece adds cells of a tile, which may join the run before them.
func (c *cutter) addPiece(piece geometry.Run, owner int32, start int64, joins bool) {
	grid, s := c.share.Grid, c.share
	if !joins {
		grid.Runs, s.Share.Starts = append(grid.Runs, piece), append(s.Share.Starts, start)
	} else {
		grid.Runs[len(grid.Runs)-1].X1 = piece.X1
	}
	lengths, owners := &s.Share.Lengths, &s.Share.Owners
	if n := len(*owners); joins && (*owners)[n-1] == owner {
		(*lengths)[n-1] += piece.X1 - piece.X0
		return
	}
	*lengths, *owners = append(*lengths, piece.X1-piece.X0), append(*owners, owner)
}

// cutLinks copies the links of own cells and of cells at openings that own cells meet.
func (c *cutter) cutLinks() {
	from, to := &c.domain.Grid.Links, &c.share.Grid.Links
	to.Directions, to.Part = from.Directions, true
	opening := NewOpeningFinder(from.Openings)
	run, before := 0, int64(0) // of the share, and how many cells come before it
	runs, starts := c.share.Grid.Runs, c.share.Share.Starts
	EachBoundaryCell(c.tiles, c.domain.Grid, func(tile int32, _, i int) {
		moved, begin := int64(len(to.Distance)), len(to.Openings)
		first, end := from.Range(i)
		for link := first; link < end; link++ {
			if number := opening.Find(link); number >= 0 && c.meets[number] {
				to.Openings = append(to.Openings, geometry.OpeningLink{Link: moved + link - first, Number: uint16(number + 1)})
			}
		}
		if c.owner[tile] != c.rank && len(to.Openings) == begin {
			return
		}
		cell := from.Cell(i)
		for starts[run]+int64(runs[run].X1-runs[run].X0) <= cell {
			before += int64(runs[run].X1 - runs[run].X0)
			run++
		}
		to.Append(before+cell-starts[run], from.Mask[i])
		to.Distance = append(to.Distance, from.Distance[first:end]...)
	})
}
