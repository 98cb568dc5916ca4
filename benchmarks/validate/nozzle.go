package validate

import (
	"fmt"
	"math"
	"slices"

	"carina/geometry"
	"carina/geometry/generate"
	"carina/solver/airflow"
	"carina/solver/airflow/opening"

	"gonum.org/v1/gonum/mat"
)

const nozzleSource = "five laboratories (Hariharan et al. 2011, Stewart et al. 2012)"

// Density and viscosity of the fluid that all measurements are scaled to, in kg/m³ and Pa s.
const nozzleDensity, nozzleViscosity = 1056, 0.0035

// nozzleRun is a flow through the FDA's nozzle, by the Reynolds number of its throat.
type nozzleRun struct {
	reynolds float64
	flow     float64 // m³/s
	throat   float64 // mean velocity in it, m/s
	spacing  float64
	settled  float64 // when averaging begins, in s
	averaged float64 // for how long
	steady   bool
	// tolerance is that of the velocity on the axis up to the expansion.
	tolerance float64
	on        extent
}

var nozzleRuns = []nozzleRun{
	{500, 5.20624e-6, 0.4143, 0.4e-3, 2.5, 0.1, true, 0.08, processor},
	{500, 5.20624e-6, 0.4143, 0.2e-3, 3, 0.1, true, 0.03, onGPU},
	{3500, 3.64437e-5, 2.900, 0.15e-3, 0.4, 0.3, false, 0, onGPU},
}

// nozzle is the FDA's first benchmark: a cone, a throat and a sudden expansion.
func (s *suite) nozzle() error {
	for _, run := range nozzleRuns {
		if !s.wants(run.on) {
			continue
		}
		measured, err := s.nozzleMeasurements(run.reynolds, run.flow)
		if err != nil {
			return s.absent("the nozzle", err)
		}
		line, err := s.throughNozzle(run)
		if err != nil {
			return err
		}
		name := fmt.Sprintf("FDA nozzle Re %g, %g mm", run.reynolds, run.spacing*1e3)
		computed := Curve{Name: name, X: line.z, Y: line.velocity}
		points := Curve{Name: "laboratories", Points: true}
		for _, m := range measured.velocity {
			points.X, points.Y = append(points.X, m.z), append(points.Y, m.mean)
		}
		curves := []Curve{computed, points}
		if run.steady {
			exact, err := run.boundaryLayer()
			if err != nil {
				return err
			}
			var off float64
			for _, m := range measured.velocity {
				if m.z <= 0 {
					off = max(off, math.Abs(interpolate(computed, m.z)/interpolate(exact, m.z)-1))
				}
			}
			s.addError(name, "velocity on the axis up to the expansion, largest deviation", off, run.tolerance, "boundary-layer equations")
			throat, jet := measured.distances(computed)
			least, _ := measured.distances(exact)
			s.addError(name, "velocity on the axis up to the expansion, distance over the 95 % interval", throat, 1, fmt.Sprintf("%s; the equations are %.1f off", nozzleSource, least))
			s.addError(name, "velocity on the axis of the jet, distance over the 95 % interval", jet, 1, nozzleSource)
			curves = append(curves, exact)
		} else {
			drop := interpolate(Curve{X: line.z, Y: line.pressure}, nozzleTaps[0]) - interpolate(Curve{X: line.z, Y: line.pressure}, nozzleTaps[1])
			low, high := slices.Min(measured.drops), slices.Max(measured.drops)
			s.add(name, "pressure drop in Pa", drop, (low+high)/2, (high-low)/2, "spread of the laboratories")
			// Reattachment lies 8 to 15 heights of the step, of 4 mm, behind it.
			s.add(name, "reattachment behind the step in mm", 1e3*line.reattached, 46, 14, "Hariharan et al. 2011: 32 to 60 mm")
		}
		s.plots = append(s.plots, Plot{Name: fmt.Sprintf("nozzle-%g-%.0fum", run.reynolds, run.spacing*1e6), Title: name, XLabel: "distance from the expansion in m", YLabel: "velocity on the axis in m/s", Curves: curves})
	}
	return nil
}

