//go:build cuda

package cuda

import (
	"context"
	"testing"

	"carina/solver"

	"gonum.org/v1/gonum/spatial/r3"
)

// The physics suite on a GPU, in single and double precision.
func TestPhysics(t *testing.T) {
	if _, err := openDevice(0); err != nil {
		t.Skip(err)
	}
	for _, precision := range []solver.Precision{solver.Single, solver.Double} {
		t.Run(string(precision), func(t *testing.T) {
			p := &physics{T: t, change: func(s *solver.Settings) { s.Precision = precision }}
			p.compute = func(d *solver.Domain, settings solver.Settings, steps int64) (o outcome) {
				s, err := New(d, settings, Options{})
				check := func(err error) {
					t.Helper()
					if err != nil {
						t.Fatal(err)
					}
				}
				check(err)
				t.Cleanup(func() { s.Close() })
				check(s.Advance(context.Background(), steps, nil))
				o.fields, err = s.Fields()
				check(err)
				o.summary, err = s.Summary()
				check(err)
				o.strain = func() [6][]float32 {
					strain, err := s.StrainRate()
					check(err)
					return strain
				}
				o.force = func(selected func(r3.Vec) bool) r3.Vec {
					force, err := s.WallForce(selected)
					check(err)
					return force
				}
				return o
			}
			p.all()
		})
	}
}
