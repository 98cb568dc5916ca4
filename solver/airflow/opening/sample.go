package opening

import (
	"math"

	"carina/solver/airflow/kernel"
	"carina/solver/lattice"
)

// Cells are the cells of a rank at openings, with what they measure.
type Cells struct {
	List []Cell
	// samples are those of the cells.
	samples []sample
	// outflow leaves through each link of the cells, in cell volumes per step.
	outflow []float64
	// memory is what the absorption of sound remembers of each group of links of
	// the cells: the mean and the slope of what comes in.
	memory []float64
}

// NewCells prepares the openings' cells of a rank. It moves their links and groups
// together: a step reads all of them in turn.
func NewCells(list []Cell) *Cells {
	allLinks, allGroups := 0, 0
	for i := range list {
		allLinks, allGroups = allLinks+len(list[i].Links), allGroups+len(list[i].groups)
	}
	links, groups := make([]Link, 0, allLinks), make([]group, 0, allGroups)
	for i := range list {
		c := &list[i]
		c.firstLink, c.firstGroup = len(links), len(groups)
		links, groups = append(links, c.Links...), append(groups, c.groups...)
	}
	for i := range list {
		c := &list[i]
		c.Links = links[c.firstLink:][:len(c.Links):len(c.Links)]
		c.groups = groups[c.firstGroup:][:len(c.groups):len(c.groups)]
	}
	return &Cells{List: list, samples: make([]sample, len(list)), outflow: make([]float64, len(links)), memory: make([]float64, 2*len(groups))}
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
// volumes, and the density of their cells times their weights.
func (c *Cells) Flow(f func(opening int, outflow, weighted float64)) {
	for i := range c.List {
		s := &c.samples[i]
		for k := range c.List[i].Links {
			link := &c.List[i].Links[k]
			f(link.Opening, c.outflow[c.List[i].firstLink+k], s.density*link.Weight)
		}
	}
}

// sample is the state of an opening cell in the last step.
type sample struct {
	density  float64
	velocity [3]float64
	// stress is the second moments out of equilibrium, by lattice.TensorAxes.
	stress [6]float64
}

// Observe reads density, velocity and stress of the cells first to end − 1 before
// their update, and makes them forget stress and differences of third moments, see
// forgetStress and thirdMoments.
func Observe[T kernel.Real, S kernel.Stored](slots *kernel.Slots[S], states *States, c *Cells, first, end int32, odd bool) {
	var f [27]float64
	var places [27]int
	values, offset := slots.Values, &slots.Offset
	for i := first; i < end; i++ {
		cell := &c.List[i]
		s := &c.samples[i]
		for p := range slots.Q {
			at := offset[p] + int(cell.Local)
			if odd && p > 0 {
				if back := lattice.Opposite(p); cell.Neighbour[back-1] >= 0 {
					at = offset[back] + int(cell.Neighbour[back-1])
				}
			}
			f[p], places[p] = float64(kernel.Load[T](&values[at])), at
		}
		s.measure(slots.Q, &f)
		state := &states.List[cell.groups[0].opening]
		if part := s.part(state.Stress); part > 0 && cell.Links[0].Weight > 0 {
			s.forgetStress(states.faces.set, &f, part)
			for p := range slots.Q {
				kernel.Store(&values[places[p]], T(f[p]))
			}
		}
		if part := s.part(state.Differences); part > 0 {
			for k, more := range s.thirdMoments(&f, part) {
				for p, value := range [2]float64{f[firstDiagonal+2*k] + more, f[firstDiagonal+2*k+1] - more} {
					kernel.Store(&values[places[firstDiagonal+2*k+p]], T(value))
				}
			}
		}
	}
}

// part is what a cell forgets in a step of what it forgets by its speed.
func (s *sample) part(bySpeed float64) float64 {
	if bySpeed == 0 {
		return 0
	}
	u := &s.velocity
	return min(1, bySpeed*math.Sqrt(u[0]*u[0]+u[1]*u[1]+u[2]*u[2]))
}

// forgetStress takes a part of the stress P from the cell and its populations: of one with
// the weight w and the velocity c the part of 9/2 w (c·Pc − tr P/3), which is all that P
// makes of it to second order. Density, velocity and odd moments stay as they are.
//
// What leaves returns its projection reversed, the stress with it. Where cells are large
// for the viscosity hardly any of that is lost on the way, and at openings oblique to the
// axes it swings between the opening and the cells before it: in a pipe of 18 cells across
// along (0, 1, 1) at the cell Reynolds number 200 by four times the pressure drop. Cells at
// walls keep theirs: there it is the friction.
func (s *sample) forgetStress(set *lattice.Set, f *[27]float64, part float64) {
	p := &s.stress
	third := (p[0] + p[1] + p[2]) / 3
	for i := range set.Q {
		c := &set.Velocities[i]
		x, y, z := float64(c[0]), float64(c[1]), float64(c[2])
		f[i] -= part * 4.5 * set.Weights[i] * (x*x*p[0] + y*y*p[1] + z*z*p[2] + 2*(x*y*p[3]+x*z*p[4]+y*z*p[5]) - third)
	}
	for k := range p {
		p[k] *= 1 - part
	}
}

// firstDiagonal is the first of the twelve populations along diagonals of faces.
const firstDiagonal = 7

// thirdMoments is what the populations along diagonals get, those against them lose it, so
// that a cell of 19 velocities forgets a part of its differences of third moments,
// m_xyy − m_xzz and so on, beside those that belong to its velocity and stress P:
//
//	D = u_x (u_y² − u_z² + P_yy − P_zz) + 2 (u_y P_xy − u_z P_xz)
//
// An opening imposes what comes in at every step without regard to these moments. Where
// the update keeps them, what they are off by stays, and where cells are large for the
// viscosity it grows with what the opening makes of it: slowly, into an oscillation. They
// are odd, so that density, velocity and stress stay as they are.
func (s *sample) thirdMoments(f *[27]float64, part float64) [6]float64 {
	var odd [6]float64
	for k := range odd {
		odd[k] = f[firstDiagonal+2*k] - f[firstDiagonal+2*k+1]
	}
	u, xx, yy, zz := &s.velocity, s.stress[0], s.stress[1], s.stress[2]
	byXY, byXZ, byYZ := 2*s.stress[3], 2*s.stress[4], 2*s.stress[5]
	x := u[0]*(u[1]*u[1]-u[2]*u[2]+yy-zz) + u[1]*byXY - u[2]*byXZ - (odd[0] + odd[1] - odd[2] - odd[3])
	y := u[1]*(u[2]*u[2]-u[0]*u[0]+zz-xx) + u[2]*byYZ - u[0]*byXY - (odd[4] + odd[5] - odd[0] + odd[1])
	z := u[2]*(u[0]*u[0]-u[1]*u[1]+xx-yy) + u[0]*byXZ - u[1]*byYZ - (odd[2] - odd[3] - odd[4] + odd[5])
	part /= 8
	return [6]float64{part * (x - y), part * (x + y), part * (z - x), -part * (x + z), part * (y - z), part * (y + z)}
}

// measure sets density, velocity and stress to those of q populations, whose order is
// that of geometry.Directions. Its sums have neither loops nor products: openings
// have many cells.
func (s *sample) measure(q int, f *[27]float64) {
	density := f[0] + f[1] + f[2] + f[3] + f[4] + f[5] + f[6] + f[7] + f[8] + f[9] + f[10] + f[11] + f[12] + f[13] + f[14] + f[15] + f[16] + f[17] + f[18]
	x := f[1] - f[2] + f[7] - f[8] + f[9] - f[10] + f[11] - f[12] + f[13] - f[14]
	y := f[3] - f[4] + f[7] - f[8] - f[9] + f[10] + f[15] - f[16] + f[17] - f[18]
	z := f[5] - f[6] + f[11] - f[12] - f[13] + f[14] + f[15] - f[16] - f[17] + f[18]
	xx := f[1] + f[2] + f[7] + f[8] + f[9] + f[10] + f[11] + f[12] + f[13] + f[14]
	yy := f[3] + f[4] + f[7] + f[8] + f[9] + f[10] + f[15] + f[16] + f[17] + f[18]
	zz := f[5] + f[6] + f[11] + f[12] + f[13] + f[14] + f[15] + f[16] + f[17] + f[18]
	xy := f[7] + f[8] - f[9] - f[10]
	xz := f[11] + f[12] - f[13] - f[14]
	yz := f[15] + f[16] - f[17] - f[18]
	if q == 27 {
		density = density + f[19] + f[20] + f[21] + f[22] + f[23] + f[24] + f[25] + f[26]
		x = x + f[19] - f[20] + f[21] - f[22] + f[23] - f[24] - f[25] + f[26]
		y = y + f[19] - f[20] + f[21] - f[22] - f[23] + f[24] + f[25] - f[26]
		z = z + f[19] - f[20] - f[21] + f[22] + f[23] - f[24] + f[25] - f[26]
		xx = xx + f[19] + f[20] + f[21] + f[22] + f[23] + f[24] + f[25] + f[26]
		yy = yy + f[19] + f[20] + f[21] + f[22] + f[23] + f[24] + f[25] + f[26]
		zz = zz + f[19] + f[20] + f[21] + f[22] + f[23] + f[24] + f[25] + f[26]
		xy = xy + f[19] + f[20] + f[21] + f[22] - f[23] - f[24] - f[25] - f[26]
		xz = xz + f[19] + f[20] - f[21] - f[22] + f[23] + f[24] - f[25] - f[26]
		yz = yz + f[19] + f[20] - f[21] - f[22] - f[23] - f[24] + f[25] + f[26]
	}
	third := density / 3
	s.density, s.velocity = density, [3]float64{x, y, z}
	s.stress = [6]float64{xx - x*x - third, yy - y*y - third, zz - z*z - third, xy - x*y, xz - x*z, yz - y*z}
}

// traction is the stress times a vector.
func (s *sample) traction(n *[3]float64) [3]float64 {
	xx, yy, zz, xy, xz, yz := s.stress[0], s.stress[1], s.stress[2], s.stress[3], s.stress[4], s.stress[5]
	return [3]float64{xx*n[0] + xy*n[1] + xz*n[2], yy*n[1] + xy*n[0] + yz*n[2], zz*n[2] + xz*n[0] + yz*n[1]}
}

// Impose replaces what plain bounce-back has left on the links of the cells first
// to end − 1 to openings: on velocity openings by Ladd's (1994) moving wall, on
// pressure openings by what State.incoming says.
func Impose[T kernel.Real, S kernel.Stored](slots *kernel.Slots[S], set *lattice.Set, states *States, c *Cells, first, end int32) {
	var v atLinks
	values, offset := slots.Values, &slots.Offset
	for i := first; i < end; i++ {
		cell := &c.List[i]
		s, outflow := &c.samples[i], c.outflow[cell.firstLink:]
		for j := range cell.groups {
			g := &cell.groups[j]
			state := &states.List[g.opening]
			velocity := state.Velocity
			if !velocity {
				for k := g.first; k < g.end; k++ {
					p := cell.Links[k].Population
					v.outgoing[k] = float64(kernel.Load[T](&values[offset[p]+int(cell.Local)])) / set.Weights[p]
				}
				state.incoming(set, g, cell.Links, s, (*[2]float64)(c.memory[2*(cell.firstGroup+j):]), &v)
			}
			for k := g.first; k < g.end; k++ {
				link := &cell.Links[k]
				at := &values[offset[link.Population]+int(cell.Local)]
				before := kernel.Load[T](at)
				after := T(set.Weights[link.Population] * v.incoming[k])
				if velocity {
					after = before + T(link.Inflow*state.Inflow)
				}
				outflow[k] = float64(before) - float64(kernel.Store(at, after))
			}
		}
	}
}
