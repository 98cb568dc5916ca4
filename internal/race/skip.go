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
