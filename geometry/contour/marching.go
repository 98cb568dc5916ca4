package contour

import (
	"fmt"
	"math"
	"sync"

	"carina/geometry/mesh"
	"carina/internal/machine"

	"gonum.org/v1/gonum/spatial/r3"
)

// Surface is the surface of an image's inside, in voxels: the centre of the first
// lies at the origin.
type Surface struct {
	Vertices []r3.Vec
	// Triangles are counter-clockwise seen from outside.
	Triangles [][3]int32
	// Border is how many voxels at the border of the image are inside. The surface is
	// open there.
	Border int64
	// start is where vertices were found.
	start []r3.Vec
}

// Of returns the surface of an image of nx·ny·nz voxels. Next fills a slice, x first,
// with what is inside, and is called for one slice after the other.
//
// Source: W. Lorensen and H. Cline, Marching cubes, SIGGRAPH 1987; where the corners of a
// face are inside crosswise they are parted, so that the surface never touches itself.
func Of(nx, ny, nz int, next func(inside []bool) error) (*Surface, error) {
	m := marching{nx: nx, ny: ny, nz: nz, surface: &Surface{}, loops: loops()}
	for z := range nz {
		upper := newSlice(nx * ny)
		if z > 1 {
			upper = m.spare
			clear(upper.x)
			clear(upper.y)
			clear(upper.z)
		}
		if err := next(upper.inside); err != nil {
			return nil, err
		}
		m.countBorder(upper, z)
		if z > 0 {
			m.spare = m.lower
			if err := m.between(z-1, upper); err != nil {
				return nil, err
			}
		}
		m.lower = upper
	}
	return m.surface, nil
}

// slice is a slice of voxels and the vertices on the lines from each to the next in
// every direction, plus one; 0 where there is none.
type slice struct {
	inside  []bool
	x, y, z []int32
}

func newSlice(n int) *slice {
	return &slice{make([]bool, n), make([]int32, n), make([]int32, n), make([]int32, n)}
}

type marching struct {
	nx, ny, nz   int
	lower, spare *slice
	surface      *Surface
	loops        *[256][][]int8
	growth       machine.Growth
}

// countBorder counts what is inside at the border.
func (m *marching) countBorder(s *slice, z int) {
	for y := range m.ny {
		for x := 0; x < m.nx; x++ {
			if s.inside[y*m.nx+x] && (x == 0 || x == m.nx-1 || y == 0 || y == m.ny-1 || z == 0 || z == m.nz-1) {
				m.surface.Border++
			}
		}
	}
}

// between finds the triangles between the lower slice, z, and the upper.
func (m *marching) between(z int, upper *slice) error {
	for y := range m.ny - 1 {
		rows := [4][]bool{}
		for i, s := range []*slice{m.lower, upper} {
			rows[2*i], rows[2*i+1] = s.inside[y*m.nx:(y+1)*m.nx], s.inside[(y+1)*m.nx:(y+2)*m.nx]
		}
		before := corners(&rows, 0)
		for x := range m.nx - 1 {
			after := corners(&rows, x+1)
			if kind := before | after<<1; kind != 0 && kind != 255 {
				if err := m.cube(kind, x, y, z, upper); err != nil {
					return err
				}
			}
			before = after
		}
	}
	return nil
}

// corners are the four corners at x that are inside: bit 0 for y and z, 2 for the next
// y, 4 for the next z, 6 for both.
func corners(rows *[4][]bool, x int) (bits uint8) {
	for i, row := range rows {
		if row[x] {
			bits |= 1 << (2 * i)
		}
	}
	return bits
}

// cube adds the triangles within a cube of eight voxels.
func (m *marching) cube(kind uint8, x, y, z int, upper *slice) error {
	s := m.surface
	if len(s.Vertices) > math.MaxInt32-64 {
		return fmt.Errorf("the surface has more than %d vertices: crop the image", math.MaxInt32)
	}
	if err := m.growth.Admit(int64(len(s.Triangles)) * mesh.BytesPerTriangle); err != nil {
		return err
	}
	var vertices [12]int32
	for _, loop := range m.loops[kind] {
		for i, e := range loop {
			vertices[i] = m.vertex(int(e), x, y, z, upper)
		}
		s.fan(vertices[:len(loop)])
	}
	return nil
}

