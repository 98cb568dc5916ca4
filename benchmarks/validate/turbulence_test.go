package validate

import (
	"context"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"carina/geometry"
	"carina/geometry/generate"
	"carina/solver/airflow"

	"gonum.org/v1/gonum/spatial/r3"
)

const references = "../../../shared/reference-data"

// In every lumen with turbulent flow the layers see a given profile as it is, and
// fluctuations in its directions; cells lie between walls and keep their distance.
func TestLayersOfWallFlows(t *testing.T) {
	for name, make := range map[string]func(int32) *wallFlow{"channel": straightChannel, "turned": turnedChannel, "pipe": turbulentPipe} {
		t.Run(name, func(t *testing.T) {
			const cells = 6
			f := make(cells)
			m := newWallMean(f, cells)
			grid := f.shape.grid()
			fields := airflow.NewFields(len(m.layer))
			i, sign := 0, 1.
			var force r3.Vec
			for _, r := range grid.Runs {
				for x := r.X0; x < r.X1; x++ {
					d, away := f.wall(f.shape.center(x, r.Y, r.Z))
					if d <= 0 || math.Abs(r3.Norm(away)-1) > 1e-12 || math.Abs(r3.Dot(away, f.along)) > 1e-12 {
						t.Fatalf("cell %d is %g from the wall, away from which is %v", i, d, away)
					}
					u := r3.Add(r3.Scale(7+sign*0.3, f.along), r3.Scale(sign*0.2, away))
					u = r3.Add(u, r3.Scale(sign*0.1, r3.Cross(f.along, away)))
					for a, v := range [3]float64{u.X, u.Y, u.Z} {
						fields.Velocity[a][i] = float32(v)
					}
					force = r3.Add(force, away)
					sign = -sign
					i++
				}
			}
			if r3.Norm(force) > 0.05*float64(i) {
				t.Errorf("walls are not on both sides alike: %v", force)
			}
			m.add(fields)
			m.add(fields)
			p := m.profile(f)
			if math.Abs(p.bulk-7) > 1e-2 {
				t.Errorf("the mean velocity is %g", p.bulk)
			}
			for k, row := range p.rows {
				for j, want := range []float64{(float64(k) + 0.5) / cells * f.reynolds, 7, 0.3, 0.2, 0.1} {
					tolerance := 0.02
					if j == 0 {
						tolerance = 0.35 / cells * f.reynolds
					}
					if math.Abs(row[j]-want) > tolerance {
						t.Errorf("layer %d, column %d: %g, want %g", k, j, row[j], want)
					}
				}
			}
			_, u := f.disturbed(rand.New(rand.NewPCG(1, 1)))(f.shape.center(grid.Runs[0].X0, grid.Runs[0].Y, grid.Runs[0].Z))
			if speed := r3.Norm(u); !(speed < 60) {
				t.Errorf("it starts with %v", u)
			}
		})
	}
}

// The published data are those that their authors describe.
func TestReferencesOfTurbulence(t *testing.T) {
	if _, err := os.Stat(references); err != nil {
		t.Skip("the published data are not here: ", err)
	}
	s := &suite{options: Options{References: references}}
	for _, c := range []struct {
		pipe            bool
		bulk, top, peak float64
	}{{false, 15.6, 18.30, 2.65}, {true, 14.637, 19.13, 2.69}} {
		rows, bulk, err := s.wallUnits(c.pipe)
		if err != nil {
			t.Fatal(err)
		}
		var top, peak float64
		for _, r := range rows {
			top, peak = max(top, r[1]), max(peak, r[2])
		}
		if math.Abs(bulk/c.bulk-1) > 0.01 || math.Abs(top/c.top-1) > 0.005 || math.Abs(peak/c.peak-1) > 0.02 {
			t.Errorf("pipe %v: mean velocity %g, largest %g, peak of fluctuations %g", c.pipe, bulk, top, peak)
		}
	}
	for _, run := range nozzleRuns {
		m, err := s.nozzleMeasurements(run.reynolds, run.flow)
		if err != nil {
			t.Fatal(err)
		}
		if len(m.drops) < 3 || len(m.velocity) != 15 {
			t.Fatalf("%d laboratories with pressures, velocities at %d places", len(m.drops), len(m.velocity))
		}
		// Before the cone the flow is that of a pipe, twice the mean on the axis.
		v, want := m.velocity[0], 2*run.flow/(math.Pi*math.Pow(6e-3, 2))
		if run.reynolds == 500 && math.Abs(v.mean-want) > v.interval {
			t.Errorf("before the cone laboratories have %g ± %g m/s, a parabola %g", v.mean, v.interval, want)
		}
		if run.reynolds != 500 {
			continue
		}
		// Half way along the throat, of another program for the same equations.
		exact, err := run.boundaryLayer()
		if err != nil {
			t.Fatal(err)
		}
		if got := interpolate(exact, -0.02); math.Abs(got-0.675) > 1e-3 {
			t.Errorf("%g m/s half way along the throat, want 0.675", got)
		}
	}
	if _, err := s.nozzleMeasurements(4000, 1); err == nil {
		t.Error("there are no measurements at Re 4000")
	}
}

