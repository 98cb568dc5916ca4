package solver_test

import (
	"slices"
	"testing"

	"carina/geometry"
	"carina/geometry/generate"
	"carina/solver"
	"carina/solver/enginetest"
	"carina/solver/processor"
	"carina/solver/transport"
)

// life is Conway's, in bytes: a physics without numbers. Its cells age, too.
type life struct{}

var around = []geometry.Offset{{X: 1}, {X: -1}, {Y: 1}, {Y: -1}, {X: 1, Y: 1}, {X: -1, Y: 1}, {X: 1, Y: -1}, {X: -1, Y: -1}}

func (life) Fields() []solver.Field {
	return []solver.Field{{Name: "alive", Values: 2, Kind: solver.Uint8}, {Name: "age", Values: 1, Kind: solver.Float32, Scale: 4}}
}

func (life) Program() (p solver.Program) {
	p.OnGhosts = true
	near := func(copy int) (list []solver.Slot) {
		for _, o := range around {
			list = append(list, solver.Slot{Value: copy, Offset: o, Wall: -1})
		}
		return list
	}
	for n := range 2 {
		p.Steps = append(p.Steps, []solver.Phase{{Name: "live", Reads: near(n), Fetch: near(1 - n)}})
		p.State = append(p.State, []solver.Slot{{Value: n}, {Field: 1}})
	}
	return p
}

// born tells whether a cell is alive at the start, older how old it is.
func born(x, y int32) bool     { return (3*x+y*y+x*y)%5 < 2 }
func older(x, y int32) float64 { return float64(x%7) + 0.25*float64(y%3) }

func (life) Bind(b *solver.Binding) (solver.Kernel, error) {
	d := b.Device.(*processor.Device)
	k := &lifeKernel{windows: b.Windows(around)}
	memory, stride := processor.Values[uint8](d, b.Array(0))
	k.alive = [2][]uint8{memory[:stride], memory[stride:]}
	k.age, _ = processor.Values[float32](d, b.Array(1))
	err := b.Fill(0, func(x, y, _ int32, values []float64) {
		if born(x, y) {
			values[0] = 1
		}
	})
	if err != nil {
		return nil, err
	}
	return k, b.Fill(1, func(x, y, _ int32, values []float64) { values[0] = older(x, y) })
}

type lifeKernel struct {
	windows *solver.Windows
	alive   [2][]uint8
	age     []float32
}

func (k *lifeKernel) Work(step, _ int) solver.Work {
	from, to := k.alive[step], k.alive[1-step]
	return solver.BlockWork(func(b *solver.Block, _ int) {
		for c := b.First; c < b.End; c++ {
			beside := 0
			for i := range around {
				if n := k.windows.Neighbour(i, c); n >= 0 {
					beside += int(from[n])
				}
			}
			to[c] = 0
			if beside == 3 || beside == 2 && from[c] == 1 {
				to[c] = 1
				k.age[c] += 4
			}
		}
	})
}

func (k *lifeKernel) Begin(int64) error { return nil }

// Fields of bytes go wherever numbers go.
func TestFieldsOfBytes(t *testing.T) {
	c := enginetest.Case{Grid: generate.Grid([3]int32{50, 33, 1}, func(x, y, _ int32) bool { return (x+y*y)%19 > 0 }), Steps: 9,
		Periodic: [3]bool{false, true, false}, Physics: func(*solver.Domain) (solver.Together, error) { return solver.Together{life{}}, nil }}
	c.Accept(t)
}

// Fields hold what they are filled with, of any kind, and show it as numbers.
func TestFieldsAreFilled(t *testing.T) {
	g := generate.Grid([3]int32{300, 200, 2}, func(x, y, z int32) bool { return (x+y*z)%11 > 0 })
	enginetest.OnRanks(t, 2, func(tr transport.Transport) error {
		r, err := solver.NewRank(enginetest.Scattered(g, 7, 2, 3, [3]bool{}), solver.Together{life{}}, processor.New(1, tr), tr, solver.Options{})
		if err != nil {
			return err
		}
		defer r.Close()
		var wantAlive, wantAge []float64
		r.Layout().EachCell(func(_, x, y, _ int32) {
			alive := 0.0
			if born(x, y) {
				alive = 1
			}
			wantAlive, wantAge = append(wantAlive, alive), append(wantAge, older(x, y))
		})
		for field, want := range [][]float64{wantAlive, wantAge} {
			if got, err := r.Values(field, 0); err != nil || !slices.Equal(got, want) {
				t.Errorf("field %d is not what it was filled with, %v", field, err)
			}
		}
		return nil
	})
}
