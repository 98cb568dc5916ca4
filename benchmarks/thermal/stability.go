package thermalbench

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/interp"
	"gonum.org/v1/gonum/mat"
)

// profile is gas at rest in rows of cells, in units of cells and steps.
type profile struct {
	height               float64
	density, temperature interp.NotAKnotCubic
}

// newProfile is that of means over rows, between walls of two temperatures.
func newProfile(density, temperature []float64, bottom, top float64) (*profile, error) {
	n := len(density)
	if n < 4 || len(temperature) != n {
		return nil, fmt.Errorf("a profile of %d rows is too short: give at least 4", n)
	}
	p := &profile{height: float64(n)}
	places := []float64{0}
	for y := range n {
		places = append(places, float64(y)+0.5)
	}
	places = append(places, p.height)
	// A parabola through three rows reaches the wall.
	beyond := func(a, b, c float64) float64 { return (15*a - 10*b + 3*c) / 8 }
	ends := func(list []float64, first, last float64) []float64 {
		return append(append([]float64{first}, list...), last)
	}
	density = ends(density, beyond(density[0], density[1], density[2]), beyond(density[n-1], density[n-2], density[n-3]))
	return p, errors.Join(p.density.Fit(places, density), p.temperature.Fit(places, ends(temperature, bottom, top)))
}

// mode is a small disturbance of a profile that grows at a rate a step: density, velocity up
// and temperature as cos(kx), velocity along x as sin(kx), at Chebyshev points over the height.
type mode struct {
	rate   float64
	y      []float64
	values [4][]float64 // density, velocity along x, up, temperature
}

const (
	ofDensity = iota
	ofAlong
	ofUp
	ofTemperature
)

// stability are the equations of Navier, Stokes and Fourier for small disturbances of a profile.
type stability struct {
	points int
	d      *mat.Dense
	number [4][]int // of an unknown in the system, −1 where walls make it 0
	system *mat.Dense
}

// add puts left·op·right into the equations of one quantity for another; nil is 1.
func (s *stability) add(equation, of int, factor float64, left []float64, op *mat.Dense, right []float64) {
	at := func(list []float64, i int) float64 {
		if list == nil {
			return 1
		}
		return list[i]
	}
	for i, row := range s.number[equation] {
		for j, column := range s.number[of] {
			v := 0.0
			if op != nil {
				v = op.At(i, j)
			} else if i == j {
				v = 1
			}
			if row >= 0 && column >= 0 && v != 0 {
				s.system.Set(row, column, s.system.At(row, column)+factor*at(left, i)*v*at(right, j))
			}
		}
	}
}

