package random

import "math/bits"

// Source is a small deterministic generator (splitmix64, Steele, Lea and
// Flood 2014). Each task owns one, seeded from the run's seed and the task's
// number, so results do not depend on which worker runs the task.
type Source struct{ state uint64 }

// Mix spreads the bits of x.
func Mix(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}

// New returns the source of a seed.
func New(seed uint64) *Source { return &Source{Mix(seed + 0x9e3779b97f4a7c15)} }

// Next returns 64 random bits.
func (r *Source) Next() uint64 {
	r.state += 0x9e3779b97f4a7c15
	return Mix(r.state)
}

// Below returns a number in [0, n).
func (r *Source) Below(n int) int {
	high, _ := bits.Mul64(r.Next(), uint64(n))
	return int(high)
}

// Share returns a number above 0 and below 1.
func (r *Source) Share() float64 { return (float64(r.Next()>>11) + 0.5) / (1 << 53) }

// Shuffle puts items in random order.
func (r *Source) Shuffle(items []int32) {
	for i := len(items) - 1; i > 0; i-- {
		j := r.Below(i + 1)
		items[i], items[j] = items[j], items[i]
	}
}

// Permutation returns 0..n-1 in random order.
func (r *Source) Permutation(n int) []int32 {
	order := make([]int32, n)
	for i := range order {
		order[i] = int32(i)
	}
	r.Shuffle(order)
	return order
}

// Seeds draws n seeds for tasks that run side by side.
func (r *Source) Seeds(n int) []uint64 {
	s := make([]uint64, n)
	for i := range s {
		s[i] = r.Next()
	}
	return s
}

// ShuffleRuns puts items in random order; many in runs of neighbours in random
// order, each shuffled, so that what lies near in memory is visited while it
// is in the cache.
func (r *Source) ShuffleRuns(items []int32) {
	const run, many = 512, 1 << 16
	if len(items) < many {
		r.Shuffle(items)
		return
	}
	ordered := append([]int32(nil), items...)
	at := 0
	for _, b := range r.Permutation((len(items) + run - 1) / run) {
		begin := int(b) * run
		n := copy(items[at:], ordered[begin:min(begin+run, len(ordered))])
		r.Shuffle(items[at : at+n])
		at += n
	}
}
