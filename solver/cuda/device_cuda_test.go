//go:build cuda

package cuda

import "testing"

// testDevice is the device of the tests.
func testDevice(t testing.TB) device {
	t.Helper()
	d, err := openDevice(0)
	if err != nil {
		t.Skip(err)
	}
	t.Logf("on %s", d.name())
	return d
}

// All variants of the kernels compile.
func TestCompile(t *testing.T) {
	if err := loadCompiler(); err != nil {
		t.Skip(err)
	}
	for _, bits := range []int{32, 16} {
		for variant := range 8 {
			p, _ := tuned(bits, variant&1 != 0, variant&2 != 0, variant&4 != 0)
			if _, err := translate(p.source(), p.kernel, "sm_90"); err != nil {
				t.Error(err)
			}
		}
		for mode := range observeModes {
			p := observing(bits, mode, true)
			if _, err := translate(p.source(), p.kernel, "sm_90"); err != nil {
				t.Error(err)
			}
		}
	}
}
