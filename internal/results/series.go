package results

import (
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strings"

	"carina/internal/atomicfile"
	"carina/internal/quantity"
	"carina/internal/run"
	"carina/internal/terminal"
	"carina/output/series"
	"carina/output/vtk"
	"carina/solver/airflow"
	"carina/solver/airflow/answers"
	"carina/solver/transport"
)

// Series say what is told of a flow while it is computed.
type Series struct {
	// Every is how often openings, branches, lobes and probes are, Fields how often all
	// fields.
	Every, Fields Interval
	Probes        []Probe
}

// On tells whether anything is.
func (s *Series) On() bool { return s.Every.On() || s.Fields.On() }

// Probe is a place that has a name.
type Probe struct {
	Name string
	airflow.Gauge
}

// Interval is a time in seconds, or a number of steps; neither is never.
type Interval struct {
	Seconds float64
	Steps   int64
}

// ParseInterval reads what users say: a time such as 10ms, or every=1000 (steps).
func ParseInterval(text string) (i Interval, err error) {
	if steps, every := strings.CutPrefix(strings.TrimSpace(text), "every="); every {
		if i.Steps, err = quantity.Whole(steps); err == nil && i.Steps > 0 {
			return i, nil
		}
		return Interval{}, fmt.Errorf("every %s steps is no interval: give a whole number above 0, such as every=1000", steps)
	}
	if i.Seconds, err = quantity.Time.ParsePositive(text); err != nil {
		return Interval{}, fmt.Errorf("%w; or give steps, such as every=1000", err)
	}
	return i, nil
}

// On tells whether it is ever.
func (i Interval) On() bool { return i.Seconds > 0 || i.Steps > 0 }

// due tells whether it is time after so many steps: of those after which flows are looked
// at, all that are multiples of the nearest one to the interval.
func (i Interval) due(step int64, timeStep float64) bool {
	if !i.On() || step == 0 {
		return false
	}
	return step%i.steps(timeStep) == 0
}

// steps is the interval in steps.
func (i Interval) steps(timeStep float64) int64 {
	looks := float64(i.Steps) / airflow.CheckInterval
	if i.Seconds > 0 {
		looks = i.Seconds / timeStep / airflow.CheckInterval
	}
	return airflow.CheckInterval * int64(min(max(1, math.Round(looks)), 1<<40))
}

// The files of series.
const (
	// SeriesFolder is the folder of series among the results.
	SeriesFolder = "series"

	openingSeries, branchSeries, lobeSeries, probeSeries, wallSeries = "openings.csv", "branches.csv", "lobes.csv", "probes.csv", "wall.csv"
	flowColumn, pressureColumn                                       = "flow_m3_per_s ", "pressure_pa "
)

var seriesTables = []string{openingSeries, branchSeries, lobeSeries, probeSeries, wallSeries}

// following writes the series of a flow.
type following struct {
	of      *Of
	gauges  []*airflow.Gauges // by rank
	off     []bool            // by rank: where files cannot be written
	list    []airflow.Gauge   // those of probes, then those of the monitor
	folder  *series.Folder    // rank 0's, as what follows
	monitor *answers.Monitor
	tables  map[string]*series.Table
}

func (r *Results) seriesPath() string { return filepath.Join(r.of.Folder, SeriesFolder) }

// prepareSeries checks what can be before the first step. All ranks call it.
func (r *Results) prepareSeries() error {
	of := &r.of
	if !of.Series.On() {
		return nil
	}
	f := &following{of: of, gauges: make([]*airflow.Gauges, r.ranks), off: make([]bool, r.ranks), tables: map[string]*series.Table{}}
	r.following = f
	for i := range of.Series.Probes {
		f.list = append(f.list, of.Series.Probes[i].Gauge)
	}
	if err := r.checkProbes(); err != nil {
		return err
	}
	var err error
	var lists [][]int64
	if r.target.rank() == 0 {
		err = series.Check(r.seriesPath(), seriesTables)
		if err == nil && r.tree != nil {
			if f.monitor, err = answers.NewMonitor(of.Grid, r.tree, of.Lobes); err == nil {
				lists = f.monitor.Cells()
			}
		}
	}
	if err := transport.Agree(of.Transport, err); err != nil {
		return err
	}
	if lists, err = r.tellLists(lists); err != nil {
		return err
	}
	for _, cells := range lists {
		f.list = append(f.list, airflow.Gauge{Cells: cells})
	}
	return nil
}