// vertex is the one on an edge of a cube, half way.
func (m *marching) vertex(edge, x, y, z int, upper *slice) int32 {
	corner, axis := edges[edge].corner, edges[edge].axis
	x, y = x+corner&1, y+corner>>1&1
	in := m.lower
	if corner>>2 == 1 {
		in, z = upper, z+1
	}
	of := [3][]int32{in.x, in.y, in.z}[axis]
	i := y*m.nx + x
	if of[i] == 0 {
		at := [3]float64{float64(x), float64(y), float64(z)}
		at[axis] += 0.5
		m.surface.Vertices = append(m.surface.Vertices, r3.Vec{X: at[0], Y: at[1], Z: at[2]})
		of[i] = int32(len(m.surface.Vertices))
	}
	return of[i] - 1
}

// fan divides a polygon into triangles: one of more than four corners around its
// middle, since its other diagonals may lie in a face of the cube and meet a neighbour's.
func (s *Surface) fan(loop []int32) {
	if len(loop) <= 4 {
		for i := 2; i < len(loop); i++ {
			s.Triangles = append(s.Triangles, [3]int32{loop[0], loop[i-1], loop[i]})
		}
		return
	}
	var middle r3.Vec
	for _, v := range loop {
		middle = r3.Add(middle, r3.Scale(1/float64(len(loop)), s.Vertices[v]))
	}
	center := int32(len(s.Vertices))
	s.Vertices = append(s.Vertices, middle)
	for i, v := range loop {
		s.Triangles = append(s.Triangles, [3]int32{center, v, loop[(i+1)%len(loop)]})
	}
}

// edges of a cube go from a corner, whose bits are x, y and z, along an axis.
var edges = func() (list []struct{ corner, axis int }) {
	for axis := range 3 {
		for corner := range 8 {
			if corner>>axis&1 == 0 {
				list = append(list, struct{ corner, axis int }{corner, axis})
			}
		}
	}
	return list
}()

// loops are the polygons by which corners of a cube are inside, as lists of edges,
// made when they are first asked for.
var loops = sync.OnceValue(func() *[256][][]int8 {
	var table [256][][]int8
	for kind := range table {
		table[kind] = loopsOf(kind)
	}
	return &table
})

// loopsOf joins what happens in the faces. Around a face, corners that are inside follow
// each other in runs; the surface goes from the edge before a run to that behind it.
func loopsOf(kind int) (loops [][]int8) {
	var next [12]int8
	for e := range next {
		next[e] = -1
	}
	for axis := range 3 {
		for side := range 2 {
			u, v := 1<<((axis+1)%3), 1<<((axis+2)%3)
			if side == 0 {
				u, v = v, u // counter-clockwise seen from outside
			}
			face := [4]int{side << axis, side<<axis | u, side<<axis | u | v, side<<axis | v}
			inside := func(i int) bool { return kind>>face[i%4]&1 == 1 }
			for i := range face {
				if inside(i) || !inside(i+1) {
					continue
				}
				last := i + 1
				for inside(last + 1) {
					last++
				}
				next[edgeBetween(face[i], face[(i+1)%4])] = edgeBetween(face[last%4], face[(last+1)%4])
			}
		}
	}
	var seen [12]bool
	for e := range next {
		var loop []int8
		for at := int8(e); next[at] >= 0 && !seen[at]; at = next[at] {
			seen[at] = true
			loop = append(loop, at)
		}
		if len(loop) > 0 {
			loops = append(loops, loop)
		}
	}
	return loops
}

func edgeBetween(a, b int) int8 {
	for e := range edges {
		if edges[e].corner == min(a, b) && 1<<edges[e].axis == a^b {
			return int8(e)
		}
	}
	panic("contour: corners that no edge joins")
}
