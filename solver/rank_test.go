package solver_test

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"carina/geometry"
	"carina/geometry/generate"
	"carina/solver"
	"carina/solver/enginetest"
	"carina/solver/processor"
	"carina/solver/transport"

	"pgregory.net/rapid"
)

// far mixes values of cells up to three away, from one copy to the other. At some
// cells it adds what it remembers of earlier values, in one lot or two.
type far struct {
	// failing is a rank that cannot be prepared, −1 if all can.
	failing int
}

var farOffsets = []geometry.Offset{{X: 1}, {X: -3}, {Y: 2}, {Z: -1}, {X: 2, Y: -2, Z: 1}, {Y: -3, Z: 3}}

func (far) Fields() []solver.Field {
	return []solver.Field{{Name: "copies", Values: 2, Kind: solver.Float64}}
}

func (far) Program() (p solver.Program) {
	beside := func(copy int) (list []solver.Slot) {
		for _, o := range farOffsets {
			list = append(list, solver.Slot{Value: copy, Offset: o, Wall: -1})
		}
		return list
	}
	for n := range 2 {
		p.Steps = append(p.Steps, []solver.Phase{{Name: "mix", Reads: beside(n), Fetch: beside(1 - n)}})
		p.State = append(p.State, []solver.Slot{{Value: n}})
	}
	return p
}

type farKernel struct {
	values  [2][]float64
	windows *solver.Windows
	// cells have sparse data, by global number, local ones by cell; numbers are two for each.
	cells   []int64
	numbers []float64
	sparse  map[int32][]int
}

// remember gives sparse data to one cell in seven.
func (k *farKernel) remember(b *solver.Binding) {
	k.sparse = map[int32][]int{}
	for i := range b.Pieces {
		p := &b.Pieces[i]
		for c := range p.Cells() {
			global := p.Global + int64(c)
			if global%7 != 0 {
				continue
			}
			for lot := range 1 + global/7%2 {
				k.sparse[p.Local+c] = append(k.sparse[p.Local+c], len(k.cells))
				k.cells = append(k.cells, global)
				k.numbers = append(k.numbers, float64(lot), math.Cos(float64(global)))
			}
		}
	}
}

func (k *farKernel) Scattered() (cells []int64, numbers []float64, err error) {
	return k.cells, k.numbers, nil
}

var errFails = errors.New("this rank cannot be prepared")

func (f far) Bind(b *solver.Binding) (solver.Kernel, error) {
	if int(b.Rank) == f.failing {
		return nil, errFails
	}
	k := &farKernel{}
	memory, stride := processor.Values[float64](b.Device.(*processor.Device), b.Array(0))
	for n := range k.values {
		k.values[n] = memory[n*stride:][:stride]
	}
	k.windows = b.Windows(farOffsets)
	k.remember(b)
	b.EachCell(func(cell, x, y, z int32) { k.values[0][cell] = math.Sin(float64(3*x + 5*y*y + 7*z)) })
	return k, nil
}

func (k *farKernel) Work(step, _ int) solver.Work {
	from, to := k.values[step], k.values[1-step]
	return solver.BlockWork(func(b *solver.Block, _ int) {
		for c := b.First; c < b.End; c++ {
			sum := from[c]
			for i := range farOffsets {
				if n := k.windows.Neighbour(i, c); n >= 0 {
					sum = math.Mod(sum+float64(float64(i+1)*from[n]), 4)
				}
			}
			for i, lot := range k.sparse[c] {
				mean, last := &k.numbers[2*lot], &k.numbers[2*lot+1]
				*mean, *last = *last, math.Mod(*mean+float64(float64(i+2)*sum), 3)
				sum = math.Mod(sum+*mean, 4)
			}
			to[c] = sum
		}
	})
}

func (k *farKernel) Begin(int64) error { return nil }

func (k *farKernel) Check(*solver.Block, int) (float64, int64) { return 0, solver.NoCell }

// Cells three away, in planes and across, with two copies of a field: as a lattice
// of 37 velocities needs them.
func TestReachOfThree(t *testing.T) {
	for _, periodic := range [][3]bool{{}, {true, true, false}} {
		c := enginetest.Case{Grid: generate.NoiseGrid([3]int32{17, 13, 11}, 0.7, 5), Periodic: periodic, Steps: 13,
			Physics: func(*solver.Domain) (solver.Together, error) { return solver.Together{far{failing: -1}}, nil }}
		c.Accept(t)
	}
}

