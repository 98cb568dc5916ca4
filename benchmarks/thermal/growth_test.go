package thermalbench

import (
	"context"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// A small wave on dense gas above thin gas grows as the eigenvalue of its profile says: with
// 64 rows within 1 %, which falls with the square of the rows, as the suite's higher boxes show.
func TestGrowth(t *testing.T) {
	s := Step{Width: 32, Height: 64, Thickness: 8, Tau: 0.515, Gravity: 2e-3}
	got, want, err := s.Rates(context.Background())
	if err != nil || !(math.Abs(got/want-1) < 0.01) {
		t.Errorf("grows at %g a step (%v), want %g", got, err, want)
	}
}

// start is the profile of a step at rest.
func (s *Step) start(t *testing.T) *profile {
	p, err := newProfile(s.profile())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// A step without viscosity that is thin beside the wave grows at √(Agk), the square less by
// 1/(1 + a·thickness): none is left where that is extrapolated away. It is the fastest of all
// modes, and more points give the same.
func TestFastest(t *testing.T) {
	slower := func(thickness float64, points int) float64 {
		s := Step{Width: 400, Height: 400, Thickness: thickness, Tau: 0.5 + 1e-6, Gravity: 1e-6}
		m, err := s.start(t).fastest(s.wave(), s.Gravity, s.Tau, points)
		if err != nil {
			t.Fatal(err)
		}
		return math.Pow(s.sharp()/m.rate, 2)
	}
	thin, thick := slower(20, 72), slower(40, 72)
	if got := 2*thin - thick; math.Abs(got-1) > 0.01 {
		t.Errorf("a sharp step grows at %g of √(Agk)", 1/math.Sqrt(got))
	}
	if fine := slower(40, 96); math.Abs(fine/thick-1) > 1e-3 {
		t.Errorf("a step grows slower by %g and by %g with more points", thick, fine)
	}

	s := Step{Width: 32, Height: 64, Thickness: 8, Tau: 0.515, Gravity: 2e-3}
	const points = 32
	m, err := s.start(t).fastest(s.wave(), s.Gravity, s.Tau, points)
	if err != nil {
		t.Fatal(err)
	}
	_, all := equations(s.start(t), s.wave(), s.Gravity, s.Tau, points)
	var eigen mat.Eigen
	if !eigen.Factorize(all.system, mat.EigenNone) {
		t.Fatal("no eigenvalues")
	}
	most := math.Inf(-1)
	for _, v := range eigen.Values(nil) {
		most = max(most, real(v))
	}
	if math.Abs(m.rate/most-1) > 1e-6 {
		t.Errorf("the fastest mode grows at %g, want %g", m.rate, most)
	}
}

// Between plates that are a little warmer and a little colder modes grow from the critical
// Rayleigh number on.
func TestOnsetOfModes(t *testing.T) {
	rate := func(rayleigh float64) float64 {
		l := Layer{Rayleigh: rayleigh, Height: 100, Tau: 0.51, Difference: 0.01}
		g, h, difference := l.gravity(), float64(l.Height), l.Difference*middle
		var density, temperature []float64
		for y := range l.Height {
			warm := middle + difference*(0.5-(float64(y)+0.5)/h)
			density, temperature = append(density, math.Pow(warm/middle, g*h/difference-1)), append(temperature, warm)
		}
		p, err := newProfile(density, temperature, middle+difference/2, middle-difference/2)
		if err != nil {
			t.Fatal(err)
		}
		const k = 3.117
		m, err := p.fastest(k/h, g, l.Tau, 32)
		if err != nil {
			t.Fatal(err)
		}
		return m.rate
	}
	const below, above = 1690.0, 1725.0
	low, high := rate(below), rate(above)
	if got := below - low*(above-below)/(high-low); math.Abs(got/Critical-1) > 2e-3 {
		t.Errorf("modes grow from a Rayleigh number of %g on, want %g", got, Critical)
	}
}
