//go:build cuda

package gpu

import (
	"testing"

	"carina/solver/cuda/driver"
	"carina/solver/cuda/tiling"
)

// All variants of the kernels compile.
func TestCompile(t *testing.T) {
	if _, _, err := driver.CompilerVersion(); err != nil {
		t.Skip(err)
	}
	translates := func(p program) {
		t.Helper()
		if _, err := driver.Compile(p.source().Text(), p.kernel, "sm_90"); err != nil {
			t.Error(err)
		}
	}
	for i := range 6 {
		l := tiling.Layout{Bits: 16 << (i % 3), Directions: 18 + i/3*8}
		var of []operator
		for _, o := range operators {
			if o.set.Q == l.Directions+1 {
				of = append(of, o)
			}
		}
		for variant := range 16 {
			p, _ := tuned(l, variant&1 != 0, variant&2 != 0, variant&4 != 0, of[variant%len(of)], variant&8 != 0)
			p.quadratic = p.walls && variant&4 != 0
			translates(p.fitting())
			if p.walls {
				translates(p.atOpenings())
			}
		}
		for _, kernel := range []string{"outflow", "fields", "peak", "hash", "stress", "change", "initialize", "records"} {
			translates(observer(kernel, l, 0, true))
			odd := observer(kernel, l, 1, false)
			odd.odd = true
			translates(odd)
			odd.walls, odd.quadratic = true, true
			translates(odd.fitting())
			if kernel == "records" {
				odd.mode = recordsSettled
				translates(odd.fitting())
			}
		}
		force := observer("wallforce", l, 0, true)
		force.operator = of[0]
		translates(force)
	}
}