// One rank that cannot be prepared ends all, with its number.
func TestOneRankFailsAlone(t *testing.T) {
	const ranks = 3
	c := enginetest.Case{Physics: func(*solver.Domain) (solver.Together, error) { return solver.Together{far{failing: 1}}, nil }}
	d := enginetest.Scattered(generate.FullGrid([3]int32{8, 8, 8}), 4, ranks, 1, [3]bool{})
	failures := make([]error, ranks)
	var all sync.WaitGroup
	for i, tr := range transport.NewLocal(ranks) {
		all.Go(func() { _, failures[i] = c.New(d, 1, tr) })
	}
	all.Wait()
	for i, err := range failures {
		if err == nil || !strings.Contains(err.Error(), errFails.Error()) || i != 1 && !strings.Contains(err.Error(), "rank 1") {
			t.Errorf("rank %d: %v", i, err)
		}
	}
}

// probe keeps the finder that a kernel is bound with, and the kinds of its ranks.
type probe struct {
	far
	found func(b *solver.Binding)
}

func (p probe) Bind(b *solver.Binding) (solver.Kernel, error) {
	p.found(b)
	return p.far.Bind(b)
}

// Neighbours, blocks and ghosts are those that a search over all cells finds.
func TestLayoutAgainstSearch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := [3]int32{}
		for a := range size {
			size[a] = rapid.Int32Range(4, 20).Draw(t, "size")
		}
		periodic := [3]bool{rapid.Bool().Draw(t, "x"), rapid.Bool().Draw(t, "y"), rapid.Bool().Draw(t, "z")}
		seed := rapid.Uint64().Draw(t, "seed")
		grid := generate.NoiseGrid(size, rapid.Float64Range(0.1, 1).Draw(t, "share"), seed)
		if len(grid.Runs) == 0 {
			return
		}
		ranks := rapid.IntRange(1, 4).Draw(t, "ranks")
		dense := rapid.Bool().Draw(t, "dense")
		d := enginetest.Scattered(grid, rapid.Int32Range(1, 9).Draw(t, "side"), ranks, rand.New(rand.NewPCG(seed, 1)).Uint64(), periodic)
		failures := onEachRank(d, solver.Options{Dense: dense}, func(b *solver.Binding) string { return compareLayout(b, size, periodic) })
		for i, f := range failures {
			if f != "" {
				t.Fatalf("rank %d: %s", i, f)
			}
		}
	})
}

// onEachRank returns what is said of the bindings of all ranks.
func onEachRank(d *solver.Domain, o solver.Options, say func(b *solver.Binding) string) []string {
	var all sync.WaitGroup
	said := make([]string, d.Ranks)
	for i, tr := range transport.NewLocal(d.Ranks) {
		all.Go(func() {
			p := probe{far{-1}, func(b *solver.Binding) { said[i] = say(b) }}
			r, err := solver.NewRank(d, solver.Together{p}, processor.New(1, tr), tr, o)
			if err != nil {
				said[i] = err.Error()
				return
			}
			r.Close()
		})
	}
	all.Wait()
	return said
}

