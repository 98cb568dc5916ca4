// Command heat puts a physics of its own on a GPU: heat that spreads in a plate.
package main

import (
	"carina/geometry"
	"carina/geometry/generate"
	"carina/solver"
	"carina/solver/cuda"
	"carina/solver/transport"
	_ "embed"
	"errors"
	"fmt"
	"log"
	"math"
)

//go:embed heat.cu
var source string

var sides = []geometry.Offset{{X: 1}, {X: -1}, {Y: 1}, {Y: -1}}

type heat struct{ fastest float64 }

func (h *heat) Fields() []solver.Field {
	return []solver.Field{{Name: "heat", Values: 1, Kind: solver.Float64}, {Name: "change", Values: 1, Kind: solver.Float64}}
}

func (h *heat) Program() solver.Program {
	near, most := solver.Neighbours(0, 1, sides), &solver.Reduction{Operation: transport.Max, Values: 1, Every: 1}
	return solver.Program{Steps: [][]solver.Phase{{{Name: "flow", Reads: near, Reduce: most}, {Name: "warm", Fetch: near}}}, State: [][]solver.Slot{solver.Own(0, 1)}}
}

func (h *heat) Bind(b *solver.Binding) (solver.Kernel, error) {
	k, err := cuda.NewKernel(b, source, sides, "flow", "warm")
	k.Result = func(_ int, numbers []int64) { h.fastest = math.Float64frombits(uint64(numbers[0])) }
	return k, errors.Join(err, b.Fill(0, func(x, y, _ int32, values []float64) {
		values[0] = math.Exp(-math.Hypot(float64(x-250), float64(y-250)) / 20)
	}))
}

func main() {
	h, alone := &heat{}, transport.NewLocal(1)[0]
	gpu := must(cuda.Open(0, alone))
	plate := solver.WholeDomain(generate.FullGrid([3]int32{500, 500, 1}))
	rank := must(solver.NewRank(plate, solver.Together{h}, gpu, alone, solver.Options{}))
	defer rank.Close()
	for range 1000 {
		must(0, rank.Step())
	}
	fmt.Printf("the middle is at %.4f and changes by %.2g a step at most\n", must(rank.Values(0, 0))[250*500+250], h.fastest/8)
}

func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}
