package balance

import (
	"cmp"
	"context"
	"math"
	"slices"

	"carina/cuboid"
)

// hilbert cuts the cuboids, strung on a Hilbert curve by their centres, into
// one stretch per rank.
func hilbert(_ context.Context, p *Problem) ([]int32, error) {
	return alongCurve(p, hilbertKey), nil
}

// morton does the same on a Morton (Z-order) curve.
func morton(_ context.Context, p *Problem) ([]int32, error) {
	return alongCurve(p, mortonKey), nil
}

// curveBits is the number of bits per coordinate in a key: centres are counted
// in half cells, and 21 bits of each of three coordinates fill a word.
const curveBits = 21

func alongCurve(p *Problem, key func(x [3]uint32) uint64) []int32 {
	n := len(p.Cuboids)
	keys := make([]uint64, n)
	order := make([]int32, n)
	for i, c := range p.Cuboids {
		keys[i] = key(center(c))
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(keys[a], keys[b]), cmp.Compare(a, b))
	})
	weights := make([]int64, n)
	for i, v := range order {
		weights[i] = p.Graph.VertexWeights[v]
	}
	ends := stretches(weights, targets(p.Ranks))
	owners := make([]int32, n)
	from := 0
	for r, to := range ends {
		for ; from < to; from++ {
			owners[order[from]] = int32(r)
		}
	}
	return owners
}

// center returns the centre of a cuboid in half cells.
func center(c cuboid.Cuboid) [3]uint32 {
	var x [3]uint32
	for axis := range x {
		x[axis] = uint32(min(int64(c.Min[axis])+int64(c.Max[axis]), 1<<curveBits-1))
	}
	return x
}

// mortonKey interleaves the bits of the coordinates, x least significant.
func mortonKey(x [3]uint32) uint64 {
	var key uint64
	for bit := curveBits - 1; bit >= 0; bit-- {
		for axis := 2; axis >= 0; axis-- {
			key = key<<1 | uint64(x[axis]>>bit&1)
		}
	}
	return key
}

// hilbertKey returns the position on a three-dimensional Hilbert curve
// (Skilling, Programming the Hilbert curve, AIP Conf. Proc. 707, 2004).
func hilbertKey(x [3]uint32) uint64 {
	for q := uint32(1) << (curveBits - 1); q > 1; q >>= 1 {
		for i := range x {
			if x[i]&q != 0 {
				x[0] ^= q - 1 // invert
			} else { // exchange
				t := (x[0] ^ x[i]) & (q - 1)
				x[0] ^= t
				x[i] ^= t
			}
		}
	}
	x[1] ^= x[0]
	x[2] ^= x[1]
	var t uint32
	for q := uint32(1) << (curveBits - 1); q > 1; q >>= 1 {
		if x[2]&q != 0 {
			t ^= q - 1
		}
	}
	for i := range x {
		x[i] ^= t
	}
	// The transposed index has the most significant bit of each triple in x[0].
	return mortonKey([3]uint32{x[2], x[1], x[0]})
}

// stretches cuts a list of weights into one stretch per target so that the
// largest weight over target is least, and returns where the stretches end.
// None is empty; there must be enough entries. The bottleneck is found by
// bisection (chains on chains; Pinar and Aykanat 2004).
func stretches(weights []int64, targets []float64) []int {
	prefix := make([]int64, len(weights)+1)
	for i, w := range weights {
		prefix[i+1] = prefix[i] + w
	}
	total := float64(prefix[len(weights)])
	low, high := total, total // a bottleneck of total/target suffices for certain
	for _, s := range targets {
		high = math.Max(high, total/s)
	}
	ends := make([]int, len(targets))
	fill(prefix, targets, high, ends)
	for range 60 {
		middle := low + (high-low)/2
		if middle <= low || middle >= high {
			break
		}
		if fill(prefix, targets, middle, ends) {
			high = middle
		} else {
			low = middle
		}
	}
	fill(prefix, targets, high, ends)
	return ends
}

// fill gives each target as much of the list as the bottleneck allows and
// reports whether the list was used up. Ranks that would get nothing get an
// entry of a neighbour.
func fill(prefix []int64, targets []float64, bottleneck float64, ends []int) bool {
	n := len(prefix) - 1
	from := 0
	for r, s := range targets {
		// The first place behind all that fits; entries of weight zero do.
		limit := prefix[from] + int64(math.Min(bottleneck*s, float64(prefix[n]-prefix[from])))
		to, _ := slices.BinarySearch(prefix, limit+1)
		ends[r] = to - 1
		from = ends[r]
	}
	used := from == n
	last := len(ends) - 1
	ends[last] = n
	for r := last - 1; r >= 0; r-- {
		ends[r] = min(ends[r], ends[r+1]-1)
	}
	for r := range ends {
		before := 0
		if r > 0 {
			before = ends[r-1]
		}
		ends[r] = max(ends[r], before+1)
	}
	return used
}
