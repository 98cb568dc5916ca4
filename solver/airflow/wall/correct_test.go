package wall

import (
	"math"
	"math/rand/v2"
	"testing"

	"carina/solver/airflow/kernel"
	"carina/solver/lattice"
)

// windows are some neighbouring ones of a block, with random links to walls.
type windows struct {
	set    *lattice.Set
	width  int
	first  []int
	counts []int
	links  []map[[2]int]float32 // of each window: factors by direction of what comes back and lane
	list   Links
}

func randomWindows(set *lattice.Set, group int, random *rand.Rand) *windows {
	w := &windows{set: set, width: 2 + (set.Q - 1) + (set.Q-1)/2, first: []int{0, 16, 29}, counts: []int{16, 13, 9}}
	var collected [26][]Link
	for number, first := range w.first {
		factors := map[[2]int]float32{}
		for d := range set.Q - 1 {
			for lane := range w.counts[number] {
				if random.IntN(4) == 0 {
					factors[[2]int{d, lane}] = 2*random.Float32() - 1
					collected[d] = append(collected[d], Link{kernel.NewCorrectedLink(first+lane, d, number, w.width), factors[[2]int{d, lane}]})
				}
			}
		}
		w.links = append(w.links, factors)
	}
	w.list = w.list.Append(&collected, group)
	return w
}

// eachWindow compares what correct makes of random populations of every window with
// what want tells of a link: what comes back, given that after bounce-back, its opposite
// and that at rest. What a cell's links gain its population at rest loses.
func eachWindow[T kernel.Real](t *testing.T, w *windows, group int, tolerance float64, correct func(gathered []T, c *Cursor, window, first int),
	want func(population int, bounced, opposite, rest, factor float64) float64) {
	t.Helper()
	random := rand.New(rand.NewPCG(3, 5))
	cursor := NewCursor(w.list, group, w.width)
	for number, first := range w.first {
		gathered := make([]T, w.set.Q*kernel.WindowCells)
		for i := range gathered {
			gathered[i] = T(0.02 * random.NormFloat64())
		}
		before := append([]T{}, gathered...)
		correct(gathered, &cursor, number, first)
		for lane := range kernel.WindowCells {
			at := func(f []T, i int) float64 { return float64(f[i*kernel.WindowCells+lane]) }
			rest := at(before, 0)
			for d := range w.set.Q - 1 {
				i := d + 1
				expected := at(before, i)
				// Opposite populations that are corrected both use each other.
				if factor, linked := w.links[number][[2]int{d, lane}]; linked {
					opposite := at(before, lattice.Opposite(i))
					if d%2 == 1 {
						opposite = at(gathered, lattice.Opposite(i))
					}
					expected = want(i, at(before, i), opposite, at(before, 0), float64(factor))
				}
				if got := at(gathered, i); math.Abs(got-expected) > tolerance {
					t.Fatalf("%s, window %d, lane %d: population %d is %g, want %g", w.set.Name, number, lane, i, got, expected)
				}
				rest -= at(gathered, i) - at(before, i)
			}
			if got := at(gathered, 0); math.Abs(got-rest) > tolerance {
				t.Fatalf("%s, window %d, lane %d: the population at rest is %g, want %g", w.set.Name, number, lane, got, rest)
			}
		}
	}
}

func TestCorrect(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	want := func(_ int, bounced, opposite, _, factor float64) float64 {
		return bounced + factor*(opposite-bounced)
	}
	for _, set := range []*lattice.Set{lattice.D3Q19, lattice.D3Q27} {
		for range 20 {
			w := randomWindows(set, kernel.LinkGroup, random)
			eachWindow(t, w, kernel.LinkGroup, 1e-16, Correct[float64, float64], want)
			eachWindow(t, w, kernel.LinkGroup, 1e-4, Correct[float32, kernel.Float16], want)
		}
	}
}

func TestReflect(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, set := range []*lattice.Set{lattice.D3Q19, lattice.D3Q27} {
		reflect := func(gathered []float64, c *Cursor, window, first int) {
			Reflect[float64, float64](set, gathered, c, window, first)
		}
		want := func(i int, bounced, opposite, rest, factor float64) float64 {
			rest *= set.Weights[i] / set.Weights[0]
			return rest + factor*((bounced+opposite)/2-rest)
		}
		for range 20 {
			w := randomWindows(set, kernel.ReflectionGroup, random)
			eachWindow(t, w, kernel.ReflectionGroup, 1e-15, reflect, want)
		}
	}
}

// In a flow with a strain rate along a link past a wall at rest, what comes back
// belongs to the same flow, wherever the wall is.
func TestReflectedFlow(t *testing.T) {
	const density, strain = 0.01, 1e-3 // ρ and c·Sc
	for _, tau := range []float64{0.5001, 0.503} {
		for _, q := range []float64{0.05, 0.5, 0.95} {
			cu := -q * strain
			along, against := density+3*cu+3*(1-tau)*strain, density-3*cu+3*(1-tau)*strain
			s := Scheme{Interpolated: true, Reflects: true, RelaxationTime: tau}
			c := s.Correction(q)
			if c.Kind != Reflected {
				t.Fatalf("at q = %g the link is of kind %d", q, c.Kind)
			}
			got, want := density+float64(c.Factor)*((along+against)/2-density), density-3*cu-3*tau*strain
			if math.Abs(got-want) > 1e-9 {
				t.Errorf("τ = %g, q = %g: %g comes back, want %g", tau, q, got, want)
			}
		}
	}
}
