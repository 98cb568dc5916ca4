package airflow

import (
	"fmt"

	"carina/solver/lattice"
)

// linkKind is how what comes back along a wall link is made.
type linkKind uint8

const (
	// halfWayLink is plain bounce-back.
	halfWayLink linkKind = iota
	// nearLink and farLink are those of linear interpolation, see wallStream.
	nearLink
	farLink
	// reflectedLink is that of reflectWalls.
	reflectedLink
)

// linkShare is what a wall link needs to know.
type linkShare struct {
	kind  linkKind
	share float32
}

// wallScheme is how walls are computed: the treatment, with the collision
// operator and its relaxation time.
type wallScheme struct {
	wall     Wall
	operator Collision
	time     float64
}

// leastQuadraticViscosity is that of the lattice below which quadratic walls are
// unstable: in 2 of 16 tubes of still air along directions of their own at 1e-3,
// in none at 5e-3.
const leastQuadraticViscosity = 5e-3

// settleWall makes a treatment of walls that is unstable at a relaxation time one
// that is not, and says so.
func (s *Settings) settleWall(tau float64) (warnings []string) {
	viscosity := (tau - 0.5) * lattice.SoundSpeedSquared
	if s.Wall != Quadratic || viscosity >= leastQuadraticViscosity {
		return nil
	}
	s.Wall = Interpolated
	return []string{fmt.Sprintf("quadratic walls are unstable at the lattice viscosity %.3g (below %g), so walls are interpolated instead; "+
		"a finer spacing or a longer time step raises it", viscosity, leastQuadraticViscosity)}
}

// wallScheme is that of a relaxation time.
func (s *Settings) wallScheme(tau float64) wallScheme {
	return wallScheme{wall: s.Wall, operator: s.operator(tau), time: tau}
}

// longestReflected is the relaxation time up to which walls are those of
// reflectWalls, that of the lattice viscosity 1e-3. There and at 2.5e-4 still air
// stays still with linear interpolation, too, at 1e-5 not along (1, 1, 0); and in
// turned pipes interpolation errs less: at 2.6e-3, with 21 cells across and Re 200,
// by 1.2 instead of 1.9 % of the velocity and 4.5 instead of 11.5 % of the gradient.
const longestReflected = 0.503

// reflects tells whether walls are those of reflectWalls: where an interpolation
// belongs to an operator that leaves of what is out of equilibrium the stress
// alone.
func (w *wallScheme) reflects() bool {
	return w.wall == Interpolated && w.time <= longestReflected &&
		(w.operator == Regularized || w.operator == Recursive || w.operator == Cumulant)
}

// share is that of a link that the wall cuts at the fraction q of its length.
func (w *wallScheme) share(q float64) linkShare {
	switch {
	case w.wall == BounceBack:
		return linkShare{}
	case w.reflects():
		return linkShare{reflectedLink, reflectedShare(q, w.time)}
	case q < 0.5:
		return linkShare{nearLink, float32(1 - 2*q)}
	case q > 0.5:
		return linkShare{farLink, float32(1 - 1/(2*q))}
	}
	return linkShare{}
}

// reflectedShare is the part of the even part out of equilibrium that comes
// back along a link, see reflectWalls.
func reflectedShare(q, time float64) float32 { return float32((q - time) / (1 - time)) }
