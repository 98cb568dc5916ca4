package twocopies_test

import (
	"math"
	"os"
	"slices"
	"testing"
	"unsafe"

	"carina/geometry"
	"carina/geometry/generate"
	"carina/solver"
	"carina/solver/cuda"
	"carina/solver/cuda/devicetest"
	"carina/solver/enginetest"
	"carina/solver/expression"
	"carina/solver/processor"
	"carina/solver/stencil"
	"carina/solver/transport"
	"carina/solver/twocopies"
)

func TestMain(m *testing.M) { os.Exit(devicetest.Main(m)) }

// interpreted is an update computed without generated code.
func interpreted(u *stencil.Update) twocopies.Update {
	return twocopies.Update{Update: u, Functions: stencil.Functions{"": {Double: func(at *unsafe.Pointer, n int, _ unsafe.Pointer) {
		p := unsafe.Slice(at, len(u.Reads)+len(u.Writes))
		for j := range n {
			in := make([]float64, len(u.Reads))
			for i := range in {
				in[i] = *(*float64)(unsafe.Add(p[i], 8*j))
			}
			for i, v := range expression.EvaluateIn(u.Program, in, nil) {
				*(*float64)(unsafe.Add(p[len(in)+i], 8*j)) = v
			}
		}
	}}}}
}

var right, below = geometry.Offset{X: 1}, geometry.Offset{Y: -1}

// mixture adds up what lies to the right, at walls the cell's other value, what lies below,
// at walls nothing, and 100 if there is something below.
func mixture(from int, inside bool) *stencil.Update {
	u := stencil.New("mixture")
	own := u.Read(solver.Slot{Field: from})
	sum := u.Add(own, u.Read(solver.Slot{Field: from, Offset: right, Wall: 1}))
	low, there := u.Read(solver.Slot{Field: from, Value: 1, Offset: below, Wall: -1}), u.Constant(1)
	if !inside {
		there = u.Present(below)
	}
	u.Write(solver.Slot{Field: 1 - from}, u.Multiply(u.Constant(0.5), sum))
	u.Write(solver.Slot{Field: 1 - from, Value: 1}, u.Add(low, u.Multiply(u.Constant(100), there)))
	return u
}

type physics struct{}

func (physics) Fields() []solver.Field {
	return []solver.Field{{Name: "now", Values: 2, Kind: solver.Float64}, {Name: "next", Values: 2, Kind: solver.Float64}}
}

func (physics) accesses() [2]stencil.Access {
	return [2]stencil.Access{mixture(0, false).Access, mixture(1, false).Access}
}

func (p physics) Program() solver.Program { return twocopies.Program(p.accesses()) }

func (p physics) Bind(b *solver.Binding) (solver.Kernel, error) {
	terms := stencil.New("terms")
	own := terms.Read(solver.Slot{})
	terms.Sum(own, 1)
	terms.Sum(terms.Read(solver.Slot{Value: 1, Offset: below, Wall: -1}), 1)
	inside := interpreted(mixture(0, true))
	all := twocopies.Physics{Name: "a mixture", Accesses: p.accesses(), Step: interpreted(mixture(0, false)), Inside: &inside, Terms: interpreted(terms), BlocksAtOnce: 2}
	k, err := all.Bind(b)
	if err != nil {
		return nil, err
	}
	return k, b.Fill(0, func(x, y, _ int32, v []float64) { v[0], v[1] = first(x, y), second(x, y) })
}

func first(x, y int32) float64  { return float64(x)/8 + float64(y)/4 }
func second(x, y int32) float64 { return float64(y) - float64(x)/2 }

// Steps and sums are those found cell by cell, on ranks on processors and on GPUs.
func TestMixture(t *testing.T) {
	const width, height, steps = 60, 11, 3
	there := func(x, y int32) bool { return x >= 0 && x < width && y >= 0 && y < height && (x*x+7*y+x*y)%19 > 0 }
	g := generate.Grid([3]int32{width, height, 1}, func(x, y, _ int32) bool { return there(x, y) })
	var now [2][width][height]float64
	each := func(f func(x, y int32)) {
		for x := range int32(width) {
			for y := range int32(height) {
				if there(x, y) {
					f(x, y)
				}
			}
		}
	}
	each(func(x, y int32) { now[0][x][y], now[1][x][y] = first(x, y), second(x, y) })
	for range steps {
		next := now
		each(func(x, y int32) {
			beside := now[1][x][y]
			if there(x+1, y) {
				beside = now[0][x+1][y]
			}
			next[0][x][y], next[1][x][y] = (now[0][x][y]+beside)/2, 0
			if there(x, y-1) {
				next[1][x][y] = now[1][x][y-1] + 100
			}
		})
		now = next
	}
	var lines [2][]float64
	lines[0], lines[1] = make([]float64, 2*width), make([]float64, 2*height)
	// The largest term that is summed as it is, is 64.
	part := func(v float64) float64 { return max(-64, min(64, v)) }
	each(func(x, y int32) {
		low := 0.0
		if there(x, y-1) {
			low = now[1][x][y-1]
		}
		for axis, line := range [2]int32{x, y} {
			lines[axis][2*line] += part(now[0][x][y])
			lines[axis][2*line+1] += part(low)
		}
	})
	for _, ranks := range []int{1, 3} {
		for _, gpu := range []bool{false, true} {
			enginetest.OnRanks(t, ranks, func(tr transport.Transport) error {
				device := solver.Device(processor.New(2, tr))
				if gpu {
					device = cuda.New(devicetest.Open(t, 1)[0], tr, cuda.Host)
				}
				r, err := solver.NewRank(enginetest.Scattered(g, 7, ranks, 3, [3]bool{}), solver.Together{physics{}}, device, tr, solver.Options{})
				if err != nil {
					return err
				}
				defer r.Close()
				for range steps {
					if err := r.Step(); err != nil {
						return err
					}
				}
				for v := range now {
					got, err := r.Values(steps%2, v)
					if err != nil {
						return err
					}
					i := 0
					r.Layout().EachCell(func(_, x, y, _ int32) {
						if got[i] != now[v][x][y] {
							t.Errorf("%d ranks, GPU %t: value %d at (%d, %d) is %g, want %g", ranks, gpu, v, x, y, got[i], now[v][x][y])
						}
						i++
					})
				}
				for axis := range lines {
					got, err := twocopies.Lines(r, axis)
					if err != nil {
						return err
					}
					if !slices.EqualFunc(got, lines[axis], func(a, b float64) bool { return math.Abs(a-b) < 1e-9 }) {
						t.Errorf("%d ranks, GPU %t: lines of axis %d are %v, want %v", ranks, gpu, axis, got, lines[axis])
					}
				}
				return nil
			})
		}
	}
}