// boundaryLayer is the velocity on the axis up to the expansion by the boundary-layer
// equations, which nothing behind the expansion reaches.
func (run nozzleRun) boundaryLayer() (Curve, error) {
	const start, length = -0.09, 1e-4
	curve := Curve{Name: "boundary-layer equations"}
	for i := range int(math.Round(-start/length)) + 1 {
		curve.X = append(curve.X, start+length*float64(i))
	}
	pipe := duct{radius: nozzleRadius, flow: run.flow, viscosity: nozzleViscosity / nozzleDensity, rings: 100}
	var err error
	curve.Y, err = pipe.onAxis(curve.X)
	return curve, err
}

// nozzleTaps are where the pressures of a drop are measured.
var nozzleTaps = [2]float64{-0.06299, 0.032}

// nozzleLine is the mean flow along the nozzle.
type nozzleLine struct {
	z, velocity, pressure []float64 // on the axis, and at the wall
	// reattached is where the flow at the wall turns forward again.
	reattached float64
}

func (s *suite) throughNozzle(run nozzleRun) (*nozzleLine, error) {
	const peak = 0.1
	surface, _, err := generate.Nozzle(generate.NozzleOptions{Segments: 128})
	if err != nil {
		return nil, err
	}
	grid, err := geometry.Voxelize(s.ctx, surface, geometry.Options{Spacing: run.spacing, Inlet: 1})
	if err != nil {
		return nil, err
	}
	settings := airflow.DefaultSettings()
	settings.Density, settings.KinematicViscosity, settings.FlowRate = nozzleDensity, nozzleViscosity/nozzleDensity, run.flow
	settings.Profile = opening.Parabolic
	settings.TimeStep = peak * run.spacing / (2 * run.throat)
	steps := func(time float64) int64 { return 2 * int64(math.Ceil(time/settings.TimeStep/2)) }
	var mean *airflow.Fields
	_, err = s.computeOn(grid, [3]bool{}, settings, 2, func(c *airflow.Rank) error {
		if err := c.Advance(s.ctx, steps(run.settled), nil); err != nil {
			return err
		}
		if err := c.StartAverage(); err != nil {
			return err
		}
		if err := c.Advance(s.ctx, steps(run.averaged), nil); err != nil {
			return err
		}
		mean, err = c.Average()
		return err
	})
	if err != nil {
		return nil, err
	}
	return alongNozzle(grid, mean), nil
}

// alongNozzle reads the mean flow off layers of cells across the nozzle.
func alongNozzle(grid *geometry.Grid, mean *airflow.Fields) *nozzleLine {
	type layer struct {
		radii, axial, pressure []float64
	}
	layers := make([]layer, grid.Size[2])
	i := 0
	for _, r := range grid.Runs {
		for x := r.X0; x < r.X1; x++ {
			p := grid.Center(x, r.Y, r.Z)
			l := &layers[r.Z]
			l.radii = append(l.radii, math.Hypot(p.X, p.Y))
			l.axial = append(l.axial, float64(mean.Velocity[2][i]))
			l.pressure = append(l.pressure, float64(mean.Pressure[i]))
			i++
		}
	}
	line := &nozzleLine{}
	for k, l := range layers {
		if len(l.radii) == 0 {
			continue
		}
		z := grid.Center(0, 0, int32(k)).Z
		line.z = append(line.z, z)
		line.velocity = append(line.velocity, onAxis(l.radii, l.axial, 3*grid.Spacing))
		wall := slices.Max(l.radii) - 1.5*grid.Spacing
		var pressure, axial, count float64
		for i, r := range l.radii {
			if r >= wall {
				pressure, axial, count = pressure+l.pressure[i], axial+l.axial[i], count+1
			}
		}
		line.pressure = append(line.pressure, pressure/count)
		if axial < 0 && z > 0 && z < 0.1 {
			line.reattached = z
		}
	}
	return line
}

// onAxis is a value at radius zero, by a parabola through those within a radius.
func onAxis(radii, values []float64, within float64) float64 {
	var rows, wanted []float64
	for i, r := range radii {
		if r <= within {
			rows, wanted = append(rows, 1, r*r), append(wanted, values[i])
		}
	}
	var fit mat.VecDense
	if err := fit.SolveVec(mat.NewDense(len(wanted), 2, rows), mat.NewVecDense(len(wanted), wanted)); err != nil {
		return math.NaN()
	}
	return fit.AtVec(0)
}
