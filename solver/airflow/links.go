package airflow

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sort"

	"carina/geometry"
	"carina/solver"
	"carina/solver/airflow/kernel"
	"carina/solver/airflow/opening"
	"carina/solver/lattice"
	"carina/solver/processor"

	"gonum.org/v1/gonum/spatial/r3"
)

// openingCell is a cell with links that meet openings.
type openingCell struct {
	cell      int32
	global    int64
	neighbour [26]int32     // by direction, −1 where it is not fluid
	links     []openingLink // those to one opening in a row
	groups    []openingGroup
	// firstGroup is the number of its first group among those of all cells.
	firstGroup int
}

// openingLink is a link that meets an opening.
type openingLink struct {
	opening int   // index
	p       uint8 // ī, the population that comes back
	// area is the part of the opening's area that the link stands for, in
	// cell faces: 6 w_i c_i·n, which adds up to one over the links of a face.
	area float64
	// inflow is the area times the profile of a prescribed flow, which adds up
	// to the opening's area.
	inflow float64
	// along is the component of what comes back, c_ī, along the opening's normal.
	along float64
	// distance is how far inside the opening's plane the cell's centre lies, in
	// cells.
	distance float64
}

// linkArea is the area that a link along population i stands for where it
// meets a plane with the given outward normal, in cell faces.
func linkArea(set *lattice.Set, i int, o *geometry.Opening) float64 {
	c := set.Velocities[i]
	along := float64(c[0])*o.Normal.X + float64(c[1])*o.Normal.Y + float64(c[2])*o.Normal.Z
	return max(0, 6*set.Weights[i]*along)
}

// openingLinks calls f for all links of the grid that meet openings: the
// index of the opening, the population that leaves, and the link's middle.
func openingLinks(grid *geometry.Grid, set *lattice.Set, f func(opening, population int, middle r3.Vec)) error {
	l := &grid.Links
	cell, run := 0, 0
	var before int64 // cells in earlier runs
	for _, o := range l.Openings {
		if o.Number < 1 || int(o.Number) > len(grid.Openings) {
			return fmt.Errorf("a link meets opening %d of %d; voxelize the surface again", o.Number, len(grid.Openings))
		}
		for l.First[cell+1] <= o.Link {
			cell++
		}
		for n := runCells(grid.Runs[run]); l.Cells[cell] >= before+n; n = runCells(grid.Runs[run]) {
			before += n
			run++
		}
		r := grid.Runs[run]
		if i := l.Direction(cell, o.Link) + 1; i < set.Q {
			f(int(o.Number)-1, i, linkMiddle(grid, set, r.X0+int32(l.Cells[cell]-before), r.Y, r.Z, i))
		}
	}
	return nil
}

func runCells(r geometry.Run) int64 { return int64(r.X1 - r.X0) }

// linkMiddle is the middle of a link of cell (x, y, z) along population i:
// there bounce-back imposes the velocity. The flow through an opening is the
// same on all planes across it, so that no more need be known of where the
// plane cuts the link.
func linkMiddle(grid *geometry.Grid, set *lattice.Set, x, y, z int32, i int) r3.Vec {
	c := set.Velocities[i]
	half := r3.Vec{X: float64(c[0]), Y: float64(c[1]), Z: float64(c[2])}
	return r3.Add(grid.Center(x, y, z), r3.Scale(grid.Spacing/2, half))
}

// distanceInside is how far inside the plane of an opening the centre of cell
// (x, y, z) lies, in cells; at most the length of a link, should the opening
// not be plane.
func distanceInside(grid *geometry.Grid, o *geometry.Opening, x, y, z int32) float64 {
	distance := r3.Dot(r3.Sub(o.Center, grid.Center(x, y, z)), o.Normal) / grid.Spacing
	return max(0, min(math.Sqrt(3), distance))
}

// wallMomentum is what a moving wall adds to the population that comes back
// along a link: −6 w_i c_i·u (Ladd 1994).
func wallMomentum(set *lattice.Set, i int, u [3]float64) float64 {
	c := set.Velocities[i]
	return -6 * set.Weights[i] * (float64(c[0])*u[0] + float64(c[1])*u[1] + float64(c[2])*u[2])
}

