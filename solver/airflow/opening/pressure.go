package opening

import (
	"math"

	"carina/solver/lattice"
)

// matchedReturn is the part of a sudden change of what leaves through a pressure opening
// that returns where a plane wave of sound that reaches it at right angles shall not be
// reflected at all: then its density is c_n/√3 times its part of the velocity.
//
// Of changes that take longer than absorptionCrossings, such an opening takes up little,
// but it acts on them as air of its own would that lies behind it, of the length
// √3 (1−a)/(1+a) absorptionCrossings domains for a part a. So where the flow settles by
// itself it takes that much longer, by what air needs to pass as many domains. With
// steadyReturn it is a tenth of that, and sound leaves after some more crossings.
var matchedReturn = 2 - math.Sqrt(3)

const steadyReturn = 0.9

// returning is the part of a sudden change that returns. Much sound is made where the flow
// starts suddenly, a waveform changes it, or openings answer it.
func (f *Faces) returning(c *Choice) float64 {
	answered := c.Sudden || c.Waveform != nil
	for i, area := range f.Areas {
		condition := c.Conditions[f.grid.Openings[i].Number]
		answered = answered || area > 0 && condition.answers()
	}
	if answered {
		return matchedReturn
	}
	return steadyReturn
}

// answers tells whether an opening changes what it imposes by itself or with what leaves.
func (c *Condition) answers() bool {
	return c.Waveform != nil || c.Kind == ImposedFlow && c.Flow < 0
}

// absorptionCrossings is the time after which a pressure opening regards what
// leaves as steady, in crossings of the domain by sound: faster changes are
// sound, and leave.
const absorptionCrossings = 2

// incoming computes what comes in over the links of a group through a pressure
// opening, given what goes out along them, both over the weights.
//
// Of what goes out, f̂, the difference h to what belongs to the opening's
// pressure and the velocity v,
//
//	e = ρ + 9/2 (c·v)² − 3/2 v² − G (d + ½ c_n (1 − 3/2 c_t²)),
//
// returns reversed, as in anti-bounce-back, but only its projection Qh on the
// span of 1 and c_n: the mean and the velocity along the normal n. The rest
// leaves. To this comes the shear that developed flow has across the normal, of
// the cell's stress Π with the third moments that belong to it,
//
//	s = 9 (c·Πn − c_n n·Πn) (c_n + σ (3c_n²−1) u_n),
//
// with σ, how much longer these stay out of equilibrium. It has left, too, less
// what the collision has taken, and where Q keeps some of it, that comes back
// with the wrong sign. With its part t = (2−ω) s₊ + ω₋ s₋, s₊ and s₋ being the
// terms with c_n and σ,
//
//	f/w = e − Qh + θ (s − Qs) + θ' Qt.
//
// Here θ ≤ 1 and then θ' ≤ 1 are as large as they can be without more energy Σf²/w
// coming back than has left and the collision dissipates: so an opening at any angle
// to the lattice leaves still air still. Of Qh only what differs from what was there
// for long counts beside Qt, or developed flow, whose velocity returns with Qh all the
// time, would have no room for it: the finer the grid, the less. c_n and c_t are the
// velocity along and across the normal, d the distance of the cell's centre to the
// plane and G the gradient of developed flow, which places the pressure on the plane.
//
// Air that comes in carries what is outside, and to believe the cell instead
// feeds back the faster what is faster already, until it diverges (backflow
// divergence: Esmaily Moghadam and others 2011, Comput. Mech. 48, "A comparison
// of outlet boundary treatments for prevention of backflow divergence"). So
// where u_n < 0, it has no velocity across and no shear, the pressure is that of
// air at rest outside, whose sum with ½ρu_n² is conserved on the way in
// (Bernoulli), ρ → ρ − 3/2 u_n², and u_n is at most that on the axis of the
// strongest developed flow so far: what is faster returns in part only, a
// resistance. Not the present flow: where it turns, air near the walls turns
// before. Where hardly any air moves, up to the transition, one passes into the
// other.
//
// Of the projection of what changes faster than sound crosses the domain only the part
// Returning returns, with a memory of what was there for long.
func (s *State) incoming(set *lattice.Set, g *group, links []Link, sample *sample, memory *[2]float64, v *atLinks) {
	var along float64
	for a := range 3 {
		along += sample.velocity[a] * s.Normal[a]
	}
	density, returned, leaving := s.Density, 1.0, min(1, along/s.Transition)
	velocity := sample.velocity
	if along < 0 {
		leaving = 0
		if along < s.Fastest {
			returned = (s.Transition - s.Fastest) / (s.Transition - along)
			along = s.Fastest
		}
		density -= 1.5 * along * along
	}
	if leaving < 1 {
		for a := range 3 {
			velocity[a] = along*s.Normal[a] + leaving*(velocity[a]-along*s.Normal[a])
		}
	}
	for k := g.first; k < g.end; k++ {
		v.incoming[k] = density + s.equilibrium(set, &links[k], &velocity)
		v.difference[k] = v.outgoing[k] - v.incoming[k]
	}
	mean, slope := g.project(set, links, &v.difference)
	lost := g.reject(set, links, &v.difference, mean, slope)
	mean = returned * s.absorb(&memory[0], mean)
	if g.end-g.first > 1 {
		slope = returned * s.absorb(&memory[1], slope)
	}
	if leaving <= 0 {
		for k := g.first; k < g.end; k++ {
			v.incoming[k] -= mean + slope*(links[k].along-g.mean)
		}
		return
	}
	change := [2]float64{mean - returned*memory[0], slope - returned*memory[1]}
	s.shear(set, g, links, sample, along, lost, &change, v)
	for k := g.first; k < g.end; k++ {
		v.incoming[k] += leaving*v.shear[k] - (mean + slope*(links[k].along-g.mean))
	}
}

