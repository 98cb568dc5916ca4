package wallshear_test

import (
	"context"
	"math"
	"math/cmplx"
	"sort"
	"testing"

	"carina/geometry"
	"carina/geometry/generate"
	"carina/internal/race"
	"carina/solver"
	"carina/solver/airflow"
	"carina/solver/airflow/opening"
	"carina/solver/airflow/wallshear"

	"gonum.org/v1/gonum/spatial/r3"
)

const (
	diameter = 0.01
	length   = 0.03
	across   = 21
)

// turnedPipe is a pipe along no axis of the grid, 21 cells across.
func turnedPipe(t testing.TB) (p *geometry.Prepared, g *geometry.Grid, along, from r3.Vec) {
	t.Helper()
	s, _, err := generate.Pipe(generate.PipeOptions{Diameter: diameter, Length: length, Segments: 128})
	if err != nil {
		t.Fatal(err)
	}
	turn := r3.NewRotation(37*math.Pi/180, r3.Vec{X: 1, Y: -0.6, Z: 0.3})
	for i, v := range s.Vertices {
		s.Vertices[i] = turn.Rotate(v)
	}
	o := geometry.Options{Spacing: diameter / across, Directions: 18}
	if p, err = geometry.Prepare(s, o); err != nil {
		t.Fatal(err)
	}
	if g, _, err = geometry.VoxelizePrepared(context.Background(), p, o); err != nil {
		t.Fatal(err)
	}
	from = p.Openings[0].Center
	return p, g, r3.Unit(r3.Sub(p.Openings[1].Center, from)), from
}

// radiusAt is how far a place is from the axis, and how far along it.
func radiusAt(at, along, from r3.Vec) (r, z float64) {
	v := r3.Sub(at, from)
	z = r3.Dot(v, along)
	return r3.Norm(r3.Sub(v, r3.Scale(z, along))), z
}

// fill sets the velocity of all cells to a profile along the axis.
func fill(g *geometry.Grid, along, from r3.Vec, profile func(r float64) float64) (velocity [3][]float32, pressure []float32) {
	for _, run := range g.Runs {
		for x := run.X0; x < run.X1; x++ {
			r, z := radiusAt(g.Center(x, run.Y, run.Z), along, from)
			u := profile(r)
			velocity[0] = append(velocity[0], float32(u*along.X))
			velocity[1] = append(velocity[1], float32(u*along.Y))
			velocity[2] = append(velocity[2], float32(u*along.Z))
			pressure = append(pressure, float32(5-100*z))
		}
	}
	return velocity, pressure
}

// inner are the triangles away from both ends, and their relative errors against an exact
// stress, signed along the axis, in order of size.
func errorsOf(w *wallshear.Wall, s *wallshear.Stress, along, from r3.Vec, exact, margin float64) (mean float64, sizes []float64) {
	var area float64
	for t := range w.Triangles {
		_, z := radiusAt(w.Center[t], along, from)
		if z < margin || z > length-margin {
			continue
		}
		area += w.Area[t]
		mean += w.Area[t] * r3.Dot(s.Shear[t], along)
		sizes = append(sizes, math.Abs(r3.Norm(s.Shear[t])/math.Abs(exact)-1))
	}
	sort.Float64s(sizes)
	return mean / area, sizes
}

// In the exact profile of a pipe the stress and the pressure are exact but for the
// fit.
func TestExactProfile(t *testing.T) {
	p, g, along, from := turnedPipe(t)
	const viscosity, fastest = 1.8e-5, 0.3
	velocity, pressure := fill(g, along, from, func(r float64) float64 { return fastest * (1 - 4*r*r/diameter/diameter) })
	w := wallshear.NewWall(p, g.Spacing)
	s := wallshear.Measure(w, g, pressure, &velocity, viscosity)
	exact := viscosity * 4 * fastest / diameter
	mean, sizes := errorsOf(w, s, along, from, exact, 0)
	t.Logf("mean %+.2f %%, 95 %% within %.2f %%", 100*(mean/exact-1), 100*sizes[len(sizes)*95/100])
	if math.Abs(mean/exact-1) > 0.01 || sizes[len(sizes)*95/100] > 0.02 {
		t.Errorf("mean %g, want %g; 95 %% of the triangles within %.2g", mean, exact, sizes[len(sizes)*95/100])
	}
	for k := range w.Triangles {
		if _, z := radiusAt(w.Center[k], along, from); !s.Known[k] || math.Abs(s.Pressure[k]-(5-100*z)) > 1e-3 {
			t.Fatalf("pressure %g at %g, want %g", s.Pressure[k], z, 5-100*z)
		}
	}
}

