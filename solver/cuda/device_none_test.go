//go:build !cuda

package cuda

import "testing"

// besideOthers lets a test run beside others: emulated devices share nothing.
func besideOthers(t *testing.T) { t.Parallel() }

// testDevices are the devices of the tests, which share their memory.
func testDevices(t testing.TB, n int) []device {
	return newEmulators(t, n)
}