// equations are those of disturbances with wave number k of a gas with γ = 2, c_v = 1,
// viscosity μ = p(τ−½) without a bulk part and conductivity 2μ, under gravity, between walls
// without slip that have temperatures. What the profile itself changes meanwhile is left out.
func equations(p *profile, k, gravity, tau float64, points int) (y []float64, s *stability) {
	y, d := chebyshev(points)
	d.Scale(1/p.height, d)
	s = &stability{points: points, d: d}
	unknowns := 0
	for q := range s.number {
		s.number[q] = make([]int, points)
		for i := range points {
			if s.number[q][i] = -1; q == ofDensity || i > 0 && i < points-1 {
				s.number[q][i] = unknowns
				unknowns++
			}
		}
	}
	s.system = mat.NewDense(unknowns, unknowns, nil)

	list := func(f func(i int) float64) []float64 {
		l := make([]float64, points)
		for i := range l {
			l[i] = f(i)
		}
		return l
	}
	for i := range y {
		y[i] *= p.height
	}
	rho := list(func(i int) float64 { return p.density.Predict(y[i]) })
	warm := list(func(i int) float64 { return p.temperature.Predict(y[i]) })
	warmRise := list(func(i int) float64 { return p.temperature.PredictDerivative(y[i]) })
	rhoRise := list(func(i int) float64 { return p.density.PredictDerivative(y[i]) })
	one := list(func(i int) float64 { return 1 / rho[i] })
	a := tau - 0.5
	mu := list(func(i int) float64 { return a * rho[i] * warm[i] })
	kappa := list(func(i int) float64 { return 2 * mu[i] })
	// heating is what conduction gives the profile, in itself and over ρ².
	heating := times(d, list(func(i int) float64 { return kappa[i] * warmRise[i] }))
	var viscous, conducting mat.Dense // ∂μ∂ and ∂κ∂
	viscous.Product(d, mat.NewDiagDense(points, mu), d)
	conducting.Product(d, mat.NewDiagDense(points, kappa), d)

	// Mass.
	s.add(ofDensity, ofUp, -1, nil, d, rho)
	s.add(ofDensity, ofAlong, -k, rho, nil, nil)
	// Momentum along x: pressure kp', p' = ρt + Tr, and stresses μ(ku − v') and μ(u' − kv).
	s.add(ofAlong, ofTemperature, k, nil, nil, nil)
	s.add(ofAlong, ofDensity, k, list(func(i int) float64 { return warm[i] / rho[i] }), nil, nil)
	s.add(ofAlong, ofAlong, -k*k*a, warm, nil, nil)
	s.add(ofAlong, ofUp, k*a, warm, d, nil)
	s.add(ofAlong, ofAlong, 1, one, &viscous, nil)
	s.add(ofAlong, ofUp, -k, one, d, mu)
	// Momentum upwards; the weight is that of density which is not at rest.
	s.add(ofUp, ofTemperature, -1, one, d, rho)
	s.add(ofUp, ofDensity, -1, one, d, warm)
	s.add(ofUp, ofDensity, 1, list(func(i int) float64 { return (rhoRise[i]*warm[i] + rho[i]*warmRise[i]) / (rho[i] * rho[i]) }), nil, nil)
	s.add(ofUp, ofUp, 1, one, &viscous, nil)
	s.add(ofUp, ofAlong, -k, one, d, mu)
	s.add(ofUp, ofAlong, k*a, warm, d, nil)
	s.add(ofUp, ofUp, -k*k*a, warm, nil, nil)
	// Temperature: carried, compressed, conducted, and with another conductivity.
	s.add(ofTemperature, ofUp, -1, warmRise, nil, nil)
	s.add(ofTemperature, ofUp, -1, warm, d, nil)
	s.add(ofTemperature, ofAlong, -k, warm, nil, nil)
	s.add(ofTemperature, ofTemperature, 1, one, &conducting, nil)
	s.add(ofTemperature, ofTemperature, -2*k*k*a, warm, nil, nil)
	s.add(ofTemperature, ofTemperature, 2*a, one, d, list(func(i int) float64 { return rho[i] * warmRise[i] }))
	s.add(ofTemperature, ofDensity, 2*a, one, d, list(func(i int) float64 { return warm[i] * warmRise[i] }))
	s.add(ofTemperature, ofDensity, -1, list(func(i int) float64 { return heating[i] / (rho[i] * rho[i]) }), nil, nil)
	return y, s
}

// fastest is the mode whose rate is nearest to that of a sharp step in density without
// viscosity, √(Agk), of which others fall short.
func (p *profile) fastest(k, gravity, tau float64, points int) (*mode, error) {
	y, s := equations(p, k, gravity, tau, points)
	least, most := math.Inf(1), 0.0
	for _, v := range y {
		rho := p.density.Predict(v)
		least, most = min(least, rho), max(most, rho)
	}
	shift := math.Sqrt((most - least) / (most + least) * gravity * k)
	n, _ := s.system.Dims()
	for i := range n {
		s.system.Set(i, i, s.system.At(i, i)-shift)
	}
	var lu mat.LU
	lu.Factorize(s.system)
	v := mat.NewVecDense(n, nil)
	for i := range n {
		v.SetVec(i, 1)
	}
	v.ScaleVec(1/v.Norm(2), v)
	const iterations, tolerance = 100, 1e-9
	before := 0.0
	for range iterations {
		var next mat.VecDense
		if err := lu.SolveVecTo(&next, false, v); err != nil && next.Len() == 0 {
			return nil, fmt.Errorf("solving for the mode that grows fastest: %w", err)
		}
		rate := shift + 1/mat.Dot(v, &next)
		v.ScaleVec(1/next.Norm(2), &next)
		if math.Abs(rate-before) < tolerance*shift {
			return s.mode(rate, y, v), nil
		}
		before = rate
	}
	return nil, errors.New("the mode that grows fastest is not found: give more points")
}

// mode gives an eigenvector its places, scaled to a velocity upwards of at most 1.
func (s *stability) mode(rate float64, y []float64, v *mat.VecDense) *mode {
	m := &mode{rate: rate, y: y}
	for q := range m.values {
		m.values[q] = make([]float64, s.points)
		for i, n := range s.number[q] {
			if n >= 0 {
				m.values[q][i] = v.AtVec(n)
			}
		}
	}
	most := 0.0
	for _, up := range m.values[ofUp] {
		if math.Abs(up) > math.Abs(most) {
			most = up
		}
	}
	for q := range m.values {
		for i := range m.values[q] {
			m.values[q][i] /= most
		}
	}
	return m
}
