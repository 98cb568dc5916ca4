package partition

import (
	"math/big"

	"carina/partition/graph"
)

// finestSums is roughly the number of units that the most room of a part is
// divided into where sums of weights are listed.
const finestSums = 1 << 17

// canFill is false where no packing of the free vertices fits the parts with the
// given room, none of it negative: a
// part takes no more than the largest sum of some of their weights that it has
// room for, and all parts together must take all of them. Where vertices weigh
// alike that tells at once what a search would try for long. Weights count in
// whole units, rounded down, so that it may be true in error, never false.
func canFill(g *graph.Graph, free []int32, room []int64) bool {
	var unit, most int64
	for _, v := range free {
		unit = greatestDivisor(unit, g.VertexWeight(v))
	}
	for _, r := range room {
		most = max(most, r)
	}
	unit = max(unit, most/finestSums, 1)
	var left int64
	for _, v := range free {
		left += g.VertexWeight(v) / unit
	}
	sums := sumsOfWeights(g, free, unit, most/unit)
	for _, r := range room {
		full := r / unit
		for sums.Bit(int(full)) == 0 {
			full--
		}
		left -= full
	}
	return left <= 0
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
