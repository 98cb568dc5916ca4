package thermalbench

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/mat"
)

// rolls are steady two-dimensional rolls between plates without slip, in units of the height
// and of the diffusivity of heat: the stream function ∑ψ_m(y)·sin(mkx) and the temperature
// 1−y+∑θ_m(y)·cos(mkx), on Chebyshev points in y and evenly spaced ones in x.
type rolls struct {
	rayleigh, prandtl, k float64
	points, modes        int
	y                    []float64
	d, d2, d4            *mat.Dense // derivatives in y
}

func newRolls(rayleigh, prandtl, k float64, points, modes int) *rolls {
	r := &rolls{rayleigh: rayleigh, prandtl: prandtl, k: k, points: points, modes: modes, d2: new(mat.Dense), d4: new(mat.Dense)}
	r.y, r.d = chebyshev(points)
	r.d2.Mul(r.d, r.d)
	r.d4.Mul(r.d2, r.d2)
	return r
}

// psi and theta are columns of unknowns: ψ_1 to ψ_M, then θ_0 to θ_M.
func (r *rolls) psi(q []float64, m int) []float64 { return q[(m-1)*r.points:][:r.points] }

func (r *rolls) theta(q []float64, m int) []float64 { return q[(r.modes+m)*r.points:][:r.points] }

func (r *rolls) unknowns() int { return (2*r.modes + 1) * r.points }

// residual is what is left of the equations of vorticity and temperature, and of the
// conditions at the plates.
func (r *rolls) residual(q []float64) []float64 {
	out := make([]float64, len(q))
	samples := 3*r.modes + 3
	for m := 0; m <= r.modes; m++ {
		wave := float64(m) * r.k
		t, second := r.theta(q, m), times(r.d2, r.theta(q, m))
		into := r.theta(out, m)
		for i := range into {
			into[i] = -(second[i] - wave*wave*t[i])
		}
		into[0], into[r.points-1] = t[0], t[r.points-1]
		if m == 0 {
			continue
		}
		p, d1, d2, d4 := r.psi(q, m), times(r.d, r.psi(q, m)), times(r.d2, r.psi(q, m)), times(r.d4, r.psi(q, m))
		into = r.psi(out, m)
		for i := range into {
			into[i] = d4[i] - 2*wave*wave*d2[i] + math.Pow(wave, 4)*p[i] + r.rayleigh*wave*t[i]
		}
		into[0], into[1], into[r.points-2], into[r.points-1] = p[0], d1[0], d1[r.points-1], p[r.points-1]
	}
	// Advection at samples of half a wave length, which is even or odd about its ends.
	type along struct{ p, py, w, wy, t, ty []float64 }
	columns := make([]along, r.modes+1)
	for m := range columns {
		c := &columns[m]
		c.t, c.ty = r.theta(q, m), times(r.d, r.theta(q, m))
		if m > 0 {
			wave := float64(m) * r.k
			c.p, c.py = r.psi(q, m), times(r.d, r.psi(q, m))
			c.w = times(r.d2, c.p)
			for i := range c.w {
				c.w[i] -= wave * wave * c.p[i]
			}
			c.wy = times(r.d, c.w)
		}
	}
	for s := range samples {
		phase := math.Pi * (float64(s) + 0.5) / float64(samples)
		for i := 1; i < r.points-1; i++ {
			var u, v, wx, wy, tx float64
			ty := -1.0
			for m := range columns {
				c, wave := &columns[m], float64(m)*r.k
				cos, sin := math.Cos(float64(m)*phase), math.Sin(float64(m)*phase)
				tx, ty = tx-wave*c.t[i]*sin, ty+c.ty[i]*cos
				if m > 0 {
					u, v = u+c.py[i]*sin, v-wave*c.p[i]*cos
					wx, wy = wx+wave*c.w[i]*cos, wy+c.wy[i]*sin
				}
			}
			heat, spin := u*tx+v*ty, (u*wx+v*wy)/r.prandtl
			for m := range columns {
				share := 2 / float64(samples)
				if m == 0 {
					share /= 2
				}
				r.theta(out, m)[i] += share * heat * math.Cos(float64(m)*phase)
				if m > 0 && i > 1 && i < r.points-2 {
					r.psi(out, m)[i] -= share * spin * math.Sin(float64(m)*phase)
				}
			}
		}
	}
	return out
}

// Nusselt is how much heat steady rolls of a wave number carry across plates without slip,
// over what would be conducted at rest, by the Boussinesq equations: a solution by Newton's
// method with so many Chebyshev points and Fourier modes.
func Nusselt(rayleigh, prandtl, k float64, points, modes int) (float64, error) {
	r := newRolls(rayleigh, prandtl, k, points, modes)
	q := make([]float64, r.unknowns())
	for i := range points {
		y := r.y[i]
		amplitude := math.Sqrt(rayleigh/1708 - 1)
		r.psi(q, 1)[i] = -4 * amplitude * math.Pow(math.Sin(math.Pi*y), 2)
		r.theta(q, 1)[i] = 0.3 * min(amplitude, 1) * math.Sin(math.Pi*y)
		r.theta(q, 0)[i] = -0.1 * min(amplitude, 1) * math.Sin(2*math.Pi*(1-y)) * -1
	}
	const most, tolerance = 60, 1e-9
	for range most {
		f := r.residual(q)
		jacobian := mat.NewDense(len(q), len(q), nil)
		for j := range q {
			const small = 1e-6
			old := q[j]
			q[j] = old + small
			for i, v := range r.residual(q) {
				jacobian.Set(i, j, (v-f[i])/small)
			}
			q[j] = old
		}
		var step mat.VecDense
		if err := step.SolveVec(jacobian, mat.NewVecDense(len(f), f)); err != nil && step.Len() == 0 {
			return 0, err
		}
		size := mat.Norm(&step, math.Inf(1))
		damped := min(1, 3/size)
		for i := range q {
			q[i] -= damped * step.AtVec(i)
		}
		if size < tolerance {
			return 1 - times(r.d, r.theta(q, 0))[0], nil
		}
	}
	return 0, errors.New("no steady rolls are found by the method of Newton")
}
