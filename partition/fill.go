package partition

import (
	"math/big"

	"carina/partition/graph"
)

// finestSums is roughly the number of units that the most room of a part is
// divided into where sums of weights are listed.
const finestSums = 1 << 17

// filling tells how much of parts' rooms vertices can take: a part no more than the
// largest sum of some of their weights that it has room for. Where vertices weigh alike
// that tells at once what a search would try for long. Weights count in whole units,
// rounded down.
type filling struct {
	unit int64
	most []int32 // by room, all in units
}

// newFilling is that of vertices and of parts with the given room, none of it negative.
func newFilling(g *graph.Graph, vertices []int32, room []int64) *filling {
	f := &filling{}
	var largest int64
	for _, v := range vertices {
		f.unit = greatestDivisor(f.unit, g.VertexWeight(v))
	}
	for _, r := range room {
		largest = max(largest, r)
	}
	f.unit = max(f.unit, largest/finestSums, 1)
	sums := sumsOfWeights(g, vertices, f.unit, largest/f.unit)
	f.most = make([]int32, largest/f.unit+1)
	for r := range f.most {
		if sums.Bit(r) == 1 {
			f.most[r] = int32(r)
		} else {
			f.most[r] = f.most[r-1]
		}
	}
	return f
}

// of is how much of a room can be taken, and units what a weight counts.
func (f *filling) of(room int64) int64      { return int64(f.most[room/f.unit]) }
func (f *filling) units(weight int64) int64 { return weight / f.unit }

// spare is how much more than the vertices the rooms take. Where it is negative no
// packing fits; else there may be none either.
func (f *filling) spare(g *graph.Graph, vertices []int32, room []int64) (spare int64) {
	for _, r := range room {
		spare += f.of(r)
	}
	for _, v := range vertices {
		spare -= f.units(g.VertexWeight(v))
	}
	return spare
}

// sumsOfWeights returns a set of bits: bit i is set if i, of at most most units,
// is the sum of the weights of some vertices.
func sumsOfWeights(g *graph.Graph, vertices []int32, unit, most int64) *big.Int {
	sums, shifted, mask := big.NewInt(1), new(big.Int), new(big.Int)
	mask.Sub(mask.Lsh(sums, uint(most)+1), big.NewInt(1))
	for _, v := range vertices {
		if weight := g.VertexWeight(v) / unit; weight <= most {
			sums.Or(sums, shifted.And(shifted.Lsh(sums, uint(weight)), mask))
		}
	}
	return sums
}

// greatestDivisor returns the greatest common divisor of two numbers, of which
// 0 has all.
func greatestDivisor(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