// besselJ is the Bessel function of the first kind by its series.
func besselJ(order int, z complex128) (sum complex128) {
	term := complex(1, 0)
	for k := 1; k <= order; k++ {
		term *= z / complex(2*float64(k), 0)
	}
	for k := 1; k < 60; k++ {
		sum += term
		term *= -z * z / complex(4*float64(k)*float64(k+order), 0)
	}
	return sum
}

// In Womersley's profile amplitude and phase of the stress are exact within 5 % and 5°.
func TestWomersley(t *testing.T) {
	race.SkipArithmetic(t)
	p, g, along, from := turnedPipe(t)
	w := wallshear.NewWall(p, g.Spacing)
	const viscosity = 1.8e-5
	for _, alpha := range []float64{5} {
		lambda := complex(alpha, 0) * cmplx.Sqrt(complex(0, -1)) // i^(3/2) α
		j0 := besselJ(0, lambda)
		profile := func(r float64) complex128 { return 1 - besselJ(0, lambda*complex(2*r/diameter, 0))/j0 }
		// τ = −μ ∂u/∂r at the wall, ∂J₀(λr/R)/∂r = −(λ/R) J₁.
		exact := -complex(viscosity, 0) * lambda * complex(2/diameter, 0) * besselJ(1, lambda) / j0
		var got [2]float64
		for part := range got {
			velocity, pressure := fill(g, along, from, func(r float64) float64 {
				v := profile(r)
				return [2]float64{real(v), imag(v)}[part]
			})
			got[part], _ = errorsOf(w, wallshear.Measure(w, g, pressure, &velocity, viscosity), along, from, 1, 0)
		}
		found := complex(got[0], got[1])
		ratio := found / exact
		t.Logf("α = %g: amplitude %+.2f %%, phase %+.2f°", alpha, 100*(cmplx.Abs(ratio)-1), cmplx.Phase(ratio)*180/math.Pi)
		if math.Abs(cmplx.Abs(ratio)-1) > 0.05 || math.Abs(cmplx.Phase(ratio)) > 5*math.Pi/180 {
			t.Errorf("α = %g: found %v, want %v", alpha, found, exact)
		}
	}
}

