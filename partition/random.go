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

// share returns a number above 0 and below 1.
func (r *random) share() float64 { return (float64(r.next()>>11) + 0.5) / (1 << 53) }

func (r *random) shuffle(items []int32) {
	for i := len(items) - 1; i > 0; i-- {
		j := r.below(i + 1)
		items[i], items[j] = items[j], items[i]
	}
}

// permutation returns 0..n-1 in random order.
func (r *random) permutation(n int) []int32 {
	order := inOrder(n)
	r.shuffle(order)
	return order
}

// inOrder returns 0..n-1.
func inOrder(n int) []int32 {
	order := make([]int32, n)
	for i := range order {
		order[i] = int32(i)
	}
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

// shuffleRuns puts items in random order; many in runs of neighbours in random
// order, each shuffled, so that what lies near in memory is visited while it
// is in the cache.
func (r *random) shuffleRuns(items []int32) {
	const run, many = 512, 1 << 16
	if len(items) < many {
		r.shuffle(items)
		return
	}
	ordered := append([]int32(nil), items...)
	at := 0
	for _, b := range r.permutation((len(items) + run - 1) / run) {
		begin := int(b) * run
		n := copy(items[at:], ordered[begin:min(begin+run, len(ordered))])
		r.shuffle(items[at : at+n])
		at += n
	}
}
