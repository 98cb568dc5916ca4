package airflow

import (
	"bytes"
	"context"
	"math"
	"testing"

	"carina/geometry"
	"carina/geometry/generate"
	"carina/geometry/meshtest"
	"carina/internal/race"
	"carina/solver"

	"gonum.org/v1/gonum/spatial/r3"
)

// squareDuct is one periodic layer of a duct along x, of so many cells across, the walls
// of which lie at the fractions low and high of the links beyond the outer cells.
func squareDuct(cells int32, low, high float64) *geometry.Grid {
	fluid := func(_, y, z int32) bool { return y >= 1 && y <= cells && z >= 1 && z <= cells }
	wall := func(_, y, z int32, d geometry.Offset) (float64, int) {
		q := 1.0
		for _, link := range [2][2]float64{{float64(y), float64(d.Y)}, {float64(z), float64(d.Z)}} {
			switch {
			case link[1] > 0:
				q = min(q, float64(cells)+high-link[0])
			case link[1] < 0:
				q = min(q, link[0]-1+low)
			}
		}
		return max(q, 1./65536), 0
	}
	return generate.LinkedGrid([3]int32{1, cells + 2, cells + 2}, 1, [3]bool{true, false, false}, fluid, wall, nil)
}

// squareFlow is the developed velocity in a square duct of side a for a force of one
// and a viscosity of one, as a sum of Fourier.
func squareFlow(y, z, a float64) (u float64) {
	for i := 1; i < 100; i += 2 {
		k := float64(i) * math.Pi / a
		u += 4 / (float64(i) * math.Pi * k * k) * (1 - math.Cosh(k*(z-a/2))/math.Cosh(k*a/2)) * math.Sin(k*y)
	}
	return u
}

// A force drives as much through a duct of ten cells whether its walls lie half-way
// between cells, aside, or in planes of cells, where links have the lengths zero and
// one, on either side.
func TestWallsInPlanesOfCells(t *testing.T) {
	race.SkipArithmetic(t)
	const cells, a = 10, 10.0
	for _, collision := range []Collision{TRT, Recursive} {
		var flows []float64
		for _, low := range []float64{0.5, 0.25, 0, 1} {
			grid := squareDuct(cells, low, 1-low)
			s := DefaultSettings()
			s.Collision, s.Precision, s.FlowRate = collision, Double, 0
			s.KinematicViscosity, s.Density, s.TimeStep = 0.01, 1, 1
			s.BodyForce = [3]float64{1e-5, 0, 0}
			domain := solver.WholeDomain(grid)
			domain.Periodic = [3]bool{true, false, false}
			var f *Fields
			if _, err := RunInProcess(context.Background(), domain, s, Plan{Steps: 4000, Visit: func(r *Rank) error {
				f = must(r.Fields())
				return nil
			}}); err != nil {
				t.Fatal(err)
			}
			var flow, want float64
			for i, cell := range cellsOf(grid) {
				flow += float64(f.Velocity[0][i])
				want += squareFlow(float64(cell[1])-1+low, float64(cell[2])-1+low, a) * s.BodyForce[0] / s.KinematicViscosity
			}
			t.Logf("%s, walls at %g and %g: %.4f of the flow", collision, low, 1-low, flow/want)
			if math.Abs(flow/want-1) > 0.025 {
				t.Errorf("%s, walls at %g and %g: %.4f of the flow", collision, low, 1-low, flow/want)
			}
			flows = append(flows, flow)
		}
		if zero, one := flows[2], flows[3]; math.Abs(zero/one-1) > 1e-6 {
			t.Errorf("%s: walls in planes of cells let %g through on one side and %g on the other", collision, zero, one)
		}
	}
}

// cellsOf lists the cells of a grid.
func cellsOf(g *geometry.Grid) (cells [][3]int32) {
	for _, r := range g.Runs {
		for x := r.X0; x < r.X1; x++ {
			cells = append(cells, [3]int32{x, r.Y, r.Z})
		}
	}
	return cells
}

// The pressure drop of ducts and tubes along the axes, of a whole number of cells
// across, does not depend on where they lie.
func TestPressureDropIsTheSameEverywhere(t *testing.T) {
	race.SkipArithmetic(t)
	shapes := map[string]*geometry.Surface{
		"duct": {Mesh: *meshtest.Box(r3.Vec{}, r3.Vec{X: 6, Y: 6, Z: 14})},
		"tube": {Mesh: *meshtest.Tube(r3.Vec{}, r3.Vec{Z: 14}, 4, 32, 1, false)},
	}
	for name, shape := range shapes {
		for _, wall := range []Wall{Interpolated, BounceBack} {
			var first float64
			for _, offset := range []r3.Vec{{}, {X: 0.1, Y: 0.1, Z: 0.1}, {X: -1.3, Y: 20.7, Z: 0.2}, {X: 345.6, Y: -77.7, Z: 1000.1}} {
				moved := &geometry.Surface{Mesh: shape.Mesh}
				moved.Vertices = nil
				for _, v := range shape.Vertices {
					moved.Vertices = append(moved.Vertices, r3.Add(v, offset))
				}
				var file bytes.Buffer
				if err := geometry.WriteSTL(&file, moved, geometry.Metre); err != nil { // so that the numbers stay
					t.Fatal(err)
				}
				surface, err := geometry.ReadSTL(&file, geometry.Millimetre)
				if err != nil {
					t.Fatal(err)
				}
				grid, err := geometry.Voxelize(context.Background(), surface, geometry.Options{Spacing: 1e-3})
				if err != nil {
					t.Fatal(err)
				}
				s := DefaultSettings()
				s.Wall, s.FlowRate = wall, 1e-6
				summary, err := RunInProcess(context.Background(), solver.WholeDomain(grid), s, Plan{Steps: 1500})
				if err != nil {
					t.Fatal(err)
				}
				if first == 0 {
					first = summary.PressureDrop
				}
				if drop := summary.PressureDrop; math.Abs(drop/first-1) > 0.005 {
					t.Errorf("%s moved by %v mm, %s walls: %d cells, %.4g Pa, unmoved %.4g", name, offset, wall, grid.Cells(), drop, first)
				}
			}
		}
	}
}
