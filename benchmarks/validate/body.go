package validate

import (
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"sort"
	"strconv"

	"carina/geometry"
	"carina/solver/airflow"
	"carina/solver/airflow/opening"

	"gonum.org/v1/gonum/spatial/r3"
)

// cylinder is the benchmark of Schäfer and Turek at Re 20: a cylinder of
// diameter 0.1 m in a channel of height 0.41 m, viscosity 1e-3 m²/s, mean
// velocity 0.2 m/s.
type cylinder struct {
	name, file    string
	across        float64 // cells over the diameter
	length, x, y  float64
	deep          bool // three-dimensional: as deep as high
	peak          float64
	drag, dragTol float64
}

func (s *suite) cylinders() error {
	list := []cylinder{
		{"Schäfer–Turek 2D-1", "cylinder-2d-1", 20, 2.2, 0.2, 0.2, false, 0.3, 5.57953523384, 0.01},
		{"Schäfer–Turek 3D-1Z", "cylinder-3d-1z", 10, 2.5, 0.5, 0.2, true, 0.45, 6.18533, 0.02},
	}
	if s.options.Quick {
		list = list[:1]
		list[0].across = 10
		list[0].dragTol = 0.03
	}
	for _, c := range list {
		if err := s.cylinder(c); err != nil {
			return err
		}
	}
	return nil
}

func (s *suite) cylinder(c cylinder) error {
	const height, diameter, viscosity, mean = 0.41, 0.1, 1e-3, 0.2
	dx := diameter / c.across
	depth := float64(s.layers()) * dx
	sh := &shape{spacing: dx, periodic: [3]bool{false, false, !c.deep}}
	sh.size = [3]int32{int32(math.Ceil(c.length / dx)), int32(math.Ceil(height / dx)), s.layers()}
	if c.deep {
		depth = height
		sh.size[2] = sh.size[1]
	}
	axis := r3.Vec{X: c.x, Y: c.y}
	around := func(p r3.Vec) float64 { return math.Hypot(p.X-axis.X, p.Y-axis.Y) - diameter/2 }
	sh.inside = func(p r3.Vec) float64 {
		d := min(p.Y, height-p.Y, around(p))
		if c.deep {
			d = min(d, p.Z, height-p.Z)
		}
		return d
	}
	middle := r3.Vec{Y: height / 2, Z: depth / 2}
	end := r3.Add(middle, r3.Vec{X: c.length})
	sh.openings = []geometry.Opening{
		{Number: 1, Name: "inlet", Role: geometry.Inlet, Center: middle, Normal: r3.Vec{X: -1}, Area: height * depth},
		{Number: 2, Name: "outlet", Role: geometry.Outlet, Center: end, Normal: r3.Vec{X: 1}, Area: height * depth},
	}
	settings := airflow.DefaultSettings()
	settings.Collision, settings.KinematicViscosity, settings.Density = airflow.TRT, viscosity, 1
	const latticePeak = 0.06
	settings.TimeStep = latticePeak * dx / c.peak
	settings.Conditions = map[int]opening.Condition{1: {Kind: opening.ImposedFlow, Flow: mean * height * depth, Shape: func(p r3.Vec) float64 {
		u := p.Y * (height - p.Y)
		if c.deep {
			u *= p.Z * (height - p.Z)
		}
		return max(0, u)
	}}}
	const throughflows, samples = 1.5, 20
	steps := int64(throughflows*c.length/mean/settings.TimeStep/samples/2) * 2
	history := Curve{Name: fmt.Sprintf("%g cells across", c.across)}
	_, err := s.compute(sh, settings, steps, func(f *airflow.Rank) error {
		for sample := range samples {
			if sample > 0 {
				if err := f.Advance(s.ctx, steps, nil); err != nil {
					return err
				}
			}
			force, err := f.WallForce(func(p r3.Vec) bool { return around(p) < 2*dx })
			if err != nil {
				return err
			}
			history.X = append(history.X, f.Time())
			history.Y = append(history.Y, 2*force.X/(mean*mean*diameter*depth))
		}
		return nil
	})
	if err != nil {
		return err
	}
	last := len(history.X) - 1
	s.add(c.name, "drag coefficient", history.Y[last], c.drag, s.tolerance(c.dragTol, c.dragTol+0.01)*c.drag, "Schäfer & Turek 1996 and later high-resolution values")
	reference := Curve{Name: "reference", X: []float64{0, history.X[last]}, Y: []float64{c.drag, c.drag}}
	s.plots = append(s.plots, Plot{Name: c.file, Title: c.name, XLabel: "time in s", YLabel: "drag coefficient", Curves: []Curve{reference, history}})
	return nil
}

