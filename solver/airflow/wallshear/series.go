package wallshear

import (
	"math"

	"carina/geometry"

	"gonum.org/v1/gonum/spatial/r3"
)

// Meter measures the shear stress on one wall in the same cells again and again. It takes
// some 400 bytes a triangle.
type Meter struct {
	normals []r3.Vec
	// Known tells near which triangles cells are.
	Known []bool
	// of says where the cells of each triangle begin in cells and slopes.
	of     []int
	cells  []int32
	slopes []float32
}

// NewMeter prepares it for a wall and a grid of fewer than 2³¹ cells.
func NewMeter(w *Wall, g *geometry.Grid) *Meter {
	n := len(w.Triangles)
	m := &Meter{normals: w.Normal, Known: make([]bool, n), of: make([]int, n+1)}
	eachTriangle(w, g, func(f *fitter, a *fit, t int) {
		f.near(a, w.Center[t], w.Normal[t])
		m.of[t+1] = len(a.cells)
	})
	for t := range n {
		m.of[t+1] += m.of[t]
	}
	m.cells, m.slopes = make([]int32, m.of[n]), make([]float32, m.of[n])
	eachTriangle(w, g, func(f *fitter, a *fit, t int) {
		m.Known[t] = f.at(a, w.Center[t], w.Normal[t])
		for k, cell := range a.cells {
			m.cells[m.of[t]+k], m.slopes[m.of[t]+k] = int32(cell), float32(a.slope[k])
		}
	})
	return m
}

// Measure sets the shear stress of each triangle for the velocity of all cells, in m/s, and
// a dynamic viscosity in Pa·s.
func (m *Meter) Measure(velocity *[3][]float32, viscosity float64, shear []r3.Vec) {
	for t := range shear {
		var gradient r3.Vec
		for k := m.of[t]; k < m.of[t+1]; k++ {
			gradient = r3.Add(gradient, r3.Scale(float64(m.slopes[k]), velocityOf(velocity, int64(m.cells[k]))))
		}
		shear[t] = drag(gradient, m.normals[t], viscosity)
	}
}

// Series sums up stress over time, of samples that are equally far apart.
type Series struct {
	// Sum is that of the stress of each triangle, Size that of its magnitude, Largest the
	// largest one.
	Sum           []r3.Vec
	Size, Largest []float64
	Samples       int
}

// Add adds a sample.
func (s *Series) Add(shear []r3.Vec) {
	if s.Samples == 0 {
		n := len(shear)
		s.Sum, s.Size, s.Largest = make([]r3.Vec, n), make([]float64, n), make([]float64, n)
	}
	s.Samples++
	for t, v := range shear {
		size := r3.Norm(v)
		s.Sum[t] = r3.Add(s.Sum[t], v)
		s.Size[t] += size
		s.Largest[t] = max(s.Largest[t], size)
	}
}

// Mean is the mean magnitude of each triangle, and its oscillatory index: ½(1 − |∫τ dt| /
// ∫|τ| dt), from 0 where the direction stays to ½ where it turns around (He and Ku
// 1996).
func (s *Series) Mean() (magnitude, index []float64) {
	magnitude, index = make([]float64, len(s.Size)), make([]float64, len(s.Size))
	for t, size := range s.Size {
		if size > 0 {
			magnitude[t] = size / float64(s.Samples)
			index[t] = max(0, (1-r3.Norm(s.Sum[t])/size)/2)
		}
	}
	return magnitude, index
}

// Over sums up what is known over time of chosen triangles of a wall; nil without samples.
func (s *Series) Over(w *Wall, known []bool, chosen func(t int) bool) *OverTime {
	if s == nil || s.Samples == 0 {
		return nil
	}
	magnitude, index := s.Mean()
	peak := Sum(w, known, s.Largest, chosen)
	over := &OverTime{Mean: Sum(w, known, magnitude, chosen).Mean, Peak: peak.Peak, Oscillatory: Sum(w, known, index, chosen).Mean}
	if math.IsNaN(over.Mean) || peak.Area == 0 {
		return nil
	}
	return over
}
