package shallow

import (
	"math"

	"carina/solver"
	"carina/solver/finitevolume"
	"carina/solver/processor"
)

// Kernel is the water of one rank on processors.
type Kernel interface {
	solver.Kernel
	Clock
	// At returns the depth in m and the discharge in m²/s in a cell by its local number.
	At(cell int32) (h float64, discharge [2]float64)
	// Wet is how many of the cells from ≤ cell < to are not dry.
	Wet(from, to int32) int64
}

// rank is the water of one rank, on any device.
type rank struct {
	clock
	finitevolume.Rank
	phases int
	steps  int64
}

var _ Clock = (*rank)(nil)

// Begin counts the step that comes.
func (k *rank) Begin(steps int64) error {
	k.steps = steps + 1
	return k.Rank.Begin(steps)
}

// Resume goes on after so many steps.
func (k *rank) Resume(steps int64) {
	k.steps = steps
	k.Forget()
}

// LoadGlobal takes over the time.
func (k *rank) LoadGlobal(data []byte) error {
	err := k.clock.LoadGlobal(data)
	k.prepare()
	return err
}

// Apply chooses the time step by the highest speed: with Euler's method that of the next one, and
// the last one is taken once more if it was too long.
func (k *rank) Apply(_ int, numbers []int64) {
	speed := math.Float64frombits(uint64(numbers[0]))
	if !k.water.Euler {
		k.Choose(speed)
		k.pass()
	} else {
		if k.TooLong(speed) {
			k.preparePhase(secondPhase)
		}
		k.pass()
		k.Expect(speed)
	}
	k.prepare()
}

// prepare lets phases take over the parameters, but for a step that is taken once more.
func (k *rank) prepare() {
	for phase := range k.phases {
		if !k.water.Euler || phase != secondPhase {
			k.preparePhase(phase)
		}
	}
}

func (k *rank) preparePhase(phase int) {
	k.Prepare(phase, k.parameters(), k.inflow(k.Clock.Time))
}

// onProcessor is that on a processor, in values of type T.
type onProcessor[T float32 | float64] struct {
	*rank
	layout *solver.Layout
	water  [2][][]T // before steps in turn
}

var _ Kernel = (*onProcessor[float64])(nil)

// bind makes the kernel of a rank.
func bind[T float32 | float64](w *Water, b *solver.Binding) (solver.Kernel, error) {
	s := w.scheme()
	volumes, err := finitevolume.New[T](b, s)
	if err != nil {
		return nil, err
	}
	k := &rank{clock: newClock(w, b.Domain.Grid.Spacing), Rank: volumes, phases: len(s.Stages)}
	k.prepare()
	if _, is := b.Device.(*processor.Device); !is {
		return k, nil
	}
	p := &onProcessor[T]{rank: k, layout: b.Layout}
	for n := range p.water {
		p.water[n] = processor.Field[T](b, s.Fields[n][finitevolume.State])
	}
	return p, nil
}

// At returns the depth and the discharge in a cell by its local number.
func (k *onProcessor[T]) At(cell int32) (h float64, discharge [2]float64) {
	q := k.water[k.steps%2]
	return float64(q[StateDepth][cell]), [2]float64{float64(q[StateDischargeX][cell]), float64(q[StateDischargeY][cell])}
}

// Wet is how many of the cells from ≤ cell < to are not dry.
func (k *onProcessor[T]) Wet(from, to int32) (n int64) {
	for _, h := range k.water[k.steps%2][StateDepth][from:to] {
		if h > 0 {
			n++
		}
	}
	return n
}

// Check returns the largest velocity in a block.
func (k *onProcessor[T]) Check(b *solver.Block, _ int) (speed float64, bad int64) {
	const most, rounding = 1e300, 1e-9
	bad = solver.NoCell
	q := k.water[k.steps%2]
	depths, along, across := q[StateDepth], q[StateDischargeX], q[StateDischargeY]
	k.layout.EachPiece(b.First, b.End, func(p *solver.Piece, from, to int32) {
		for cell := from; cell < to; cell++ {
			h, x, y := float64(depths[cell]), float64(along[cell]), float64(across[cell])
			// Most cells are slower than one before, which squares tell.
			square, least := x*x+y*y, speed*h
			if h >= 0 && h < most && square < most && square <= least*least*(1-rounding) {
				continue
			}
			momentum := math.Hypot(x, y)
			if !(h >= 0) || math.IsInf(h, 1) || math.IsNaN(momentum) || math.IsInf(momentum, 1) {
				bad = min(bad, p.Global+int64(cell-p.Local))
			} else if h > 0 {
				speed = max(speed, momentum/h)
			}
		}
	})
	return speed, bad
}