// checkProbes refuses probes in no cell.
func (r *Results) checkProbes() error {
	probes := r.of.Series.Probes
	cells := make([]int64, len(probes))
	for i := range probes {
		cells[i] = int64(probes[i].In(r.of.Grid))
	}
	cells, err := r.target.reduce(transport.Sum, cells...)
	if err != nil {
		return err
	}
	for i, n := range cells {
		if n == 0 {
			at := probes[i].Center
			return fmt.Errorf("probe %s at %s m lies in no cell of the lumen: give a place inside, in the unit of the surface, or in m for a grid file", probes[i].Name, quantity.FormatPoint(at.X, at.Y, at.Z, 4))
		}
	}
	return nil
}

// tellLists tells all ranks of lists that rank 0 has.
func (r *Results) tellLists(lists [][]int64) ([][]int64, error) {
	if r.of.Transport == nil {
		return lists, nil
	}
	count, err := r.target.reduce(transport.Max, int64(len(lists)))
	if err != nil {
		return nil, err
	}
	lengths := make([]int64, count[0])
	var flat []int64
	for i := range lists {
		lengths[i] = int64(len(lists[i]))
		flat = append(flat, lists[i]...)
	}
	if lengths, err = r.target.reduce(transport.Max, lengths...); err != nil {
		return nil, err
	}
	total := int64(0)
	for _, n := range lengths {
		total += n
	}
	if flat == nil {
		flat = make([]int64, total)
	}
	if flat, err = r.target.reduce(transport.Max, flat...); err != nil {
		return nil, err
	}
	lists = make([][]int64, len(lengths))
	for i, n := range lengths {
		lists[i], flat = flat[:n:n], flat[n:]
	}
	return lists, nil
}

// beginSeries opens the folder on rank 0, when all has been checked.
func (r *Results) beginSeries() (err error) {
	f := r.following
	if f == nil || r.target.rank() != 0 || !r.writes() {
		return nil
	}
	after := int64(-1)
	if r.of.Restart != nil {
		after = r.of.Restart.Steps
	}
	columns := map[string][]string{}
	if r.of.Series.Every.On() {
		columns = r.seriesColumns()
	}
	if after >= 0 {
		// Before anything is cut.
		if err := series.CheckColumns(r.seriesPath(), columns); err != nil {
			return err
		}
	}
	if f.folder, err = series.Open(r.seriesPath(), seriesTables, after); err != nil {
		return err
	}
	for _, name := range seriesTables {
		if len(columns[name]) == 0 {
			continue
		}
		table, err := f.folder.Table(name, columns[name], after)
		if err != nil {
			return err
		}
		f.tables[name] = table
	}
	return nil
}

// seriesColumns are those of the tables behind step and time.
func (r *Results) seriesColumns() map[string][]string {
	f, columns := r.following, map[string][]string{}
	for _, o := range r.of.Grid.Openings {
		columns[openingSeries] = append(columns[openingSeries], flowColumn+o.Name, pressureColumn+o.Name)
	}
	for _, p := range r.of.Series.Probes {
		if p.Radius > 0 {
			columns[probeSeries] = append(columns[probeSeries], flowColumn+p.Name, pressureColumn+p.Name)
			continue
		}
		columns[probeSeries] = append(columns[probeSeries], pressureColumn+p.Name, "velocity_x_m_per_s "+p.Name, "velocity_y_m_per_s "+p.Name, "velocity_z_m_per_s "+p.Name)
	}
	if f.monitor != nil {
		columns[branchSeries], columns[lobeSeries] = f.monitor.Columns()
	}
	if r.wall != nil {
		columns[wallSeries] = []string{"mean_wall_shear_pa", "peak_wall_shear_pa"}
	}
	for _, list := range columns {
		for i, words := range list {
			list[i] = terminal.Line(words)
		}
	}
	return columns
}

// end closes the tables.
func (f *following) end() {
	if f == nil {
		return
	}
	for _, t := range f.tables {
		t.Close()
	}
}

