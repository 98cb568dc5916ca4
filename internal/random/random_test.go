package random

import (
	"slices"
	"testing"
)

// The numbers are those of splitmix64 as published by Vigna (prng.di.unimi.it),
// with state 0 advanced before each.
func TestNextIsSplitmix64(t *testing.T) {
	r := &Source{}
	for i, want := range []uint64{0xe220a8397b1dcdaf, 0x6e789e6aa1b965f4, 0x06c45d188009454f} {
		if got := r.Next(); got != want {
			t.Errorf("number %d is %#x, want %#x", i, got, want)
		}
	}
}

// The state of a seed is the first number that splitmix64 makes of it.
func TestSeedsBeginInSplitmix64(t *testing.T) {
	for seed, want := range map[uint64]uint64{0: 0xe220a8397b1dcdaf, 0x9e3779b97f4a7c15: 0x6e789e6aa1b965f4} {
		if got := New(seed).state; got != want {
			t.Errorf("seed %#x begins at %#x, want %#x", seed, got, want)
		}
	}
}

// Below gives every number below n about equally often, and no other.
func TestBelowIsUniform(t *testing.T) {
	const n, draws = 7, 70_000
	r := New(1)
	var count [n]int
	for range draws {
		count[r.Below(n)]++
	}
	for x, c := range count {
		if c < draws/n*95/100 || c > draws/n*105/100 {
			t.Errorf("%d came %d times of %d", x, c, draws)
		}
	}
}

// Shuffled items are all still there, and each comes to each place about equally
// often; many stay near each other, in whole runs.
func TestShuffle(t *testing.T) {
	const n, draws = 4, 40_000
	r := New(2)
	var count [n][n]int
	for range draws {
		for place, item := range r.Permutation(n) {
			count[place][item]++
		}
	}
	for place := range count {
		for item, c := range count[place] {
			if c < draws/n*94/100 || c > draws/n*106/100 {
				t.Errorf("item %d came to place %d in %d of %d", item, place, c, draws)
			}
		}
	}
	for _, many := range []int{100, 1 << 17} {
		items := make([]int32, many)
		for i := range items {
			items[i] = int32(i)
		}
		r.ShuffleRuns(items)
		near := 0
		for i := range many - 1 {
			if d := items[i] - items[i+1]; d > -512 && d < 512 {
				near++
			}
		}
		if many > 512 && near < many*99/100 {
			t.Errorf("of %d items only %d are near the one before", many, near)
		}
		if slices.IsSorted(items) {
			t.Errorf("%d items stayed in order", many)
		}
		slices.Sort(items)
		for i, x := range items {
			if int(x) != i {
				t.Fatalf("of %d items number %d is missing", many, i)
			}
		}
	}
}
