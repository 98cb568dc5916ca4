package wallshear

import (
	"math"
	"sort"

	"gonum.org/v1/gonum/spatial/r3"
)

// Figures sum up the shear stress on some triangles.
type Figures struct {
	// Area is that of the triangles near which are cells, in square metres.
	Area float64 `json:"area_m2"`
	// Mean and Peak are in Pa: by area, and the stress that 1 % of the area exceeds, so
	// that one triangle at a sharp edge does not decide.
	Mean float64 `json:"mean_pa"`
	Peak float64 `json:"peak_pa"`
	// Oscillatory is the mean oscillatory shear index by area, where the flow changes.
	Oscillatory *float64 `json:"oscillatory_index,omitempty"`
}

// peakShare is the part of the area whose stress is above the peak.
const peakShare = 0.01

// Sum sums up magnitudes on those triangles of a wall that are chosen; index is the
// oscillatory index of each, or nil.
func Sum(w *Wall, known []bool, magnitude []float64, index []float64, chosen func(t int) bool) Figures {
	var f Figures
	var list []int
	var oscillating float64
	for t := range w.Triangles {
		if known[t] && chosen(t) {
			list = append(list, t)
			f.Area += w.Area[t]
			f.Mean += w.Area[t] * magnitude[t]
			if index != nil {
				oscillating += w.Area[t] * index[t]
			}
		}
	}
	if f.Area == 0 {
		return f
	}
	f.Mean /= f.Area
	if index != nil {
		oscillating /= f.Area
		f.Oscillatory = &oscillating
	}
	sort.Slice(list, func(i, k int) bool { return magnitude[list[i]] > magnitude[list[k]] })
	above := 0.0
	for _, t := range list {
		f.Peak = magnitude[t]
		if above += w.Area[t]; above > peakShare*f.Area {
			break
		}
	}
	return f
}

// Force is the force of the air on a wall, in N, by its shear and its pressure.
func (s *Stress) Force(w *Wall) (shear, pressure r3.Vec) {
	for t := range w.Triangles {
		shear = r3.Add(shear, r3.Scale(w.Area[t], s.Shear[t]))
		pressure = r3.Add(pressure, r3.Scale(w.Area[t]*s.Pressure[t], w.Normal[t]))
	}
	return shear, pressure
}

// Magnitude are the sizes of the shear stress.
func (s *Stress) Magnitude() []float64 {
	m := make([]float64, len(s.Shear))
	for t, v := range s.Shear {
		m[t] = r3.Norm(v)
	}
	return m
}

// Series sums up stress over time.
type Series struct {
	sum, size []float64 // of three components, and of magnitudes
	known     []bool
	samples   int
}

// Add adds a sample; all are equally far apart in time.
func (s *Series) Add(stress *Stress) {
	if s.samples == 0 {
		s.sum, s.size, s.known = make([]float64, 3*len(stress.Shear)), make([]float64, len(stress.Shear)), stress.Known
	}
	s.samples++
	for t, v := range stress.Shear {
		s.sum[3*t] += v.X
		s.sum[3*t+1] += v.Y
		s.sum[3*t+2] += v.Z
		s.size[t] += r3.Norm(v)
	}
}

// Mean is the mean magnitude of each triangle, and its oscillatory index: ½(1 − |∫τ dt| /
// ∫|τ| dt), from 0 where the direction stays to ½ where it turns around (He and Ku
// 1996).
func (s *Series) Mean() (magnitude, index []float64, known []bool) {
	magnitude, index = make([]float64, len(s.size)), make([]float64, len(s.size))
	for t, size := range s.size {
		if size > 0 {
			magnitude[t] = size / float64(s.samples)
			index[t] = (1 - math.Hypot(math.Hypot(s.sum[3*t], s.sum[3*t+1]), s.sum[3*t+2])/size) / 2
		}
	}
	return magnitude, index, s.known
}
