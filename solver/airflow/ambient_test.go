package airflow

import (
	"math"
	"testing"

	"carina/solver"
	"carina/solver/airflow/opening"
	"carina/solver/transport"

	"gonum.org/v1/gonum/spatial/r3"
)

// The flow does not depend on a pressure that all openings have in common, above or
// below that of air at rest.
func TestAmbientPressure(t *testing.T) {
	const steps, tap = 100, 0.25
	compute := func(ambient float64) (uint64, []OpeningSummary, *Fields, float64) {
		g := fork()
		s := caveSettings(g)
		s.Conditions = map[int]opening.Condition{
			2: {Kind: opening.ImposedPressure, Pressure: ambient},
			3: {Kind: opening.Windkessel, Pressure: ambient + math.Copysign(tap, ambient), ProximalResistance: 1e5},
		}
		s.Initial = func(r3.Vec) (float64, r3.Vec) { return ambient, r3.Vec{} }
		r := must(NewRank(solver.WholeDomain(g), s, transport.NewLocal(1)[0]))
		defer r.Close()
		for range steps {
			if err := r.engine.Step(); err != nil {
				t.Fatal(err)
			}
		}
		_, onPlane, err := r.PlaneFlow(g.Center(10, 10, 4), r3.Vec{X: 1}, 1)
		if err != nil {
			t.Fatal(err)
		}
		return must(r.Hash()), must(r.OpeningSummaries()), must(r.Fields()), onPlane
	}
	hash, openings, fields, onPlane := compute(0)
	for _, ambient := range []float64{512, -512} {
		if ambient < 0 {
			hash, openings, fields, onPlane = compute(math.Copysign(0, -1))
		}
		gotHash, gotOpenings, gotFields, gotOnPlane := compute(ambient)
		if gotHash != hash {
			t.Errorf("under %g Pa the state is %x, otherwise %x", ambient, gotHash, hash)
		}
		for i := range openings {
			if got, want := gotOpenings[i].Pressure, openings[i].Pressure+ambient; math.Abs(got-want) > 1e-9 {
				t.Errorf("under %g Pa the pressure at opening %d is %g, want %g", ambient, i+1, got, want)
			}
		}
		for i, p := range fields.Pressure {
			if got, want := gotFields.Pressure[i], float32(float64(p)+ambient); math.Abs(float64(got-want)) > 1e-4 {
				t.Fatalf("under %g Pa the pressure in cell %d is %g, want %g", ambient, i, got, want)
			}
		}
		if math.Abs(gotOnPlane-onPlane-ambient) > 1e-3 {
			t.Errorf("under %g Pa the pressure on a plane is %g, otherwise %g", ambient, gotOnPlane, onPlane)
		}
	}
}
