package validate

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// duct is a round duct whose radius changes slowly, and a steady laminar flow through it
// that has the same pressure all over a section: that of the boundary-layer equations
// (Schlichting and Gersten, Boundary-Layer Theory, chapter 6; for entrances of pipes
// Hornbeck 1964, Appl. Sci. Res. 13).
type duct struct {
	radius          func(z float64) float64
	flow, viscosity float64
	// rings is how many rings of equal width a section has.
	rings int
}

// onAxis marches from a parabola at the first place to the last one and returns the
// velocities on the axis.
//
// With x = r/R and rings between x_i and x_(i+1), it solves for each ring the balance of
// momentum over a length, d/dz ∫ u² R² x dx + [m u] = −P R² ∫ x dx + [ν x u_x], where
// m = −d/dz ∫ u R² x dx crosses the rings' sides, and chooses P so that the flow is kept.
func (d *duct) onAxis(places []float64) ([]float64, error) {
	n := d.rings
	area := make([]float64, n) // over R²
	u := make([]float64, n)
	r := d.radius(places[0])
	for i := range n {
		x := (float64(i) + 0.5) / float64(n)
		area[i] = x / float64(n)
		u[i] = 2 * d.flow / (math.Pi * r * r) * (1 - x*x)
	}
	axis := []float64{extrapolated(u)}
	for k := 1; k < len(places); k++ {
		var err error
		if u, err = d.next(u, area, places[k-1], places[k]); err != nil {
			return nil, fmt.Errorf("boundary layer at %g m: %w", places[k], err)
		}
		axis = append(axis, extrapolated(u))
	}
	return axis, nil
}

// next is the flow at the end of a length, by iterations for what is not linear.
func (d *duct) next(before, area []float64, z0, z1 float64) ([]float64, error) {
	n, dz := d.rings, z1-z0
	r0, r1 := d.radius(z0), d.radius(z1)
	mean := d.flow / (2 * math.Pi * r1 * r1)
	u := append([]float64(nil), before...)
	crosses := make([]float64, n+1)
	lower, diagonal, upper := make([]float64, n-1), make([]float64, n), make([]float64, n-1)
	momentum, push := mat.NewVecDense(n, nil), mat.NewVecDense(n, nil)
	const most = 100
	for range most {
		for i := range n - 1 {
			crosses[i+1] = crosses[i] - area[i]*(u[i]*r1*r1-before[i]*r0*r0)/dz
		}
		for i := range n {
			diagonal[i] = u[i] * area[i] * r1 * r1 / dz
			momentum.SetVec(i, before[i]*before[i]*area[i]*r0*r0/dz)
			push.SetVec(i, -area[i]*r1*r1)
		}
		for i := range n - 1 {
			m, shear := crosses[i+1]/2, d.viscosity*float64(i+1) // ν x/Δx
			diagonal[i] += m + shear
			upper[i] = m - shear
			diagonal[i+1] += shear - m
			lower[i] = -m - shear
		}
		diagonal[n-1] += 2 * d.viscosity * float64(n)
		var a, b mat.VecDense
		matrix := mat.NewTridiag(n, lower, diagonal, upper)
		if err := matrix.SolveVecTo(&a, false, momentum); err != nil {
			return nil, err
		}
		if err := matrix.SolveVecTo(&b, false, push); err != nil {
			return nil, err
		}
		gradient := (mean - floats.Dot(area, a.RawVector().Data)) / floats.Dot(area, b.RawVector().Data)
		a.AddScaledVec(&a, gradient, &b)
		change := floats.Distance(u, a.RawVector().Data, math.Inf(1))
		// Half of the change, since velocities at walls else overshoot in turn.
		floats.Add(u, a.RawVector().Data)
		floats.Scale(0.5, u)
		if change < 1e-9*floats.Max(u) {
			return u, nil
		}
	}
	return nil, fmt.Errorf("still changes after %d iterations", most)
}

// extrapolated is the value at the axis of a parabola through the first two rings.
func extrapolated(u []float64) float64 { return u[0] + (u[0]-u[1])/8 }
