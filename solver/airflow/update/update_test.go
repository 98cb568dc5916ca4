package update

import (
	"math"
	"math/rand/v2"
	"testing"

	"carina/geometry"
	"carina/geometry/generate"
	"carina/solver"
	"carina/solver/airflow/collision"
	"carina/solver/airflow/kernel"
	"carina/solver/airflow/opening"
	"carina/solver/airflow/wall"
	"carina/solver/lattice"
	"carina/solver/processor"
	"carina/solver/streaming"
	"carina/solver/transport"
)

var parameters = map[string]float64{collision.OmegaPlus: 1.7, collision.OmegaMinus: 1.1}

// closed is air between walls, as a physics.
type closed struct {
	set         *lattice.Set
	scheme      wall.Scheme
	grid        *geometry.Grid
	openings    *opening.States
	layout      *Layout
	populations Populations
	workspace   *Workspace
}

func (c *closed) variant() collision.Variant { return collision.Variant{Name: "trt", Set: c.set} }

func (c *closed) Fields() []solver.Field {
	return []solver.Field{{Name: "populations", Values: c.set.Q, Kind: solver.Float64}}
}

func (c *closed) Program() solver.Program {
	return streaming.Program(0, geometry.Directions[:c.set.Q-1])
}

func (c *closed) Bind(b *solver.Binding) (solver.Kernel, error) {
	c.layout, c.workspace = NewLayout(b.Finder, c.set, Sizes{}), NewWorkspace(c.set)
	if err := c.layout.FindLinks(c.grid, &c.scheme, c.openings); err != nil {
		return nil, err
	}
	var err error
	c.populations, err = New(kernel.Double, c.layout, b.Device.(*processor.Device), b.Array(0), c.variant(), parameters)
	return c, err
}

func (c *closed) Work(step, _ int) solver.Work {
	return solver.BlockWork(func(b *solver.Block, _ int) { c.populations.Step(b.Number, step == 1, nil, c.workspace) })
}

func (c *closed) Begin(int64) error                         { return nil }
func (c *closed) Check(*solver.Block, int) (float64, int64) { return 0, solver.NoCell }

// truth is the same air cell by cell: what arrives at each, by position and population.
type truth struct {
	*closed
	program   func(f []float64) []float64
	fractions map[[4]int32]float64 // of links, by position and direction
	arriving  map[[3]int32][]float64
}

func (r *truth) neighbour(at [3]int32, i, steps int) [3]int32 {
	c := r.set.Velocities[i]
	return [3]int32{at[0] + int32(steps*c[0]), at[1] + int32(steps*c[1]), at[2] + int32(steps*c[2])}
}

// step collides, streams and corrects what comes back from walls by Bouzidi, Firdaouss
// and Lallemand (2001), taking what they add from the population at rest.
func (r *truth) step() {
	leaving := map[[3]int32][]float64{}
	for at, f := range r.arriving {
		leaving[at] = r.program(f)
	}
	next := map[[3]int32][]float64{}
	for at := range r.arriving {
		f := make([]float64, r.set.Q)
		var gain float64
		for i := 1; i < r.set.Q; i++ {
			if from, fluid := leaving[r.neighbour(at, i, -1)]; fluid {
				f[i] = from[i]
				continue
			}
			back := lattice.Opposite(i)
			bounced := leaving[at][back]
			f[i] = bounced
			behind, fluid := leaving[r.neighbour(at, i, 1)]
			if !fluid || !r.scheme.Interpolated {
				continue
			}
			if q := r.fractions[[4]int32{at[0], at[1], at[2], int32(back - 1)}]; q < 0.5 {
				f[i] = 2*q*bounced + (1-2*q)*behind[back]
			} else {
				f[i] = bounced/(2*q) + (1-1/(2*q))*leaving[at][i]
			}
			gain += f[i] - bounced
		}
		f[0] = leaving[at][0] - gain
		next[at] = f
	}
	r.arriving = next
}

// Steps of blocks of windows are those of single cells, with assembly and without.
func TestStepsOfWindows(t *testing.T) {
	for _, machine := range []string{"", "none"} {
		if machine != "" {
			t.Setenv("CARINA_SIMD", machine)
		}
		for seed := range uint64(2) {
			for _, set := range []*lattice.Set{lattice.D3Q19, lattice.D3Q27} {
				testSteps(t, seed, set, seed != 0)
			}
		}
	}
}

