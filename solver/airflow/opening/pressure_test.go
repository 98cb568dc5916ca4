package opening

import (
	"math"
	"math/rand/v2"
	"testing"

	"carina/geometry"
	"carina/solver/airflow/kernel"
	"carina/solver/lattice"
)

// cells makes the cell of an opening with all its links, at local number 1 of 3, with
// neighbours 0 and 2 along x.
func cell(s *States, o int) *Cells {
	var links []Link
	set := s.faces.set
	for d, c := range geometry.Directions[:set.Q-1] {
		if o == 0 && c.X < 0 {
			links = append(links, s.Link(0, 2, 2, d, 0))
		}
		if o == 1 && c.X > 0 {
			links = append(links, s.Link(7, 2, 2, d, 1))
		}
	}
	c := NewCell(set, 1, 77, links)
	for d, v := range geometry.Directions {
		c.Neighbour[d] = -1
		if o == 0 && v.X > 0 {
			c.Neighbour[d] = 2
		}
		if o == 1 && v.X < 0 {
			c.Neighbour[d] = 0
		}
	}
	return NewCells([]Cell{c})
}

// equilibrium is that of He and Luo (1997).
func equilibrium(set *lattice.Set, i int, density float64, u [3]float64) float64 {
	c := set.Velocities[i]
	cu := float64(c[0])*u[0] + float64(c[1])*u[1] + float64(c[2])*u[2]
	return set.Weights[i] * (density + 3*cu + 4.5*cu*cu - 1.5*(u[0]*u[0]+u[1]*u[1]+u[2]*u[2]))
}

// impose leaves outgoing populations on the links and returns what comes in, by link.
func impose(s *States, c *Cells, outgoing func(i int) float64) []float64 {
	set := s.faces.set
	slots := kernel.Slots[float64]{Values: make([]float64, 3*set.Q), Q: set.Q}
	for i := range set.Q {
		slots.Offset[i] = 3 * i
	}
	for _, link := range c.List[0].Links {
		*slots.At(int(link.Population), 1) = outgoing(lattice.Opposite(int(link.Population)))
	}
	Impose[float64](&slots, set, s, c, 0, 1)
	var incoming []float64
	for _, link := range c.List[0].Links {
		incoming = append(incoming, *slots.At(int(link.Population), 1))
	}
	return incoming
}

// Where air rests at the imposed pressure, it goes on resting; and where it leaves as
// fast everywhere, what comes in belongs to the same flow.
func TestUniformFlowStays(t *testing.T) {
	for _, set := range []*lattice.Set{lattice.D3Q19, lattice.D3Q27} {
		for _, speed := range []float64{0, 0.05} {
			s := states(t, set, func(c *Choice) { c.Conditions = map[int]Condition{2: {Kind: ImposedPressure, Pressure: 0.4}} })
			s.Prepare(1000, 0)
			if math.Abs(s.List[1].Density-0.01) > 1e-15 {
				t.Fatalf("the imposed density is %g", s.List[1].Density)
			}
			c := cell(s, 1)
			u := [3]float64{speed, 0, 0}
			c.samples[0] = sample{density: 0.01, velocity: u}
			// Only the even part is imposed: the odd one returns as it left.
			for k, got := range impose(s, c, func(i int) float64 { return equilibrium(set, i, 0.01, [3]float64{}) + even(set, i, u) }) {
				i := int(c.List[0].Links[k].Population)
				if want := equilibrium(set, i, 0.01, [3]float64{}) + even(set, i, u); math.Abs(got-want) > 1e-12 {
					t.Errorf("%s, %g: population %d comes in as %g, want %g", set.Name, speed, i, got, want)
				}
			}
		}
	}
}

// even is the part of an equilibrium that is the same in both directions, without the
// density.
func even(set *lattice.Set, i int, u [3]float64) float64 {
	return (equilibrium(set, i, 0, u) + equilibrium(set, lattice.Opposite(i), 0, u)) / 2
}

// Sound that leaves at right angles is not reflected where a waveform changes the flow:
// with a density ρ it has the velocity ρ/√3 outwards, and so has what comes in. Else nine
// tenths of it return with the opposite sign, as an anti-bounce-back sends back all.
func TestSoundIsAbsorbed(t *testing.T) {
	const density = 1e-9
	u := [3]float64{density / math.Sqrt(3), 0, 0}
	for _, c := range []struct {
		name     string
		waveform Waveform
		incoming func(set *lattice.Set, i int) float64
		left     float64 // over the velocity
	}{
		{"a waveform", Sine{Period: 1, Amplitude: 1}, func(set *lattice.Set, i int) float64 { return equilibrium(set, i, density, u) }, 1},
		{"none", nil, func(set *lattice.Set, i int) float64 { return -0.9 * equilibrium(set, lattice.Opposite(i), density, u) }, 1.9 * (1 + math.Sqrt(3)) / (2 * math.Sqrt(3))},
	} {
		for _, set := range []*lattice.Set{lattice.D3Q19, lattice.D3Q27} {
			s := states(t, set, func(choice *Choice) { choice.Crossing, choice.Waveform = 1e12, c.waveform })
			s.Prepare(1000, 0)
			cells := cell(s, 1)
			cells.samples[0] = sample{density: density, velocity: u}
			for k, got := range impose(s, cells, func(i int) float64 { return equilibrium(set, i, density, u) }) {
				i := int(cells.List[0].Links[k].Population)
				if want := c.incoming(set, i); math.Abs(got-want) > 1e-6*density {
					t.Errorf("%s, %s: population %d comes in as %g, want %g", c.name, set.Name, i, got, want)
				}
			}
			// What left is what went out less what came in.
			var left float64
			cells.Flow(func(o int, outflow, areaDensity float64) { left += outflow })
			var faces float64
			for _, link := range cells.List[0].Links {
				faces += link.Weight
			}
			if want := c.left * faces * u[0]; math.Abs(left-want) > 1e-6*want {
				t.Errorf("%s, %s: %g leaves, want %g", c.name, set.Name, left, want)
			}
		}
	}
}

