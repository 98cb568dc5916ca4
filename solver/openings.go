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
}

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

// observeOpenings reads density and velocity of the opening cells of a chunk
// before their update.
func (s *populations[T]) observeOpenings(c *chunk, odd bool, o *openingStates) {
	for i := c.opening; i < c.openingEnd; i++ {
		cell := &s.layout.openings[i]
		density := float64(s.f[s.offset[0]+int(cell.cell)])
		var u [3]float64
		for p := 1; p < s.q; p++ {
			at := s.offset[p] + int(cell.cell)
			if back := lattice.Opposite(p); odd && cell.neighbour[back-1] >= 0 {
				at = s.offset[back] + int(cell.neighbour[back-1])
			}
			v := float64(s.f[at])
			density += v
			for a, component := range s.layout.set.Velocities[p] {
				u[a] += float64(component) * v
			}
		}
		o.seen[i].density = density
		o.seen[i].velocity = u
	}
}

// imposes tells whether an opening prescribes the velocity.
func (s *openingState) imposes() bool {
	return s.condition.Kind == ImposedFlow || s.condition.Kind == MovingWall
}

// imposeOpenings replaces what plain bounce-back has left on the links that
// meet openings: on velocity openings by Ladd's (1994) moving wall, on
// pressure openings by anti-bounce-back (Ginzburg, Verhaeghe and d'Humières
// 2008) with the velocity of the cell.
func (s *populations[T]) imposeOpenings(c *chunk, o *openingStates) {
	for i := c.opening; i < c.openingEnd; i++ {
		cell := &s.layout.openings[i]
		sample := &o.seen[i]
		u := &sample.velocity
		square := u[0]*u[0] + u[1]*u[1] + u[2]*u[2]
		for k := range cell.links {
			link := &cell.links[k]
			state := &o.list[link.opening]
			at := &s.f[s.offset[link.p]+int(cell.cell)]
			before := *at
			if state.imposes() {
				*at = before + T(link.inflow*state.inflow)
			} else {
				v := s.layout.set.Velocities[link.p]
				cu := float64(v[0])*u[0] + float64(v[1])*u[1] + float64(v[2])*u[2]
				*at = T(2*s.layout.set.Weights[link.p]*(state.density+4.5*cu*cu-1.5*square)) - before
			}
			sample.outflow[k] = float64(before) - float64(*at)
		}
	}
}
