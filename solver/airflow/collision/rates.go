package collision

// thirdLimit is λ of the cumulant operator, the one of its authors: third cumulants as
// large are relaxed half as if they were small and half with one, larger ones faster.
const thirdLimit = 0.01

// slowestParametrised is the rate ω₁ below which, at τ above 4/7, the cumulant operator's
// other rates are one: there those for ω₂ = 1 are negative and have poles.
const slowestParametrised = 1.75

// fastestParametrised is the rate ω₁ above which, at τ − ½ below 0.001, the others are
// those for it. With those of lower viscosities, at which hardly anything is forgotten,
// still air grows in closed tubes of four cells across at τ − ½ = 3e-5.
const fastestParametrised = 1 / 0.501

// CumulantRates sets the parameters of third and fourth cumulants by the rate ω₁ of the
// fluid: ω₃, ω₄ and ω₅, A and B for ω₂ = 1 (Geier, Pasquali and Schönherr 2017, eq. 111
// to 115).
//
// With an eddy viscosity, too, they are those of the fluid's own. Waves in cells with
// four times its viscosity then decay with 0.96 to 0.98 of it over 16 cells and with
// 0.99 over 32; with rates of each cell's own it would be within 0.4 %. But those cost
// five fractions a cell, and eddies can take a cell to where there are none.
func CumulantRates(omega float64, parameters map[string]float64) {
	parameters[ThirdLimit] = thirdLimit
	if omega < slowestParametrised {
		return
	}
	o := min(omega, fastestParametrised)
	o2 := o * o
	parameters[KeptSum] = 1 - 8*(o-2)*(1+2*o)/(7*o2-14*o-8)
	parameters[KeptDifference] = 1 - 8*(o-2)*(4*o-7)/(9*o2-50*o+56)
	parameters[KeptMixed] = 1 - 24*(o-2)*(3*o2-7*o-2)/(29*o2*o-130*o2+152*o+48)
	parameters[FlatFourth] = (4 + 2*o - 3*o2) / (5*o2 - 7*o + 2)
	parameters[BentFourth] = (4 + 28*o - 14*o2) / (15*o2 - 21*o + 6)
}