// compareLayout says what is wrong with a layout, if anything.
func compareLayout(b *solver.Binding, size [3]int32, periodic [3]bool) string {
	local := map[[3]int32]int32{}
	b.EachCell(func(cell, x, y, z int32) { local[[3]int32{x, y, z}] = cell })
	if len(local) != b.Fluid {
		return "cells are listed twice"
	}
	ghosts := map[int64]int32{}
	windows := b.Windows(farOffsets)
	if wrong := compareRuns(b, windows); wrong != "" {
		return wrong
	}
	if wrong := compareNumbers(b, local); wrong != "" {
		return wrong
	}
	if wrong := compareGroups(b, local); wrong != "" {
		return wrong
	}
	for at, cell := range local {
		if k := b.BlockOf(cell); cell < b.Blocks[k].First || cell >= b.Blocks[k].End {
			return "a cell is in no block"
		}
		for i, o := range farOffsets {
			to := [3]int32{at[0] + int32(o.X), at[1] + int32(o.Y), at[2] + int32(o.Z)}
			for a := range to {
				if periodic[a] {
					to[a] = (to[a] + size[a]) % size[a]
				}
			}
			found, ok := b.Cell(to[0], to[1], to[2])
			want := found.Local
			if !ok {
				want = -1
			}
			if windows.Neighbour(i, cell) != want {
				return "a window shows another neighbour"
			}
			switch n, own := local[to]; {
			case own && (!ok || found.Local != n):
				return "an own neighbour is not found"
			case !own && ok != b.Domain.Grid.Contains(to[0], to[1], to[2]):
				return "a cell is found that is not there, or not one that is"
			case !own && ok:
				ghosts[found.Global] = found.Local
			}
		}
	}
	seen := map[int32]bool{}
	for _, n := range ghosts {
		seen[n] = true
		if n < int32(b.Cells) || n >= int32(b.Cells+b.Ghosts) {
			return "a ghost has the number of another cell"
		}
	}
	if len(seen) != b.Ghosts {
		return "ghosts share a number, or there are others"
	}
	return ""
}

// compareGroups says whether groups lie one behind the other in their blocks and
// hold all own cells, in blocks that are not too large.
func compareGroups(b *solver.Binding, local map[[3]int32]int32) (wrong string) {
	held, last := map[int32]bool{}, int32(0)
	b.EachGroup(func(g *solver.Group) {
		block := &b.Blocks[g.Block]
		switch {
		case g.First < block.First || g.First+g.Count > block.End || block.Number != g.Block:
			wrong = "a group reaches out of its block"
		case g.First < last || g.Count < 1 || g.Count > solver.GroupCells:
			wrong = "groups overlap, or are too large"
		case block.End-block.First >= solver.BlockCells+solver.GroupCells:
			wrong = "a block is too large"
		}
		last = g.First + g.Count
		for cell := g.First; cell < last; cell++ {
			held[cell] = true
		}
	})
	for _, cell := range local {
		if !held[cell] {
			wrong = "a cell is in no group"
		}
	}
	return wrong
}

// compareNumbers says whether the blocks hold all own cells, ascending, with the
// numbers that the cells have in the order of the grid's runs.
func compareNumbers(b *solver.Binding, local map[[3]int32]int32) string {
	global, next := map[int32]int64{}, int64(0)
	for _, r := range b.Domain.Grid.Runs {
		for x := r.X0; x < r.X1; x++ {
			if cell, own := local[[3]int32{x, r.Y, r.Z}]; own {
				global[cell] = next
			}
			next++
		}
	}
	listed, last, wrong := 0, int32(-1), ""
	for i := range b.Blocks {
		b.EachGlobal(&b.Blocks[i], func(cell int32, number int64) {
			if want, own := global[cell]; !own || number != want || cell <= last {
				wrong = fmt.Sprintf("cell %d of block %d has number %d, want %d, after cell %d", cell, i, number, want, last)
			}
			listed, last = listed+1, cell
		})
	}
	if wrong == "" && listed != b.Fluid {
		wrong = fmt.Sprintf("the blocks hold %d cells of %d", listed, b.Fluid)
	}
	return wrong
}

// recorder is a processor that notes which blocks it works on as those at the
// border.
type recorder struct {
	*processor.Device
	border []solver.Block
}

func (r *recorder) Run(w solver.Work, s solver.Side) error {
	if s.Border {
		r.border = append(r.border, s.Blocks...)
	}
	return r.Device.Run(w, s)
}

// recorded binds the kernel to the recorder's processor.
type recorded struct {
	far
	layout *solver.Layout
}

func (p *recorded) Bind(b *solver.Binding) (solver.Kernel, error) {
	plain := *b
	plain.Device = b.Device.(*recorder).Device
	p.layout = b.Layout
	return p.far.Bind(&plain)
}