// Openings let out all sound where something makes it in the course of the flow or at a
// sudden start; a closed opening makes none.
func TestWhatMakesSound(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(c *Choice)
		all    bool
	}{
		{"a steady flow", func(*Choice) {}, false},
		{"shares", func(c *Choice) { c.Conditions = map[int]Condition{2: {Kind: FlowShare, Share: 1}} }, false},
		{"a flow that is given at the outlet", func(c *Choice) { c.Conditions = map[int]Condition{2: {Kind: ImposedFlow, Flow: -1e-6}} }, true},
		{"a Windkessel", func(c *Choice) { c.Conditions = map[int]Condition{2: {Kind: Windkessel, DistalResistance: 1}} }, false},
		{"a flow that is given at an opening that is closed", func(c *Choice) { c.Conditions = map[int]Condition{7: {Kind: ImposedFlow, Flow: -1e-6}} }, false},
		{"a pressure that changes", func(c *Choice) {
			c.Conditions = map[int]Condition{2: {Kind: ImposedPressure, Pressure: 1, Waveform: Sine{Period: 1, Amplitude: 1}}}
		}, true},
		{"a sudden start", func(c *Choice) { c.Sudden = true }, true},
	} {
		want := 0.9
		if c.all {
			want = 2 - math.Sqrt(3)
		}
		for i, o := range states(t, lattice.D3Q19, c.change).List {
			if o.Returning != want {
				t.Errorf("%s: of a sudden change the part %g returns through opening %d, want %g", c.name, o.Returning, i+1, want)
			}
		}
	}
}

// No more energy comes back than has left and the collision dissipates, whatever the
// stress.
func TestStillAirGainsNothing(t *testing.T) {
	set := lattice.D3Q19
	s := states(t, set, func(*Choice) {})
	s.Prepare(1000, 0)
	for seed := range 200 {
		c := cell(s, 1)
		value := func(k int) float64 { return 1e-6 * math.Sin(float64(17*seed+k*k+3*k)) }
		p := sample{density: value(1), velocity: [3]float64{1e-7, 0, 0}}
		for k := range p.stress {
			p.stress[k] = value(20 + k)
		}
		c.samples[0] = p
		var before, after float64
		incoming := impose(s, c, func(i int) float64 {
			v := set.Weights[i] * value(40+i)
			before += v * v / set.Weights[i]
			return v
		})
		for k, v := range incoming {
			after += v * v / set.Weights[c.List[0].Links[k].Population]
		}
		if limit := before + s.List[1].dissipated(&p); after > limit*(1+1e-3) {
			t.Errorf("case %d: the energy %g comes in, %g has left", seed, after, limit)
		}
	}
}

// Air that comes in is no faster than in the strongest flow so far, and its pressure
// falls as Bernoulli says; what belongs to that stays.
func TestInflowIsLimited(t *testing.T) {
	const fastest = 0.01
	set := lattice.D3Q19
	for _, speed := range []float64{0.5 * fastest, fastest, 1.5 * fastest, 5 * fastest} {
		s := states(t, set, func(*Choice) {})
		s.List[1].peak = fastest / 2 * s.List[1].Area
		s.Prepare(1000, 0)
		c := cell(s, 1)
		c.samples[0] = sample{density: 0, velocity: [3]float64{-speed, 0.003, 0}}
		u := [3]float64{-min(speed, fastest), 0, 0}
		stays := func(i int) float64 { return even(set, i, u) - set.Weights[i]*1.5*u[0]*u[0] }
		for k, got := range impose(s, c, stays) {
			i := int(c.List[0].Links[k].Population)
			if want := stays(i); math.Abs(got-want) > 1e-15 {
				t.Errorf("at the speed %g population %d comes in as %g, want %g", speed, i, got, want)
			}
		}
	}
}

