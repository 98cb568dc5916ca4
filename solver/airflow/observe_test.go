package airflow

import (
	"context"
	"errors"
	"math"
	"testing"

	"carina/internal/race"
	"carina/solver/airflow/opening"

	"gonum.org/v1/gonum/spatial/r3"
)

// A pipe's flow stops when it is steady; then wall shear stress, vorticity,
// probes, planes and the average agree with Hagen and Poiseuille.
func TestObservations(t *testing.T) {
	const diameter, flow, across = 0.01, 1e-6, 21
	g := pipe(0, across, 24, diameter)
	s := DefaultSettings()
	s.FlowRate, s.Profile = flow, opening.Parabolic
	const radius = diameter / 2
	peak := 2 * flow / (math.Pi * radius * radius)
	middle := r3.Vec{X: 12.5 * g.Spacing, Y: radius, Z: radius}
	d := scattered(g, 5, 3, 1, [3]bool{})
	plan := Plan{Steps: race.Few[int64](100, 100000), Tolerance: 1e-4, Between: []Between{{Do: func(r *Rank) error {
		if r.engine.Steps() == race.Few[int64](50, 1500) {
			r.StartAverage()
		}
		return nil
	}}}}
	viscosity := s.KinematicViscosity * s.Density
	plan.Visit = func(r *Rank) error {
		samples, err := r.Probe([]r3.Vec{middle, {X: -1}})
		if err != nil {
			return err
		}
		if race.Enabled { // so early the flow is another one
			if _, _, err := r.PlaneFlow(middle, r3.Vec{X: 2}, radius); err != nil {
				return err
			}
			_, _, _, _ = must(r.Average()), must(r.ShearStress()), must(r.StrainRate()), must(r.Fields())
			_, err := r.Gather()
			return err
		}
		if u := samples[0].Velocity.X; math.Abs(u-peak) > 0.01*peak || samples[1].Inside {
			t.Errorf("probes: %+v, want a velocity of %g", samples, peak)
		}
		through, pressure, err := r.PlaneFlow(middle, r3.Vec{X: 2}, radius)
		if err != nil {
			return err
		}
		if math.Abs(through-flow) > 0.01*flow || pressure <= 0 {
			t.Errorf("plane: %g m³/s, want %g; %g Pa", through, flow, pressure)
		}
		mean := must(r.Average())
		if mean == nil {
			t.Error("no average")
			return nil
		}
		shear, strain, now := must(r.ShearStress()), must(r.StrainRate()), must(r.Fields())
		for _, p := range r.Pieces() {
			for x := p.X0; x < p.X1; x++ {
				i := p.Local + int(x-p.X0)
				at := g.Center(x, p.Y, p.Z)
				distance := math.Hypot(at.Y-radius, at.Z-radius)
				want := viscosity * 2 * peak * distance / (radius * radius)
				if x > 6 && x < 18 && math.Abs(float64(shear[i])-want) > 0.06*viscosity*2*peak/radius {
					t.Errorf("shear stress %g at radius %g, want %g", shear[i], distance, want)
					return nil
				}
				// u = peak (1 − r²/R²), so that ½∂_y u = −peak (y − R)/R².
				if rate := -peak * (at.Y - radius) / (radius * radius); x > 6 && x < 18 && math.Abs(float64(strain[3][i])-rate) > 0.06*peak/radius {
					t.Errorf("rate of strain %g at height %g, want %g", strain[3][i], at.Y-radius, rate)
					return nil
				}
				if math.Abs(float64(mean.Velocity[0][i]-now.Velocity[0][i])) > 0.02*peak {
					t.Errorf("average velocity %g, now %g", mean.Velocity[0][i], now.Velocity[0][i])
					return nil
				}
			}
		}
		return nil
	}
	summary, err := RunInProcess(context.Background(), d, s, plan)
	if err != nil {
		t.Fatal(err)
	}
	if !race.Enabled && summary.Steps >= plan.Steps || summary.Steps < race.Few[int64](100, 500) {
		t.Errorf("steady after %d steps", summary.Steps)
	}
	t.Logf("steady after %d steps", summary.Steps)
}

// What a diverging flow was like shortly before is handed over on every rank.
func TestLastGoodState(t *testing.T) {
	g := cave(1, [3]bool{})
	s := caveSettings(g)
	// Fast enough to diverge, slow enough to last for some hundred steps.
	s.FlowRate, s.LatticeVelocity, s.Collision = 5e-5, 0.2, BGK
	calls := make([]int, 3)
	_, err := RunInProcess(context.Background(), scattered(g, 4, 3, 1, [3]bool{}), s, Plan{Steps: 20000, Diverged: func(r *Rank, f *Fields) error {
		calls[r.Number()]++
		for _, a := range f.arrays() {
			for _, v := range a {
				if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
					t.Error("the last good state is not good")
					return nil
				}
			}
		}
		return nil
	}})
	var diverged *DivergedError
	if !errors.As(err, &diverged) {
		t.Fatalf("got %v, want a DivergedError", err)
	}
	t.Log(err)
	if diverged.Step > checkInterval && (calls[0] != 1 || calls[1] != 1 || calls[2] != 1) {
		t.Errorf("handed over %v times", calls)
	}
}
