package update

import (
	"math/rand/v2"
	"slices"
	"testing"

	"carina/geometry"
	"carina/geometry/generate"
	"carina/solver"
	"carina/solver/airflow/opening"
	"carina/solver/airflow/wall"
	"carina/solver/lattice"
	"carina/solver/processor"
	"carina/solver/transport"

	"gonum.org/v1/gonum/spatial/r3"
)

// The links of walls at the edge of an opening are found by coordinates: those opposite
// to links through it, and where walls reflect all that the cell has. What is there is
// in no other list.
func TestRimLinks(t *testing.T) {
	for _, reflects := range []bool{false, true} {
		for _, set := range []*lattice.Set{lattice.D3Q19, lattice.D3Q27} {
			testRimLinks(t, set, wall.Scheme{Interpolated: true, Reflects: reflects, RelaxationTime: 0.502})
		}
	}
}

func testRimLinks(t *testing.T, set *lattice.Set, scheme wall.Scheme) {
	random := rand.New(rand.NewPCG(5, 4))
	size := [3]int32{21, 9, 8}
	solid := map[[3]int32]bool{}
	for range 300 {
		solid[[3]int32{random.Int32N(size[0]), random.Int32N(size[1]), random.Int32N(size[2])}] = true
	}
	const opened, walled = 1, 2
	kinds, fractions := map[[4]int32]int{}, map[[4]int32]float64{}
	number := map[geometry.Offset]int32{}
	for d, o := range geometry.Directions {
		number[o] = int32(d)
	}
	grid := generate.LinkedGrid(size, 1, [3]bool{}, func(x, y, z int32) bool { return !solid[[3]int32{x, y, z}] },
		func(x, y, z int32, d geometry.Offset) (float64, int) {
			at := [4]int32{x, y, z, number[d]}
			if x+int32(d.X) < 0 || random.IntN(8) == 0 {
				kinds[at] = opened
				return 0.5, 1
			}
			kinds[at] = walled
			fractions[at] = (1 + float64(random.IntN(65536))) / 65536
			return fractions[at], 0
		}, []geometry.Opening{{Number: 1, Role: geometry.Inlet, Normal: r3.Vec{X: -1}, Area: 72, Center: r3.Vec{Y: 4.5, Z: 4}}})
	faces, err := opening.NewFaces(grid, set)
	if err != nil {
		t.Fatal(err)
	}
	states, err := opening.New(faces, &opening.Choice{FlowRate: 1, Units: opening.Units{TimeStep: 1, Velocity: 1, FlowRate: 1, Pressure: 1}, TauPlus: 0.502, TauMinus: 1, Crossing: 14})
	if err != nil {
		t.Fatal(err)
	}
	c := &closed{set: set, scheme: scheme, grid: grid, openings: states}
	tr := transport.NewLocal(1)[0]
	rank, err := solver.NewRank(solver.WholeDomain(grid), solver.Together{c}, processor.New(1, tr), tr, solver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer rank.Close()
	locals := map[[3]int32]int32{}
	for _, p := range c.layout.Pieces {
		for x := p.X0; x < p.X1; x++ {
			locals[[3]int32{x, p.Y, p.Z}] = p.Local + x - p.X0
		}
	}
	want, others := map[int32][]wall.EdgeLink{}, 0
	for at, local := range locals {
		var edge, rest []wall.EdgeLink
		for d := range int32(set.Q - 1) {
			here := [4]int32{at[0], at[1], at[2], d}
			if kinds[here] != walled {
				continue
			}
			l := wall.EdgeLink{Correction: scheme.Correction(fractions[here]), Population: uint8(d^1) + 1, Opposite: -1}
			o := geometry.Directions[d]
			switch behind, fluid := locals[[3]int32{at[0] - int32(o.X), at[1] - int32(o.Y), at[2] - int32(o.Z)}]; {
			case kinds[[4]int32{at[0], at[1], at[2], d ^ 1}] == opened:
				edge = append(edge, l)
			case fluid:
				l.Opposite = behind
				rest = append(rest, l)
			}
		}
		switch {
		case len(edge) > 0 && scheme.Reflects:
			edge = append(edge, rest...)
		default:
			others += len(rest)
		}
		if len(edge) > 0 {
			want[local] = edge
		}
	}
	if len(want) < 10 {
		t.Fatalf("only %d cells are at the edge", len(want))
	}
	order := func(a, b wall.EdgeLink) int { return int(a.Population) - int(b.Population) }
	for _, cell := range c.layout.edge {
		slices.SortFunc(want[cell.Local], order)
		if !slices.Equal(cell.Links, want[cell.Local]) {
			t.Errorf("%s, reflects %v: cell %d has links %v at the edge, want %v", set.Name, scheme.Reflects, cell.Local, cell.Links, want[cell.Local])
		}
		delete(want, cell.Local)
	}
	if len(want) > 0 {
		t.Errorf("%s, reflects %v: cells %v have no links at the edge", set.Name, scheme.Reflects, want)
	}
	var listed int
	for i := range c.layout.blocks {
		b := &c.layout.blocks[i]
		for _, list := range []wall.Links{c.layout.near[b.near:], c.layout.far[b.far:], c.layout.reflections[b.reflections:]} {
			listed += list.Count()
		}
	}
	if listed != others {
		t.Errorf("%s, reflects %v: %d links are in the lists of blocks, want %d", set.Name, scheme.Reflects, listed, others)
	}
}
