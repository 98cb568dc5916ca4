//go:build cuda

package cuda

import "testing"

// testDevices are the devices of the tests: several of one GPU where the machine
// has fewer than are asked for.
func testDevices(t testing.TB, n int) []device {
	t.Helper()
	var devices []device
	for i := range n {
		d, err := openDevice(i % max(1, deviceCount()))
		if err != nil {
			closeAll(devices)
			t.Skip(err)
		}
		t.Logf("on %s", d.name())
		devices = append(devices, d)
	}
	return devices
}

// All variants of the kernels compile.
func TestCompile(t *testing.T) {
	if err := loadCompiler(); err != nil {
		t.Skip(err)
	}
	for _, bits := range []int{32, 16} {
		for variant := range 16 {
			p, _ := tuned(bits, variant&1 != 0, variant&2 != 0, variant&4 != 0, variant&8 != 0)
			if _, err := translate(p.source(), p.kernel, "sm_90"); err != nil {
				t.Error(err)
			}
		}
		if _, err := translate(program{kernel: "meet"}.source(), "meet", "sm_90"); err != nil {
			t.Error(err)
		}
		unpack := unpacking(bits)
		if _, err := translate(unpack.source(), unpack.kernel, "sm_90"); err != nil {
			t.Error(err)
		}
		sum, _ := summing(bits)
		if _, err := translate(sum.source(), sum.kernel, "sm_90"); err != nil {
			t.Error(err)
		}
		for mode := range observeModes {
			p := observing(bits, mode, true)
			if _, err := translate(p.source(), p.kernel, "sm_90"); err != nil {
				t.Error(err)
			}
		}
	}
}
