package gpu

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"carina/solver"
	"carina/solver/airflow"
	"carina/solver/cuda/devicetest"

	"gonum.org/v1/gonum/spatial/r3"
)

// A wave of velocity across the direction in which it varies decays with the
// viscosity of the settings. The package of validation cases does the same with
// every operator in every precision, where there is a GPU.
func TestShearWave(t *testing.T) {
	devicetest.BesideOthers(t)
	for _, c := range []struct {
		collision airflow.Collision
		lattice   airflow.Lattice
	}{
		{airflow.TRT, airflow.D3Q19}, {airflow.Regularized, airflow.D3Q19}, {airflow.Recursive, airflow.D3Q19}, {airflow.Cumulant, airflow.D3Q27},
	} {
		t.Run(string(c.collision), func(t *testing.T) {
			devicetest.BesideOthers(t)
			if testing.Short() && c.collision != airflow.Recursive {
				t.Skip("compiling the kernels for the processor takes a while")
			}
			settings := airflow.DefaultSettings()
			settings.Collision, settings.Lattice, settings.FlowRate = c.collision, c.lattice, 0
			if got := waveViscosity(t, settings); !(math.Abs(got-1) <= 0.01) {
				t.Errorf("the viscosity is %.4f times that of the settings", got)
			}
		})
	}
}

// waveViscosity is the viscosity of a wave of 32 cells over that of the settings.
func waveViscosity(t *testing.T, settings airflow.Settings) float64 {
	t.Helper()
	const viscosity, speed, length, start, steps = 0.02, 0.02, 32, 60, 240
	periodic := [3]bool{true, true, true}
	domain := solver.WholeDomain(makeGrid([3]int32{4, length, 4}, periodic, func(x, y, z int32) bool { return true }, rand.New(rand.NewPCG(1, 2))))
	domain.Periodic = periodic
	spacing := domain.Grid.Spacing
	settings.TimeStep = viscosity * spacing * spacing / settings.KinematicViscosity
	wave := func(y float64) float64 { return math.Sin(2 * math.Pi * y / length) }
	settings.Initial = func(p r3.Vec) (float64, r3.Vec) {
		return 0, r3.Vec{X: speed * spacing / settings.TimeStep * wave(p.Y/spacing)}
	}
	s := computed(t, domain, settings, Single, start)
	amplitude := func() (a float64) {
		fields, err := s.Fields()
		if err != nil {
			t.Fatal(err)
		}
		i := 0
		for _, r := range domain.Grid.Runs {
			for range r.X1 - r.X0 {
				a += float64(fields.Velocity[0][i]) * wave(float64(r.Y)+0.5)
				i++
			}
		}
		return a
	}
	before := amplitude()
	if err := s.Advance(context.Background(), steps, nil); err != nil {
		t.Fatal(err)
	}
	k := 2 * math.Pi / length
	ratio := math.Log(before/amplitude()) / (viscosity * k * k * steps)
	t.Logf("%.4f", ratio)
	return ratio
}