// How much of a steady flow's shear returns at the edge of an opening, where links are
// on one side, does not depend on how fast the flow is.
func TestSteadyShearReturns(t *testing.T) {
	set := lattice.D3Q19
	stress := [6]float64{}
	stress[3] = 1e-4 // of xy
	returns := func(speed float64, steps int) (list []float64) {
		u := [3]float64{speed, 0, 0}
		var with [2][]float64
		for k, own := range [][6]float64{{}, stress} {
			s := states(t, set, func(c *Choice) { c.Conditions = map[int]Condition{2: {Kind: ImposedPressure}} })
			s.Prepare(1000, 0)
			whole := cell(s, 1).List[0]
			var links []Link
			for _, l := range whole.Links {
				if set.Velocities[l.Population][1] >= 0 {
					links = append(links, l)
				}
			}
			c := NewCells([]Cell{NewCell(set, 1, 77, links)})
			c.samples[0] = sample{velocity: u, stress: own}
			for range steps {
				with[k] = impose(s, c, func(i int) float64 {
					v := set.Velocities[i]
					return equilibrium(set, i, 0, u) - set.Weights[i]*9*stress[3]*float64(v[0]*v[1])
				})
			}
		}
		for i, v := range with[1] {
			list = append(list, v-with[0][i])
		}
		return list
	}
	slow, fast := returns(1e-5, 4000), returns(0.002, 4000)
	for i, want := range slow {
		if math.Abs(fast[i]-want) > 0.03*math.Abs(want) { // third moments grow with the velocity
			t.Errorf("link %d: %g of the shear returns in a fast flow, %g in a slow one", i, fast[i], want)
		}
	}
}

// The sums of a cell are the moments of its populations by their definition, to the
// last bit when they are added in their order.
func TestMeasure(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 5))
	for _, set := range []*lattice.Set{lattice.D3Q19, lattice.D3Q27} {
		for range 50 {
			var f [27]float64
			var want sample
			for i, v := range set.Velocities {
				f[i] = random.NormFloat64()
				want.density += f[i]
				for a, c := range v {
					want.velocity[a] += float64(c) * f[i]
				}
				for k, ab := range lattice.TensorAxes {
					want.stress[k] += float64(v[ab[0]]*v[ab[1]]) * f[i]
				}
			}
			for k, ab := range lattice.TensorAxes {
				want.stress[k] -= want.velocity[ab[0]] * want.velocity[ab[1]]
				if ab[0] == ab[1] {
					want.stress[k] -= want.density * lattice.SoundSpeedSquared
				}
			}
			var got sample
			got.measure(set.Q, &f)
			if got.density != want.density || got.velocity != want.velocity {
				t.Errorf("%s: density %v and velocity %v, want %v and %v", set.Name, got.density, got.velocity, want.density, want.velocity)
			}
			for k := range want.stress {
				if math.Abs(got.stress[k]-want.stress[k]) > 1e-14 {
					t.Errorf("%s: stress %v, want %v", set.Name, got.stress, want.stress)
				}
			}
		}
	}
}

// Each cell of a list has what it has alone: the links, the groups and the memories of
// cells beside one another are apart.
func TestCellsAreApart(t *testing.T) {
	s := states(t, lattice.D3Q19, func(c *Choice) {
		c.Conditions = map[int]Condition{1: {Kind: ImposedPressure, Pressure: 0.2}, 2: {Kind: ImposedPressure, Pressure: 0.4}}
	})
	s.Prepare(1000, 0)
	velocities := [][3]float64{{0.03, -0.01, 0.02}, {0.04, 0.02, 0.01}, {-0.01, 0.01, 0.03}}
	of := []int{1, 0, 1} // the openings of the cells
	var list []Cell
	var want [][]float64
	var outflow []float64
	for i, u := range velocities {
		alone := cell(s, of[i])
		alone.samples[0] = sample{density: 0.01, velocity: u}
		want = append(want, impose(s, alone, func(p int) float64 { return equilibrium(s.faces.set, p, 0.01, u) }))
		alone.Flow(func(_ int, left, _ float64) { outflow = append(outflow, left) })
		c := cell(s, of[i]).List[0]
		c.Local = int32(i)
		list = append(list, c)
	}
	together := NewCells(list)
	set := s.faces.set
	slots := kernel.Slots[float64]{Values: make([]float64, 3*set.Q), Q: set.Q}
	for p := range set.Q {
		slots.Offset[p] = 3 * p
	}
	for i, u := range velocities {
		together.samples[i] = sample{density: 0.01, velocity: u}
		for _, link := range together.List[i].Links {
			*slots.At(int(link.Population), int32(i)) = equilibrium(set, lattice.Opposite(int(link.Population)), 0.01, u)
		}
	}
	Impose[float64](&slots, set, s, together, 0, 3)
	for i := range together.List {
		for k, link := range together.List[i].Links {
			if got := *slots.At(int(link.Population), int32(i)); got != want[i][k] {
				t.Errorf("cell %d: population %d comes in as %g, alone as %g", i, link.Population, got, want[i][k])
			}
		}
	}
	together.Flow(func(_ int, left, _ float64) {
		if left != outflow[0] {
			t.Errorf("%g leaves, alone %g", left, outflow[0])
		}
		outflow = outflow[1:]
	})
}
