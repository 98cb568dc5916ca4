package geometry

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"carina/geometry/mesh"
	"carina/geometry/opening"
	"carina/internal/quantity"

	"gonum.org/v1/gonum/spatial/r3"
)

// shrunkSide is the share of its length that a side of the bounding box keeps
// when nothing but an outer wall was dropped.
const shrunkSide = 0.9

// warnIfShrunk says so when mending has made the surface that was read much
// smaller.
func (p *Prepared) warnIfShrunk(read *Surface) {
	before, after := usedBox(&read.Mesh), usedBox(&p.Surface.Mesh)
	if after.X >= shrunkSide*before.X && after.Y >= shrunkSide*before.Y && after.Z >= shrunkSide*before.Z {
		return
	}
	p.Warnings = append(p.Warnings, fmt.Sprintf("mending made the surface smaller, from %s to %s (%s): "+
		"look at it with carina inspect --picture, and if a branch is missing, export the inner wall alone",
		quantity.FormatLengths(before.X, before.Y, before.Z), quantity.FormatLengths(after.X, after.Y, after.Z), p.Mended))
}

// usedBox is the extent of the vertices that triangles use.
func usedBox(s *mesh.Mesh) r3.Vec {
	used := &mesh.Mesh{Vertices: make([]r3.Vec, 0, 3*len(s.Triangles))}
	for _, t := range s.Triangles {
		used.Vertices = append(used.Vertices, s.Vertices[t.V[0]], s.Vertices[t.V[1]], s.Vertices[t.V[2]])
	}
	low, high := used.Bounds()
	return r3.Sub(high, low)
}

// obstacleWords says that bodies stand in the lumen, empty where none do.
func (p *Prepared) obstacleWords() string {
	switch p.Obstacles {
	case 0:
		return ""
	case 1:
		return "a closed body stands in the lumen and is taken for an obstacle: its inside is no fluid"
	}
	return fmt.Sprintf("%d closed bodies stand in the lumen and are taken for obstacles: their inside is no fluid", p.Obstacles)
}

// crossingWords says that bodies reach through the wall, empty where none do.
func (p *Prepared) crossingWords() string {
	var words []string
	add := func(n int, as string) {
		switch {
		case n == 1:
			words = append(words, "a closed body reaches through the wall of the lumen and is taken for "+as)
		case n > 1:
			words = append(words, fmt.Sprintf("%d closed bodies reach through the wall of the lumen and are taken for %s", n, as))
		}
	}
	add(p.Mended.CrossingObstacles, "obstacles, as most of each lies inside; the volume is too small by what lies outside: cut that off, or if they are lumen, unite them with it in MeshLab or Blender")
	add(p.Mended.CrossingParts, "parts of it, whose overlap the volume counts twice: unite them in MeshLab or Blender, or turn those inside out there that are obstacles")
	return strings.Join(words, "; ")
}

// namedFaces is how many faces are listed.
const namedFaces = 8

// faceWords says that nothing tells which faces are ends, empty where ends are
// told or there are no faces.
func (p *Prepared) faceWords() string {
	if len(p.faces) < 2 || len(p.Openings) > 0 {
		return ""
	}
	flags := make([]string, min(len(p.faces), namedFaces))
	for i := range flags {
		flags[i] = p.flagAt(Place{p.faces[i].Center, math.Sqrt(p.faces[i].Area / math.Pi)}) + ",NAME"
	}
	return fmt.Sprintf("the surface has %d flat faces with an edge all around, and nothing tells which of them air passes: name those with --opening, the largest are %s",
		len(p.faces), strings.Join(flags, " and "))
}

// flagAt is where a place lies, as --opening takes it.
func (p *Prepared) flagAt(at Place) string {
	unit := p.Surface.Unit
	if unit == UnknownUnit {
		unit = Metre
	}
	c := r3.Scale(1/float64(unit), at.Center)
	return fmt.Sprintf("%s,%.3gmm", quantity.FormatPoint(c.X, c.Y, c.Z, 6), 1e3*at.Radius)
}

// namedPlaces is how many places that may be ends are listed, with so many times
// their radius: the lumen is wider than the flat of a bevelled end.
const namedPlaces, placeReach = 4, 1.5

// perhapsAt says where further ends may lie, empty where none may.
func (p *Prepared) perhapsAt() string {
	if len(p.Perhaps) == 0 {
		return ""
	}
	at := make([]string, min(len(p.Perhaps), namedPlaces))
	for i := range at {
		at[i] = p.flagAt(Place{p.Perhaps[i].Center, placeReach * p.Perhaps[i].Radius})
	}
	if len(p.Perhaps) == 1 {
		return "the place that may be an end lies at x,y,z,radius of " + at[0]
	}
	return "the largest places that may be ends lie at x,y,z,radius of " + strings.Join(at, " and ")
}

// Remarks are sentences about the surface and what is assumed of it, beside
// the warnings.
func (p *Prepared) Remarks() []string {
	var remarks []string
	for _, words := range []string{p.obstacleWords(), p.crossingWords(), p.innerWords(), DoubtWords(p.Openings, p.Perhaps), p.InletGuess, p.inletReplaced, p.faceWords()} {
		if words != "" {
			remarks = append(remarks, words)
		}
	}
	return remarks
}

// countHoles counts caps that close holes; the smallest only balance
// triangles without area.
func (p *Prepared) countHoles(f *opening.Finder, holes []opening.Patch) {
	for i := range holes {
		c := &holes[i]
		if f.ClosesNothing(c) {
			p.Mended.DegenerateTriangles += len(c.Triangles)
			continue
		}
		p.Mended.ClosedHoles++
		p.Mended.HoleTriangles += len(c.Triangles)
		p.patched += c.Area
		p.holes = append(p.holes, c.Triangles...)
		if area := f.ClosedArea(c); area > p.largestHole.Area {
			p.largestHole = *c
			p.largestHole.Area = area
		}
	}
}

// warnOfLargeHole says so when a closed hole may have been an end of the lumen,
// and where, in the unit of the surface's file.
func (p *Prepared) warnOfLargeHole(unit Unit) {
	if len(p.Openings) == 0 || p.largestHole.Area == 0 {
		return
	}
	least := slices.MinFunc(p.Openings, func(a, b Opening) int { return cmp.Compare(a.Area, b.Area) })
	hole := p.largestHole
	if hole.Area < least.Area {
		return
	}
	if unit == UnknownUnit {
		unit = Metre
	}
	at := r3.Scale(1/float64(unit), hole.Center)
	p.Warnings = append(p.Warnings, fmt.Sprintf("a hole of %s around %s, no smaller than opening %d (%s), was closed: "+
		"if the lumen ends there, cut it straight a little before that with --opening x,y,z,radius,name, else look at it with carina inspect --picture and mend the surface there",
		quantity.FormatArea(hole.Area), quantity.FormatPoint(at.X, at.Y, at.Z, 5), least.Number, least.Name))
}
