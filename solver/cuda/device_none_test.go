//go:build !cuda

package cuda

import "testing"

// besideOthers lets a test run beside others: emulated devices share nothing.
func besideOthers(t *testing.T) { t.Parallel() }

// testDevices are the devices of the tests, which share their memory.
func testDevices(t testing.TB, n int) []device {
	return newEmulators(t, n)
}

// reachEachOther tells whether so many devices of the tests do.
func reachEachOther(int) bool { return true }

// freshDevice is a device of a rank of its own, with memory of its own.
func freshDevice(t testing.TB, _ int) (device, error) { return newEmulators(t, 1)[0], nil }