// cavity is the lid-driven cavity in two dimensions.
func (s *suite) cavity() error {
	reference, err := readGhia(filepath.Join(s.options.References, "ghia-1982-cavity.csv"))
	if errors.Is(err, os.ErrNotExist) {
		s.options.Progress("the cavity is left out: no reference data in "+s.options.References, 0)
		return nil
	}
	if err != nil {
		return err
	}
	list := []int{100, 400, 1000}
	if s.options.Quick {
		list = list[:1]
	}
	for _, reynolds := range list {
		if err := s.lid(reynolds, reference); err != nil {
			return err
		}
	}
	return nil
}

func (s *suite) lid(reynolds int, reference []ghiaRow) error {
	const latticeSpeed = 0.1
	n := int32(129)
	if s.options.Quick {
		n = 65
	}
	sh := &shape{size: [3]int32{n, n, s.layers()}, spacing: 1 / float64(n), periodic: [3]bool{false, false, true}}
	sh.inside = func(p r3.Vec) float64 { return min(p.X, 1-p.X, p.Y, 2-p.Y) }
	sh.openings = []geometry.Opening{{Number: 1, Name: "lid", Role: geometry.Outlet, Center: r3.Vec{X: 0.5, Y: 1}, Normal: r3.Vec{Y: 1}, Area: float64(s.layers()) * sh.spacing}}
	settings := airflow.DefaultSettings()
	settings.Collision, settings.KinematicViscosity, settings.Density, settings.FlowRate = airflow.TRT, 1/float64(reynolds), 1, 0
	settings.Magic = 1. / 12
	settings.TimeStep = latticeSpeed * sh.spacing
	settings.RampTime = 1
	settings.Conditions = map[int]opening.Condition{1: {Kind: opening.MovingWall, Velocity: [3]float64{1, 0, 0}}}
	end := 30 + 0.05*float64(reynolds)
	f, err := s.compute(sh, settings, int64(end/settings.TimeStep), nil)
	if err != nil {
		return err
	}
	worst := 0.0
	plot := Plot{Name: fmt.Sprintf("cavity-%d", reynolds), Title: fmt.Sprintf("Lid-driven cavity, Re %d", reynolds), XLabel: "coordinate", YLabel: "velocity / lid"}
	for _, line := range []string{"u", "v"} {
		profile := Curve{Name: line}
		f.eachCell(sh, func(i int, x, y, z int32) {
			switch {
			case z > 0: // all layers are the same
			case line == "u" && x == n/2:
				profile.X, profile.Y = append(profile.X, (float64(y)+0.5)*sh.spacing), append(profile.Y, float64(f.fields.Velocity[0][i]))
			case line == "v" && y == n/2:
				profile.X, profile.Y = append(profile.X, (float64(x)+0.5)*sh.spacing), append(profile.Y, float64(f.fields.Velocity[1][i]))
			}
		})
		points := Curve{Name: "Ghia " + line, Points: true}
		for _, row := range reference {
			v, ok := row.values[reynolds]
			if row.line != line || !ok || row.coordinate <= 0 || row.coordinate >= 1 {
				continue
			}
			points.X, points.Y = append(points.X, row.coordinate), append(points.Y, v)
			worst = max(worst, math.Abs(interpolate(profile, row.coordinate)-v))
		}
		plot.Curves = append(plot.Curves, profile, points)
	}
	s.plots = append(s.plots, plot)
	s.addError(fmt.Sprintf("cavity Re %d", reynolds), "largest difference over the lid speed", worst, s.tolerance(0.015, 0.03), "Ghia, Ghia & Shin 1982")
	return nil
}

