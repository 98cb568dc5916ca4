package results

import (
	"fmt"

	"carina/geometry"
	"carina/internal/quantity"
	"carina/internal/terminal"
	"carina/output/page"
	"carina/output/picture"
	"carina/output/vtk"
	"carina/solver/airflow"
)

func (r *Results) writePVTU(path string, time float64) error {
	sources := make([]string, r.ranks)
	for rank := range sources {
		sources[rank] = r.path(pieceName(rank))
	}
	return vtk.WritePVTU(path, r.frame, time, sources, r.further...)
}

// showMoved has pictures show who owns the cells at the end.
func (r *Results) showMoved() {
	r.shown = r.of.Partition
	if r.of.Moved == nil {
		return
	}
	if p := r.of.Moved(); p != nil {
		r.shown, r.moved = p, true
	}
}

func (r *Results) writeCuboids(path string) error {
	return vtk.WritePartition(path, r.of.Grid, r.shown)
}

func (r *Results) flowPicture(s *airflow.Summary, pressure bool) picture.FlowPicture {
	shown := picture.FlowPicture{
		Title: flowTitle(s, pressure),
		Subtitle: fmt.Sprintf("%s, Re %s, %s cells of %s, t = %s",
			quantity.FormatFlow(inflow(s)), quantity.FormatDigits(s.Reynolds, 3), quantity.Grouped(s.FluidCells), quantity.FormatLength(s.Spacing), quantity.Format(s.Time, "s")),
		Openings: r.of.Grid.Openings, WallPressure: pressure,
	}
	for _, o := range s.Openings {
		shown.Flow, shown.Pressure = append(shown.Flow, o.Flow), append(shown.Pressure, o.Pressure)
	}
	return shown
}

// flowTitle names what flows.
func flowTitle(s *airflow.Summary, pressure bool) string {
	fluid := quantity.FluidName(s.Density, s.KinematicViscosity)
	if pressure {
		return "Pressure at the wall in a flow of " + fluid
	}
	return "Flow of " + fluid
}

func (r *Results) ranksPicture(s *airflow.Summary) picture.RanksPicture {
	p := r.shown
	shown := picture.RanksPicture{
		Title: "Cells by rank",
		Subtitle: fmt.Sprintf("%s + %s: %s on %s, heaviest %.3f of the mean",
			terminal.Line(p.Method.Decompose), terminal.Line(p.Method.Balance), quantity.Count(len(p.Cuboids), "cuboid"), quantity.Count(r.ranks, "rank"), p.Quality.WorkMaxOverMean),
	}
	if r.moved {
		shown.Subtitle += ", after moves"
	}
	for i, rank := range s.Ranks {
		load := picture.Load{Cells: rank.FluidCells, Work: rank.Work, Device: rank.Device}
		if r.moved {
			load.Work = p.Quality.Ranks[i].Work // by the speeds that were measured
		}
		shown.Loads = append(shown.Loads, load)
	}
	return shown
}

// writeHistory draws the flow over time, if there is more than a moment of it.
func (r *Results) writeHistory(path string, s *airflow.Summary) error {
	if len(r.history.times) < 2 {
		return nil
	}
	return picture.WriteHistory(path, r.history.chart(s))
}

// writePage writes the page to turn around; a grid that is too large for one
// has none.
func (r *Results) writePage(path string, s *airflow.Summary) error {
	if r.fields == nil {
		return nil
	}
	flow := r.flowPicture(s, false)
	shown, err := page.OfPartition(r.of.Grid, r.shown)
	if err != nil {
		return err
	}
	shown.Title, shown.Subtitle = flow.Title, flow.Subtitle
	shown.Flow, shown.OpeningPressure, shown.Axes = flow.Flow, flow.Pressure, r.frame.Axes
	shown.Pressure, shown.Velocity = r.fields.Pressure, r.fields.Velocity
	shown.Time = s.Time
	r.showInstants(shown)
	r.showAnswers(shown, s.LeastPressure())
	return page.Write(path, shown)
}

// showInstants adds the moments before the end of which fields were written.
func (r *Results) showInstants(shown *page.Page) {
	f := r.following
	if f == nil || f.folder == nil {
		return
	}
	for _, moment := range f.folder.Fields() {
		const same = 1e-9
		if moment.Time > (1-same)*shown.Time {
			continue
		}
		i := page.Instant{Time: moment.Time, Read: func(each func(x, y, z int32, pressure float32, velocity [3]float32) error) error {
			return vtk.ReadPieces(moment.Path, r.frame, func(c vtk.Cell) error { return each(c.X, c.Y, c.Z, c.Pressure, c.Velocity) })
		}}
		i.Flow, i.OpeningPressure = r.history.at(moment.Time)
		shown.Instants = append(shown.Instants, i)
	}
}

// showAnswers adds branches and what the wall feels to a page; pressures below the least are
// rounding.
func (r *Results) showAnswers(shown *page.Page, least float64) {
	a := r.answers
	if a == nil {
		return
	}
	for i := range a.Branches {
		b := &a.Branches[i]
		words := fmt.Sprintf("branch %d, %s, %s, %s", b.Number, quantity.FormatLength(b.Length), "⌀ "+quantity.FormatLength(b.Diameter), quantity.FormatFlow(b.Flow))
		if b.Drop != nil {
			words += ", " + quantity.FormatFrom(least, *b.Drop, "Pa")
		}
		if b.Wall != nil {
			words += ", shear " + quantity.FormatFrom(least, b.Wall.Mean, "Pa")
		}
		shown.Branches = append(shown.Branches, page.Branch{Number: b.Number, Text: words, Line: a.Tree.Branches[i].Line})
	}
	if a.Wall == nil {
		return
	}
	shown.Wall = &page.Wall{}
	for t, at := range a.Wall.Center {
		if a.Stress.Known[t] {
			shown.Wall.At = append(shown.Wall.At, at)
		}
	}
	add := func(name, unit string, high float64, values []float64) {
		f := page.WallField{Name: name, Unit: unit, High: high}
		for t, v := range values {
			if a.Stress.Known[t] {
				f.Values = append(f.Values, float32(v))
			}
		}
		shown.Wall.Fields = append(shown.Wall.Fields, f)
	}
	add("wall shear", "Pa", a.Figures.Peak, a.Stress.Magnitude())
	if a.Figures.Over != nil {
		mean, index := a.Over.Mean()
		add("mean shear", "Pa", a.Figures.Over.Peak, mean)
		add("oscillatory index", "", 0.5, index)
	}
}

func inflow(s *airflow.Summary) float64 {
	var flow float64
	for _, o := range s.Openings {
		if o.Role == string(geometry.Inlet) {
			flow += o.Flow
		}
	}
	return flow
}
