package waterbench

import (
	"context"
	"math"
	"slices"

	"carina/balance"
	"carina/cuboid"
	"carina/geometry"
	"carina/water"
)

// Moment is which cells are wet, by global number, at a look, and how many steps were
// computed until the next one.
type Moment struct {
	Wet   []bool
	Steps int64
}

// Record computes a flood and keeps which cells are wet whenever gauges are looked at.
func Record(ctx context.Context, c water.Case) (*water.Flood, []Moment, error) {
	var list []Moment
	before := int64(0)
	f, err := water.Open(ctx, c, water.Options{Observe: func(step int64, _ float64, depths []float64) error {
		m := Moment{Wet: make([]bool, len(depths))}
		for i, h := range depths {
			m.Wet[i] = h > 0
		}
		if n := len(list); n > 0 {
			list[n-1].Steps = step - before
		}
		before, list = step, append(list, m)
		return nil
	}})
	if err == nil {
		err = f.Run(ctx)
	}
	if n := len(list); n > 1 {
		list = list[:n-1] // no steps follow the last
	}
	return f, list, err
}

// Costs are what cells and moves take, in seconds: a step of a wet and of a dry cell, a move,
// and each cell that the busiest rank sends or receives.
type Costs struct{ Wet, Dry, Move, MoveCell float64 }

// Outcome is how a flood was shared, by counted work.
type Outcome struct {
	Policy string `json:"policy"`
	// AboveIdeal is how much longer steps take on average than work that is divided at will
	// in every step, less 1, and Net the same of all steps with moves.
	AboveIdeal float64 `json:"above_ideal"`
	Net        float64 `json:"above_ideal_with_moves"`
	Moves      int     `json:"moves"`
	// Seconds is the time of all steps and moves.
	Seconds float64 `json:"seconds"`
}

// policy shares a flood: owners of all cells, by global number, at every look.
type policy interface {
	// owners are those for the steps that follow, given what was measured in the steps
	// before, and how many cells the busiest rank sends or receives for that; 0: none moves.
	owners(m *Moment, busy []float64, left int64) (list []int32, busiest int64)
	took(seconds float64)
}

// Replay shares a recorded flood.
func Replay(name string, moments []Moment, ranks int, costs Costs, p policy) Outcome {
	o := Outcome{Policy: name}
	var ideal, above, steps float64
	left := int64(0)
	for i := range moments {
		left += moments[i].Steps
	}
	var busy []float64
	for i := range moments {
		m := &moments[i]
		owners, busiest := p.owners(m, busy, left)
		if busiest > 0 {
			took := costs.Move + costs.MoveCell*float64(busiest)
			p.took(took)
			o.Moves, o.Seconds = o.Moves+1, o.Seconds+took
		}
		// Between two looks the water goes on: the steps cost the mean of both.
		busy = work(m, owners, ranks, costs)
		if i+1 < len(moments) {
			for r, seconds := range work(&moments[i+1], owners, ranks, costs) {
				busy[r] = (busy[r] + seconds) / 2
			}
		}
		slowest, mean := 0.0, 0.0
		for _, seconds := range busy {
			slowest, mean = math.Max(slowest, seconds), mean+seconds/float64(ranks)
		}
		n := float64(m.Steps)
		o.Seconds += n * slowest
		ideal, above, steps = ideal+n*mean, above+n*(slowest/mean-1), steps+n
		left -= m.Steps
	}
	o.AboveIdeal, o.Net = above/steps, o.Seconds/ideal-1
	return o
}

// work is that of a step of every rank.
func work(m *Moment, owners []int32, ranks int, costs Costs) []float64 {
	list := make([]float64, ranks)
	for c, wet := range m.Wet {
		if wet {
			list[owners[c]] += costs.Wet
		} else {
			list[owners[c]] += costs.Dry
		}
	}
	return list
}

// still leaves cells where they are.
type still []int32

func (s still) owners(*Moment, []float64, int64) ([]int32, int64) { return s, 0 }
func (s still) took(float64)                                      {}

// boxed are rows that a rank each has as many of, of those in the bounding box of all wet
// cells, as Skevik (2014, chapter 3) divides them: the others belong to the nearest. They are
// divided anew whenever that makes the step faster by a twentieth.
type boxed struct {
	rows  []int32 // of every cell
	ranks int
	costs Costs
	now   []int32
	moves bool
}

