// Package lattice holds the discrete velocity sets of the lattice Boltzmann
// method.
package lattice

import "carina/geometry"

// SoundSpeedSquared is c_s², the square of the lattice speed of sound, of
// every set in this package.
const SoundSpeedSquared = 1.0 / 3.0

// Set is a discrete velocity set. Population 0 is at rest; population i > 0
// moves along geometry.Directions[i-1], so that opposite populations are
// 2k−1 and 2k.
type Set struct {
	// Name is the usual name, such as D3Q19.
	Name string
	// Q is the number of velocities.
	Q int
	// Velocities are c_i, in cells per step.
	Velocities [][3]int
	// Weights are w_i.
	Weights []float64
}

// D3Q19 has the rest velocity, six faces and twelve edges (Qian, d'Humières
// and Lallemand 1992).
var D3Q19 = newSet("D3Q19", 19, [4]float64{1. / 3, 1. / 18, 1. / 36, 0})

// D3Q27 has the rest velocity, six faces, twelve edges and eight corners.
var D3Q27 = newSet("D3Q27", 27, [4]float64{8. / 27, 2. / 27, 1. / 54, 1. / 216})

// Opposite returns the population that moves against population i.
func Opposite(i int) int {
	if i == 0 {
		return 0
	}
	return (i - 1) ^ 1 + 1
}

func newSet(name string, q int, weightByNorm [4]float64) *Set {
	s := &Set{Name: name, Q: q}
	for i := range q {
		var c [3]int
		if i > 0 {
			d := geometry.Directions[i-1]
			c = [3]int{int(d.X), int(d.Y), int(d.Z)}
		}
		s.Velocities = append(s.Velocities, c)
		s.Weights = append(s.Weights, weightByNorm[c[0]*c[0]+c[1]*c[1]+c[2]*c[2]])
	}
	return s
}

// TensorAxes lists the axes of the components of a symmetric tensor: xx, yy, zz, xy,
// xz and yz.
var TensorAxes = [6][2]int{{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}}
