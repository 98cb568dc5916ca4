package partition

import "math/bits"

// random is a small deterministic generator (splitmix64, Steele, Lea and
// Flood 2014). Each task owns one, seeded from the run's seed and the task's
// number, so results do not depend on which worker runs the task.
type random struct{ state uint64 }

func mix(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}

func newRandom(seed uint64) *random { return &random{mix(seed + 0x9e3779b97f4a7c15)} }

func (r *random) next() uint64 {
	r.state += 0x9e3779b97f4a7c15
	return mix(r.state)
}

// below returns a number in [0, n).
func (r *random) below(n int) int {
	high, _ := bits.Mul64(r.next(), uint64(n))
	return int(high)
}

func (r *random) shuffle(items []int32) {
	for i := len(items) - 1; i > 0; i-- {
		j := r.below(i + 1)
		items[i], items[j] = items[j], items[i]
	}
}

// permutation returns 0..n-1 in random order.
func (r *random) permutation(n int) []int32 {
	order := make([]int32, n)
	for i := range order {
		order[i] = int32(i)
	}
	r.shuffle(order)
	return order
}

// seeds draws n seeds for tasks that run side by side.
func (r *random) seeds(n int) []uint64 {
	s := make([]uint64, n)
	for i := range s {
		s[i] = r.next()
	}
	return s
}
