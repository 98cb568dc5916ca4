package wall

import (
	"carina/solver/airflow/kernel"
	"carina/solver/lattice"
)

// Reflect makes what comes back from walls for operators that leave, of what is
// out of equilibrium, the stress alone: along a link i, with the density's
// deviation ρ, the velocity u and the strain rate S of the cell,
//
//	f*_i = w (ρ + 3 c·u + 3(1−τ) c·Sc)
//
// leaves. What comes back in the next step belongs to the same flow,
//
//	f_ī = w (ρ − 3 c·u − 3τ c·Sc),
//
// and since the wall, at the fraction q of the link, does not move,
// c·u = −q c·Sc. With the even part e = ½(f*_i + f*_ī) so is
//
//	f_ī = wρ + (q−τ)/(1−τ) (e − wρ).
//
// This is of second order like linear interpolation (Bouzidi, Firdaouss and
// Lallemand 2001) and needs one cell alone, like the schemes of Zhao and Yong
// (2017, J. Comput. Phys. 329, "Single-node second-order boundary schemes for
// the lattice Boltzmann method"). Nothing of the velocity returns and of the
// stress less than arrives, so that it damps where interpolation feeds: still
// air stays still in tubes at any angle to the lattice, at any viscosity. The
// population at rest, which has no part in the stress, tells wρ. What is added
// to plain bounce-back is taken from it, so that walls neither leak nor produce
// mass.
//
// Arguments are those of Correct after the update, operations those of
// kernel.Vector's Reflect.
func Reflect[T kernel.Real, S kernel.Stored](set *lattice.Set, gathered []T, c *Cursor, window, first int) {
	if c.IsEmpty() {
		return
	}
	var taken [kernel.WindowCells]T
	for d := range set.Q - 1 {
		ratio := kernel.ReflectionRatio[T](set, d+1)
		for ; c.next[d] < c.end[d]; c.next[d]++ {
			link := c.links.link(c.next[d], c.group)
			if link.Window(c.width) != window {
				break
			}
			lane, back := link.Cell()-first, d+1
			bounced := &gathered[back*kernel.WindowCells+lane]
			rest := T(ratio * gathered[lane])
			even := T(0.5 * T(*bounced+gathered[lattice.Opposite(back)*kernel.WindowCells+lane]))
			value := rest + T(T(link.Factor)*T(even-rest))
			taken[lane] += value - *bounced
			*bounced = kernel.Rounded[T, S](value)
		}
	}
	for lane, v := range taken {
		if v != 0 {
			gathered[lane] = kernel.Rounded[T, S](gathered[lane] - v)
		}
	}
}
