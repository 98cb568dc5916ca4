package airflow

import (
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"carina/geometry"
	"carina/geometry/generate"
	"carina/internal/race"
	"carina/internal/simd"
	"carina/solver"
	"carina/solver/airflow/opening"

	"gonum.org/v1/gonum/spatial/r3"
	"pgregory.net/rapid"
)

// cave is an irregular lumen: random overlapping balls and a straight pipe
// that joins an inlet and two outlets, with random wall distances. Rows have
// several runs and cells have walls on opposite sides.
func cave(seed uint64, periodic [3]bool) *geometry.Grid {
	random := rand.New(rand.NewPCG(seed, 7))
	size := [3]int32{int32(20 + random.IntN(30)), int32(12 + random.IntN(10)), int32(12 + random.IntN(10))}
	type ball struct{ x, y, z, r float64 }
	var balls []ball
	for range 12 {
		balls = append(balls, ball{random.Float64() * float64(size[0]), random.Float64() * float64(size[1]),
			random.Float64() * float64(size[2]), 1 + 3*random.Float64()})
	}
	fluid := func(x, y, z int32) bool {
		px, py, pz := float64(x)+0.5, float64(y)+0.5, float64(z)+0.5
		if math.Hypot(py-float64(size[1])/2, pz-float64(size[2])/2) < 4 {
			return true
		}
		for _, b := range balls {
			if (px-b.x)*(px-b.x)+(py-b.y)*(py-b.y)+(pz-b.z)*(pz-b.z) < b.r*b.r {
				return true
			}
		}
		return false
	}
	wall := func(x, y, z int32, d geometry.Offset) (float64, int) {
		switch {
		case periodic[0]:
		case x+int32(d.X) < 0:
			return 0.5, 1
		case x+int32(d.X) >= size[0] && y < size[1]/2:
			return 0.5, 2
		case x+int32(d.X) >= size[0]:
			return 0.5, 3
		}
		return 0.05 + 0.95*random.Float64(), 0
	}
	normal := r3.Vec{X: 1}
	openings := []geometry.Opening{
		{Number: 1, Role: geometry.Inlet, Normal: r3.Scale(-1, normal), Area: 50e-8},
		{Number: 2, Role: geometry.Outlet, Normal: normal, Area: 25e-8},
		{Number: 3, Role: geometry.Outlet, Normal: normal, Area: 25e-8},
	}
	if periodic[0] {
		openings = nil
	}
	return generate.LinkedGrid(size, 1e-4, periodic, fluid, wall, openings)
}

// hashOf runs a domain for a few steps.
func hashOf(t testing.TB, d *solver.Domain, s Settings, steps int64) (string, *Summary) {
	t.Helper()
	summary, err := RunInProcess(context.Background(), d, s, Plan{Steps: steps})
	if err != nil {
		t.Fatal(err)
	}
	return summary.StateHash, summary
}

func caveSettings(g *geometry.Grid) Settings {
	s := DefaultSettings()
	s.FlowRate, s.RampTime = 1e-7, -1
	s.LatticeVelocity = 0.1 // also with fast waves
	if len(g.Openings) == 0 {
		s.BodyForce = [3]float64{3, 2, 1}
	}
	return s
}

