//go:build !cuda

package cuda

import "testing"

// testDevice is the device of the tests.
func testDevice(t testing.TB) device { return newEmulator(t) }
