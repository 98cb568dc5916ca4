package carina

import (
	"math"
	"testing"

	"carina/balance"
	"carina/solver/airflow"
)

// The place of a divergence is told in the unit of the surface, also where the
// grid was made from one.
func TestDivergenceInTheUnitOfTheSurface(t *testing.T) {
	for _, c := range []struct {
		source balance.Source
		unit   float64
	}{
		{balance.Source{Unit: "in"}, 0.0254},
		{balance.Source{Surface: &balance.Source{Unit: "cm"}}, 0.01},
		{balance.Source{Unit: "50um"}, 50e-6},
		{balance.Source{}, 0},
	} {
		f := &Flow{from: origin{partition: &balance.Partition{Source: c.source}}}
		e := &airflow.DivergedError{}
		if f.locate(e); math.Abs(e.Unit-c.unit) > 1e-12 {
			t.Errorf("%+v: unit %g, want %g", c.source, e.Unit, c.unit)
		}
	}
}
