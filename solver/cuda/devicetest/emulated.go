//go:build !cuda

package devicetest

import (
	"testing"

	"carina/solver/cuda/device"
)

// BesideOthers lets a test run beside others: emulated devices share nothing.
func BesideOthers(t *testing.T) { t.Parallel() }

// Open are the devices of the tests, which share their memory.
func Open(t testing.TB, n int) []device.Device {
	return newEmulators(t, n)
}

// ReachEachOther tells whether so many devices of the tests do.
func ReachEachOther(int) bool { return true }

// Fresh is a device of a rank of its own, with memory of its own.
func Fresh(t testing.TB, _ int) (device.Device, error) { return newEmulators(t, 1)[0], nil }

// Reaching makes devices of ranks that reach each other.
func Reaching(t testing.TB) func(rank int) (device.Device, error) {
	first := newEmulators(t, 1)[0].(*emulator)
	return func(rank int) (device.Device, error) {
		return startEmulator(t, first.emulatedMemory, uint64(rank)), nil
	}
}
