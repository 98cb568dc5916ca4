package contour

import (
	"math"

	"gonum.org/v1/gonum/spatial/r3"
)

const (
	// rounds of smoothing: shrink and swell take away what is shorter than some ten
	// voxels along the surface and leave what is longer.
	rounds        = 30
	shrink, swell = 0.5, -0.52
	// reach is how far a vertex may leave the middle between two voxels, in voxels: up
	// to the centre of one of them, which the image says it does not reach.
	reach = 0.5
	// averaging is over how many rings of triangles the mean is taken of how far
	// smoothing moved the surface.
	averaging = 20
)

// Smooth takes the steps of voxels from the surface: it smooths without shrinking, within
// what the image leaves open, and then moves the surface back along its normals where it
// has moved on average around. Voxels have sides of the given lengths.
//
// Source: G. Taubin, A signal processing approach to fair surface design, SIGGRAPH 1995.
func (s *Surface) Smooth(sides r3.Vec, nx, ny, nz int) {
	s.start = append([]r3.Vec(nil), s.Vertices...)
	m := smoothing{s, sides, s.bounds(nx, ny, nz), make([]r3.Vec, len(s.Vertices)), make([]float64, len(s.Vertices))}
	for range rounds {
		m.step(shrink)
		m.step(swell)
	}
	m.restore()
}

// smoothing is work on a surface.
type smoothing struct {
	*Surface
	sides r3.Vec
	// low and high are how far every vertex may go.
	limits [2]func(i int) r3.Vec
	sum    []r3.Vec
	weight []float64
}

// bounds are how far vertices may go: not out of the planes at the image's border, where
// the surface is open.
func (s *Surface) bounds(nx, ny, nz int) [2]func(i int) r3.Vec {
	last := [3]float64{float64(nx - 1), float64(ny - 1), float64(nz - 1)}
	limit := func(sign float64) func(i int) r3.Vec {
		return func(i int) r3.Vec {
			at := [3]float64{s.start[i].X, s.start[i].Y, s.start[i].Z}
			for axis, x := range at {
				if x != 0 && x != last[axis] {
					at[axis] += sign * reach
				}
			}
			return r3.Vec{X: at[0], Y: at[1], Z: at[2]}
		}
	}
	return [2]func(int) r3.Vec{limit(-1), limit(1)}
}

// clamp keeps a vertex within its bounds.
func (m *smoothing) clamp(i int, v r3.Vec) r3.Vec {
	low, high := m.limits[0](i), m.limits[1](i)
	return r3.Vec{X: min(max(v.X, low.X), high.X), Y: min(max(v.Y, low.Y), high.Y), Z: min(max(v.Z, low.Z), high.Z)}
}

// step moves every vertex by a share of the way to the middle of its neighbours. It is
// the same in voxels and in lengths.
func (m *smoothing) step(share float64) {
	clear(m.sum)
	clear(m.weight)
	for _, t := range m.Triangles {
		for k, a := range t {
			b := t[(k+1)%3]
			m.sum[a], m.sum[b] = r3.Add(m.sum[a], m.Vertices[b]), r3.Add(m.sum[b], m.Vertices[a])
			m.weight[a]++
			m.weight[b]++
		}
	}
	for i, v := range m.Vertices {
		if m.weight[i] > 0 {
			to := r3.Scale(1/m.weight[i], m.sum[i])
			m.Vertices[i] = m.clamp(i, r3.Add(v, r3.Scale(share, r3.Sub(to, v))))
		}
	}
}

// restore moves the surface back by how far smoothing moved it along its normals on
// average around each vertex: bends of thin tubes are tighter than those of wide ones.
func (m *smoothing) restore() {
	normals := m.normals()
	moved := make([]float64, len(m.Vertices))
	for i := range moved {
		moved[i] = r3.Dot(normals[i], scaled(r3.Sub(m.Vertices[i], m.start[i]), m.sides))
	}
	sum := make([]float64, len(moved))
	for range averaging {
		clear(sum)
		clear(m.weight)
		for _, t := range m.Triangles {
			for k, a := range t {
				b := t[(k+1)%3]
				sum[a] += moved[b]
				sum[b] += moved[a]
				m.weight[a]++
				m.weight[b]++
			}
		}
		for i := range moved {
			if m.weight[i] > 0 {
				moved[i] = (moved[i] + sum[i]/m.weight[i]) / 2
			}
		}
	}
	back := r3.Vec{X: 1 / m.sides.X, Y: 1 / m.sides.Y, Z: 1 / m.sides.Z}
	for i, v := range m.Vertices {
		m.Vertices[i] = m.clamp(i, r3.Sub(v, scaled(r3.Scale(moved[i], normals[i]), back)))
	}
}

// normals are those of the vertices, of length 1 where lengths are as they are outside
// of the image.
func (m *smoothing) normals() []r3.Vec {
	normals := make([]r3.Vec, len(m.Vertices))
	for _, t := range m.Triangles {
		a, b, c := scaled(m.Vertices[t[0]], m.sides), scaled(m.Vertices[t[1]], m.sides), scaled(m.Vertices[t[2]], m.sides)
		area := r3.Cross(r3.Sub(b, a), r3.Sub(c, a))
		for _, v := range t {
			normals[v] = r3.Add(normals[v], area)
		}
	}
	for i, n := range normals {
		if length := r3.Norm(n); length > 0 && !math.IsInf(length, 0) {
			normals[i] = r3.Scale(1/length, n)
		}
	}
	return normals
}

func scaled(v, by r3.Vec) r3.Vec { return r3.Vec{X: v.X * by.X, Y: v.Y * by.Y, Z: v.Z * by.Z} }
