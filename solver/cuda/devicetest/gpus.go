//go:build cuda

package devicetest

import (
	"testing"

	"carina/solver/cuda/device"
	"carina/solver/cuda/driver"
)

// BesideOthers lets tests that share a GPU run one after another.
func BesideOthers(*testing.T) {}

// Open are the devices of the tests: several of one GPU where the machine
// has fewer than are asked for. Where there is none at all, the test is skipped; one that
// cannot be opened, for want of memory or whatever, is a failure.
func Open(t testing.TB, n int) []device.Device {
	t.Helper()
	// Or else kernels of several ranks on one GPU, which wait for each other, may
	// stand in one queue of the hardware.
	t.Setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32")
	var devices []device.Device
	for i := range n {
		d, err := device.Open(i % max(1, driver.Count()))
		if err != nil && driver.Count() == 0 {
			t.Skip(err)
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("on %s", d.Name())
		devices = append(devices, d)
	}
	return devices
}

// ReachEachOther tells whether so many devices of the tests do.
func ReachEachOther(n int) bool { return n <= driver.Count() }

// Fresh is a device of a rank of its own.
func Fresh(_ testing.TB, rank int) (device.Device, error) {
	return device.Open(rank % max(1, driver.Count()))
}

// Reaching makes devices of ranks that reach each other where they are different GPUs.
func Reaching(t testing.TB) func(rank int) (device.Device, error) {
	t.Setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32")
	return func(rank int) (device.Device, error) { return Fresh(t, rank) }
}

// Main runs the tests of a package and returns the status to end with.
func Main(m *testing.M) int { return m.Run() }
