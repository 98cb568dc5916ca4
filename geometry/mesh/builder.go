package mesh

import (
	"fmt"
	"math"
	"strings"

	"carina/internal/machine"
	"carina/internal/quantity"

	"gonum.org/v1/gonum/spatial/r3"
)

// ExportAgain is what to do with a file that is damaged.
const ExportAgain = "export the surface again from the program that made it"

// BytesPerTriangle is the memory that a triangle takes until it is voxels, measured up
// to 1.6 million.
const BytesPerTriangle = 550

// Builder makes a mesh of what a file holds: it merges equal vertices, refuses
// coordinates that are no numbers and divides polygons into triangles.
type Builder struct {
	Mesh Mesh
	// Notes are remarks about the file, one sentence each.
	Notes []string
	index map[[3]uint64]int32 // by the bits of coordinates
	solid int32
}

// Note adds a remark.
func (b *Builder) Note(format string, args ...any) {
	b.Notes = append(b.Notes, fmt.Sprintf(format, args...))
}

// longestSolid is how many bytes of a solid's name are kept.
const longestSolid = 200

// Begin starts a new solid. A name that no table could show is shortened.
func (b *Builder) Begin(name string) {
	if len(name) > longestSolid {
		b.Note("the name of solid %d has %d bytes and is shortened to %d", len(b.Mesh.Solids)+1, len(name), longestSolid)
		name = strings.ToValidUTF8(name[:longestSolid], "") + "…"
	}
	b.solid = int32(len(b.Mesh.Solids))
	b.Mesh.Solids = append(b.Mesh.Solids, name)
}

// Reserve returns a machine.MemoryError where so many triangles are too many for the
// machine.
func (b *Builder) Reserve(triangles int64) error {
	return machine.Admit(min(triangles, math.MaxInt64/BytesPerTriangle) * BytesPerTriangle)
}

// Vertex returns the index of the vertex at a place. It refuses what is no finite
// number.
func (b *Builder) Vertex(at [3]float64) (int32, error) {
	var bits [3]uint64
	for axis, x := range at {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return 0, fmt.Errorf("triangle %d has a coordinate that is not a finite number", len(b.Mesh.Triangles)+1)
		}
		at[axis] = x + 0 // turns -0 into +0, which are the same place
		bits[axis] = math.Float64bits(at[axis])
	}
	if i, ok := b.index[bits]; ok {
		return i, nil
	}
	if b.index == nil {
		b.index = map[[3]uint64]int32{}
	}
	i := int32(len(b.Mesh.Vertices))
	b.index[bits] = i
	b.Mesh.Vertices = append(b.Mesh.Vertices, r3.Vec{X: at[0], Y: at[1], Z: at[2]})
	return i, nil
}

// Triangle adds a triangle of three vertices.
func (b *Builder) Triangle(v [3]int32) {
	b.Mesh.Triangles = append(b.Mesh.Triangles, Triangle{V: v, Solid: b.solid})
}

// mostCorners is how many corners a polygon that is not convex may have: to divide it
// takes up to their cube.
const mostCorners = 512

// Polygon adds a polygon of three vertices or more, as triangles.
func (b *Builder) Polygon(corners []int32) error {
	if len(corners) == 3 {
		b.Triangle([3]int32(corners))
		return nil
	}
	points := make([]r3.Vec, len(corners))
	for i, v := range corners {
		points[i] = b.Mesh.Vertices[v]
	}
	var area r3.Vec
	for i := 2; i < len(points); i++ {
		area = r3.Add(area, r3.Cross(r3.Sub(points[i-1], points[0]), r3.Sub(points[i], points[0])))
	}
	if r3.Norm(area) == 0 || fansOut(points, area) {
		for i := 2; i < len(corners); i++ {
			b.Triangle([3]int32{corners[0], corners[i-1], corners[i]})
		}
		return nil
	}
	if len(corners) > mostCorners {
		return fmt.Errorf("a polygon behind triangle %d has %s and is not convex, so that it has to be divided into triangles before", len(b.Mesh.Triangles), quantity.Count(len(corners), "corner"))
	}
	e1, e2 := Perpendicular(r3.Unit(area))
	for _, t := range triangulate(planar(points, points[0], e1, e2)) {
		b.Triangle([3]int32{corners[t[0]], corners[t[1]], corners[t[2]]})
	}
	return nil
}

// fansOut reports whether the triangles from the first corner of a polygon all lie
// within it: whether none is turned over.
func fansOut(points []r3.Vec, area r3.Vec) bool {
	for i := 2; i < len(points); i++ {
		if r3.Dot(area, r3.Cross(r3.Sub(points[i-1], points[0]), r3.Sub(points[i], points[0]))) < 0 {
			return false
		}
	}
	return true
}

// Finish checks the mesh and returns it with all remarks. Single tells that its
// coordinates were numbers of single precision.
func (b *Builder) Finish(single bool) (*Mesh, []string, error) {
	if len(b.Mesh.Triangles) == 0 {
		return nil, nil, fmt.Errorf("the file holds no triangles: %s", ExportAgain)
	}
	if coarse := b.Coarseness(); single && coarse > Coarsest {
		b.NoteCoarse(coarse)
	}
	return &b.Mesh, b.Notes, b.CheckFarthest()
}