// openingAreas sums the link areas of every opening over the whole grid. A
// spacing too coarse for a small opening leaves it none: only an inlet needs
// some.
func openingAreas(grid *geometry.Grid, set *lattice.Set) ([]float64, error) {
	areas := make([]float64, len(grid.Openings))
	if err := openingLinks(grid, set, func(o, i int, _ r3.Vec) {
		areas[o] += linkArea(set, i, &grid.Openings[o])
	}); err != nil {
		return nil, err
	}
	for i, a := range areas {
		if o := &grid.Openings[i]; a == 0 && o.Role == geometry.Inlet {
			return nil, fmt.Errorf("the inlet, opening %d (%s), meets no cell; choose a finer spacing or another inlet", o.Number, o.Name)
		}
	}
	return areas, nil
}

// openingProfiles returns for every opening the profile of its flow, scaled so
// that its mean over the links is one.
func openingProfiles(grid *geometry.Grid, set *lattice.Set, list []openingState) ([]profile, error) {
	profiles := make([]profile, len(list))
	for i := range list {
		if profiles[i] = list[i].condition.Shape; profiles[i] == nil {
			profiles[i] = newProfile(list[i].condition.Profile, grid, &grid.Openings[i])
		}
	}
	sums := make([]float64, len(list))
	if err := openingLinks(grid, set, func(o, i int, at r3.Vec) {
		sums[o] += linkArea(set, i, &grid.Openings[o]) * profiles[o](at)
	}); err != nil {
		return nil, err
	}
	for i, p := range profiles {
		if sums[i] <= 0 {
			profiles[i] = func(r3.Vec) float64 { return 1 }
			continue
		}
		scale := list[i].area / sums[i]
		profiles[i] = func(at r3.Vec) float64 { return scale * p(at) }
	}
	return profiles, nil
}

// findLinks makes the wall streams and opening cells of every chunk, and returns
// how many groups of links the latter have.
func (l *layout) findLinks(grid *geometry.Grid, wall wallScheme, openings []openingState, profiles []profile) (groups int, err error) {
	links := &grid.Links
	if len(links.Cells) > 0 && links.Directions < l.set.Q-1 {
		return 0, fmt.Errorf("the grid's links cover %d directions and %s needs %d; voxelize the surface again",
			links.Directions, l.set.Name, l.set.Q-1)
	}
	b := linkBuilder{layout: l, grid: grid, wall: wall, states: openings, profiles: profiles}
	q := l.set.Q
	for i := range l.chunks {
		c := &l.chunks[i]
		c.near, c.far, c.reflections, c.opening = int64(len(l.near)), int64(len(l.far)), int64(len(l.reflections)), int32(len(l.openings))
		for w := c.walled; w < c.walledEnd; w++ {
			b.window = l.windows.walled[int(w)*walledWidth(q):][:walledWidth(q)]
			b.addWindow(int(w-c.walled), c.cell)
		}
		b.finishStreams()
		c.openingEnd = int32(len(l.openings))
	}
	l.near, l.far, l.reflections = processor.InHugePages(l.near, 0), processor.InHugePages(l.far, 0), processor.InHugePages(l.reflections, 0)
	return b.groups, nil
}

type linkBuilder struct {
	*layout
	grid        *geometry.Grid
	wall        wallScheme
	states      []openingState
	profiles    []profile
	openingNext int
	groups      int           // of all opening cells so far
	piece       *solver.Piece // of the cells at hand
	window      []uint32
	// shares are those of the window at hand, by direction and lane.
	shares [26][windowCells]linkShare
	// nearLinks, farLinks and reflected are those of the chunk at hand, by
	// direction.
	nearLinks, farLinks, reflected [26][]wallLink
}

// neighbour returns that of a lane of the window at hand in a direction, or −1
// where it is not fluid.
func (b *linkBuilder) neighbour(lane int32, d int) int32 {
	if b.window[2+b.set.Q-1+d/2]>>(16*(d%2))>>lane&1 == 0 {
		return -1
	}
	return int32(b.window[0]+b.window[2+d]) + lane
}

