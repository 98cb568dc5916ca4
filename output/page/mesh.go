package page

import (
	"math"

	"carina/geometry"

	"gonum.org/v1/gonum/spatial/r3"
)

// mesh is a surface to draw. Several vertices may share a corner, one for
// each label (the owner or the opening) that meets there.
type mesh struct {
	corners  []r3.Vec
	vertices []vertex
	// faces are vertex numbers, counter-clockwise from outside; a triangle
	// repeats its last.
	faces [][4]int32
	// behind is the voxel behind each face, where there are voxels.
	behind []int32
}

// vertex is a corner as one label sees it.
type vertex struct {
	corner, label int32
	// next is another vertex of the same corner, or −1.
	next int32
}

// builder finds the vertex of a corner and label.
type builder struct {
	mesh
	first []int32 // by corner, −1 where there is no vertex
}

func (b *builder) corner(at r3.Vec) int32 {
	b.corners = append(b.corners, at)
	b.first = append(b.first, -1)
	return int32(len(b.corners) - 1)
}

func (b *builder) vertex(corner, label int32) int32 {
	for v := b.first[corner]; v >= 0; v = b.vertices[v].next {
		if b.vertices[v].label == label {
			return v
		}
	}
	b.vertices = append(b.vertices, vertex{corner: corner, label: label, next: b.first[corner]})
	b.first[corner] = int32(len(b.vertices) - 1)
	return b.first[corner]
}

// faceCorners are the corners of the six faces of a voxel in the order of
// geometry.Directions, counter-clockwise from outside.
var faceCorners = [6][4][3]int32{
	{{1, 0, 0}, {1, 1, 0}, {1, 1, 1}, {1, 0, 1}},
	{{0, 0, 0}, {0, 0, 1}, {0, 1, 1}, {0, 1, 0}},
	{{0, 1, 0}, {0, 1, 1}, {1, 1, 1}, {1, 1, 0}},
	{{0, 0, 0}, {1, 0, 0}, {1, 0, 1}, {0, 0, 1}},
	{{0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}},
	{{0, 0, 0}, {0, 1, 0}, {1, 1, 0}, {1, 0, 0}},
}

// window is three layers of voxel numbers, −1 where empty, with a border, and
// the two layers of corners between them.
type window struct {
	v       *voxels
	width   int32
	layers  [3][]int32 // below, at and above z
	corners [2][]int32 // at z and z+1
	next    int        // the run that the layer above begins with
}

func newWindow(v *voxels) *window {
	w := &window{v: v, width: v.size[0] + 2}
	n := int(w.width) * int(v.size[1]+2)
	for i := range w.layers {
		w.layers[i] = filled(n)
	}
	for i := range w.corners {
		w.corners[i] = filled(n)
	}
	return w
}

func filled(n int) []int32 {
	s := make([]int32, n)
	for i := range s {
		s[i] = -1
	}
	return s
}

// index returns the place of voxel or corner (x, y) in a layer.
func (w *window) index(x, y int32) int32 { return x + 1 + (y+1)*w.width }

// advance moves the window up so that layer z is the one above.
func (w *window) advance(z int32) {
	w.layers[0], w.layers[1], w.layers[2] = w.layers[1], w.layers[2], w.layers[0]
	w.corners[0], w.corners[1] = w.corners[1], w.corners[0]
	for i := range w.layers[2] {
		w.layers[2][i], w.corners[1][i] = -1, -1
	}
	for ; w.next < len(w.v.runs) && w.v.runs[w.next].Z == z; w.next++ {
		r := w.v.runs[w.next]
		for x := r.X0; x < r.X1; x++ {
			w.layers[2][w.index(x, r.Y)] = int32(w.v.starts[w.next]) + x - r.X0
		}
	}
}

// meshOf returns the faces between voxels and nothing, smoothed, in units of
// voxels. Memory follows the faces and three layers of the box.
func meshOf(v *voxels) *mesh {
	b := &builder{}
	w := newWindow(v)
	w.advance(0)
	for z := range v.size[2] {
		w.advance(z + 1)
		for y := range v.size[1] {
			for x := range v.size[0] {
				if voxel := w.layers[1][w.index(x, y)]; voxel >= 0 {
					b.addVoxel(w, voxel, [3]int32{x, y, z})
				}
			}
		}
	}
	b.smooth()
	return &b.mesh
}

