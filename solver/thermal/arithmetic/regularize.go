package arithmetic

import "carina/solver/expression"

// regularize relaxes stress and flux of heat alone. What generates the Hermite
// coefficients of a gas with velocity U and temperature 1+θ, in units of c_s, is
// ρ·exp(s·U + θs²/2), and with the stress P, which has no trace, and the flux of heat
// exp(s·U + θs²/2)·(½P:ss + (h·s)s²), h an eighth of ∑f C²C, C = ξ − U. All are cut at the
// fourth order.
func (b builder) regularize(now, goal state) {
	omega := b.Parameter(Omega)
	rest := b.Subtract(b.Constant(1), omega)
	beside := b.nonequilibrium(now, rest)
	now.rho, goal.rho = b.Multiply(rest, now.rho), b.Multiply(omega, goal.rho)
	before, after := b.maxwellian(now), b.maxwellian(goal)
	var total coefficients
	for i := range total {
		for j := range order + 1 - i {
			total[i][j] = b.Add(before[i][j], after[i][j])
			if i+j > 1 {
				total[i][j] = b.Add(total[i][j], beside[i][j])
			}
		}
	}
	b.Outputs = b.populations(&total, alone)
}

// fluxes are half of P_xx = −P_yy, P_xy and h of what arrives.
type fluxes struct{ a, b, hx, hy expression.Value }

// fluxes takes them from what arrives.
func (b builder) fluxes(s state) fluxes {
	const r = Spacing
	m, mul := b.moments(), b.Multiply
	x, y := b.scaled(r, s.u), b.scaled(r, s.v)
	energy, difference, shear := b.scaled(r*r, m.square), b.scaled(r*r, m.difference), b.scaled(r*r, m.product)
	x2, y2 := mul(x, x), mul(y, y)
	inertia := b.scaled(2, mul(s.rho, b.Add(x2, y2)))
	heat := func(third, along, across, normal expression.Value) expression.Value {
		plain := b.Subtract(third, b.Add(mul(along, energy), b.scaled(2, b.Add(mul(along, normal), mul(across, shear)))))
		return b.scaled(1./8, b.Add(plain, mul(inertia, along)))
	}
	return fluxes{
		a:  b.scaled(0.25, b.Subtract(difference, mul(s.rho, b.Subtract(x2, y2)))),
		b:  b.Subtract(shear, mul(s.rho, mul(x, y))),
		hx: heat(b.scaled(r*r*r, m.heatX), x, y, b.scaled(0.5, b.Add(energy, difference))),
		hy: heat(b.scaled(r*r*r, m.heatY), y, x, b.scaled(0.5, b.Subtract(energy, difference))),
	}
}

// nonequilibrium are the coefficients of a part of stress and flux of heat.
func (b builder) nonequilibrium(s state, part expression.Value) (c coefficients) {
	f := b.fluxes(s)
	for _, flux := range []*expression.Value{&f.a, &f.b, &f.hx, &f.hy} {
		*flux = b.Multiply(part, *flux)
	}
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
