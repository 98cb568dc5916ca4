package race

import "testing"

// SkipArithmetic skips a test under the race detector that compares numbers: what
// goroutines share in it they share in other tests, too.
func SkipArithmetic(t testing.TB) {
	t.Helper()
	if Enabled {
		t.Skip("the race detector makes arithmetic slow, and finds nothing in it that it does not find in other tests")
	}
}

// Few is few under the race detector and else all: how many of a kind a test tries, or how
// long, where goroutines share in each what they share in the others.
func Few[T any](few, all T) T {
	if Enabled {
		return few
	}
	return all
}
