//go:build cuda

package tiles

import (
	"testing"

	"carina/solver/cuda"
	"carina/solver/cuda/device"
	"carina/solver/cuda/driver"
	"carina/solver/cuda/tiling"
)

// The kernels of the exchange compile for all layouts.
func TestCompile(t *testing.T) {
	if _, _, err := driver.CompilerVersion(); err != nil {
		t.Skip(err)
	}
	sources := []device.Source{cuda.HandshakeSource()}
	for _, bits := range []int{16, 32, 64} {
		for _, directions := range []int{tiling.StraightDirections, tiling.MostDirections} {
			l := tiling.Layout{Bits: bits, Directions: directions}
			sources = append(sources, movingSource("unpack", l, 0), movingSource("values", l, valuesOut), movingSource("values", l, valuesIn))
		}
	}
	for _, s := range sources {
		if _, err := driver.Compile(s.Text(), s.Name, "sm_90"); err != nil {
			t.Errorf("%s: %v", s.Name, err)
		}
	}
}
