package wallshear

import (
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
	// Over is what is known over time, where the flow changes.
	Over *OverTime `json:"over_time,omitempty"`
}

// OverTime are figures over a period, or over the time where the flow has none: Mean is the
// mean over area of the means over time, Peak what the largest stress over time exceeds on
// 1 % of the area, both in Pa, and Oscillatory the mean oscillatory shear index.
type OverTime struct {
	Mean        float64 `json:"mean_pa"`
	Peak        float64 `json:"peak_pa"`
	Oscillatory float64 `json:"oscillatory_index"`
}

// peakShare is the part of the area whose stress is above the peak.
const peakShare = 0.01

// Sum sums up magnitudes on those triangles of a wall that are chosen.
func Sum(w *Wall, known []bool, magnitude []float64, chosen func(t int) bool) Figures {
	var f Figures
	var list []int
	for t := range w.Triangles {
		if known[t] && chosen(t) {
			list = append(list, t)
			f.Area += w.Area[t]
			f.Mean += w.Area[t] * magnitude[t]
		}
	}
	if f.Area == 0 {
		return f
	}
	f.Mean /= f.Area
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

// Magnitude are the sizes of the shear stress.
func (s *Stress) Magnitude() []float64 {
	m := make([]float64, len(s.Shear))
	for t, v := range s.Shear {
		m[t] = r3.Norm(v)
	}
	return m
}
