package arithmetic

import (
	"carina/geometry"
	"carina/solver/expression"
)

// order is that of the Hermite polynomials.
const order = 4

// coefficients are those of the products of Hermite polynomials in x and in y: [i][j] of
// i-th and j-th degree, of which i+j is at most the order.
type coefficients [order + 1][order + 1]expression.Value

// regularize relaxes stress and flux of heat alone. What generates the Hermite
// coefficients of a gas with velocity U and temperature 1+θ, in units of c_s, is
// ρ·exp(s·U + θs²/2), and with the stress P, which has no trace, and the flux of heat
// exp(s·U + θs²/2)·(½P:ss + (h·s)s²), h an eighth of ∑f C²C, C = ξ − U. All are cut at the
// fourth order.
func (b builder) regularize(now, goal state) {
	omega := b.Parameter(Omega)
	rest := b.Subtract(b.Constant(1), omega)
	before, after := b.maxwellian(now), b.maxwellian(goal)
	beside := b.nonequilibrium(now)
	var total coefficients
	for i := range total {
		for j := range order + 1 - i {
			kept := b.Multiply(now.rho, before[i][j])
			if i+j > 1 {
				kept = b.Add(kept, beside[i][j])
			}
			total[i][j] = b.Add(b.Multiply(rest, kept), b.Multiply(b.Multiply(omega, now.rho), after[i][j]))
		}
	}
	b.populations(&total)
}

// maxwellian are the coefficients of an equilibrium of density 1.
func (b builder) maxwellian(s state) (c coefficients) {
	theta := b.theta(s)
	var along [2][order + 1]expression.Value
	for axis, velocity := range []expression.Value{s.u, s.v} {
		x := b.scaled(Spacing, velocity)
		x2 := b.Multiply(x, x)
		along[axis] = [...]expression.Value{
			b.Constant(1), x, b.scaled(0.5, b.Add(x2, theta)), b.scaled(1./6, b.Multiply(x, b.Add(x2, b.scaled(3, theta)))),
			b.scaled(1./24, b.Add(b.Multiply(x2, b.Add(x2, b.scaled(6, theta))), b.scaled(3, b.Multiply(theta, theta)))),
		}
	}
	for i := range c {
		for j := range order + 1 - i {
			c[i][j] = b.Multiply(along[0][i], along[1][j])
		}
	}
	return c
}

func (b builder) theta(s state) expression.Value {
	return b.Subtract(b.scaled(Spacing*Spacing, s.temperature), b.Constant(1))
}

// fluxes are half of P_xx = −P_yy, P_xy and h of what arrives.
type fluxes struct{ a, b, hx, hy expression.Value }

// fluxes takes them from what arrives.
func (b builder) fluxes(s state) fluxes {
	const r = Spacing
	mul := b.Multiply
	x, y := b.scaled(r, s.u), b.scaled(r, s.v)
	energy := b.moment(false, func(x, y float64) float64 { return r * r * (x*x + y*y) })
	difference := b.moment(false, func(x, y float64) float64 { return r * r * (x*x - y*y) })
	shear := b.moment(false, func(x, y float64) float64 { return r * r * x * y })
	x2, y2 := mul(x, x), mul(y, y)
	inertia := b.scaled(2, mul(s.rho, b.Add(x2, y2)))
	heat := func(third, along, across, normal expression.Value) expression.Value {
		plain := b.Subtract(third, b.Add(mul(along, energy), b.scaled(2, b.Add(mul(along, normal), mul(across, shear)))))
		return b.scaled(1./8, b.Add(plain, mul(inertia, along)))
	}
	return fluxes{
		a:  b.scaled(0.25, b.Subtract(difference, mul(s.rho, b.Subtract(x2, y2)))),
		b:  b.Subtract(shear, mul(s.rho, mul(x, y))),
		hx: heat(b.moment(true, func(x, y float64) float64 { return r * r * r * x * (x*x + y*y) }), x, y, b.scaled(0.5, b.Add(energy, difference))),
		hy: heat(b.moment(true, func(x, y float64) float64 { return r * r * r * y * (x*x + y*y) }), y, x, b.scaled(0.5, b.Subtract(energy, difference))),
	}
}

// nonequilibrium are the coefficients of stress and flux of heat.
func (b builder) nonequilibrium(s state) (c coefficients) {
	f := b.fluxes(s)
	add, sub, mul := b.Add, b.Subtract, b.Multiply
	x, y, theta := b.scaled(Spacing, s.u), b.scaled(Spacing, s.v), b.theta(s)
	c[2][0], c[1][1], c[0][2] = f.a, f.b, b.Negative(f.a)
	ax, ay := mul(f.a, x), mul(f.a, y)
	c[3][0], c[0][3] = add(f.hx, ax), sub(f.hy, ay)
	c[2][1] = b.Sum(ay, mul(f.b, x), f.hy)
	c[1][2] = add(sub(mul(f.b, y), ax), f.hx)
	xx, xy, yy := b.scaled(0.5, add(mul(x, x), theta)), mul(x, y), b.scaled(0.5, add(mul(y, y), theta))
	hxx, hxy, hyy := mul(f.hx, x), add(mul(f.hx, y), mul(f.hy, x)), mul(f.hy, y)
	c[4][0], c[0][4] = add(mul(f.a, xx), hxx), sub(hyy, mul(f.a, yy))
	c[3][1] = b.Sum(mul(f.a, xy), mul(f.b, xx), hxy)
	c[1][3] = add(sub(mul(f.b, yy), mul(f.a, xy)), hxy)
	c[2][2] = b.Sum(mul(f.a, sub(yy, xx)), mul(f.b, xy), add(hxx, hyy))
	return c
}

// hermite is the polynomial of a degree.
func hermite(degree int, x float64) float64 {
	before, now := 0.0, 1.0
	for n := range degree {
		before, now = now, x*now-float64(n)*before
	}
	return now
}

// populations writes those that have the coefficients, up to four that mirror each other
// at a time.
func (b builder) populations(c *coefficients) {
	numbers := map[geometry.Offset]int{}
	for i, v := range Velocities {
		numbers[v.C] = i
	}
	b.Outputs = make([]expression.Value, Populations)
	for _, v := range Velocities {
		if v.C.X < 0 || v.C.Y < 0 {
			continue
		}
		x, y := Spacing*float64(v.C.X), Spacing*float64(v.C.Y)
		part := func(oddX, oddY int) expression.Value {
			var terms []expression.Value
			for i := oddX; i <= order; i += 2 {
				for j := oddY; i+j <= order; j += 2 {
					if factor := v.Weight * hermite(i, x) * hermite(j, y); factor != 0 {
						terms = append(terms, b.scaled(factor, c[i][j]))
					}
				}
			}
			if len(terms) == 0 {
				return b.Constant(0)
			}
			return b.Sum(terms...)
		}
		even, odd := [2]expression.Value{part(0, 0), part(0, 1)}, [2]expression.Value{part(1, 0), part(1, 1)}
		for sign := range 4 {
			to := geometry.Offset{X: v.C.X * int8(1-2*(sign&1)), Y: v.C.Y * int8(1-sign&2)}
			side := [2]expression.Value{}
			for k := range side {
				if side[k] = b.Add(even[k], odd[k]); sign&1 > 0 {
					side[k] = b.Subtract(even[k], odd[k])
				}
			}
			sum := b.Add(side[0], side[1])
			if sign&2 > 0 {
				sum = b.Subtract(side[0], side[1])
			}
			b.Outputs[numbers[to]] = sum
		}
	}
}
