package answers_test

import (
	"context"
	"math"
	"reflect"
	"testing"

	"carina/geometry"
	"carina/geometry/generate"
	"carina/internal/race"
	"carina/solver/airflow"
	"carina/solver/airflow/answers"
	"carina/solver/airflow/wallshear"

	"gonum.org/v1/gonum/spatial/r3"
)

// In a pipe whose parabolic flow swings about a mean, the mean, the largest stress and the
// oscillatory index over a period are those of its time course: of the last whole period,
// also where the series goes on from a checkpoint, and where the flow goes back.
func TestWallSeries(t *testing.T) {
	race.SkipArithmetic(t)
	const diameter, length, viscosity, period = 0.01, 0.03, 1.8e-5, 2.0
	s, _, err := generate.Pipe(generate.PipeOptions{Diameter: diameter, Length: length})
	if err != nil {
		t.Fatal(err)
	}
	o := geometry.Options{Spacing: diameter / 10, Directions: 18}
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
	field := func(mean float64) *airflow.Fields {
		f := &airflow.Fields{}
		for _, run := range g.Runs {
			for x := run.X0; x < run.X1; x++ {
				v := r3.Sub(g.Center(x, run.Y, run.Z), from)
				z := r3.Dot(v, along)
				r := r3.Norm(r3.Sub(v, r3.Scale(z, along)))
				u := r3.Scale(2*mean*(1-4*r*r/diameter/diameter), along)
				f.Velocity[0], f.Velocity[1], f.Velocity[2] = append(f.Velocity[0], float32(u.X)), append(f.Velocity[1], float32(u.Y)), append(f.Velocity[2], float32(u.Z))
				f.Pressure = append(f.Pressure, 0)
			}
		}
		return f
	}
	// What one period has is not what the others have.
	const amplitude, offset = 0.2, 0.5
	flow := func(time float64) float64 {
		return amplitude * (1 + math.Floor(time/period)) * (offset + math.Sin(2*math.Pi*time/period))
	}
	fresh := func() *answers.WallSeries {
		w, err := answers.NewWallSeries(g, p, period)
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	series, gone, back := fresh(), fresh(), fresh()
	const samples = answers.CycleSamples
	add := func(w *answers.WallSeries, first, last int) {
		for k := first; k <= last; k++ {
			time := float64(k) * period / samples
			w.Add(time, &field(flow(time)).Velocity, viscosity)
		}
	}
	last := 2*samples + samples/2
	add(series, 1, last)
	add(gone, 1, 30)
	other := fresh()
	if err := other.Load(gone.Save()); err != nil {
		t.Fatal(err)
	}
	add(other, 31, last)
	if !reflect.DeepEqual(other.Series(), series.Series()) {
		t.Error("a series that goes on is another one")
	}
	add(back, 1, 30)
	add(back, 1, last)
	if !reflect.DeepEqual(back.Series(), series.Series()) {
		t.Error("a series of a flow that goes back is another one")
	}
	// 8 μ U / D at the wall.
	var sum, size, largest float64
	for k := range samples {
		tau := 8 * viscosity * flow(period+float64(k)*period/samples) / diameter
		sum, size, largest = sum+tau/samples, size+math.Abs(tau)/samples, max(largest, math.Abs(tau))
	}
	summary := &airflow.Summary{Density: 1.2, KinematicViscosity: viscosity / 1.2, Openings: []airflow.OpeningSummary{{Number: 1}, {Number: 2}}}
	now := field(flow(period / 4))
	a, err := answers.Of(&answers.Flow{Grid: g, Surface: p, Fields: now, Summary: summary, Period: period, Series: series})
	if err != nil {
		t.Fatal(err)
	}
	over := a.Branches[0].Wall.Over
	if over == nil {
		t.Fatal("nothing is known over time")
	}
	for _, test := range []struct {
		name      string
		got, want float64
		tolerance float64
	}{
		{"mean", over.Mean, size, 0.03}, {"peak", over.Peak, largest, 0.08}, {"oscillatory index", over.Oscillatory, (1 - math.Abs(sum)/size) / 2, 0.01},
	} {
		if math.Abs(test.got/test.want-1) > test.tolerance {
			t.Errorf("%s: %g, want %g", test.name, test.got, test.want)
		}
	}
	// A meter measures what a single measurement does.
	meter := wallshear.NewMeter(a.Wall, g)
	shear := make([]r3.Vec, len(a.Wall.Triangles))
	meter.Measure(&now.Velocity, viscosity, shear)
	for k, v := range shear {
		if r3.Norm(r3.Sub(v, a.Stress.Shear[k])) > 1e-5*(r3.Norm(v)+a.Figures.Mean) {
			t.Fatalf("triangle %d feels %v, measured at once %v", k, v, a.Stress.Shear[k])
		}
	}
	for name, data := range map[string][]byte{"nothing": nil, "cut off": series.Save()[:100]} {
		if fresh().Load(data) == nil {
			t.Errorf("%s is taken for a series", name)
		}
	}
}
