package airflow

import (
	"math"
	"testing"

	"carina/geometry"
	"carina/geometry/generate"
	"carina/internal/race"
	"carina/solver/enginetest"
	"carina/solver/transport"

	"gonum.org/v1/gonum/spatial/r3"
)

// A flow that is linear in space is the same between cells, and falls to rest behind
// walls but not at openings.
func TestResampledFlow(t *testing.T) {
	g := generate.BallsGrid([3]int32{21, 18, 16}, 9, 2)
	length := float64(g.Size[0]) * g.Spacing
	place := func(p r3.Vec) r3.Vec { return r3.Sub(p, g.Origin) }
	pressure := func(p r3.Vec) float64 { p = place(p); return 3 + p.X/length - 2*p.Y/length }
	speed := func(p r3.Vec) r3.Vec {
		p = place(p)
		return r3.Vec{X: 1 + p.Z/length, Y: p.X / length, Z: 2 - p.Y/length}
	}
	f := NewFields(int(g.Cells()))
	var strain [6][]float32
	for k := range strain {
		strain[k] = make([]float32, g.Cells())
	}
	i := 0
	inside := map[[3]int32]bool{}
	for _, r := range g.Runs {
		for x := r.X0; x < r.X1; x++ {
			inside[[3]int32{x, r.Y, r.Z}] = true
			p := g.Center(x, r.Y, r.Z)
			f.Pressure[i] = float32(pressure(p))
			v := speed(p)
			f.Velocity[0][i], f.Velocity[1][i], f.Velocity[2][i] = float32(v.X), float32(v.Y), float32(v.Z)
			for k := range strain {
				strain[k][i] = float32(float64(k) + place(p).X/length)
			}
			i++
		}
	}
	s := NewResampled(g, f, strain)
	whole := 0
	for _, r := range g.Runs {
		for x := r.X0; x < r.X1; x++ {
			p := r3.Add(g.Center(x, r.Y, r.Z), r3.Scale(g.Spacing, r3.Vec{X: 0.3, Y: 0.4, Z: 0.2}))
			all := true
			for k := range int32(8) {
				all = all && inside[[3]int32{x + k&1, r.Y + k>>1&1, r.Z + k>>2}]
			}
			gotPressure, velocity := s.Initial(p)
			if !all {
				if !(r3.Norm(velocity) < 4) || !(math.Abs(gotPressure-3) < 4) {
					t.Fatalf("near a wall: %g Pa, %v", gotPressure, velocity)
				}
				continue
			}
			whole++
			gotStrain := s.InitialStrain(p)
			if math.Abs(gotPressure-pressure(p)) > 1e-5 || r3.Norm(r3.Sub(velocity, speed(p))) > 1e-5 || math.Abs(gotStrain[2]-2-place(p).X/length) > 1e-5 {
				t.Fatalf("at %v: %g Pa, %v, strain %v", p, gotPressure, velocity, gotStrain)
			}
		}
	}
	if whole == 0 {
		t.Fatal("no position between eight cells")
	}
	if _, v := s.Initial(r3.Sub(g.Origin, r3.Vec{X: length, Y: length, Z: length})); r3.Norm(v) > 4 {
		t.Errorf("far outside: %v", v)
	}
}

// A pipe's flow that goes on on half the spacing is that of Hagen and Poiseuille at
// once, as it was before, and stays.
func TestFlowGoesOnOnAFinerGrid(t *testing.T) {
	race.SkipArithmetic(t)
	const flow, radius = 2e-6, 4e-3
	settings := DefaultSettings()
	settings.Collision, settings.Precision, settings.FlowRate, settings.Profile = TRT, Double, flow, "parabolic"
	after := func(g *geometry.Grid, s Settings, counts ...int64) (errors []float64, f *Fields, strain [6][]float32) {
		enginetest.OnRanks(t, 1, func(tr transport.Transport) error {
			r, err := NewRank(scattered(g, 4, 1, 2, [3]bool{}), s, tr)
			if err != nil {
				return err
			}
			defer r.Close()
			for _, steps := range counts {
				if err := r.Advance(t.Context(), steps, nil); err != nil {
					return err
				}
				if f, err = r.Fields(); err != nil {
					return err
				}
				var difference, size float64
				i := 0
				for _, run := range g.Runs {
					for x := run.X0; x < run.X1; x++ {
						p := g.Center(x, run.Y, run.Z)
						want := 2 * flow / (math.Pi * radius * radius) * (1 - (p.X*p.X+p.Y*p.Y)/(radius*radius))
						difference += (float64(f.Velocity[2][i]) - want) * (float64(f.Velocity[2][i]) - want)
						size += want * want
						i++
					}
				}
				errors = append(errors, math.Sqrt(difference/size))
			}
			strain, err = r.StrainRate()
			return err
		})
		return errors, f, strain
	}
	coarse, fine := pipeGrid(t, 1e-3), pipeGrid(t, 0.5e-3)
	settings.TimeStep = 2e-4
	before, fields, strain := after(coarse, settings, 4000)
	from := NewResampled(coarse, fields, strain)
	settings.Initial, settings.InitialStrain, settings.RampTime, settings.TimeStep = from.Initial, from.InitialStrain, -1, 1e-4
	now, _, _ := after(fine, settings, 0, 20, 200)
	t.Logf("errors on the coarse grid %.3f, on the fine one %.3f", before, now)
	for _, e := range append(now, before...) {
		if !(e < 0.06) {
			t.Errorf("errors on the coarse grid %.3f, on the fine one %.3f", before, now)
		}
	}
}

// pipeGrid is a pipe of 8 mm and 24 mm.
func pipeGrid(t *testing.T, spacing float64) *geometry.Grid {
	t.Helper()
	surface, _, err := generate.Pipe(generate.PipeOptions{Diameter: 8e-3, Length: 24e-3})
	if err != nil {
		t.Fatal(err)
	}
	g, err := geometry.Voxelize(t.Context(), surface, geometry.Options{Spacing: spacing})
	if err != nil {
		t.Fatal(err)
	}
	return g
}
