package solver

import (
	"math"

	"carina/geometry"
	"carina/solver/lattice"
)

// openingState is what one opening imposes in the present step, in lattice
// units, on every rank alike.
type openingState struct {
	condition Condition
	// area is that of the opening as voxelized, in cell faces.
	area float64
	// flow is what enters through the opening at factor one, in cell volumes
	// per step.
	flow float64
	// keptStress is the factor 2 − ω₊ of the stress at a pressure opening
	// across an axis, and zero at others: there the links of a cell see
	// different parts of the stress, and feeding it back is unstable.
	keptStress float64
	// velocity is that of a moving wall, in cells per step.
	velocity [3]float64
	// inflow is what enters per cell face of mean profile in the present step.
	inflow float64
	// density is the imposed deviation of the density.
	density float64
	// For pressure openings: what leaves (cell volumes per step) as measured
	// last, and smoothed over different times.
	outflow, fast, smooth, slow float64
	// base is the density that belongs to the condition without the part that
	// lets sound out; stored is that of a Windkessel's compliance.
	base, stored float64
}

// openingStates are all openings of the grid and what the rank's opening
// cells show of the flow.
type openingStates struct {
	list []openingState
	// seen[i] belongs to opening cell i of the layout.
	seen []openingSample
	// sums is room for adding up the flow through the openings.
	sums []int64
}

// openingSample is the state of an opening cell in the last step.
type openingSample struct {
	density  float64
	velocity [3]float64
	// outflow leaves through each link of the cell, in cell volumes per step.
	outflow [26]float64
	// stress is the symmetric part out of equilibrium along each link.
	stress [26]float64
}

// acrossAxis is the cosine above which an opening counts as lying across an
// axis of the grid.
const acrossAxis = 0.9999

// newOpeningStates prepares the openings of a grid.
func newOpeningStates(grid *geometry.Grid, areas []float64, s *Settings, u Units) *openingStates {
	o := &openingStates{list: make([]openingState, len(areas)), sums: make([]int64, 2*len(areas))}
	var shared float64
	for i, a := range areas {
		c, given := s.Conditions[grid.Openings[i].Number]
		if !given && grid.Openings[i].Role == geometry.Inlet {
			c = Condition{Kind: ImposedFlow, Profile: s.Profile, Waveform: s.Waveform}
			shared += a
		}
		if c.Kind == "" {
			c.Kind = ImposedPressure
		}
		o.list[i] = openingState{condition: c, area: a, flow: c.Flow / u.FlowRate()}
		if n := grid.Openings[i].Normal; max(math.Abs(n.X), math.Abs(n.Y), math.Abs(n.Z)) > acrossAxis {
			o.list[i].keptStress = 2 - 1/u.RelaxationTime()
		}
		for axis, v := range c.Velocity {
			o.list[i].velocity[axis] = v / u.Velocity()
		}
	}
	for i, a := range areas {
		if _, given := s.Conditions[grid.Openings[i].Number]; !given && o.list[i].condition.Kind == ImposedFlow {
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
		case ImposedFlow:
			if s.area > 0 {
				s.inflow = s.flow * factor / s.area
			}
			continue
		case MovingWall:
			s.inflow = factor
			continue
		case ImposedPressure:
			s.base = s.condition.Pressure / u.Pressure() * factor
		}
		s.density = s.base + s.absorption()
	}
}

// startFactor is the smooth start-up of the flow, ½(1−cos πt/T).
func startFactor(time, ramp float64) float64 {
	if time >= ramp {
		return 1
	}
	return 0.5 * (1 - math.Cos(math.Pi*time/ramp))
}

// observeOpenings reads density, velocity and stress of the opening cells of a
// chunk before their update.
func (s *populations[T, S]) observeOpenings(c *chunk, odd bool, o *openingStates) {
	set := s.layout.set
	var f [27]float64
	for i := c.opening; i < c.openingEnd; i++ {
		cell := &s.layout.openings[i]
		var density float64
		var u [3]float64
		for p := range s.q {
			at := s.offset[p] + int(cell.cell)
			if back := lattice.Opposite(p); odd && p > 0 && cell.neighbour[back-1] >= 0 {
				at = s.offset[back] + int(cell.neighbour[back-1])
			}
			f[p] = float64(load[T](&s.f[at]))
			density += f[p]
			for a, component := range set.Velocities[p] {
				u[a] += float64(component) * f[p]
			}
		}
		sample := &o.seen[i]
		sample.density, sample.velocity = density, s.straighten(cell, u, &f)
		u = sample.velocity
		for k, link := range cell.links {
			p := int(link.p)
			sample.stress[k] = 0.5*(f[p]+f[lattice.Opposite(p)]) - symmetricEquilibrium(set, p, density, u)
		}
	}
}

// straighten takes the velocity along a pressure opening out of what came back
// through it, since anti-bounce-back leaves it free, and returns the velocity
// that remains.
func (s *populations[T, S]) straighten(cell *openingCell, u [3]float64, f *[27]float64) [3]float64 {
	change := u
	for k := range cell.links {
		link := &cell.links[k]
		delta := link.straighten[0]*u[0] + link.straighten[1]*u[1] + link.straighten[2]*u[2]
		if delta == 0 {
			continue
		}
		at := &s.f[s.offset[link.p]+int(cell.cell)]
		store(at, load[T](at)+T(delta))
		f[link.p] += delta
		for a, component := range s.layout.set.Velocities[link.p] {
			change[a] += float64(component) * delta
		}
	}
	return change
}

// symmetricEquilibrium is the part of the equilibrium that opposite
// populations share.
func symmetricEquilibrium(set *lattice.Set, p int, density float64, u [3]float64) float64 {
	v := set.Velocities[p]
	cu := float64(v[0])*u[0] + float64(v[1])*u[1] + float64(v[2])*u[2]
	return set.Weights[p] * (density + 4.5*cu*cu - 1.5*(u[0]*u[0]+u[1]*u[1]+u[2]*u[2]))
}

// imposes tells whether an opening prescribes the velocity.
func (s *openingState) imposes() bool {
	return s.condition.Kind == ImposedFlow || s.condition.Kind == MovingWall
}

// imposeOpenings replaces what plain bounce-back has left on the links that
// meet openings: on velocity openings by Ladd's (1994) moving wall, on
// pressure openings by anti-bounce-back with the velocity and the stress of
// the cell (Ginzburg, Verhaeghe and d'Humières 2008): without the stress, a
// pressure opening would be free of shear and disturb the profile. Where the
// opening does not lie across an axis, the stress is left out.
func (s *populations[T, S]) imposeOpenings(c *chunk, o *openingStates) {
	for i := c.opening; i < c.openingEnd; i++ {
		cell := &s.layout.openings[i]
		sample := &o.seen[i]
		for k := range cell.links {
			link := &cell.links[k]
			state := &o.list[link.opening]
			at := &s.f[s.offset[link.p]+int(cell.cell)]
			before := load[T](at)
			var after T
			if state.imposes() {
				after = before + T(link.inflow*state.inflow)
			} else {
				even := symmetricEquilibrium(s.layout.set, int(link.p), state.density, sample.velocity)
				after = T(2*even+state.keptStress*sample.stress[k]) - before
			}
			sample.outflow[k] = float64(before) - float64(store(at, after))
		}
	}
}