func (b *builder) addVoxel(w *window, voxel int32, at [3]int32) {
	label := int32(0)
	if w.v.owner != nil {
		label = w.v.owner[voxel]
	}
	for d, d3 := range geometry.Directions[:6] {
		if w.layers[1+d3.Z][w.index(at[0]+int32(d3.X), at[1]+int32(d3.Y))] >= 0 {
			continue
		}
		var face [4]int32
		for i, c := range faceCorners[d] {
			place := &w.corners[c[2]][w.index(at[0]+c[0], at[1]+c[1])]
			if *place < 0 {
				*place = b.corner(r3.Vec{X: float64(at[0] + c[0]), Y: float64(at[1] + c[1]), Z: float64(at[2] + c[2])})
			}
			face[i] = b.vertex(*place, label)
		}
		b.faces, b.behind = append(b.faces, face), append(b.behind, voxel)
	}
}

// atVertices are the means at vertices of the values of the voxels behind their faces.
func (m *mesh) atVertices(values []float32) []float32 {
	sum, count := make([]float64, len(m.vertices)), make([]int32, len(m.vertices))
	for i, f := range m.faces {
		for _, v := range f {
			sum[v] += float64(values[m.behind[i]])
			count[v]++
		}
	}
	means := make([]float32, len(sum))
	for i := range means {
		means[i] = float32(sum[i] / float64(count[i]))
	}
	return means
}

// smooth moves every corner towards the mean of its neighbours, but no
// further than the voxels leave its place uncertain (S. Gibson, "Constrained
// elastic surface nets", 1998).
func (m *mesh) smooth() {
	const (
		passes = 24
		limit  = 0.6 // voxels, along each axis
	)
	start := append([]r3.Vec(nil), m.corners...)
	sum := make([]r3.Vec, len(m.corners))
	count := make([]float64, len(m.corners))
	for _, f := range m.faces {
		for i := range f {
			count[m.vertices[f[i]].corner] += 2
		}
	}
	for range passes {
		clear(sum)
		for _, f := range m.faces {
			for i := range f {
				a, b := m.vertices[f[i]].corner, m.vertices[f[(i+1)%4]].corner
				sum[a] = r3.Add(sum[a], m.corners[b])
				sum[b] = r3.Add(sum[b], m.corners[a])
			}
		}
		for i, s := range start {
			c := r3.Scale(0.5, r3.Add(m.corners[i], r3.Scale(1/count[i], sum[i])))
			near := func(v, at float64) float64 { return min(max(v, at-limit), at+limit) }
			m.corners[i] = r3.Vec{X: near(c.X, s.X), Y: near(c.Y, s.Y), Z: near(c.Z, s.Z)}
		}
	}
}

// normals returns the unit normal of every vertex. Vertices of one corner
// share theirs, unless labels are parted by an edge.
func (m *mesh) normals(edges bool) []r3.Vec {
	byCorner := make([]r3.Vec, len(m.corners))
	byVertex := make([]r3.Vec, len(m.vertices))
	for _, f := range m.faces {
		at := func(i int) r3.Vec { return m.corners[m.vertices[f[i]].corner] }
		// Half the cross product of the diagonals is the area vector.
		area := r3.Cross(r3.Sub(at(2), at(0)), r3.Sub(at(3), at(1)))
		if f[3] == f[2] {
			area = r3.Cross(r3.Sub(at(1), at(0)), r3.Sub(at(2), at(0)))
		}
		for i, v := range f {
			if i == 3 && f[3] == f[2] {
				break
			}
			byVertex[v] = r3.Add(byVertex[v], area)
			byCorner[m.vertices[v].corner] = r3.Add(byCorner[m.vertices[v].corner], area)
		}
	}
	for i := range byVertex {
		n := byVertex[i]
		if !edges {
			n = byCorner[m.vertices[i].corner]
		}
		if l := r3.Norm(n); l > 0 && !math.IsInf(l, 0) {
			byVertex[i] = r3.Scale(1/l, n)
		} else {
			byVertex[i] = r3.Vec{Z: 1}
		}
	}
	return byVertex
}

// surfaceMesh is a mesh of a surface's triangles, labelled with their opening.
func surfaceMesh(s *geometry.Surface, label []uint16) *mesh {
	b := &builder{}
	for _, v := range s.Vertices {
		b.corner(v)
	}
	for t, triangle := range s.Triangles {
		var f [4]int32
		for i, v := range triangle.V {
			f[i] = b.vertex(v, int32(label[t]))
		}
		f[3] = f[2]
		b.faces = append(b.faces, f)
	}
	return &b.mesh
}