// interpolate returns the value of a curve at x.
func interpolate(c Curve, x float64) float64 {
	i := min(max(sort.SearchFloat64s(c.X, x), 1), len(c.X)-1)
	part := (x - c.X[i-1]) / (c.X[i] - c.X[i-1])
	return c.Y[i-1] + part*(c.Y[i]-c.Y[i-1])
}

// ghiaRow is a row of the reference table.
type ghiaRow struct {
	line       string
	coordinate float64
	values     map[int]float64 // by Reynolds number
}

// readGhia reads the reference table, without the two values that contradict
// their neighbours: v at x = 0.9063 for Re 400 and Re 1000.
func readGhia(path string) ([]ghiaRow, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	reader := csv.NewReader(file)
	reader.Comment = '#'
	records, err := reader.ReadAll()
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	var rows []ghiaRow
	for _, record := range records {
		row := ghiaRow{line: record[0], values: map[int]float64{}}
		if row.coordinate, err = strconv.ParseFloat(record[1], 64); err != nil {
			continue // a heading
		}
		for k, reynolds := range []int{100, 400, 1000} {
			suspect := row.line == "v" && row.coordinate == 0.9063 && reynolds > 100
			if v, err := strconv.ParseFloat(record[2+k], 64); err == nil && !suspect {
				row.values[reynolds] = v
			}
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// bifurcationShape is a duct along x whose room in the middle leads to two equal
// ones, of n cells across each.
func bifurcationShape(n int32) *shape {
	sh := &shape{size: [3]int32{6 * n, 4 * n, n}, spacing: 1 / float64(n)}
	inside := func(low, high, v float64) float64 { return min(v-low, high-v) }
	sh.inside = func(p r3.Vec) float64 {
		d := inside(0, 1, p.Z)
		trunk := min(2.5-p.X, inside(1.5, 2.5, p.Y))
		room := min(inside(2, 3, p.X), inside(0.5, 3.5, p.Y))
		branch := min(p.X-2, max(inside(0.5, 1.5, p.Y), inside(2.5, 3.5, p.Y)))
		return min(d, max(trunk, room, branch))
	}
	sh.openings = []geometry.Opening{
		{Number: 1, Name: "inlet", Role: geometry.Inlet, Center: r3.Vec{Y: 2, Z: 0.5}, Normal: r3.Vec{X: -1}, Area: 1},
		{Number: 2, Name: "outlets", Role: geometry.Outlet, Center: r3.Vec{X: 6, Y: 2, Z: 0.5}, Normal: r3.Vec{X: 1}, Area: 2},
	}
	return sh
}

// bifurcation is a duct that divides into two equal ones.
func (s *suite) bifurcation() error {
	n, steps := int32(16), int64(12000) // n cells across the branches
	if s.options.Quick {
		n, steps = 8, 6000
	}
	sh := bifurcationShape(n)
	settings := airflow.DefaultSettings()
	settings.KinematicViscosity, settings.Density, settings.FlowRate = 1./50, 1, 1
	settings.TimeStep = 0.05 * sh.spacing
	var upper, lower float64
	profile := [2]Curve{{Name: "lower branch", Points: true}, {Name: "upper branch, mirrored", Points: true}}
	f, err := s.compute(sh, settings, steps, nil)
	if err != nil {
		return err
	}
	f.eachCell(sh, func(i int, x, y, z int32) {
		if x != 6*n-n/2 {
			return
		}
		u := float64(f.fields.Velocity[0][i])
		branch, at := 0, (float64(y)+0.5)*sh.spacing
		if y < 2*n {
			lower += u
		} else {
			upper += u
			branch, at = 1, 4-at
		}
		if z == n/2 {
			c := &profile[branch]
			c.X, c.Y = append(c.X, at), append(c.Y, u)
		}
	})
	s.plots = append(s.plots, Plot{Name: "bifurcation", Title: "Symmetric bifurcation, half a side before the outlets",
		XLabel: "position / side", YLabel: "velocity / mean of the trunk", Curves: profile[:]})
	s.add("symmetric bifurcation", "share of one branch", lower/(lower+upper), 0.5, s.tolerance(0.0025, 0.005), "symmetry")
	return nil
}
