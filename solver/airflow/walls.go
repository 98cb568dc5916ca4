package airflow

import (
	"fmt"

	"carina/solver/airflow/wall"
	"carina/solver/lattice"
)

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

// longestReflected is the relaxation time up to which walls are those of wall.Reflect
// with operators that forget third moments, that of the lattice viscosity 1e-3. There
// and at 2.5e-4 still air stays still with linear interpolation, too, at 1e-5 not along
// (1, 1, 0); and in turned pipes interpolation errs less: at 2.6e-3, with 21 cells
// across and Re 200, by 1.2 instead of 1.9 % of the velocity and 4.5 instead of 11.5 %
// of the gradient.
//
// The recursive operator and the cumulant one remember third moments, with which linear
// interpolation lets still air grow: with the recursive one the central airway diverges
// beside a wall at 3.3e-3 to 7e-3 above ½ after some 100,000 steps. Their walls are those
// up to longestRemembered, beyond which what returns would be divided by little.
const (
	longestReflected  = 0.503
	longestRemembered = 0.55
)

// wallScheme is how walls are computed. What Reflect makes is for operators that leave of
// what is out of equilibrium the stress alone.
//
// The recursive operator leaves most of differences of third moments where it forgets them at
// rates unlike those of sums, and its walls are of linear interpolation there. With those of
// Reflect flow behind a plug in pipes along an axis, 18 cells across, breaks into steady
// streaks that grow along it from the walls, and has 2.6, 3.2 and 2.5 times the pressure drop
// at the Reynolds numbers 1540, 2060 and 2570, where with these it has 1.07, 1.10 and 1.16,
// and coarse trees along the axes diverge here and there. At higher cell Reynolds numbers
// pressure drops of airways are 3 to 5 % higher with these.
func (a *airflow) wallScheme() wall.Scheme {
	s, tau := &a.settings, a.units.RelaxationTime()
	scheme := wall.Scheme{Interpolated: s.Wall != BounceBack, RelaxationTime: tau}
	if s.Wall == Interpolated {
		switch s.Collision {
		case Recursive:
			scheme.Reflects = tau <= longestRemembered && a.unlike() <= 0.5
		case Cumulant:
			scheme.Reflects = tau <= longestRemembered
		case Regularized:
			scheme.Reflects = tau <= longestReflected
		}
	}
	return scheme
}
