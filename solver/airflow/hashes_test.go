package airflow

import (
	"context"
	"testing"

	"carina/solver"
	"carina/solver/airflow/kernel"
	"carina/solver/airflow/opening"
)

// The states after 60 steps are those that were recorded: a change of the bits
// is meant, or it is a mistake. The kernels of all instruction sets give the same
// as far as no number is below the least normal one; so it is in double and
// single precision with AVX2 and AVX-512.
func TestRecordedHashes(t *testing.T) {
	if len(kernel.Machines()) == 0 {
		t.Skip("no assembly for this processor")
	}
	for _, c := range []struct {
		name, hash string
		change     func(*Settings)
	}{
		{"default", "c49f99e8ae5c7797", func(s *Settings) {}},
		{"TRT", "c49f99e8ae5c7797", func(s *Settings) { s.Collision = TRT }},
		{"BGK, bounce-back", "f7ae330850cce6ac", func(s *Settings) { s.Collision, s.Wall = BGK, BounceBack }},
		{"TRT, quadratic walls", "3bceff3dff4505a5", func(s *Settings) { s.Collision, s.Wall = TRT, Quadratic }},
		{"regularized, large eddies", "d70125981b571ad0", func(s *Settings) { s.Collision, s.Smagorinsky = Regularized, 0.15 }},
		{"recursive at low viscosity", "934013dc2c5900ae", func(s *Settings) { s.Collision, s.KinematicViscosity = Recursive, 1e-7 }},
		{"recursive in 16 bits", "6a20f9e748a0189f", func(s *Settings) { s.Collision, s.Precision, s.KinematicViscosity = Recursive, Half, 1e-7 }},
		{"recursive in double precision", "8b44b6a2f69d4c31", func(s *Settings) { s.Collision, s.Precision, s.KinematicViscosity = Recursive, Double, 1e-7 }},
		{"cumulant", "e3426b5f236f067e", func(s *Settings) { s.Collision, s.KinematicViscosity = Cumulant, 1e-7 }},
		{"TRT on D3Q27", "ac8b848d9f22f4c4", func(s *Settings) { s.Collision, s.Lattice = TRT, D3Q27 }},
		{"Windkessel and a waveform", "2b4b64ffbcaca540", func(s *Settings) {
			s.Waveform = opening.Sine{Period: 2e-3, Mean: 0.7, Amplitude: 0.4}
			s.Conditions = map[int]opening.Condition{2: {Kind: opening.Windkessel, ProximalResistance: 1e5, DistalResistance: 1e6, Compliance: 1e-9}}
		}},
		{"shares and a force", "5a0d61c46a90e314", func(s *Settings) {
			s.BodyForce = [3]float64{3, 2, 1}
			s.Conditions = map[int]opening.Condition{2: {Kind: opening.FlowShare, Share: 0.3}, 3: {Kind: opening.FlowShare, Share: 0.7}}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.name == "recursive in 16 bits" && kernel.Machines()[0] != "AVX512" {
				t.Skip("16-bit storage has assembly for AVX-512 alone")
			}
			g := cave(5, [3]bool{})
			s := caveSettings(g)
			c.change(&s)
			summary, err := RunInProcess(context.Background(), solver.WholeDomain(g), s, Plan{Steps: 60})
			if err != nil {
				t.Fatal(err)
			}
			if summary.StateHash != c.hash {
				t.Errorf("%s (%s, %s walls, τ %.4f): %s, recorded is %s", c.name, summary.Collision, summary.Wall, summary.RelaxationTime, summary.StateHash, c.hash)
			}
		})
	}
}
