package airflow

import (
	"context"
	"math"
	"os"
	"testing"

	"carina/geometry"
	"carina/geometry/generate"
	"carina/geometry/meshtest"
	"carina/internal/race"
	"carina/solver"
)

// sharedAirway voxelizes a surface of the shared collection, or skips.
func sharedAirway(t testing.TB, name string, spacing float64) *geometry.Grid {
	t.Helper()
	path := "../../../shared/geometries/" + name
	if _, err := os.Stat(path); err != nil {
		t.Skipf("%s is absent", name)
	}
	surface, err := geometry.ReadSurface(path, geometry.Millimetre)
	if err != nil {
		t.Fatal(err)
	}
	grid, err := geometry.Voxelize(context.Background(), surface, geometry.Options{Spacing: spacing})
	if err != nil {
		t.Fatal(err)
	}
	return grid
}

// wornAirway voxelizes a generated airway that is turned and rough, as those of scans
// are.
func wornAirway(t *testing.T, spacing float64) *geometry.Grid {
	t.Helper()
	surface, _, err := generate.Airway(generate.AirwayOptions{Generations: 2, Length: 40e-3, Diameter: 15e-3})
	if err != nil {
		t.Fatal(err)
	}
	meshtest.Worn(&surface.Mesh, 1)
	grid, err := geometry.Voxelize(context.Background(), surface, geometry.Options{Spacing: spacing})
	if err != nil {
		t.Fatal(err)
	}
	return grid
}

// unevenTree is a generated tree of uneven daughters, by a seed, of about so many cells.
func unevenTree(t *testing.T, seed uint64, cells int64) *geometry.Grid {
	t.Helper()
	surface, _, err := generate.Airway(generate.AirwayOptions{Rule: generate.Kitaoka, Generations: 5, Seed: seed})
	if err != nil {
		t.Fatal(err)
	}
	grid, err := geometry.Voxelize(context.Background(), surface, geometry.Options{FluidCells: cells})
	if err != nil {
		t.Fatal(err)
	}
	return grid
}

// Air leaves coarse trees along the axes through their trunks without diverging. At 90 L/min
// it does after 5,000 steps with 12 U and 0.8 U as least parts of third moments that are
// forgotten, at 14 L/min with these parts and walls that reflect.
func TestCoarseTreeBreathesOut(t *testing.T) {
	if testing.Short() {
		t.Skip("-short")
	}
	for _, c := range []struct {
		seed uint64
		flow float64 // m³/s
	}{{5, 1.5e-3}, {2, 2.33e-4}} {
		grid := unevenTree(t, c.seed, 20_000)
		s := DefaultSettings()
		s.FlowRate = -c.flow
		if _, err := RunInProcess(context.Background(), solver.WholeDomain(grid), s, Plan{Steps: 6000, Once: true}); err != nil {
			t.Errorf("seed %d, %g m³/s: %v", c.seed, c.flow, err)
		}
	}
}

// The pressure drop of a tree that cells hardly resolve does not go by the time step. With
// the trace of second moments at its equilibrium it is 4 % higher with a quarter of the
// usual step.
func TestShorterSteps(t *testing.T) {
	if testing.Short() {
		t.Skip("-short")
	}
	race.SkipArithmetic(t)
	grid := unevenTree(t, 5, 6000)
	drop := func(latticeVelocity float64) float64 {
		s := DefaultSettings()
		s.FlowRate, s.RampTime, s.LatticeVelocity = 1e-4, 0.1, latticeVelocity // 6 L/min
		summary, err := RunInProcess(context.Background(), solver.WholeDomain(grid), s, Plan{Time: 0.8})
		if err != nil {
			t.Fatal(err)
		}
		return summary.PressureDrop
	}
	usual, quarter := drop(0.1), drop(0.025)
	t.Logf("%.4g and %.4g Pa", usual, quarter)
	if math.Abs(quarter/usual-1) > 0.015 {
		t.Errorf("pressure drop %.4g Pa with the usual step and %.4g Pa with a quarter of it", usual, quarter)
	}
}

func TestAirwayMassBalance(t *testing.T) {
	if testing.Short() {
		t.Skip("-short")
	}
	t.Run("generated", func(t *testing.T) { checkMassBalance(t, wornAirway(t, 1e-3)) })
	t.Run("central", func(t *testing.T) { checkMassBalance(t, sharedAirway(t, "airway-central-mm.stl", 0.7e-3)) })
}

// checkMassBalance computes steady flow at a Reynolds number of 50: what enters
// leaves, within 0.5 %.
func checkMassBalance(t *testing.T, g *geometry.Grid) {
	t.Helper()
	const reynolds = 50
	s := DefaultSettings()
	s.Mismatch = 0.25 // the start is over soon
	diameter := 2 * math.Sqrt(g.Openings[0].Area/math.Pi)
	s.FlowRate = reynolds * s.KinematicViscosity / diameter * g.Openings[0].Area
	summary, err := RunInProcess(context.Background(), solver.WholeDomain(g), s, Plan{Steps: 4800, Report: func(p Progress) {
		if p.Step%500 == 0 {
			t.Logf("step %d: peak %.4g m/s, %.1f MLUPS", p.Step, p.PeakVelocity, p.MLUPS)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%+v", summary)
	if math.Abs(summary.Reynolds-reynolds) > 0.01*reynolds || summary.MassBalance > 0.005 {
		t.Errorf("Re %.4g, mass balance %.2g", summary.Reynolds, summary.MassBalance)
	}
}