// A parabola across a pipe carries half its peak times the area, and what lies beyond
// the wall or behind the expansion is left out.
func TestFlowOfProfiles(t *testing.T) {
	profile := func(radius float64) (p table) {
		for i := -150; i <= 150; i++ {
			r := radius * float64(i) / 100
			p = append(p, []float64{r, 3 * (1 - r*r/radius/radius)})
		}
		return p
	}
	plots := map[string]table{"profile-axial-velocity-at-z -0.08800 0": profile(6e-3), "profile-axial-velocity-at-z 0.00000 0": profile(2e-3),
		"profile-axial-velocity-at-z 0.00800 0": profile(6e-3), "profile-radial-velocity-at-z 0.0 0": profile(1)}
	got := flowsOfProfiles(plots)
	if len(got) != 2 {
		t.Fatalf("flows %v", got)
	}
	for i, radius := range []float64{2e-3, 6e-3} {
		if want := 1.5 * math.Pi * radius * radius; math.Abs(got[i]/want-1) > 1e-3 {
			t.Errorf("within %g m: %g m³/s, want %g", radius, got[i], want)
		}
	}
	if got, want := nozzleRadius(-0.0513), 2e-3+11.3e-3*0.17633; math.Abs(got-want) > 1e-6 {
		t.Errorf("half way along the cone the radius is %g, want %g", got, want)
	}
}

// A parabola's value on the axis is found from cells beside it, and a jet that turns
// back at the wall is attached behind that.
func TestLineAlongNozzle(t *testing.T) {
	surface, _, err := generate.Nozzle(generate.NozzleOptions{})
	if err != nil {
		t.Fatal(err)
	}
	grid, err := geometry.Voxelize(context.Background(), surface, geometry.Options{Spacing: 0.5e-3})
	if err != nil {
		t.Fatal(err)
	}
	cells := 0
	for _, r := range grid.Runs {
		cells += int(r.X1 - r.X0)
	}
	f := airflow.NewFields(cells)
	i := 0
	for _, r := range grid.Runs {
		for x := r.X0; x < r.X1; x++ {
			p := grid.Center(x, r.Y, r.Z)
			f.Velocity[2][i] = float32(2 - 1e5*(p.X*p.X+p.Y*p.Y))
			if p.Z > 0.05 {
				f.Velocity[2][i] = 2
			}
			f.Pressure[i] = float32(p.Z)
			i++
		}
	}
	line := alongNozzle(grid, f)
	for k, z := range line.z {
		if math.Abs(line.velocity[k]-2) > 1e-5 || math.Abs(line.pressure[k]-z) > 1e-6 {
			t.Fatalf("at %g m: velocity %g, pressure %g", z, line.velocity[k], line.pressure[k])
		}
	}
	if math.Abs(line.reattached-0.05) > 0.6e-3 {
		t.Errorf("reattached at %g m, want 0.05", line.reattached)
	}
}

// The peak of a parabola is found between samples, and the enstrophy of the vortices is
// the exact one, 3/8.
func TestPeakAndEnstrophy(t *testing.T) {
	var c Curve
	for i := range 21 {
		x := float64(i)
		c.X, c.Y = append(c.X, x), append(c.Y, 5-(x-9.3)*(x-9.3))
	}
	if top, at := peakOf(c, 1); math.Abs(top-5) > 1e-9 || math.Abs(at-9.3) > 1e-9 {
		t.Errorf("peak %g at %g, want 5 at 9.3", top, at)
	}
	const n = 16
	f := airflow.NewFields(n * n * n)
	for i := range n * n * n {
		x, y, z := 2*math.Pi*float64(i%n)/n, 2*math.Pi*float64(i/n%n)/n, 2*math.Pi*float64(i/n/n)/n
		f.Velocity[0][i] = float32(math.Sin(x) * math.Cos(y) * math.Cos(z))
		f.Velocity[1][i] = float32(-math.Cos(x) * math.Sin(y) * math.Cos(z))
	}
	if got := enstrophy(f, n); math.Abs(got-0.375) > 1e-6 {
		t.Errorf("enstrophy %g, want 0.375", got)
	}
	if got := kineticEnergy(f); math.Abs(got-0.125) > 1e-6 {
		t.Errorf("energy %g, want 0.125", got)
	}
}

// Turbulence between walls along the axes has the friction of the spectral simulation: with
// fourth moments that hold a part of the flow's own u u it had a third more, while waves
// along all directions were right.
func TestChannelOnGPU(t *testing.T) {
	skipWithoutGPU(t)
	const bulk = 15.6 // in friction velocities (Moser, Kim and Mansour 1999)
	run := wallRuns[0]
	for _, o := range []struct {
		collision airflow.Collision
		lattice   airflow.Lattice
	}{{airflow.Recursive, airflow.D3Q19}, {airflow.Cumulant, airflow.D3Q27}} {
		s := &suite{ctx: context.Background(), options: Options{Device: GPU, Progress: func(string, float64) {}, Change: func(settings *airflow.Settings) {
			settings.Collision, settings.Lattice = o.collision, o.lattice
		}}}
		p, err := s.average(run, run.make(run.cells))
		if err != nil {
			t.Fatal(err)
		}
		friction := math.Pow(bulk/p.bulk, 2)
		t.Logf("%v: friction factor %.3f times the reference's", o.collision, friction)
		if !(math.Abs(friction-1) <= run.friction) {
			t.Errorf("%v: the friction factor is %.3f times the reference's, want 1 within %g", o.collision, friction, run.friction)
		}
	}
}
