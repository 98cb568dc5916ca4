package airflow

import (
	"testing"

	"carina/solver"
	"carina/solver/transport"
)

// A step allocates nothing, for any method.
func TestStepAllocatesNothing(t *testing.T) {
	for _, machine := range []string{"", "none"} {
		if machine != "" {
			t.Setenv("CARINA_SIMD", machine)
		}
		for _, precision := range Precisions {
			g := cave(3, [3]bool{})
			s := caveSettings(g)
			s.Precision, s.Smagorinsky, s.Workers = precision, 0.1, 2
			r, err := NewRank(solver.WholeDomain(g), s, transport.NewLocal(1)[0])
			if err != nil {
				t.Fatal(err)
			}
			step := func() {
				if err := r.engine.Step(); err != nil {
					t.Fatal(err)
				}
			}
			step()
			if n := testing.AllocsPerRun(20, step); n >= 1 {
				t.Errorf("%s precision, instruction set %q: %g allocations in a step", precision, machine, n)
			}
			r.Close()
		}
	}
}
