package airflow

import (
	"math"

	"carina/geometry"
	"carina/solver/airflow/kernel"
	"carina/solver/airflow/opening"
	"carina/solver/lattice"
)

// openingState is what one opening imposes in the present step, in lattice
// units, on every rank alike.
type openingState struct {
	condition opening.Condition
	// area is that of the opening as voxelized, in cell faces.
	area float64
	// flow is what enters through the opening at factor one, in cell volumes
	// per step.
	flow float64
	// normal points out of the lumen.
	normal [3]float64
	// evenTime is how long stress stays out of equilibrium, in steps.
	evenTime float64
	// skew is how many times longer third moments stay out of it.
	skew float64
	// forgetting is the part of its memory that the opening's absorption of sound
	// forgets in a step, all where the flow is steered: steering absorbs by itself.
	forgetting float64
	// velocity is that of a moving wall, in cells per step.
	velocity [3]float64
	// inflow is what enters per cell face of mean profile in the present step.
	inflow float64
	// density is the imposed deviation of the density, gradient that along the
	// normal, per cell.
	density, gradient float64
	// For pressure openings: what leaves (cell volumes per step) as measured
	// last, and smoothed over different times.
	outflow, fast, smooth float64
	// peak is the largest absolute value of fast so far.
	peak float64
	// base is the density that belongs to the condition; stored is that of a
	// Windkessel's compliance.
	base, stored float64
	// fastest is the largest velocity along the normal, negative, with which
	// air comes in through a cell of a pressure opening.
	fastest float64
	// transition is the velocity along the normal up to which air hardly moves.
	transition float64
	steering   steering
}

// openingStates are all openings of the grid and what the rank's opening
// cells show of the flow.
type openingStates struct {
	list []openingState
	// seen[i] belongs to opening cell i of the layout.
	seen []openingSample
	// memory is what the absorption of sound remembers of each group of links of
	// the opening cells: the mean and the slope of what returns.
	memory []float64
	// sums is room for adding up the flow through the openings.
	sums []int64
}

// openingSample is the state of an opening cell in the last step.
type openingSample struct {
	density  float64
	velocity [3]float64
	// outflow leaves through each link of the cell, in cell volumes per step.
	outflow [26]float64
	// stress is the second moments out of equilibrium, by lattice.TensorAxes.
	stress [6]float64
}

// newOpeningStates prepares the openings of a grid.
func newOpeningStates(grid *geometry.Grid, areas []float64, s *Settings, u Units) *openingStates {
	o := &openingStates{list: make([]openingState, len(areas)), sums: make([]int64, 2*len(areas))}
	var shared float64
	for i, a := range areas {
		c, given := s.Conditions[grid.Openings[i].Number]
		if !given && grid.Openings[i].Role == geometry.Inlet {
			c = opening.Condition{Kind: opening.ImposedFlow, Profile: s.Profile, Waveform: s.Waveform}
			shared += a
		}
		if c.Kind == "" {
			c.Kind = opening.ImposedPressure
		}
		n := grid.Openings[i].Normal
		o.list[i] = openingState{condition: c, area: a, flow: c.Flow / u.FlowRate(), normal: [3]float64{n.X, n.Y, n.Z},
			evenTime: u.RelaxationTime(), skew: s.oddTime(u.RelaxationTime()) / u.RelaxationTime(), forgetting: 1 / (absorptionCrossings * soundCrossing(grid))}
		if c.Kind == opening.ImposedFlow {
			o.list[i].forgetting = 1
		}
		for axis, v := range c.Velocity {
			o.list[i].velocity[axis] = v / u.Velocity()
		}
	}
	for i, a := range areas {
		if _, given := s.Conditions[grid.Openings[i].Number]; !given && o.list[i].condition.Kind == opening.ImposedFlow {
			o.list[i].flow = s.FlowRate / u.FlowRate() * a / shared
		}
	}
	return o
}

// prepare sets what the openings impose in the step that ends at the given
// time, in steps.
func (o *openingStates) prepare(time, ramp float64, u Units) {
	for i := range o.list {
		s := &o.list[i]
		factor := startFactor(time, ramp)
		if s.condition.Waveform != nil {
			factor = s.condition.Waveform.Factor(time * u.TimeStep)
		}
		switch s.condition.Kind {
		case opening.ImposedFlow:
			if s.area > 0 {
				s.inflow = s.flow * factor / s.area
			}
			s.steer(-s.flow*factor, sinceCoupling(time))
			s.density = s.steered()
		case opening.MovingWall:
			s.inflow = factor
		default:
			if s.condition.Kind == opening.ImposedPressure {
				s.base = s.condition.Pressure / u.Pressure() * factor
			}
			s.density = s.base
		}
		s.gradient, s.fastest, s.transition = s.developedGradient(), s.fastestInflow(), s.transitionSpeed()
	}
}