// addWindow adds the links of the window at hand, given its number in the
// chunk and the chunk's first cell.
func (b *linkBuilder) addWindow(number int, first int32) {
	l := &b.grid.Links
	cell, count := int32(b.window[0]), int32(b.window[1])
	b.EachPiece(cell, cell+count, func(p *solver.Piece, from, to int32) {
		b.piece = p
		global := p.Global + int64(from-p.Local)
		i, _ := slices.BinarySearch(l.Cells, global)
		for ; i < len(l.Cells) && l.Cells[i] < global+int64(to-from); i++ {
			b.addCell(from-cell+int32(l.Cells[i]-global), i)
		}
	})
	for d := range b.shares {
		for lane, share := range b.shares[d] {
			if share.kind == halfWayLink {
				continue
			}
			b.shares[d][lane] = linkShare{}
			links := b.linksOf(share.kind)
			links[d] = append(links[d], wallLink{kernel.NewCorrectedLink(int(cell-first)+lane, d^1, number, len(b.window)), share.share})
		}
	}
}

// linksOf are those of a kind of the chunk at hand, by direction.
func (b *linkBuilder) linksOf(kind linkKind) *[26][]wallLink {
	switch kind {
	case nearLink:
		return &b.nearLinks
	case farLink:
		return &b.farLinks
	}
	return &b.reflected
}

// finishStreams ends the corrections of one kind of windows of a chunk.
func (b *linkBuilder) finishStreams() {
	b.near, b.far = b.near.finish(&b.nearLinks, kernel.LinkGroup), b.far.finish(&b.farLinks, kernel.LinkGroup)
	b.reflections = b.reflections.finish(&b.reflected, kernel.ReflectionGroup)
}

// addCell adds the links of one lane, boundary cell number i of the grid.
func (b *linkBuilder) addCell(lane int32, i int) {
	l := &b.grid.Links
	var open []openingLink
	link := l.First[i]
	for mask := l.Mask[i]; mask != 0; mask &= mask - 1 {
		d := bits.TrailingZeros32(mask)
		number := link
		link++
		if d >= b.set.Q-1 {
			continue
		}
		if o := b.openingOf(number); o >= 0 {
			p := b.piece
			open = append(open, b.openingLink(p.X0+int32(b.window[0])+lane-p.Local, p.Y, p.Z, d, o))
			continue
		}
		if b.neighbour(lane, d^1) >= 0 {
			b.shares[d][lane] = b.wall.share(l.Fraction(number))
		}
	}
	if len(open) == 0 {
		return
	}
	slices.SortStableFunc(open, func(x, y openingLink) int { return x.opening - y.opening })
	o := openingCell{cell: int32(b.window[0]) + lane, global: l.Cells[i], links: open, groups: groupLinks(b.set, open)}
	for d := range b.set.Q - 1 {
		o.neighbour[d] = b.neighbour(lane, d)
	}
	o.firstGroup = b.groups
	b.groups += len(o.groups)
	b.openings = append(b.openings, o)
}

// openingLink is the link of cell (x, y, z) in a direction that meets the
// opening of index o.
func (b *linkBuilder) openingLink(x, y, z int32, direction, o int) openingLink {
	i := direction + 1
	at := &b.grid.Openings[o]
	area := linkArea(b.set, i, at)
	c := b.set.Velocities[lattice.Opposite(i)]
	link := openingLink{opening: o, p: uint8(lattice.Opposite(i)), area: area,
		along:    float64(c[0])*at.Normal.X + float64(c[1])*at.Normal.Y + float64(c[2])*at.Normal.Z,
		distance: distanceInside(b.grid, at, x, y, z),
		inflow:   area * b.profiles[o](linkMiddle(b.grid, b.set, x, y, z, i))}
	if state := &b.states[o]; state.condition.Kind == opening.MovingWall {
		link.inflow = wallMomentum(b.set, i, state.velocity)
	}
	return link
}

// openingOf returns the index of the opening that a link meets, or −1.
func (b *linkBuilder) openingOf(link int64) int {
	list := b.grid.Links.Openings
	// Links come nearly in order; search only after a jump.
	if b.openingNext > 0 && list[b.openingNext-1].Link >= link || b.openingNext < len(list) && list[b.openingNext].Link < link {
		b.openingNext = sort.Search(len(list), func(i int) bool { return list[i].Link >= link })
	}
	if b.openingNext < len(list) && list[b.openingNext].Link == link {
		b.openingNext++
		return int(list[b.openingNext-1].Number) - 1
	}
	return -1
}
