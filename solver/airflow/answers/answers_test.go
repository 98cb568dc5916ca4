package answers_test

import (
	"context"
	"math"
	"testing"

	"carina/geometry"
	"carina/geometry/generate"
	"carina/solver/airflow"
	"carina/solver/airflow/answers"

	"gonum.org/v1/gonum/spatial/r3"
)

// In the exact flow of a pipe drop, resistance, numbers and wall shear are those of
// Poiseuille.
func TestPipe(t *testing.T) {
	const diameter, length, viscosity, density, flow, period = 0.01, 0.04, 1.5e-5, 1.2, 1e-5, 2.0
	s, _, err := generate.Pipe(generate.PipeOptions{Diameter: diameter, Length: length})
	if err != nil {
		t.Fatal(err)
	}
	o := geometry.Options{Spacing: diameter / 15, Directions: 18}
	p, err := geometry.Prepare(s, o)
	if err != nil {
		t.Fatal(err)
	}
	g, _, err := geometry.VoxelizePrepared(context.Background(), p, o)
	if err != nil {
		t.Fatal(err)
	}
	from := p.Openings[0].Center
	along := r3.Unit(r3.Sub(p.Openings[1].Center, from))
	mean := 4 * flow / math.Pi / diameter / diameter
	gradient := 32 * viscosity * density * mean / diameter / diameter
	f := &airflow.Fields{}
	for _, run := range g.Runs {
		for x := run.X0; x < run.X1; x++ {
			v := r3.Sub(g.Center(x, run.Y, run.Z), from)
			z := r3.Dot(v, along)
			r := r3.Norm(r3.Sub(v, r3.Scale(z, along)))
			u := r3.Scale(2*mean*(1-4*r*r/diameter/diameter), along)
			f.Velocity[0], f.Velocity[1], f.Velocity[2] = append(f.Velocity[0], float32(u.X)), append(f.Velocity[1], float32(u.Y)), append(f.Velocity[2], float32(u.Z))
			f.Pressure = append(f.Pressure, float32(gradient*(length-z)))
		}
	}
	summary := &airflow.Summary{Density: density, KinematicViscosity: viscosity, Openings: []airflow.OpeningSummary{
		{Number: 1, Name: "in", Flow: flow, Pressure: gradient * length}, {Number: 2, Name: "out", Flow: -flow},
	}}
	a, err := answers.Of(&answers.Flow{Grid: g, Surface: p, Fields: f, Summary: summary, Period: period})
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Branches) != 1 {
		t.Fatalf("%d branches", len(a.Branches))
	}
	b := a.Branches[0]
	for _, test := range []struct {
		name                 string
		got, want, tolerance float64
	}{
		{"flow", b.Flow, flow, 1e-12},
		{"drop", *b.Drop, gradient * length, 1e-9},
		{"resistance", *b.Resistance, *b.Drop / flow * 1e-3, 1e-9},
		{"resistance in water", *b.ResistanceWater, *b.Resistance / 98.0665, 1e-9},
		{"Reynolds", b.Reynolds, mean * diameter / viscosity, 0.01},
		{"Womersley", *b.Womersley, diameter / 2 * math.Sqrt(2*math.Pi/period/viscosity), 0.01},
		{"mean wall shear", b.Wall.Mean, gradient * diameter / 4, 0.02},
		{"wall area", b.Wall.Area, math.Pi * diameter * length, 0.01},
	} {
		if math.Abs(test.got/test.want-1) > test.tolerance {
			t.Errorf("%s: %g, want %g", test.name, test.got, test.want)
		}
	}
	// Where no surface is known, there is no wall.
	bare, err := answers.Of(&answers.Flow{Grid: g, Fields: f, Summary: summary})
	if err != nil || bare.Wall != nil || bare.Branches[0].Wall != nil || bare.Branches[0].Womersley != nil {
		t.Errorf("%v: %+v", err, bare.Branches)
	}
	if b.Name != "out" || a.Figures.Area != b.Wall.Area {
		t.Errorf("name %q, area %g of %g", b.Name, b.Wall.Area, a.Figures.Area)
	}
}