func (b *boxed) owners(m *Moment, _ []float64, _ int64) ([]int32, int64) {
	first, last := int32(math.MaxInt32), int32(-1)
	if b.moves {
		for c, wet := range m.Wet {
			if wet {
				first, last = min(first, b.rows[c]), max(last, b.rows[c])
			}
		}
	}
	if last < first {
		first, last = 0, slices.Max(b.rows)
	}
	next := make([]int32, len(b.rows))
	for c, row := range b.rows {
		part := float64(row-first) / float64(last-first+1)
		next[c] = int32(min(max(math.Floor(part*float64(b.ranks)), 0), float64(b.ranks-1)))
	}
	if b.now == nil {
		b.now = next
		return next, 0
	}
	if slices.Max(work(m, next, b.ranks, b.costs)) > 0.95*slices.Max(work(m, b.now, b.ranks, b.costs)) {
		return b.now, 0
	}
	cells := make([]int64, b.ranks)
	for c, r := range next {
		if was := b.now[c]; was != r {
			cells[r]++
			cells[was]++
		}
	}
	b.now = next
	return next, slices.Max(cells)
}

func (b *boxed) took(float64) {}

// weighed are the cuboids of the balancer, which knows how many cells of each are wet.
type weighed struct {
	balancer *balance.Rebalancer
	cuboids  []int32 // of every cell
	steps    int64
}

func newWeighed(ctx context.Context, p *balance.Partition, g *geometry.Grid, costs Costs) (*weighed, error) {
	b, err := balance.NewRebalancer(ctx, p, g, nil, nil)
	if err != nil {
		return nil, err
	}
	b.Moving = balance.Moving{Fixed: costs.Move, PerCell: costs.MoveCell}
	return &weighed{balancer: b, cuboids: cuboidsOf(b.Segments(), g)}, nil
}

// cuboidsOf is the cuboid of every cell, by global number.
func cuboidsOf(segments []cuboid.Segment, g *geometry.Grid) []int32 {
	segments = slices.Clone(segments)
	slices.SortFunc(segments, func(a, b cuboid.Segment) int {
		if a.Y != b.Y {
			return int(a.Y - b.Y)
		}
		return int(a.X0 - b.X0)
	})
	list := make([]int32, 0, g.Cells())
	for _, s := range segments {
		for range s.X1 - s.X0 {
			list = append(list, s.Cuboid)
		}
	}
	return list
}

func (w *weighed) owners(m *Moment, busy []float64, left int64) ([]int32, int64) {
	busiest := int64(0)
	if busy != nil {
		dear := make([]int64, len(w.balancer.Cuboids()))
		for c, wet := range m.Wet {
			if wet {
				dear[w.cuboids[c]]++
			}
		}
		w.balancer.Weigh(dear)
		d := w.balancer.Look(context.Background(), balance.Measured{Busy: busy, Steps: w.steps, Left: left})
		busiest = d.Busiest
		if !d.Moves() {
			busiest = 0
		}
		if d.Far {
			if owners, err := w.balancer.Distant(w.steps)(context.Background()); err == nil {
				w.balancer.Found(owners)
			}
		}
	}
	w.steps = m.Steps
	owners, list := w.balancer.Owners(), make([]int32, len(w.cuboids))
	for c, v := range w.cuboids {
		list[c] = owners[v]
	}
	return list, busiest
}

func (w *weighed) took(seconds float64) { w.balancer.Took(seconds) }

// Share replays a flood with all policies. Rows are lines of cells across the longer side.
func Share(ctx context.Context, f *water.Flood, moments []Moment, ranks int, costs Costs) ([]Outcome, error) {
	g := f.Grid()
	rows := make([]int32, 0, g.Cells())
	for _, r := range g.Runs {
		for x := r.X0; x < r.X1; x++ {
			if g.Size[0] > g.Size[1] {
				rows = append(rows, x)
			} else {
				rows = append(rows, r.Y)
			}
		}
	}
	p, err := balance.Make(ctx, g, balance.Options{Ranks: ranks, Preset: "fast"})
	if err != nil {
		return nil, err
	}
	segments, err := p.Segments(g)
	if err != nil {
		return nil, err
	}
	tiles := cuboidsOf(segments, g)
	for c, v := range tiles {
		tiles[c] = p.Owners[v]
	}
	ours, err := newWeighed(ctx, p, g, costs)
	if err != nil {
		return nil, err
	}
	var list []Outcome
	for _, k := range []struct {
		name string
		policy
	}{
		{"rows, never moved", &boxed{rows: rows, ranks: ranks, costs: costs}},
		{"graph, never moved", still(tiles)},
		{"rows of the wet box (Skevik 2014)", &boxed{rows: rows, ranks: ranks, costs: costs, moves: true}},
		{"rebalancing by wet cells", ours},
	} {
		list = append(list, Replay(k.name, moments, ranks, costs, k.policy))
	}
	return list, nil
}
