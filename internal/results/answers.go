package results

import (
	"encoding/json"
	"fmt"
	"io"

	"carina/geometry/tree"
	"carina/internal/atomicfile"
	"carina/internal/quantity"
	"carina/internal/terminal"
	"carina/output/picture"
	"carina/output/report"
	"carina/output/vtk"
	"carina/solver/airflow"
	"carina/solver/airflow/answers"
)

// Answers are what the fields say of branches and walls, on rank 0 after Finish has called
// record; nil where they are not known.
func (r *Results) Answers() *answers.Answers { return r.answers }

// findBranches finds the branches before the first step, on rank 0, where lobes name some,
// which may be none of the airway's, or series tell of them.
func (r *Results) findBranches() (err error) {
	lobes, series := len(r.of.Lobes) > 0, r.of.Series.Every.On() && len(r.of.Grid.Openings) > 1
	switch {
	case !lobes && !series || r.target.rank() != 0:
		return nil
	case !r.HasPage():
		r.of.Warn("there will be no figures of branches and lobes, since no process has the fields of all cells")
		return nil
	}
	if r.tree, err = tree.Find(r.of.Grid); err == nil {
		return answers.Check(r.tree, r.of.Lobes)
	}
	if lobes {
		return fmt.Errorf("finding the branches of lobes: %w", err)
	}
	return nil // the results will warn
}

// answer finds the branches and what flows in them. A grid in which they cannot be found
// has none, and says so.
func (r *Results) answer(summary *airflow.Summary) {
	if r.fields == nil || len(r.of.Grid.Openings) < 2 {
		return
	}
	f := answers.Flow{Grid: r.of.Grid, Tree: r.tree, Fields: r.fields, Summary: summary, Period: r.of.Period, Lobes: r.of.Lobes, Surface: r.of.Surface, Series: r.wall}
	found, err := answers.Of(&f)
	if err != nil {
		summary.Warnings = append(summary.Warnings, fmt.Sprintf("no branches are known: %v", err))
		return
	}
	r.answers = found
}

// writeTable writes a table of the answers, if they are known.
func (r *Results) writeTable(path string, write func(*answers.Answers, io.Writer) error) error {
	if r.answers == nil {
		return nil
	}
	return atomicfile.Write(path, func(w io.Writer) error { return write(r.answers, w) })
}

func (r *Results) writeBranchLines(path string) error {
	if r.answers == nil {
		return nil
	}
	return vtk.WriteBranches(path, r.answers.Tree, r.answers.Columns()...)
}

func (r *Results) writeWall(path string) error {
	a := r.answers
	if a == nil || a.Wall == nil {
		return nil
	}
	n := len(a.Wall.Triangles)
	shear, pressure, vector, on := make([]float32, n), make([]float32, n), make([]float32, 3*n), make([]float32, n)
	for t, size := range a.Stress.Magnitude() {
		v := a.Stress.Shear[t]
		shear[t], pressure[t], on[t] = float32(size), float32(a.Stress.Pressure[t]), float32(a.On[t])
		vector[3*t], vector[3*t+1], vector[3*t+2] = float32(v.X), float32(v.Y), float32(v.Z)
	}
	columns := []vtk.Column{
		{Name: "wall_shear_pa", Values: shear}, {Name: "pressure_pa", Values: pressure},
		{Name: "wall_shear_vector_pa", Values: vector, Components: 3}, {Name: "branch", Values: on},
	}
	if a.Over != nil && a.Over.Samples > 0 {
		mean, index := a.Over.Mean()
		for _, c := range []struct {
			name   string
			values []float64
		}{{"mean_wall_shear_over_time_pa", mean}, {"largest_wall_shear_over_time_pa", a.Over.Largest}, {"oscillatory_shear_index", index}} {
			column := vtk.Column{Name: c.name, Values: make([]float32, n)}
			for t, v := range c.values {
				column.Values[t] = float32(v)
			}
			columns = append(columns, column)
		}
	}
	return vtk.WriteTriangles(path, a.Wall.Points, a.Wall.Triangles, columns)
}

func (r *Results) drawWall(path string) error {
	a := r.answers
	if a == nil || a.Wall == nil {
		return nil
	}
	return picture.WriteWallShear(path, picture.WallPicture{
		Title:    "Shear stress on the wall",
		Subtitle: fmt.Sprintf("mean %s, above %s on 1 %% of the wall", quantity.Format(a.Figures.Mean, "Pa"), quantity.Format(a.Figures.Peak, "Pa")),
		Points:   a.Wall.Points, Triangles: a.Wall.Triangles, Shear: a.Stress.Magnitude(), High: a.Figures.Peak,
		Openings: r.of.Grid.Openings, Axes: r.frame.Axes,
	})
}

// drawSlices draws sections across the first branches.
func (r *Results) drawSlices(path string) error {
	a := r.answers
	if a == nil {
		return nil
	}
	shown := picture.SlicesPicture{Title: "Sections across the branches", Subtitle: "Each in the middle of its branch, seen along the way from the inlet."}
	for _, s := range a.Sections(r.of.Grid, r.fields, picture.MostSections) {
		b := &a.Branches[s.Branch-1]
		shown.Sections = append(shown.Sections, picture.Section{
			Name: terminal.Line(fmt.Sprintf("branch %d %s", b.Number, b.Name)), Detail: fmt.Sprintf("%s, Re %s", quantity.FormatFlow(b.Flow), quantity.FormatDigits(b.Reynolds, 3)),
			Side: s.Side, Rows: s.Rows, Speed: s.Speed,
		})
	}
	return picture.WriteSlices(path, shown)
}

// writeReport writes the page of what was found, from the same record as summary.json.
func (r *Results) writeReport(path string, s *airflow.Summary, recorded any) error {
	encoded, err := json.Marshal(recorded)
	if err != nil {
		return err
	}
	flow := r.flowPicture(s, false)
	var pictures []report.Picture
	for _, p := range [][3]string{
		{report.Flow, "Speed of the air", "flow.png"}, {report.Flow, "Speed of the air in sections across the branches", "slices.png"}, {report.Wall, "Pressure at the wall", "pressure.png"}, {report.Wall, "Shear stress on the wall", "wallshear.png"},
		{report.History, "Flow and pressure at the openings over time", "history.png"}, {report.Ranks, "Cells by rank", "ranks.png"},
	} {
		pictures = append(pictures, report.Picture{Section: p[0], Alt: p[1], Path: r.path(p[2])})
	}
	var excess *report.Excess
	if s.Resolution != nil {
		excess = (*report.Excess)(s.Resolution.TooHigh())
	}
	return report.Write(path, report.Of{Title: flow.Title, Lead: flow.Subtitle, Excess: excess, Changing: r.of.Changing}, encoded, pictures)
}
