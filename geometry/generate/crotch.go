package generate

import (
	"math"

	"gonum.org/v1/gonum/spatial/r3"
)

// crotchSamples is the number of points by which the crotch is measured
// before it is divided evenly.
const crotchSamples = 32

// A crotchPoint is a point of the front half of the crotch: its place in the
// junction's coordinates, and its station and angle on both daughters. On
// each the back half is the mirror image at −angle.
type crotchPoint struct {
	place   r3.Vec
	station [2]float64
	angle   [2]float64
}

// crotch divides the front half of the crotch, from the pole of the parent's
// end to the tip of the carina, into rows of equal length, about step each.
func (j *junction) crotch(step float64) ([]crotchPoint, error) {
	stations := make([]float64, crotchSamples+1)
	lengths := make([]float64, crotchSamples+1)
	last := j.crotchAt(0)
	for i := 1; i <= crotchSamples; i++ {
		// Closer together towards the tip, where the curve runs across.
		stations[i] = j.tip[0] * math.Sin(math.Pi/2*float64(i)/crotchSamples)
		p := j.crotchAt(stations[i])
		lengths[i] = lengths[i-1] + r3.Norm(r3.Sub(p.place, last.place))
		last = p
	}
	total := lengths[crotchSamples]
	rows := max(4, int(math.Round(total/step)))
	points := make([]crotchPoint, rows+1)
	points[0] = j.crotchAt(0)
	k := 1
	for i := 1; i < rows; i++ {
		target := total * float64(i) / float64(rows)
		for lengths[k] < target {
			k++
		}
		t := (target - lengths[k-1]) / (lengths[k] - lengths[k-1])
		points[i] = j.crotchAt(stations[k-1] + t*(stations[k]-stations[k-1]))
	}
	points[rows] = j.crotchAt(j.tip[0])
	for i := range rows {
		for d := range 2 {
			if points[i+1].station[d] <= points[i].station[d] {
				return nil, errInseparable
			}
		}
	}
	return points, nil
}

// crotchAt returns the point of the crotch at station s of daughter 0.
func (j *junction) crotchAt(s float64) crotchPoint {
	switch {
	case s <= 0:
		return crotchPoint{
			place: r3.Vec{Y: j.lines[0].from},
			angle: [2]float64{math.Pi / 2, math.Pi / 2},
		}
	case s >= j.tip[0]:
		p, _ := j.inflated(0, j.tip[0], math.Pi)
		return crotchPoint{
			place:   p,
			station: j.tip,
			angle:   [2]float64{math.Pi, math.Pi},
		}
	}
	angle := bisect(0, math.Pi, func(psi float64) bool {
		p, k := j.inflated(0, s, psi)
		return j.distance(1, p) < k/4
	})
	p, _ := j.inflated(0, s, angle)
	mirrored := own(1, p)
	other, offset := j.lines[1].project(mirrored.X, mirrored.Z)
	return crotchPoint{
		place:   p,
		station: [2]float64{s, other},
		angle:   [2]float64{angle, math.Atan2(p.Y, offset)},
	}
}
