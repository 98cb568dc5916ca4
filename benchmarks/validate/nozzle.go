package validate

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"carina/geometry"
	"carina/geometry/generate"
	"carina/solver/airflow"
	"carina/solver/airflow/opening"

	"gonum.org/v1/gonum/mat"
)

const nozzleSource = "five laboratories (Hariharan et al. 2011, Stewart et al. 2012)"

// nozzleRun is a flow through the FDA's nozzle, by the Reynolds number of its throat.
type nozzleRun struct {
	reynolds float64
	flow     float64 // m³/s
	throat   float64 // mean velocity in it, m/s
	spacing  float64
	settled  float64 // when averaging begins, in s
	averaged float64 // for how long
	steady   bool
	on       extent
}

var nozzleRuns = []nozzleRun{
	{500, 5.20624e-6, 0.4143, 0.4e-3, 2.5, 0.1, true, processor},
	{500, 5.20624e-6, 0.4143, 0.2e-3, 3, 0.1, true, onGPU},
	{3500, 3.64437e-5, 2.900, 0.15e-3, 0.4, 0.3, false, onGPU},
}

// nozzle is the FDA's first benchmark: a cone, a throat and a sudden expansion.
func (s *suite) nozzle() error {
	for _, run := range nozzleRuns {
		if !s.wants(run.on) {
			continue
		}
		measured, err := s.nozzleMeasurements(run.reynolds)
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
		worst := 0.0
		for _, m := range measured.velocity {
			points.X, points.Y = append(points.X, m.z), append(points.Y, m.mean)
			worst = max(worst, math.Abs(interpolate(computed, m.z)-m.mean)/m.interval)
		}
		if run.steady {
			s.addError(name, "velocity on the axis, largest distance over the 95 % interval", worst, 1, nozzleSource)
		} else {
			drop := interpolate(Curve{X: line.z, Y: line.pressure}, nozzleTaps[0]) - interpolate(Curve{X: line.z, Y: line.pressure}, nozzleTaps[1])
			low, high := slices.Min(measured.drops), slices.Max(measured.drops)
			s.add(name, "pressure drop in Pa", drop, (low+high)/2, (high-low)/2, "spread of the laboratories")
			// Reattachment lies 8 to 15 heights of the step, of 4 mm, behind it.
			s.add(name, "reattachment behind the step in mm", 1e3*line.reattached, 46, 14, "Hariharan et al. 2011: 32 to 60 mm")
		}
		s.plots = append(s.plots, Plot{Name: fmt.Sprintf("nozzle-%g-%.0fum", run.reynolds, run.spacing*1e6), Title: name, XLabel: "distance from the expansion in m", YLabel: "velocity on the axis in m/s", Curves: []Curve{computed, points}})
	}
	return nil
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
	const density, viscosity, peak = 1056, 0.0035, 0.1
	surface, _, err := generate.Nozzle(generate.NozzleOptions{Segments: 128})
	if err != nil {
		return nil, err
	}
	grid, err := geometry.Voxelize(s.ctx, surface, geometry.Options{Spacing: run.spacing, Inlet: 1})
	if err != nil {
		return nil, err
	}
	settings := airflow.DefaultSettings()
	settings.Density, settings.KinematicViscosity, settings.FlowRate = density, viscosity/density, run.flow
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

// nozzleMeasured is what the laboratories found.
type nozzleMeasured struct {
	velocity []struct{ z, mean, interval float64 }
	// drops are the pressure drops between the taps, one a laboratory.
	drops []float64
}

func (s *suite) nozzleMeasurements(reynolds float64) (*nozzleMeasured, error) {
	rows, err := s.readColumns("fda-nozzle/SE_centreline_axial_velocity_mean_CI95.csv", 6)
	if err != nil {
		return nil, err
	}
	m := &nozzleMeasured{}
	for _, r := range rows {
		if r[0] == reynolds {
			m.velocity = append(m.velocity, struct{ z, mean, interval float64 }{r[1], r[3], r[5]})
		}
	}
	files, err := filepath.Glob(filepath.Join(s.options.References, "fda-nozzle", fmt.Sprintf("PIV_Sudden_Expansion_%g_*.txt", reynolds)))
	if err != nil {
		return nil, err
	}
	for _, path := range files {
		pressures, err := wallPressures(path)
		if err != nil {
			return nil, err
		}
		if len(pressures) > 0 {
			m.drops = append(m.drops, pressures.at(nozzleTaps[0], 1)-pressures.at(nozzleTaps[1], 1))
		}
	}
	if len(m.velocity) == 0 || len(m.drops) == 0 {
		return nil, fmt.Errorf("the nozzle's measurements at Re %g are not in %s", reynolds, s.options.References)
	}
	return m, nil
}

// wallPressures are those of a laboratory's file: place and pressure in Pa.
func wallPressures(path string) (table, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	var t table
	inside := false
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		switch {
		case len(fields) == 1 && fields[0] == "plot-wall-distribution-pressure":
			inside = true
		case inside && len(fields) == 2:
			z, err := strconv.ParseFloat(fields[0], 64)
			p, wrong := strconv.ParseFloat(fields[1], 64)
			if err != nil || wrong != nil {
				return nil, fmt.Errorf("%s: %q are no two numbers", path, lines.Text())
			}
			t = append(t, []float64{z, p})
		case inside && len(fields) == 1 && strings.HasPrefix(fields[0], "plot-"):
			return t, nil
		}
	}
	return t, lines.Err()
}