// A block is at the border if and only if one of its cells reads one of another
// rank or is read by one.
func TestBorderAgainstSearch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		size := [3]int32{rapid.Int32Range(20, 50).Draw(t, "length"), 20, 20}
		grid := generate.NoiseGrid(size, rapid.Float64Range(0.2, 1).Draw(t, "share"), seed)
		const ranks = 2
		d := enginetest.Scattered(grid, rapid.Int32Range(1, 5).Draw(t, "side"), ranks, seed, [3]bool{})
		clear(d.Owners) // few cells are of rank 1, so that few blocks are at the border
		for range rapid.IntRange(1, 12).Draw(t, "others") {
			d.Owners[rapid.IntRange(0, len(d.Owners)-1).Draw(t, "other")] = 1
		}
		owner := map[[3]int32]int32{}
		for _, s := range d.Segments {
			for x := s.X0; x < s.X1; x++ {
				owner[[3]int32{x, s.Y, s.Z}] = d.Owners[s.Cuboid]
			}
		}
		var all sync.WaitGroup
		failures := make([]string, ranks)
		for i, tr := range transport.NewLocal(ranks) {
			all.Go(func() { failures[i] = compareBorder(d, tr, owner) })
		}
		all.Wait()
		for i, f := range failures {
			if f != "" {
				t.Fatalf("rank %d: %s", i, f)
			}
		}
	})
}

// A block of which the first cell alone reads one of another rank is at the border. That
// one lies three planes on, where its other readers are in other blocks.
func TestFirstCellsOfBlocksAreAtTheBorder(t *testing.T) {
	grid := generate.FullGrid([3]int32{20, 20, 12})
	d := enginetest.Scattered(grid, 1, 2, 1, [3]bool{})
	cuboidAt := map[[3]int32]int32{}
	for _, s := range d.Segments {
		cuboidAt[[3]int32{s.X0, s.Y, s.Z}] = s.Cuboid
	}
	alone, own := *d, &recorded{far: far{failing: -1}}
	alone.Ranks, alone.Owners = 1, make([]int32, len(d.Owners))
	tr := transport.NewLocal(1)[0]
	r, err := solver.NewRank(&alone, solver.Together{own}, &recorder{Device: processor.New(1, tr)}, tr, solver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	first := map[int32][3]int32{}
	own.layout.EachCell(func(cell, x, y, z int32) { first[cell] = [3]int32{x, y, z} })
	tried := 0
	for _, block := range own.layout.Blocks {
		at := first[block.First]
		at[1], at[2] = at[1]-3, at[2]+3
		other, fluid := cuboidAt[at]
		if !fluid {
			continue
		}
		tried++
		clear(d.Owners)
		d.Owners[other] = 1
		owner := map[[3]int32]int32{}
		for cell, cuboid := range cuboidAt {
			owner[cell] = d.Owners[cuboid]
		}
		var all sync.WaitGroup
		for _, tr := range transport.NewLocal(2) {
			all.Go(func() {
				if wrong := compareBorder(d, tr, owner); wrong != "" {
					t.Errorf("cell %v is another rank's: rank %d: %s", at, tr.Rank(), wrong)
				}
			})
		}
		all.Wait()
	}
	if tried < 10 {
		t.Errorf("%d blocks were tried", tried)
	}
}

// compareBorder says what is wrong with the blocks at the border of a rank.
func compareBorder(d *solver.Domain, tr transport.Transport, owner map[[3]int32]int32) string {
	device := &recorder{Device: processor.New(1, tr)}
	p := &recorded{far: far{failing: -1}}
	r, err := solver.NewRank(d, solver.Together{p}, device, tr, solver.Options{})
	if err != nil {
		return err.Error()
	}
	defer r.Close()
	if err := r.Step(); err != nil {
		return err.Error()
	}
	border := map[int32]bool{}
	for _, b := range device.border {
		border[b.Number] = true
	}
	crosses := map[int32]bool{}
	p.layout.EachCell(func(cell, x, y, z int32) {
		for _, o := range farOffsets {
			for _, sign := range []int32{1, -1} {
				to, fluid := owner[[3]int32{x + sign*int32(o.X), y + sign*int32(o.Y), z + sign*int32(o.Z)}]
				if fluid && to != p.layout.Rank {
					crosses[int32(p.layout.BlockOf(cell))] = true
				}
			}
		}
	})
	if !maps.Equal(border, crosses) {
		return fmt.Sprintf("the border is blocks %v, want %v of %d", border, crosses, len(p.layout.Blocks))
	}
	return ""
}