func testSteps(t *testing.T, seed uint64, set *lattice.Set, interpolated bool) {
	random := rand.New(rand.NewPCG(seed, 4))
	size := [3]int32{41, 9, 8}
	solid := map[[3]int32]bool{}
	for range 60 {
		solid[[3]int32{random.Int32N(size[0]), random.Int32N(size[1]), random.Int32N(size[2])}] = true
	}
	c := &closed{set: set, scheme: wall.Scheme{Interpolated: interpolated}}
	r := &truth{closed: c, fractions: map[[4]int32]float64{}, arriving: map[[3]int32][]float64{}}
	program := c.variant().Program()
	r.program = func(f []float64) []float64 { return program.Evaluate(f, parameters) }
	number := map[geometry.Offset]int32{}
	for d, o := range geometry.Directions {
		number[o] = int32(d)
	}
	c.grid = generate.LinkedGrid(size, 1, [3]bool{}, func(x, y, z int32) bool { return !solid[[3]int32{x, y, z}] },
		func(x, y, z int32, d geometry.Offset) (float64, int) {
			q := (1 + float64(random.IntN(65536))) / 65536
			r.fractions[[4]int32{x, y, z, number[d]}] = q
			return q, 0
		}, nil)
	tr := transport.NewLocal(1)[0]
	rank, err := solver.NewRank(solver.WholeDomain(c.grid), solver.Together{c}, processor.New(1, tr), tr, solver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer rank.Close()
	position := map[int32][3]int32{}
	for _, p := range c.layout.Pieces {
		for x := p.X0; x < p.X1; x++ {
			cell, at := p.Local+x-p.X0, [3]int32{x, p.Y, p.Z}
			position[cell] = at
			r.arriving[at] = make([]float64, set.Q)
			for i := range set.Q {
				r.arriving[at][i] = 0.01 * set.Weights[i] * random.NormFloat64()
				c.populations.Set(cell, i, r.arriving[at][i])
			}
		}
	}
	if windows := int64(c.layout.Windows()); windows*kernel.WindowCells < c.grid.Cells() {
		t.Errorf("%d windows for %d cells", windows, c.grid.Cells())
	}
	// The first steps begin without what walls still correct.
	for step := range 7 {
		if step > 0 {
			compare(t, c, r, step, position)
		}
		if step == 0 {
			r.correctFirst()
		}
		r.step()
		if err := rank.Step(); err != nil {
			t.Fatal(err)
		}
	}
}

// correctFirst makes the near corrections of populations that were set: they follow the
// gathering.
func (r *truth) correctFirst() {
	for at, f := range r.arriving {
		for i := 1; i < r.set.Q; i++ {
			_, fluid := r.arriving[r.neighbour(at, i, -1)]
			_, behind := r.arriving[r.neighbour(at, i, 1)]
			back := lattice.Opposite(i)
			if q := r.fractions[[4]int32{at[0], at[1], at[2], int32(back - 1)}]; !fluid && behind && r.scheme.Interpolated && q < 0.5 {
				change := (1 - 2*q) * (f[back] - f[i])
				f[i] += change
				f[0] -= change
			}
		}
	}
}

// compare compares what arrives at all cells, as well as factors of links in single
// precision allow.
func compare(t *testing.T, c *closed, r *truth, step int, position map[int32][3]int32) {
	t.Helper()
	seen := map[int32]bool{}
	for block := range c.layout.Blocks {
		c.populations.Arriving(int32(block), step%2 == 1, c.workspace, func(cell, count int32, populations *Window) {
			for lane := range count {
				at := position[cell+lane]
				if seen[cell+lane] {
					t.Fatalf("cell %v is in two windows", at)
				}
				seen[cell+lane] = true
				for i := range c.set.Q {
					if got, want := populations[i][lane], r.arriving[at][i]; math.Abs(got-want) > 1e-10 {
						t.Fatalf("%s, before step %d: population %d arrives at %v as %g, want %g", c.set.Name, step, i, at, got, want)
					}
				}
			}
		})
	}
	if len(seen) != len(position) {
		t.Fatalf("windows have %d of %d cells", len(seen), len(position))
	}
	compareMoments(t, c, r, step, position)
}

// compareMoments compares density and momentum, with half a force.
func compareMoments(t *testing.T, c *closed, r *truth, step int, position map[int32][3]int32) {
	t.Helper()
	force, cells := [3]float64{0.02, -0.04, 0.06}, 0
	for block := range c.layout.Blocks {
		c.populations.Moments(int32(block), step%2 == 1, force, c.workspace, func(cell, count int32, m *kernel.Moments) {
			for lane := range count {
				cells++
				at := position[cell+lane]
				want := [4]float64{0, force[0] / 2, force[1] / 2, force[2] / 2}
				for i, v := range c.set.Velocities {
					want[0] += r.arriving[at][i]
					for a := range 3 {
						want[1+a] += float64(v[a]) * r.arriving[at][i]
					}
				}
				for k, got := range [4]float64{m.Density[lane], m.Velocity[0][lane], m.Velocity[1][lane], m.Velocity[2][lane]} {
					if math.Abs(got-want[k]) > 1e-9 {
						t.Fatalf("%s, before step %d: moment %d of %v is %g, want %g", c.set.Name, step, k, at, got, want[k])
					}
				}
			}
		})
	}
	if cells != len(position) {
		t.Fatalf("moments are of %d of %d cells", cells, len(position))
	}
}