// atLinks are values at the links of a group, over the weights: what goes out and comes
// in, the difference of the former to what belongs to the opening, the shear, and of
// that the cell's own part.
type atLinks struct{ outgoing, incoming, difference, shear, own [26]float64 }

// equilibrium is what belongs to the velocity and the gradient at an opening, a
// population over its weight without the density.
func (s *State) equilibrium(set *lattice.Set, link *Link, u *[3]float64) float64 {
	v := &set.Velocities[link.Population]
	c := [3]float64{float64(v[0]), float64(v[1]), float64(v[2])}
	cu := c[0]*u[0] + c[1]*u[1] + c[2]*u[2]
	across := c[0]*c[0] + c[1]*c[1] + c[2]*c[2] - link.along*link.along
	return 4.5*cu*cu - 1.5*(u[0]*u[0]+u[1]*u[1]+u[2]*u[2]) - s.Gradient*(link.Distance+0.5*link.along*(1-1.5*across))
}

// shear computes θ(s − Qs) + θ'Qt at the links, given the square of what of the differences
// leaves, and how mean and slope of the projection that returns have changed.
func (s *State) shear(set *lattice.Set, g *group, links []Link, sample *sample, along, lost float64, change *[2]float64, v *atLinks) {
	traction := sample.traction(&s.Normal)
	normal := traction[0]*s.Normal[0] + traction[1]*s.Normal[1] + traction[2]*s.Normal[2]
	for k := g.first; k < g.end; k++ {
		c, cn := &set.Velocities[links[k].Population], links[k].along
		across := 9 * (float64(c[0])*traction[0] + float64(c[1])*traction[1] + float64(c[2])*traction[2] - normal*cn)
		even, odd := cn*across, (3*cn*cn-1)*along*across
		v.shear[k] = even + s.TauRatio*odd
		v.own[k] = (2-1/s.TauPlus)*even + odd/s.TauPlus
	}
	shearMean, shearSlope := g.project(set, links, &v.shear)
	ownMean, ownSlope := g.project(set, links, &v.own)
	across := g.reject(set, links, &v.shear, shearMean, shearSlope)
	kept := g.weight*ownMean*ownMean + g.spread*ownSlope*ownSlope
	common := g.weight*change[0]*ownMean + g.spread*change[1]*ownSlope
	energy := lost + s.dissipated(sample)
	part, keptPart := 1.0, 1.0
	if across > energy {
		part = math.Sqrt(energy / across)
	}
	// That of −Qh + θ'Qt, beside |Qh|², is θ'² kept − 2θ' common.
	if energy = max(0, energy-part*part*across); kept-2*common > energy {
		keptPart = (common + math.Sqrt(common*common+kept*energy)) / kept
	}
	for k := g.first; k < g.end; k++ {
		v.shear[k] = part*v.shear[k] + keptPart*(ownMean+ownSlope*(links[k].along-g.mean))
	}
}

// dissipated is the energy Σf²/w that the collision takes from the traceless
// stress of a cell, 9/2 ω(2−ω) Π:Π.
func (s *State) dissipated(sample *sample) float64 {
	xx, yy, zz, xy, xz, yz := sample.stress[0], sample.stress[1], sample.stress[2], sample.stress[3], sample.stress[4], sample.stress[5]
	mean := (xx + yy + zz) / 3
	square := (xx-mean)*(xx-mean) + (yy-mean)*(yy-mean) + (zz-mean)*(zz-mean) + 2*xy*xy + 2*xz*xz + 2*yz*yz
	rate := 1 / s.TauPlus
	return 4.5 * rate * (2 - rate) * square
}

// slowPart is the part of the mean velocity through an opening up to which air
// in it hardly moves, least the velocity, in cells per step, that always does.
const slowPart, least = 0.02, 1e-9

// transitionSpeed is the velocity up to which air that leaves is treated more as
// air that enters the slower it is.
func (s *State) transitionSpeed() float64 {
	return slowPart*s.peak/max(s.Area, 1) + least
}

// absorb returns what comes back of a value that is given anew in every step.
func (s *State) absorb(memory *float64, value float64) float64 {
	*memory += (value - *memory) * s.Forgetting
	return s.Returning*value + (1-s.Returning)**memory
}