// The state does not depend on the number of ranks, on who owns what, or on
// the number of workers, for every method. Each comes with half of the divisions in
// each box, with all with -everywhere.
func TestBitForBit(t *testing.T) {
	methods := []func(*Settings){
		func(*Settings) {},
		func(s *Settings) { s.Collision = BGK },
		func(s *Settings) { s.Wall = BounceBack },
		func(s *Settings) { s.Precision = Double },
		func(s *Settings) { s.Collision, s.Smagorinsky = Regularized, 0.15 },
		func(s *Settings) { s.Collision = Cumulant },
		func(s *Settings) {
			s.Profile, s.Waveform = opening.Developed, opening.Sine{Period: 1e-3, Mean: 1, Amplitude: 0.5}
			s.Conditions = map[int]opening.Condition{2: {Kind: opening.FlowShare, Share: 0.5}, 3: {Kind: opening.FlowShare, Share: 0.5}}
		},
		func(s *Settings) {
			s.Profile = opening.Parabolic
			s.Conditions = map[int]opening.Condition{
				2: {Kind: opening.Windkessel, ProximalResistance: 1e6, DistalResistance: 1e6, Compliance: 1e-10},
				3: {Kind: opening.ImposedFlow, Flow: -3e-8},
			}
		},
		func(s *Settings) { s.Lattice, s.Smagorinsky = D3Q27, 0.1 },
		func(s *Settings) { s.Precision = Half },
		func(s *Settings) { s.Precision, s.Collision, s.Smagorinsky = Half, Regularized, 0.15 },
		func(s *Settings) { s.Wall = Quadratic },
		func(s *Settings) { s.Wall, s.Precision = Quadratic, Half },
	}
	const steps = 26 // two couplings and an exchange after them
	type division struct {
		ranks int
		side  int32
	}
	divisions := []division{{1, 3}, {2, 1}, {2, 8}, {3, 3}, {7, 1}, {7, 8}}
	if race.Enabled {
		divisions = []division{{4, 3}}
	}
	for box, periodic := range [][3]bool{{}, {true, false, true}, {true, true, true}} {
		for m, change := range methods {
			if race.Enabled && m%3 != box {
				continue
			}
			g := cave(uint64(m), periodic)
			s := caveSettings(g)
			change(&s)
			if periodic[0] {
				s.Conditions = nil
			}
			whole := solver.WholeDomain(g)
			whole.Periodic = periodic
			want, reference := hashOf(t, whole, s, steps)
			if reference.PeakVelocity == 0 {
				t.Fatal("nothing moves")
			}
			for d, by := range divisions {
				if (d+m+box)%2 > 0 && !race.Enabled && !*everywhere {
					continue
				}
				name := fmt.Sprintf("periodic %v, %s %s %s, %d ranks, blocks of %d", periodic, s.Collision, s.Wall, s.Precision, by.ranks, by.side)
				s.Workers = 1 + by.ranks%3
				got, summary := hashOf(t, scattered(g, by.side, by.ranks, uint64(by.ranks), periodic), s, steps)
				if got != want {
					t.Errorf("%s: hash %s, want %s", name, got, want)
				}
				for i := range summary.Openings {
					if summary.Openings[i].Flow != reference.Openings[i].Flow || summary.Openings[i].Pressure != reference.Openings[i].Pressure {
						t.Errorf("%s: opening %d differs: %v, want %v", name, i+1, summary.Openings[i], reference.Openings[i])
					}
				}
			}
		}
	}
	t.Run("all", func(t *testing.T) {
		if !*everywhere {
			t.Skip("-everywhere also computes the other half of divisions of each method")
		}
	})
}

// boundaries are conditions of the cave's three openings, by what they show.
var boundaries = map[string]map[int]opening.Condition{
	"pressures":    {2: {Kind: opening.ImposedPressure, Pressure: 2e-3}, 3: {Kind: opening.ImposedPressure, Pressure: 1e-3, Waveform: opening.Sine{Period: 1e-3, Amplitude: 1}}},
	"common":       {2: {Kind: opening.ImposedPressure, Pressure: 300, Waveform: opening.Sine{Period: 1e-3, Amplitude: 1}}, 3: {Kind: opening.ImposedPressure, Pressure: 300.001, Waveform: opening.Sine{Period: 1e-3, Amplitude: 1}}},
	"flows":        {1: {Kind: opening.ImposedPressure, Pressure: 5e-3}, 2: {Kind: opening.ImposedFlow, Flow: -5e-9, Profile: opening.Developed}, 3: {Kind: opening.ImposedFlow, Flow: -3e-9, Profile: opening.Parabolic}},
	"shares":       {2: {Kind: opening.FlowShare, Share: 0.7}, 3: {Kind: opening.FlowShare, Share: 0.3}},
	"windkessels":  {2: {Kind: opening.Windkessel, ProximalResistance: 1e6, DistalResistance: 1e6, Compliance: 1e-10}, 3: {Kind: opening.Windkessel, DistalResistance: 2e6}},
	"breathing":    {1: {Kind: opening.ImposedFlow, Flow: 1e-7, Waveform: opening.Sine{Period: 6e-4, Amplitude: 1}}}, // out from step 12 on
	"moving walls": {3: {Kind: opening.MovingWall, Velocity: [3]float64{0, 1, 0.5}}},
}

// Every treatment of walls and kind of opening, with every collision, at
// openings that lie across an axis and that do not: any two of the three together, and all
// three with -everywhere.
func TestBitForBitBoundaries(t *testing.T) {
	const steps = 24 // two couplings
	for n, name := range slices.Sorted(maps.Keys(boundaries)) {
		conditions := boundaries[name]
		for w, wall := range Walls {
			for c, collision := range Collisions[1:] { // all but Automatic
				if (n+w+c)%2 > 0 && !*everywhere || race.Enabled && (n+w+c)%12 > 0 {
					continue
				}
				g := cave(uint64(c), [3]bool{})
				if c%2 == 1 {
					for i := range g.Openings {
						o := &g.Openings[i]
						o.Normal = r3.Unit(r3.Add(o.Normal, r3.Vec{Y: 0.3, Z: 0.2 * o.Normal.X}))
					}
				}
				s := caveSettings(g)
				s.Wall, s.Collision, s.Conditions = wall, collision, conditions
				want, reference := hashOf(t, solver.WholeDomain(g), s, steps)
				s.Workers = 2
				got, summary := hashOf(t, scattered(g, 3, 4, uint64(c), [3]bool{}), s, steps)
				if got != want {
					t.Errorf("%s, %s walls, %s: hash %s on four ranks, %s on one", name, wall, collision, got, want)
				}
				for i, o := range summary.Openings {
					if w := reference.Openings[i]; o.Flow != w.Flow || o.Pressure != w.Pressure || math.IsNaN(o.Flow) {
						t.Errorf("%s, %s walls, %s: opening %d is %v on four ranks, %v on one", name, wall, collision, i+1, o, w)
					}
				}
			}
		}
	}
	t.Run("all", func(t *testing.T) {
		if !*everywhere {
			t.Skip("-everywhere also computes the other half of walls, openings and collisions together")
		}
	})
}

