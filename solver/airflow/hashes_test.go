package airflow

import (
	"context"
	"runtime"
	"testing"

	"carina/solver"
	"carina/solver/airflow/opening"
)

// The states after 60 steps are those that were recorded: a change of the bits
// is meant, or it is a mistake. The kernels of all instruction sets and plain Go
// give the same as far as no number is below the least normal one; other
// processors than those of amd64 may fuse a product and a sum of plain Go.
func TestRecordedHashes(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("recorded on amd64")
	}
	for _, c := range []struct {
		name, hash string
		change     func(*Settings)
	}{
		{"default", "b5d794aa1a3badb6", func(s *Settings) {}},
		{"a start over crossings of sound", "8c249b0dbf4c8af7", func(s *Settings) { s.RampTime = 0 }},
		{"TRT", "b5d794aa1a3badb6", func(s *Settings) { s.Collision = TRT }},
		{"BGK, bounce-back", "f7ae330850cce6ac", func(s *Settings) { s.Collision, s.Wall = BGK, BounceBack }},
		{"TRT, quadratic walls", "a6bae6ea5ffe0c79", func(s *Settings) { s.Collision, s.Wall = TRT, Quadratic }},
		{"regularized, large eddies", "fdb339002e93ddf6", func(s *Settings) { s.Collision, s.Smagorinsky = Regularized, 0.15 }},
		{"recursive at low viscosity", "6e73ce90a2fd5c31", func(s *Settings) { s.Collision, s.KinematicViscosity = Recursive, 1e-7 }},
		{"recursive in 16 bits", "db2d185c2452d610", func(s *Settings) { s.Collision, s.Precision, s.KinematicViscosity = Recursive, Half, 1e-7 }},
		{"recursive in double precision", "0038220ccdc69346", func(s *Settings) { s.Collision, s.Precision, s.KinematicViscosity = Recursive, Double, 1e-7 }},
		{"recursive in short steps", "6da306cd5085ea16", func(s *Settings) { s.Collision, s.KinematicViscosity, s.LatticeVelocity = Recursive, 3e-7, 0.03 }},
		{"cumulant", "6ad3cdeb6a326987", func(s *Settings) { s.Collision, s.KinematicViscosity = Cumulant, 1e-7 }},
		{"TRT on D3Q27", "12638cabeb340b1b", func(s *Settings) { s.Collision, s.Lattice = TRT, D3Q27 }},
		{"Windkessel and a waveform", "4bf19b9a85af19ae", func(s *Settings) {
			s.Waveform = opening.Sine{Period: 2e-3, Mean: 0.7, Amplitude: 0.4}
			s.Conditions = map[int]opening.Condition{2: {Kind: opening.Windkessel, ProximalResistance: 1e5, DistalResistance: 1e6, Compliance: 1e-9}}
		}},
		{"shares and a force", "9d7ce78eaa6537c5", func(s *Settings) {
			s.BodyForce = [3]float64{3, 2, 1}
			s.Conditions = map[int]opening.Condition{2: {Kind: opening.FlowShare, Share: 0.3}, 3: {Kind: opening.FlowShare, Share: 0.7}}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
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
