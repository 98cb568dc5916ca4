package opening

import (
	"carina/solver/airflow/kernel"
	"carina/solver/lattice"
)

// Cells are the cells of a rank at openings, with what they measure.
type Cells struct {
	List []Cell
	// samples are those of the cells.
	samples []sample
	// memory is what the absorption of sound remembers of each group of links of
	// the cells: the mean and the slope of what comes in.
	memory []float64
}

// NewCells prepares the openings' cells of a rank.
func NewCells(list []Cell) *Cells {
	groups := 0
	for i := range list {
		list[i].firstGroup = groups
		groups += len(list[i].groups)
	}
	return &Cells{List: list, samples: make([]sample, len(list)), memory: make([]float64, 2*groups)}
}

// Memory is what the absorption of sound remembers: two numbers for each of the
// cells listed.
func (c *Cells) Memory() (cells []int64, numbers []float64) {
	for i := range c.List {
		for range c.List[i].groups {
			cells = append(cells, c.List[i].Global)
		}
	}
	return cells, c.memory
}

// Flow calls f for all links with what left through them in the last step, in cell
// volumes, and the density of their cells times their areas.
func (c *Cells) Flow(f func(opening int, outflow, areaDensity float64)) {
	for i := range c.List {
		s := &c.samples[i]
		for k := range c.List[i].Links {
			link := &c.List[i].Links[k]
			f(link.Opening, s.outflow[k], s.density*link.Area)
		}
	}
}

// sample is the state of an opening cell in the last step.
type sample struct {
	density  float64
	velocity [3]float64
	// outflow leaves through each link of the cell, in cell volumes per step.
	outflow [26]float64
	// stress is the second moments out of equilibrium, by lattice.TensorAxes.
	stress [6]float64
}

// Observe reads density, velocity and stress of the cells first to end − 1 before
// their update.
func Observe[T kernel.Real, S kernel.Stored](slots *kernel.Slots[S], set *lattice.Set, c *Cells, first, end int32, odd bool) {
	var f [27]float64
	values, offset := slots.Values, slots.Offset
	for i := first; i < end; i++ {
		cell := &c.List[i]
		s := &c.samples[i]
		for p := range slots.Q {
			at := offset[p] + int(cell.Local)
			if back := lattice.Opposite(p); odd && p > 0 && cell.Neighbour[back-1] >= 0 {
				at = offset[back] + int(cell.Neighbour[back-1])
			}
			f[p] = float64(kernel.Load[T](&values[at]))
		}
		s.sum(set, &f)
		s.subtractEquilibrium()
	}
}

// sum sets the density, the velocity and the second moments to those of
// populations. It keeps them in registers: openings have many cells.
func (s *sample) sum(set *lattice.Set, f *[27]float64) {
	var density, x, y, z, xx, yy, zz, xy, xz, yz float64
	for p := range set.Velocities {
		c := &set.Velocities[p]
		cx, cy, cz := float64(c[0]), float64(c[1]), float64(c[2])
		fx, fy, fz := cx*f[p], cy*f[p], cz*f[p]
		density += f[p]
		x, y, z = x+fx, y+fy, z+fz
		xx, yy, zz = xx+cx*fx, yy+cy*fy, zz+cz*fz
		xy, xz, yz = xy+cx*fy, xz+cx*fz, yz+cy*fz
	}
	s.density, s.velocity, s.stress = density, [3]float64{x, y, z}, [6]float64{xx, yy, zz, xy, xz, yz}
}

// subtractEquilibrium leaves of the second moments what is out of
// equilibrium.
func (s *sample) subtractEquilibrium() {
	for k, ab := range lattice.TensorAxes {
		s.stress[k] -= s.velocity[ab[0]] * s.velocity[ab[1]]
		if ab[0] == ab[1] {
			s.stress[k] -= s.density / 3
		}
	}
}

// traction is the stress times a vector.
func (s *sample) traction(n *[3]float64) (v [3]float64) {
	for k, ab := range lattice.TensorAxes {
		a, b := ab[0], ab[1]
		v[a] += s.stress[k] * n[b]
		if a != b {
			v[b] += s.stress[k] * n[a]
		}
	}
	return v
}

// Impose replaces what plain bounce-back has left on the links of the cells first
// to end − 1 to openings: on velocity openings by Ladd's (1994) moving wall, on
// pressure openings by what State.incoming says.
func Impose[T kernel.Real, S kernel.Stored](slots *kernel.Slots[S], set *lattice.Set, states *States, c *Cells, first, end int32) {
	var outgoing, incoming [26]float64
	values, offset := slots.Values, slots.Offset
	for i := first; i < end; i++ {
		cell := &c.List[i]
		s := &c.samples[i]
		for j := range cell.groups {
			g := &cell.groups[j]
			state := &states.List[g.opening]
			velocity := state.Velocity
			if !velocity {
				for k := g.first; k < g.end; k++ {
					p := cell.Links[k].Population
					outgoing[k] = float64(kernel.Load[T](&values[offset[p]+int(cell.Local)])) / set.Weights[p]
				}
				state.incoming(set, g, cell.Links, s, (*[2]float64)(c.memory[2*(cell.firstGroup+j):]), &outgoing, &incoming)
			}
			for k := g.first; k < g.end; k++ {
				link := &cell.Links[k]
				at := &values[offset[link.Population]+int(cell.Local)]
				before := kernel.Load[T](at)
				after := T(set.Weights[link.Population] * incoming[k])
				if velocity {
					after = before + T(link.Inflow*state.Inflow)
				}
				s.outflow[k] = float64(before) - float64(kernel.Store(at, after))
			}
		}
	}
}
