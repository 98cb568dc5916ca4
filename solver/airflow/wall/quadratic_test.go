package wall

import (
	"math"
	"math/rand/v2"
	"testing"

	"carina/geometry"
	"carina/geometry/generate"
	"carina/solver"
	"carina/solver/airflow/kernel"
	"carina/solver/lattice"
	"carina/solver/processor"
	"carina/solver/streaming"
	"carina/solver/transport"
)

// The correction is what the quadratic interpolation differs from the linear one by,
// of populations that stream in place along a row of cells to a wall.
func TestCorrectQuadratic(t *testing.T) {
	// The wall is behind the cell along population 1; the first two begin with cell 0.
	for _, x := range []int32{2, 4} {
		checkCorrectQuadratic(t, x)
	}
}

func checkCorrectQuadratic(t *testing.T, x int32) {
	t.Helper()
	const cells = 6
	random := rand.New(rand.NewPCG(7, 8))
	for _, odd := range []bool{false, true} {
		for _, far := range []bool{false, true} {
			for _, asked := range []bool{false, true} {
				slots := kernel.Slots[float64]{Values: make([]float64, 3*cells), Offset: [27]int{0, cells, 2 * cells}, Q: 3}
				for i := range slots.Values {
					slots.Values[i] = random.NormFloat64()
				}
				// arrives is what arrives at a cell along a population before a step.
				arrives := func(cell int32, along int) float64 {
					if odd {
						return *slots.At(lattice.Opposite(along), cell-int32(3-2*along))
					}
					return *slots.At(along, cell)
				}
				// The linear interpolation brings back population 2.
				before, rest := *slots.At(2, x), *slots.At(0, x)
				middle, last := arrives(x, 1), arrives(x-1, 1)
				if far {
					middle, last = arrives(x-1, 2), arrives(x-2, 2)
				}
				c := &Quadratic{links: []quadraticLink{{cell: x, second: x - 1, third: x - 2, back: 2, far: far, factor: 0.25}}, blocks: [][2]int32{{0, 0}, {0, 1}}, received: make([]byte, 16)}
				if asked {
					last = 0 // what was received
					c.links[0].third = -2
				}
				CorrectQuadratic[float64](&slots, c, 1, odd)
				change := -0.25 * (before - 2*middle + last)
				if got := *slots.At(2, x); math.Abs(got-before-change) > 1e-15 {
					t.Errorf("odd %t, far %t, asked %t: changes by %g, want %g", odd, far, asked, got-before, change)
				}
				if got := *slots.At(0, x); math.Abs(got-rest+change) > 1e-15 {
					t.Errorf("odd %t, far %t, asked %t: the population at rest changes by %g, want %g", odd, far, asked, got-rest, -change)
				}
			}
		}
	}
}

// listener is a physics that computes nothing.
type listener struct{ bind func(b *solver.Binding) }

func (l *listener) Fields() []solver.Field {
	return []solver.Field{{Name: "populations", Values: 19, Kind: solver.Float64}}
}

func (l *listener) Program() solver.Program {
	p := streaming.Program(0, geometry.Directions[:18])
	for i := range p.Steps {
		p.Steps[i][0].Asks = true
	}
	return p
}

func (l *listener) Bind(b *solver.Binding) (solver.Kernel, error) { l.bind(b); return l, nil }

func (l *listener) Work(int, int) solver.Work                 { return nil }
func (l *listener) Begin(int64) error                         { return nil }
func (l *listener) Check(*solver.Block, int) (float64, int64) { return 0, solver.NoCell }

// Every link to a wall with two cells behind it is corrected, by a factor of its
// fraction.
func TestQuadraticLinks(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 9))
	fluid := func(x, y, z int32) bool { return (x+2*y+3*z)%11 > 1 }
	fractions := map[[4]int32]float64{}
	grid := generate.LinkedGrid([3]int32{9, 7, 6}, 1, [3]bool{}, fluid, func(x, y, z int32, d geometry.Offset) (float64, int) {
		q := (1 + float64(random.IntN(65536))) / 65536
		for i, o := range geometry.Directions {
			if o == d && x+int32(d.X) < 9 {
				fractions[[4]int32{x, y, z, int32(i)}] = q
			}
		}
		return q, map[bool]int{true: 1}[x+int32(d.X) >= 9]
	}, []geometry.Opening{{Number: 1}})
	inside := func(x, y, z int32) bool {
		return x >= 0 && x < 9 && y >= 0 && y < 7 && z >= 0 && z < 6 && fluid(x, y, z)
	}
	var q *Quadratic
	var layout *solver.Layout
	l := &listener{bind: func(b *solver.Binding) { q, layout = NewQuadratic(b, lattice.D3Q19, 0, 8), b.Layout }}
	tr := transport.NewLocal(1)[0]
	r, err := solver.NewRank(solver.WholeDomain(grid), solver.Together{l}, processor.New(1, tr), tr, solver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	at := map[int32][3]int32{}
	for _, p := range layout.Pieces {
		for x := p.X0; x < p.X1; x++ {
			at[p.Local+x-p.X0] = [3]int32{x, p.Y, p.Z}
		}
	}
	want := 0
	for key := range fractions {
		d := geometry.Directions[key[3]]
		x, y, z := int32(d.X), int32(d.Y), int32(d.Z)
		if key[3] < 18 && inside(key[0]-x, key[1]-y, key[2]-z) && inside(key[0]-2*x, key[1]-2*y, key[2]-2*z) {
			want++
		}
	}
	if len(q.links) != want {
		t.Errorf("%d links, want %d", len(q.links), want)
	}
	for _, link := range q.links {
		c, d := at[link.cell], geometry.Directions[lattice.Opposite(int(link.back))-1]
		fraction, known := fractions[[4]int32{c[0], c[1], c[2], int32(lattice.Opposite(int(link.back)) - 1)}]
		if !known {
			t.Fatalf("the link %v of cell %v is not one to a wall", d, c)
		}
		factor := (1 - 2*fraction) / 2
		if fraction >= 0.5 {
			factor = (2*fraction - 1) / (2*fraction + 1)
		}
		if link.far != (fraction >= 0.5) || math.Abs(float64(link.factor)-factor) > 1e-7 {
			t.Errorf("q = %g: far %t, factor %g, want %g", fraction, link.far, link.factor, factor)
		}
		for n, behind := range []int32{link.second, link.third} {
			steps := int32(n + 1)
			if at[behind] != [3]int32{c[0] - steps*int32(d.X), c[1] - steps*int32(d.Y), c[2] - steps*int32(d.Z)} {
				t.Errorf("%d cells behind %v along %v is %v", steps, c, d, at[behind])
			}
		}
	}
	total := int32(0)
	for i, block := range layout.Blocks {
		for _, link := range q.links[q.blocks[i][0]:q.blocks[i][1]] {
			total++
			if link.cell < block.First || link.cell >= block.End {
				t.Errorf("cell %d is not in block %d", link.cell, i)
			}
		}
	}
	if int(total) != len(q.links) {
		t.Errorf("blocks have %d links of %d", total, len(q.links))
	}
}
