package thermalbench

import (
	"context"
	"math"

	"carina/geometry"
	"carina/geometry/generate"
	"carina/solver"
	"carina/solver/processor"
	"carina/solver/thermal"
	"carina/solver/thermal/arithmetic"
	"carina/solver/transport"

	"gonum.org/v1/gonum/spatial/r3"
)

// Layer is a gas between a warm plate and a cold one above, periodic along them.
type Layer struct {
	// Rayleigh is g(ΔT/H − g/c_p)H⁴/(Tνχ), with properties in the middle.
	Rayleigh float64
	// Width and Height are in cells; a pair of rolls fills the width.
	Width, Height int32
	// Tau is the relaxation time, Difference that of the plates' temperatures over the one
	// in the middle.
	Tau, Difference float64
	Collision       arithmetic.Collision
	Workers         int
}

// middle is the temperature there, c_s² of the set.
const middle = 0.7

// gravity that the Rayleigh number asks for.
func (l *Layer) gravity() float64 {
	lapse := l.Difference * middle / float64(l.Height)
	nu := (l.Tau - 0.5) * middle
	scale := math.Pow(float64(l.Height), 4) / (middle * nu * nu)
	return lapse - math.Sqrt(lapse*lapse-2*l.Rayleigh/scale)
}

// Time is what heat takes to diffuse over the height, in steps.
func (l *Layer) Time() float64 {
	return float64(l.Height) * float64(l.Height) / ((l.Tau - 0.5) * middle)
}

// Compute follows the layer from a start at which rolls have so much of the velocity of
// sound, and calls see whenever so many steps have passed until it returns false: with the
// amplitude of the rolls in the middle, and the Nusselt number at both plates.
func (l *Layer) Compute(ctx context.Context, push float64, every int, see func(rolls, nusselt float64) bool) error {
	grid := generate.FullGrid([3]int32{l.Width, l.Height, 1})
	h, g, difference := float64(l.Height), l.gravity(), l.Difference*middle
	gas := &thermal.Gas{Tau: l.Tau, Collision: l.Collision, Gravity: [2]float64{0, -g}, Walls: &thermal.Walls{Bottom: middle + difference/2, Top: middle - difference/2}}
	gas.Initial = func(p r3.Vec) thermal.State {
		x, d := (p.X-grid.Origin.X)/grid.Spacing, (p.Y-grid.Origin.Y)/grid.Spacing/h
		warm := middle + difference*(0.5-d)
		return thermal.State{
			Density:     math.Pow(warm/middle, g*h/difference-1),
			Velocity:    [2]float64{0, push * math.Pow(math.Sin(math.Pi*d), 2) * math.Cos(2*math.Pi*x/float64(l.Width))},
			Temperature: warm,
		}
	}
	return follow(ctx, grid, gas, l.Workers, every, func(rows [][]thermal.State) bool { return see(l.look(rows)) })
}

// follow computes a gas that is periodic along x, and shows the states of its rows whenever so
// many steps have passed until see returns false.
func follow(ctx context.Context, grid *geometry.Grid, gas *thermal.Gas, workers, every int, see func(rows [][]thermal.State) bool) error {
	domain := solver.WholeDomain(grid)
	domain.Periodic = [3]bool{true, false, false}
	t := transport.NewLocal(1)[0]
	rank, err := solver.NewRank(domain, solver.Together{gas}, processor.New(max(workers, 1), t), t, solver.Options{})
	if err != nil {
		return err
	}
	defer rank.Close()
	width := int64(grid.Size[0])
	rows := make([][]thermal.State, grid.Size[1])
	for y := range rows {
		rows[y] = make([]thermal.State, width)
	}
	for {
		for range every {
			if err := rank.Step(); err != nil {
				return err
			}
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := gas.Each(rank, func(global int64, s thermal.State) { rows[global/width][global%width] = s }); err != nil {
			return err
		}
		if !see(rows) {
			return nil
		}
	}
}

// look finds the amplitude of rolls and the Nusselt number. κ = c_p·ρχ = 2p(τ−½), and the
// slope at a plate is that of a parabola through it and two rows.
func (l *Layer) look(rows [][]thermal.State) (rolls, nusselt float64) {
	g, difference := l.gravity(), l.Difference*middle
	for x := range l.Width {
		cos := math.Cos(2 * math.Pi * (float64(x) + 0.5) / float64(l.Width))
		rolls += 2 * rows[l.Height/2][x].Velocity[1] * cos / float64(l.Width)
		for _, plate := range []struct {
			warm, sign    float64
			first, second *thermal.State
		}{
			{middle + difference/2, 1, &rows[0][x], &rows[1][x]},
			{middle - difference/2, -1, &rows[l.Height-1][x], &rows[l.Height-2][x]},
		} {
			slope := plate.sign * (8*plate.warm - 9*plate.first.Temperature + plate.second.Temperature) / 3
			pressure := plate.first.Density * plate.first.Temperature / middle
			nusselt += pressure * slope / (2 * float64(l.Width))
		}
	}
	lapse := difference / float64(l.Height)
	return rolls, (nusselt - g/2) / (lapse - g/2)
}

// Growth is the rate at which small rolls grow, in units of the time in which heat
// diffuses over the height, after as much of it as they need to take their form.
func (l *Layer) Growth(ctx context.Context) (float64, error) {
	const parts = 20
	every := int(l.Time() / parts)
	var list []float64
	err := l.Compute(ctx, 1e-5, every, func(rolls, _ float64) bool {
		list = append(list, rolls)
		return len(list) < parts
	})
	if err != nil {
		return 0, err
	}
	return math.Log(list[parts-1]/list[parts/2-1]) / (float64(every*parts/2) / l.Time()), nil
}

// Onset is the Rayleigh number at which rolls neither grow nor fade, on the straight line
// through two growth rates.
func (l Layer) Onset(ctx context.Context) (float64, error) {
	const below, above = 1600.0, 1900.0
	var rates [2]float64
	for i, rayleigh := range [...]float64{below, above} {
		l.Rayleigh = rayleigh
		var err error
		if rates[i], err = l.Growth(ctx); err != nil {
			return 0, err
		}
	}
	return below - rates[0]*(above-below)/(rates[1]-rates[0]), nil
}

// Steady is the Nusselt number of rolls that no longer change.
func (l *Layer) Steady(ctx context.Context) (float64, error) {
	const parts, most, tolerance = 5, 100, 1e-4
	var now, change float64
	n := 0
	err := l.Compute(ctx, 5e-3, int(l.Time()/parts), func(_, nusselt float64) bool {
		now, change = nusselt, math.Abs(nusselt-now)
		n++
		return n < most && (n < 4 || change > tolerance*now)
	})
	return now, err
}
