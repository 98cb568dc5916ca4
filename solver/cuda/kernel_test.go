package cuda_test

import (
	"math"
	"os"
	"testing"

	"carina/geometry"
	"carina/geometry/generate"
	"carina/solver"
	"carina/solver/cuda"
	"carina/solver/cuda/devicetest"
	"carina/solver/enginetest"
	"carina/solver/transport"
)

// heat is the physics of the example of this name.
type heat struct {
	source  string
	fastest float64
}

var sides = []geometry.Offset{{X: 1}, {X: -1}, {Y: 1}, {Y: -1}}

func (h *heat) Fields() []solver.Field {
	return []solver.Field{{Name: "heat", Values: 1, Kind: solver.Float64}, {Name: "change", Values: 1, Kind: solver.Float64}}
}

func (h *heat) Program() solver.Program {
	near, most := solver.Neighbours(0, 1, sides), &solver.Reduction{Operation: transport.Max, Values: 1, Every: 1}
	return solver.Program{Steps: [][]solver.Phase{{{Name: "flow", Reads: near, Reduce: most}, {Name: "warm", Fetch: near}}}, State: [][]solver.Slot{solver.Own(0, 1)}}
}

func warm(x, y int32) float64 { return math.Exp(-math.Hypot(float64(x-9), float64(y-7)) / 4) }

func (h *heat) Bind(b *solver.Binding) (solver.Kernel, error) {
	k, err := cuda.NewKernel(b, h.source, sides, "flow", "warm")
	if err != nil {
		return nil, err
	}
	k.Result = func(_ int, numbers []int64) { h.fastest = math.Float64frombits(uint64(numbers[0])) }
	return k, b.Fill(0, func(x, y, _ int32, values []float64) { values[0] = warm(x, y) })
}

// A physics whose kernels are given by their source and names computes what loops over the
// cells do, on several GPUs.
func TestPhysicsOfKernels(t *testing.T) {
	source, err := os.ReadFile("../../examples/heat/heat.cu")
	if err != nil {
		t.Fatal(err)
	}
	const width, height, steps = 40, 30, 6
	g := generate.Grid([3]int32{width, height, 1}, func(x, y, _ int32) bool { return (x+y*y)%13 > 0 })
	want := map[[2]int32]float64{}
	for _, r := range g.Runs {
		for x := r.X0; x < r.X1; x++ {
			want[[2]int32{x, r.Y}] = warm(x, r.Y)
		}
	}
	fastest := 0.0
	for range steps {
		change := map[[2]int32]float64{}
		fastest = 0
		for c, v := range want {
			sum := 0.0
			for _, o := range sides {
				if n, ok := want[[2]int32{c[0] + int32(o.X), c[1] + int32(o.Y)}]; ok {
					sum += n - v
				}
			}
			change[c], fastest = sum, max(fastest, math.Abs(sum))
		}
		for c := range want {
			want[c] += change[c] / 8
		}
	}
	open := devicetest.Reaching(t)
	enginetest.OnRanks(t, 3, func(tr transport.Transport) error {
		gpu, err := open(tr.Rank())
		if err != nil {
			return err
		}
		exchange := cuda.IPC
		if !devicetest.ReachEachOther(tr.Size()) {
			exchange = cuda.Host
		}
		h := &heat{source: string(source)}
		r, err := solver.NewRank(enginetest.Scattered(g, 5, 3, 2, [3]bool{}), solver.Together{h}, cuda.New(gpu, tr, exchange), tr, solver.Options{})
		if err != nil {
			return err
		}
		defer r.Close()
		for range steps {
			if err := r.Step(); err != nil {
				return err
			}
		}
		values, err := r.Values(0, 0)
		if err != nil {
			return err
		}
		i := 0
		r.Layout().EachCell(func(_, x, y, _ int32) {
			if values[i] != want[[2]int32{x, y}] {
				t.Errorf("cell (%d, %d) is at %v, want %v", x, y, values[i], want[[2]int32{x, y}])
			}
			i++
		})
		if h.fastest != fastest {
			t.Errorf("the fastest change is %v, want %v", h.fastest, fastest)
		}
		return nil
	})
}