// In a computed flow at a Reynolds number of 100 the stress is exact within 3 % in the
// mean and 6 % at the 95th percentile, and the wall's force is the pressure drop times
// the area within 1 %.
func TestPipeFlow(t *testing.T) {
	race.SkipArithmetic(t)
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	p, g, along, from := turnedPipe(t)
	s := airflow.DefaultSettings()
	const reynolds = 100
	s.FlowRate = reynolds * math.Pi * diameter * s.KinematicViscosity / 4
	s.Profile, s.Wall = opening.Parabolic, airflow.Interpolated
	var fields *airflow.Fields
	_, err := airflow.RunInProcess(context.Background(), solver.WholeDomain(g), s, airflow.Plan{Steps: 4000,
		Visit: func(r *airflow.Rank) (err error) { fields, err = r.Gather(); return err }})
	if err != nil {
		t.Fatal(err)
	}
	w := wallshear.NewWall(p, g.Spacing)
	viscosity := s.KinematicViscosity * s.Density
	stress := wallshear.Measure(w, g, fields.Pressure, &fields.Velocity, viscosity)
	exact := 32 * viscosity * s.FlowRate / math.Pi / math.Pow(diameter, 3)
	mean, sizes := errorsOf(w, stress, along, from, exact, diameter/2)
	t.Logf("mean %+.2f %%, 95 %% within %.2f %%", 100*(mean/exact-1), 100*sizes[len(sizes)*95/100])
	if math.Abs(mean/exact-1) > 0.03 || sizes[len(sizes)*95/100] > 0.06 {
		t.Errorf("mean %g, want %g; 95 %% of the triangles within %.2g", mean, exact, sizes[len(sizes)*95/100])
	}
	// Between two sections the wall takes what the pressure loses.
	const low, high = diameter, 2 * diameter
	var force float64
	var sums [2][2]float64
	for k := range w.Triangles {
		if _, z := radiusAt(w.Center[k], along, from); z > low && z < high {
			force += w.Area[k] * r3.Dot(stress.Shear[k], along)
		}
	}
	cell := 0
	for _, run := range g.Runs {
		for x := run.X0; x < run.X1; x++ {
			_, z := radiusAt(g.Center(x, run.Y, run.Z), along, from)
			for k, at := range [2]float64{low, high} {
				if math.Abs(z-at) < g.Spacing {
					sums[k][0]++
					sums[k][1] += float64(fields.Pressure[cell])
				}
			}
			cell++
		}
	}
	drop := (sums[0][1]/sums[0][0] - sums[1][1]/sums[1][0]) * math.Pi * diameter * diameter / 4
	t.Logf("force %g, pressure drop times area %g: %+.2f %%", force, drop, 100*(force/drop-1))
	if math.Abs(force/drop-1) > 0.01 {
		t.Errorf("the wall takes %g N, the pressure drop gives %g", force, drop)
	}
}

// Where the direction stays the oscillatory index is 0, where it turns around ½, and
// where it turns by 90° (1 − ½√2)/2.
func TestOscillatoryIndex(t *testing.T) {
	var s wallshear.Series
	s.Add([]r3.Vec{{X: 1}, {X: 1}, {X: 1}})
	s.Add([]r3.Vec{{X: 3}, {X: -1}, {Y: 1}})
	magnitude, index := s.Mean()
	if s.Largest[0] != 3 || s.Largest[1] != 1 {
		t.Errorf("largest %v", s.Largest)
	}
	for k, want := range [3][2]float64{{2, 0}, {1, 0.5}, {1, (1 - math.Sqrt(0.5)) / 2}} {
		if math.Abs(magnitude[k]-want[0]) > 1e-12 || math.Abs(index[k]-want[1]) > 1e-12 {
			t.Errorf("triangle %d: %g and %g, want %v", k, magnitude[k], index[k], want)
		}
	}
}

// Large triangles are divided without a change of the wall.
func TestLargeTrianglesAreDivided(t *testing.T) {
	s, _, err := generate.Pipe(generate.PipeOptions{Diameter: diameter, Length: length, Segments: 16})
	if err != nil {
		t.Fatal(err)
	}
	p, err := geometry.Prepare(s, geometry.Options{Spacing: 1e-3})
	if err != nil {
		t.Fatal(err)
	}
	sums := func(spacing float64) (n int, area float64) {
		w := wallshear.NewWall(p, spacing)
		for k := range w.Triangles {
			area += w.Area[k]
			for i := range 3 {
				a, b := w.Points[w.Triangles[k][i]], w.Points[w.Triangles[k][(i+1)%3]]
				if r3.Norm(r3.Sub(a, b)) > 4*spacing*(1+1e-9) {
					t.Fatalf("a side of %g with cells of %g", r3.Norm(r3.Sub(a, b)), spacing)
				}
			}
		}
		return len(w.Triangles), area
	}
	few, area := sums(1)
	many, same := sums(2e-4)
	if many <= few || math.Abs(area/same-1) > 1e-9 {
		t.Errorf("%d triangles of %g, then %d of %g", few, area, many, same)
	}
}
