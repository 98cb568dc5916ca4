package thermalbench

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// chebyshev are so many Chebyshev points from 0 to 1, and the matrix that differentiates what
// is known there.
func chebyshev(points int) (y []float64, d *mat.Dense) {
	n := points - 1
	weight := func(i int) float64 {
		w := 1 - 2*float64(i%2)
		if i == 0 || i == n {
			w *= 2
		}
		return w
	}
	for i := range points {
		y = append(y, (1-math.Cos(math.Pi*float64(i)/float64(n)))/2)
	}
	d = mat.NewDense(points, points, nil)
	for i := range points {
		sum := 0.0
		for j := range points {
			if i != j {
				v := weight(i) / weight(j) / (y[i] - y[j])
				d.Set(i, j, v)
				sum += v
			}
		}
		d.Set(i, i, -sum)
	}
	return y, d
}

// times is the product of a matrix and a vector.
func times(d *mat.Dense, v []float64) []float64 {
	var out mat.VecDense
	out.MulVec(d, mat.NewVecDense(len(v), v))
	return out.RawVector().Data
}