// follow adds to the series where that is due. Where files cannot be written they end with
// a warning, and the flow goes on.
func (r *Results) follow(v *run.View) error {
	f := r.following
	if f == nil || f.off[v.Rank()] || !r.writes() {
		return nil
	}
	s := &r.of.Series
	var failed error
	if s.Every.due(v.Step(), v.TimeStep()) {
		var err error
		if failed, err = f.sample(v); err != nil {
			return err
		}
	}
	if table := f.tables[wallSeries]; v.Rank() == 0 && table != nil && r.wallInterval().due(v.Step(), v.TimeStep()) {
		mean, peak := r.wall.Mean()
		if err := table.Add(v.Step(), v.Time(), []float64{mean, peak}); failed == nil {
			failed = err
		}
	}
	if s.Fields.due(v.Step(), v.TimeStep()) {
		fields, err := v.Fields()
		if err != nil {
			return err
		}
		path := filepath.Join(r.seriesPath(), series.FieldsName(v.Step(), v.Rank()))
		written := vtk.WriteVTU(path, v.Piece(fields))
		none, err := anyOf(v.Transport(), written != nil)
		if err != nil {
			return err
		}
		if failed == nil {
			failed = written
		}
		if !none && v.Rank() == 0 && failed == nil {
			failed = f.folder.AddFields(v.Step(), v.Time(), func(path string) error { return r.tieFields(path, v) })
		}
	}
	if !s.Every.due(v.Step(), v.TimeStep()) && !s.Fields.due(v.Step(), v.TimeStep()) && !(r.walls && r.wallInterval().due(v.Step(), v.TimeStep())) {
		return nil
	}
	ends, err := anyOf(v.Transport(), failed != nil)
	if f.off[v.Rank()] = ends; ends && failed != nil {
		r.of.Warn(fmt.Sprintf("the series end after step %d, since they cannot be written: %v", v.Step(), failed))
	}
	return err
}

// tieFields writes the file of a moment that names all pieces.
func (r *Results) tieFields(path string, v *run.View) error {
	sources := make([]string, r.ranks)
	for rank := range sources {
		sources[rank] = filepath.Join(r.seriesPath(), series.FieldsName(v.Step(), rank))
	}
	return vtk.WritePVTU(path, r.frame, v.Time(), sources)
}

// sample adds a row to each table.
func (f *following) sample(v *run.View) (failed, err error) {
	openings, err := v.Openings()
	if err != nil {
		return nil, err
	}
	gauges := &f.gauges[v.Rank()]
	if *gauges == nil {
		*gauges = airflow.NewGauges(f.list)
	}
	read, err := v.Read(*gauges)
	if err != nil || v.Rank() != 0 {
		return nil, err
	}
	values := map[string][]float64{}
	for _, o := range openings {
		values[openingSeries] = append(values[openingSeries], o.Flow, o.Pressure)
	}
	probes := f.of.Series.Probes
	for i := range probes {
		one := &read[i]
		if probes[i].Radius > 0 {
			values[probeSeries] = append(values[probeSeries], one.Flow, one.Pressure)
			continue
		}
		values[probeSeries] = append(values[probeSeries], one.Pressure, one.Velocity.X, one.Velocity.Y, one.Velocity.Z)
	}
	if f.monitor != nil {
		values[branchSeries], values[lobeSeries] = f.monitor.At(read[len(probes):], openings)
	}
	for name, table := range f.tables {
		if len(values[name]) == 0 {
			continue // the wall has samples of its own
		}
		if err := table.Add(v.Step(), v.Time(), values[name]); err != nil && failed == nil {
			failed = err
		}
	}
	return failed, nil
}

// writeSpectra writes the spectra of what probes have seen behind a time in seconds.
func (r *Results) writeSpectra(path string, from float64) error {
	f := r.following
	if f == nil || f.tables[probeSeries] == nil {
		return nil
	}
	heading, columns, err := series.Read(f.folder.Path(probeSeries))
	if err != nil || len(columns) < 3 {
		return err
	}
	first := lastEven(columns[0])
	for first < len(columns[1]) && columns[1][first] < from {
		first++
	}
	const least = 2
	if len(columns[1])-first < least {
		return nil
	}
	times := columns[1][first:]
	interval := (times[len(times)-1] - times[0]) / float64(len(times)-1)
	var frequency []float64
	var names []string
	var densities [][]float64
	for k := 2; k < len(columns); k++ {
		var density []float64
		if frequency, density = series.Spectrum(columns[k][first:], interval); density == nil {
			return nil
		}
		names, densities = append(names, heading[k]), append(densities, density)
	}
	return atomicfile.Write(path, func(w io.Writer) error { return series.WriteSpectra(w, frequency, names, densities) })
}

// lastEven is from which row on steps are equally far apart: a run that has gone on from a
// checkpoint may have had another interval before.
func lastEven(steps []float64) int {
	first := max(0, len(steps)-2)
	for first > 0 && steps[first]-steps[first-1] == steps[first+1]-steps[first] {
		first--
	}
	return first
}
