package answers_test

import (
	"math"
	"testing"

	"carina/solver/airflow"
	"carina/solver/airflow/answers"
)

// A section of a branch is a disc of its diameter, in which the speed is that of the cells.
func TestSections(t *testing.T) {
	g := airway(t)
	f := &airflow.Fields{Pressure: make([]float32, g.Cells())}
	for a, u := range [3]float32{1, -2, 2} {
		f.Velocity[a] = make([]float32, g.Cells())
		for i := range f.Velocity[a] {
			f.Velocity[a][i] = u
		}
	}
	s := &airflow.Summary{Density: 1.2, KinematicViscosity: 1.5e-5}
	for _, o := range g.Openings {
		s.Openings = append(s.Openings, airflow.OpeningSummary{Number: o.Number})
	}
	a, err := answers.Of(&answers.Flow{Grid: g, Fields: f, Summary: s})
	if err != nil {
		t.Fatal(err)
	}
	list := a.Sections(g, f, 3)
	if len(list) != 3 || len(a.Sections(g, f, 100)) != len(a.Branches) {
		t.Fatalf("%d sections", len(list))
	}
	for _, one := range list {
		known := 0
		for _, v := range one.Speed {
			if !math.IsNaN(float64(v)) {
				known++
				if math.Abs(float64(v)-3) > 1e-6 {
					t.Fatalf("branch %d: a speed of %g", one.Branch, v)
				}
			}
		}
		share := float64(known) / float64(one.Rows*one.Rows)
		d := a.Branches[one.Branch-1].Diameter
		if want := math.Pi / 4 * d * d / one.Side / one.Side; math.Abs(share/want-1) > 0.15 {
			t.Errorf("branch %d takes %g of its square, want %g", one.Branch, share, want)
		}
	}
}
