package thermalbench

import (
	"cmp"
	"context"
	"math"

	"carina/geometry/generate"
	"carina/solver/thermal"
	"carina/solver/thermal/arithmetic"

	"gonum.org/v1/gonum/interp"
	"gonum.org/v1/gonum/spatial/r3"
)

// Step is cold gas above warm gas under gravity, between walls, periodic along them: its
// temperature falls as a hyperbolic tangent, and its pressure is what keeps it at rest.
type Step struct {
	// Width and Height are in cells; a wave fills the width.
	Width, Height int32
	// Thickness of the tangent is in cells.
	Thickness, Tau, Gravity float64
	Workers                 int
}

// warm and cold are the temperatures far below and above the middle.
const warm, cold = middle + 0.1, middle - 0.1

// at is the gas at rest at a height.
func (s *Step) at(y float64) (density, temperature float64) {
	const half = (warm - cold) / 2
	d := (y - float64(s.Height)/2) / s.Thickness
	temperature = middle - half*math.Tanh(d)
	// ∫dy/T
	sum := s.Thickness * (middle*d + half*math.Log(math.Cosh(d)-half/middle*math.Sinh(d))) / (middle*middle - half*half)
	return middle / temperature * math.Exp(-s.Gravity*sum), temperature
}

// wave is how many waves 2π cells have.
func (s *Step) wave() float64 { return 2 * math.Pi / float64(s.Width) }

// sharp is at which a sharp step without viscosity would grow, √(Agk).
func (s *Step) sharp() float64 {
	return math.Sqrt((warm - cold) / (warm + cold) * s.Gravity * s.wave())
}

// profile is the gas at rest in its rows, between walls of two temperatures.
func (s *Step) profile() (density, temperature []float64, bottom, top float64) {
	for y := range s.Height {
		rho, t := s.at(float64(y) + 0.5)
		density, temperature = append(density, rho), append(temperature, t)
	}
	return density, temperature, warm, cold
}

// points are those of the stability's solution.
const points = 72

// fastest is the fastest mode of means over rows.
func (s *Step) fastest(density, temperature []float64) (*mode, error) {
	p, err := newProfile(density, temperature, warm, cold)
	if err != nil {
		return nil, err
	}
	return p.fastest(s.wave(), s.Gravity, s.Tau, points)
}

// Rates are at which a small wave grew, and at which the eigenvalues of the profiles that it
// met say that it does, both a step and over the same time. The gas begins with the fastest
// mode of its profile, so that there is nothing else to fade. While the profile spreads
// velocities grow a little more slowly than by the eigenvalues, displacements as much faster:
// what is measured is the geometric mean of velocity and temperature.
func (s *Step) Rates(ctx context.Context) (measured, predicted float64, err error) {
	grid := generate.FullGrid([3]int32{s.Width, s.Height, 1})
	density, temperature, _, _ := s.profile()
	start, err := s.fastest(density, temperature)
	if err != nil {
		return 0, 0, err
	}
	var shape [4]interp.NotAKnotCubic
	for q := range shape {
		if err := shape[q].Fit(start.y, start.values[q]); err != nil {
			return 0, 0, err
		}
	}
	const small, parts, folds = 1e-5, 8, 1.6
	gas := &thermal.Gas{Tau: s.Tau, Collision: arithmetic.Regularized, Gravity: [2]float64{0, -s.Gravity}, Walls: &thermal.Walls{Bottom: warm, Top: cold}}
	gas.Initial = func(p r3.Vec) thermal.State {
		x, y := (p.X-grid.Origin.X)/grid.Spacing, (p.Y-grid.Origin.Y)/grid.Spacing
		sin, cos := math.Sincos(s.wave() * x)
		rho, t := s.at(y)
		return thermal.State{
			Density:     rho + small*cos*shape[ofDensity].Predict(y),
			Velocity:    [2]float64{small * sin * shape[ofAlong].Predict(y), small * cos * shape[ofUp].Predict(y)},
			Temperature: t + small*cos*shape[ofTemperature].Predict(y),
		}
	}
	var sizes, rates []float64
	every := int(folds / start.rate / parts)
	fail := follow(ctx, grid, gas, s.Workers, every, func(rows [][]thermal.State) bool {
		var up, warmth float64 // squares of the wave's
		for y, row := range rows {
			density[y], temperature[y] = 0, 0
			v, t := 0.0, 0.0
			for x := range row {
				density[y] += row[x].Density / float64(s.Width)
				temperature[y] += row[x].Temperature / float64(s.Width)
				cos := math.Cos(s.wave() * (float64(x) + 0.5))
				v, t = v+row[x].Velocity[1]*cos, t+row[x].Temperature*cos
			}
			up, warmth = up+v*v, warmth+t*t
		}
		var m *mode
		if m, err = s.fastest(density, temperature); err != nil {
			return false
		}
		sizes, rates = append(sizes, (math.Log(up)+math.Log(warmth))/4), append(rates, m.rate)
		return len(sizes) < parts
	})
	if fail != nil || err != nil {
		return 0, 0, cmp.Or(fail, err)
	}
	last := len(sizes) - 1
	for n := range last {
		predicted += (rates[n] + rates[n+1]) / 2 / float64(last)
	}
	return (sizes[last] - sizes[0]) / float64(last*every), predicted, nil
}