// startFactor is the smooth start-up of the flow, ½(1−cos πt/T).
func startFactor(time, ramp float64) float64 {
	if time >= ramp {
		return 1
	}
	return 0.5 * (1 - math.Cos(math.Pi*time/ramp))
}

// developedGradient is the gradient of the density along the normal in
// developed laminar flow through a round opening (Hagen and Poiseuille: p
// falls by 8πμQ/A² per length). It places the pressure on the plane of the
// opening, from which the centres of its cells lie apart.
func (s *openingState) developedGradient() float64 {
	area := max(s.area, 1)
	return -8 * math.Pi * (s.evenTime - 0.5) * s.smooth / (area * area)
}

// fastestInflow is the velocity of air that enters on the axis of the strongest
// developed flow through a round opening so far, twice the mean.
func (s *openingState) fastestInflow() float64 {
	return -2 * s.peak / max(s.area, 1)
}

// observeOpenings reads density, velocity and stress of the opening cells of a
// chunk before their update.
func (s *populations[T, S]) observeOpenings(c *chunk, odd bool, o *openingStates) {
	set := s.layout.set
	var f [27]float64
	for i := c.opening; i < c.openingEnd; i++ {
		cell := &s.layout.openings[i]
		sample := &o.seen[i]
		for p := range s.q {
			at := s.offset[p] + int(cell.cell)
			if back := lattice.Opposite(p); odd && p > 0 && cell.neighbour[back-1] >= 0 {
				at = s.offset[back] + int(cell.neighbour[back-1])
			}
			f[p] = float64(kernel.Load[T](&s.f[at]))
		}
		sample.sum(set, &f)
		sample.subtractEquilibrium()
	}
}

// sum sets the density, the velocity and the second moments to those of
// populations. It keeps them in registers: openings have many cells.
func (s *openingSample) sum(set *lattice.Set, f *[27]float64) {
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
func (s *openingSample) subtractEquilibrium() {
	for k, ab := range lattice.TensorAxes {
		s.stress[k] -= s.velocity[ab[0]] * s.velocity[ab[1]]
		if ab[0] == ab[1] {
			s.stress[k] -= s.density / 3
		}
	}
}

// imposes tells whether an opening prescribes the velocity at present.
func (s *openingState) imposes() bool {
	return s.condition.Kind == opening.ImposedFlow && !s.steering.on || s.condition.Kind == opening.MovingWall
}

// imposeOpenings replaces what plain bounce-back has left on the links that
// meet openings: on velocity openings by Ladd's (1994) moving wall, on
// pressure openings by what openingState.returning says.
func (s *populations[T, S]) imposeOpenings(c *chunk, o *openingStates) {
	set := s.layout.set
	var left, back [26]float64
	for i := c.opening; i < c.openingEnd; i++ {
		cell := &s.layout.openings[i]
		sample := &o.seen[i]
		for j := range cell.groups {
			g := &cell.groups[j]
			state := &o.list[g.opening]
			imposes := state.imposes()
			if !imposes {
				for k := g.first; k < g.end; k++ {
					p := cell.links[k].p
					left[k] = float64(kernel.Load[T](&s.f[s.offset[p]+int(cell.cell)])) / set.Weights[p]
				}
				state.returning(set, g, cell.links, sample, (*[2]float64)(o.memory[2*(cell.firstGroup+j):]), &left, &back)
			}
			for k := g.first; k < g.end; k++ {
				link := &cell.links[k]
				at := &s.f[s.offset[link.p]+int(cell.cell)]
				before := kernel.Load[T](at)
				after := T(set.Weights[link.p] * back[k])
				if imposes {
					after = before + T(link.inflow*state.inflow)
				}
				sample.outflow[k] = float64(before) - float64(kernel.Store(at, after))
			}
		}
	}
}

// pull is the stress times a vector.
func (s *openingSample) pull(n *[3]float64) (v [3]float64) {
	for k, ab := range lattice.TensorAxes {
		a, b := ab[0], ab[1]
		v[a] += s.stress[k] * n[b]
		if a != b {
			v[b] += s.stress[k] * n[a]
		}
	}
	return v
}
