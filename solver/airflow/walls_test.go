package airflow

import (
	"context"
	"math"
	"testing"

	"carina/geometry"
	"carina/geometry/generate"
	"carina/internal/race"
	"carina/solver"
)

// forcedPipe is one periodic layer of a pipe along x, of a radius in cells,
// with exact wall distances.
func forcedPipe(radius float64) *geometry.Grid {
	n := int32(2*math.Ceil(radius)) + 2
	middle := float64(n) / 2
	at := func(y, z int32) (u, v float64) { return float64(y) + 0.5 - middle, float64(z) + 0.5 - middle }
	fluid := func(_, y, z int32) bool {
		u, v := at(y, z)
		return u*u+v*v < radius*radius
	}
	wall := func(_, y, z int32, d geometry.Offset) (float64, int) {
		u, v := at(y, z)
		du, dv := float64(d.Y), float64(d.Z)
		a, b, c := du*du+dv*dv, u*du+v*dv, u*u+v*v-radius*radius
		return min(1, max((-b+math.Sqrt(b*b-a*c))/a, 1./65536)), 0
	}
	return generate.LinkedGrid([3]int32{1, n, n}, 1, [3]bool{true, false, false}, fluid, wall, nil)
}

// forcedError is the relative L2 error of the velocity in a pipe of a radius
// in cells against F/(4ν)·(R²−r²).
func forcedError(t *testing.T, wall Wall, radius float64) float64 {
	t.Helper()
	g := forcedPipe(radius)
	s := DefaultSettings()
	s.Collision, s.Precision, s.Wall, s.FlowRate = TRT, Double, wall, 0
	s.KinematicViscosity, s.Density, s.TimeStep = 0.1, 1, 1
	s.BodyForce = [3]float64{1e-3 / (radius * radius), 0, 0}
	domain := solver.WholeDomain(g)
	domain.Periodic = [3]bool{true, false, false}
	var f *Fields
	steps := int64(2 * radius * radius / s.KinematicViscosity)
	if _, err := RunInProcess(context.Background(), domain, s, Plan{Steps: steps, Visit: func(r *Rank) error {
		f = must(r.Fields())
		return nil
	}}); err != nil {
		t.Fatal(err)
	}
	middle := float64(g.Size[1]) / 2
	var sum, reference float64
	i := 0
	for _, r := range g.Runs {
		u, v := float64(r.Y)+0.5-middle, float64(r.Z)+0.5-middle
		want := s.BodyForce[0] / (4 * s.KinematicViscosity) * (radius*radius - u*u - v*v)
		sum += (float64(f.Velocity[0][i]) - want) * (float64(f.Velocity[0][i]) - want)
		reference += want * want
		i++
	}
	return math.Sqrt(sum / reference)
}

// Interpolated walls converge with second order in pipes that the grid cuts at
// all fractions; quadratic ones err less. The gate of OpenLB's own test for
// interpolated walls at 11 cells across is 0.0197.
func TestWallOrder(t *testing.T) {
	race.SkipArithmetic(t)
	radii := []float64{5.1, 5.3, 5.5, 5.7}
	errors := map[Wall]float64{}
	for _, wall := range []Wall{Interpolated, Quadratic} {
		var coarse, fine float64
		for _, r := range radii {
			coarse += forcedError(t, wall, r) / float64(len(radii))
			fine += forcedError(t, wall, 2*r) / float64(len(radii))
		}
		order := math.Log2(coarse / fine)
		t.Logf("%s: errors %.5f and %.5f, order %.2f", wall, coarse, fine, order)
		if coarse > 0.0197 || order < 1.8 {
			t.Errorf("%s: error %.5f at 11 cells across, order %.2f", wall, coarse, order)
		}
		errors[wall] = coarse
	}
	if errors[Quadratic] > 0.7*errors[Interpolated] {
		t.Errorf("quadratic walls err by %.5f, linear ones by %.5f", errors[Quadratic], errors[Interpolated])
	}
}
