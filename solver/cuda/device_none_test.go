//go:build !cuda

package cuda

import "testing"

// testDevices are the devices of the tests, which share their memory.
func testDevices(t testing.TB, n int) []device {
	e := newEmulator(t)
	devices := make([]device, n)
	for i := range devices {
		devices[i] = e
	}
	return devices
}