// The state does not depend on the instruction set, down to plain Go, where no
// number is below the least normal one.
func TestBitForBitInstructionSets(t *testing.T) {
	race.SkipArithmetic(t)
	machines := append(simd.Machines(), "none")
	for seed, method := range []Settings{
		{Collision: TRT, Precision: Single}, {Collision: TRT, Precision: Half}, {Collision: TRT, Precision: Double},
		{Collision: BGK, Precision: Half, Smagorinsky: 0.15}, {Collision: TRT, Precision: Half, Smagorinsky: 0.15},
		{Collision: Regularized, Precision: Single}, {Collision: Regularized, Precision: Half},
		{Collision: Cumulant, Precision: Single}, {Collision: Cumulant, Precision: Half}, {Collision: Cumulant, Precision: Double},
	} {
		for _, periodic := range [][3]bool{{}, {true, true, true}} {
			g := cave(uint64(seed), periodic)
			s := caveSettings(g)
			s.Collision, s.Precision, s.Smagorinsky = method.Collision, method.Precision, method.Smagorinsky
			d := solver.WholeDomain(g)
			d.Periodic = periodic
			var want string
			for i, machine := range machines {
				t.Setenv("CARINA_SIMD", machine)
				got, summary := hashOf(t, d, s, 40)
				if summary.PeakVelocity == 0 {
					t.Fatal("nothing moves")
				}
				if i == 0 {
					want = got
				}
				if got != want {
					t.Errorf("cave %d, %s %s: hash %s with %s, %s with %s", seed, s.Collision, s.Precision, got, machine, want, machines[0])
				}
			}
		}
	}
}

// scatteredBitForBit compares a cave whose cells are scattered over ranks with
// the whole on one.
func scatteredBitForBit(t *testing.T, seed uint64, periodic [3]bool, side int32, ranks int, owners uint64) error {
	g := cave(seed, periodic)
	s := caveSettings(g)
	whole := solver.WholeDomain(g)
	whole.Periodic = periodic
	want, _ := hashOf(t, whole, s, 6)
	if got, _ := hashOf(t, scattered(g, side, ranks, owners, periodic), s, 6); got != want {
		return fmt.Errorf("hash %s, want %s", got, want)
	}
	return nil
}

// The same for random caves and owners.
func TestBitForBitRandom(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		periodic := [3]bool{rapid.Bool().Draw(rt, "x"), rapid.Bool().Draw(rt, "y"), rapid.Bool().Draw(rt, "z")}
		err := scatteredBitForBit(t, rapid.Uint64().Draw(rt, "cave"), periodic,
			rapid.Int32Range(1, 20).Draw(rt, "side"), rapid.IntRange(1, 6).Draw(rt, "ranks"), rapid.Uint64().Draw(rt, "owners"))
		if err != nil {
			rt.Fatal(err)
		}
	})
}

// Every cell of a cave without periodic axes is a cuboid of one of two ranks,
// so that nearly all that a cell needs crosses.
func TestBitForBitSingleCells(t *testing.T) {
	if err := scatteredBitForBit(t, 0, [3]bool{}, 1, 2, 0); err != nil {
		t.Error(err)
	}
}

// Fields gathered from several ranks are those of one.
func TestGather(t *testing.T) {
	g := cave(5, [3]bool{})
	s := caveSettings(g)
	fields := func(d *solver.Domain) (all *Fields) {
		_, err := RunInProcess(context.Background(), d, s, Plan{Steps: 20, Visit: func(r *Rank) error {
			f, err := r.Gather()
			if r.Number() == 0 {
				all = f
			}
			return err
		}})
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	one, many := fields(solver.WholeDomain(g)), fields(scattered(g, 4, 5, 1, [3]bool{}))
	for i, a := range one.arrays() {
		for cell, v := range a {
			if many.arrays()[i][cell] != v {
				t.Fatalf("field %d of cell %d is %g, want %g", i, cell, many.arrays()[i][cell], v)
			}
		}
	}
}
