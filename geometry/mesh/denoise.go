package mesh

import (
	"slices"

	"gonum.org/v1/gonum/spatial/r3"
)

// Denoising is how a surface is denoised: the normals of triangles are smoothed so
// many times, each by those around it whose normals have at least the cosine
// to its own, so that edges stay. Then the vertices are moved to suit them
// (Sun et al., IEEE Trans. Vis. Comput. Graph. 13 (2007) 925–938).
type Denoising struct {
	Cosine float64
	Rounds int
}

// moveRounds is how often the vertices are moved.
const moveRounds = 10

// Denoised returns a copy of the surface with the same triangles, whose faces are
// smooth and whose edges are sharp.
func (d Denoising) Denoised(s *Mesh) *Mesh {
	around := newVertexFan(s)
	normals := make([]r3.Vec, len(s.Triangles))
	for t := range normals {
		if v := s.AreaVector(t); v != (r3.Vec{}) {
			normals[t] = r3.Unit(v)
		}
	}
	next := make([]r3.Vec, len(normals))
	for range d.Rounds {
		for t := range normals {
			next[t] = smoothNormal(s, around, normals, int32(t), d.Cosine)
		}
		normals, next = next, normals
	}
	out := *s
	out.Vertices = slices.Clone(s.Vertices)
	moved := make([]r3.Vec, len(s.Vertices))
	for range moveRounds {
		for v := range moved {
			moved[v] = movedVertex(&out, around, normals, int32(v))
		}
		out.Vertices, moved = moved, out.Vertices
	}
	return &out
}

// Smoothed returns a copy of the surface with the same triangles, from which steps and
// noise of a few edges' length are taken and which does not shrink.
//
// Source: G. Taubin, A signal processing approach to fair surface design, SIGGRAPH 1995.
func Smoothed(s *Mesh, rounds int) *Mesh {
	const shrink, swell = 0.5, -0.52
	out := *s
	out.Vertices = slices.Clone(s.Vertices)
	sum, count := make([]r3.Vec, len(s.Vertices)), make([]float64, len(s.Vertices))
	for round := range 2 * rounds {
		share := [2]float64{shrink, swell}[round%2]
		clear(sum)
		clear(count)
		for i := range s.Triangles {
			v := &s.Triangles[i].V
			for k, a := range v {
				b := v[(k+1)%3]
				sum[a], sum[b] = r3.Add(sum[a], out.Vertices[b]), r3.Add(sum[b], out.Vertices[a])
				count[a]++
				count[b]++
			}
		}
		for v := range out.Vertices {
			if count[v] > 0 {
				to := r3.Scale(1/count[v], sum[v])
				out.Vertices[v] = r3.Add(out.Vertices[v], r3.Scale(share, r3.Sub(to, out.Vertices[v])))
			}
		}
	}
	return &out
}

// smoothNormal is the mean of the normals around a triangle, those with the same
// direction the most.
func smoothNormal(s *Mesh, around *vertexFan, normals []r3.Vec, t int32, least float64) r3.Vec {
	n := normals[t]
	var sum r3.Vec
	for _, v := range s.Triangles[t].V {
		for _, other := range around.of(v) {
			if c := r3.Dot(n, normals[other]) - least; c > 0 {
				sum = r3.Add(sum, r3.Scale(c*c, normals[other]))
			}
		}
	}
	if sum == (r3.Vec{}) {
		return n
	}
	return r3.Unit(sum)
}

// movedVertex moves a vertex towards the planes of the triangles around it:
// through their centroids, across their normals.
func movedVertex(s *Mesh, around *vertexFan, normals []r3.Vec, v int32) r3.Vec {
	at := s.Vertices[v]
	triangles := around.of(v)
	if len(triangles) == 0 {
		return at
	}
	var sum r3.Vec
	for _, t := range triangles {
		a, b, c := s.Corners(int(t))
		center := r3.Scale(1.0/3, r3.Add(a, r3.Add(b, c)))
		sum = r3.Add(sum, r3.Scale(r3.Dot(normals[t], r3.Sub(center, at)), normals[t]))
	}
	return r3.Add(at, r3.Scale(1/float64(len(triangles)), sum))
}

// vertexFan lists the triangles around every vertex.
type vertexFan struct{ first, triangles []int32 }

func newVertexFan(s *Mesh) *vertexFan {
	f := &vertexFan{first: make([]int32, len(s.Vertices)+1), triangles: make([]int32, 3*len(s.Triangles))}
	for i := range s.Triangles {
		for _, v := range s.Triangles[i].V {
			f.first[v+1]++
		}
	}
	for v := range s.Vertices {
		f.first[v+1] += f.first[v]
	}
	next := slices.Clone(f.first)
	for i := range s.Triangles {
		for _, v := range s.Triangles[i].V {
			f.triangles[next[v]] = int32(i)
			next[v]++
		}
	}
	return f
}

func (f *vertexFan) of(v int32) []int32 { return f.triangles[f.first[v]:f.first[v+1]] }
