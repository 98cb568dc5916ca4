package answers

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"carina/geometry/tree"
	"carina/solver/airflow/wallshear"
)

// figures are the columns that tables of branches, lobes and openings share; what is not
// known is no number.
var figures = []struct {
	name  string
	value func(f *Figures) float64
}{
	{"flow_m3_per_s", func(f *Figures) float64 { return f.Flow }},
	{"pressure_drop_pa", func(f *Figures) float64 { return known(f.Drop) }},
	{"resistance_pa_s_per_l", func(f *Figures) float64 { return known(f.Resistance) }},
	{"resistance_cmh2o_s_per_l", func(f *Figures) float64 { return known(f.ResistanceWater) }},
	{"mean_wall_shear_pa", wall(func(w *wallshear.Figures) float64 { return w.Mean })},
	{"peak_wall_shear_pa", wall(func(w *wallshear.Figures) float64 { return w.Peak })},
	{"mean_wall_shear_over_time_pa", overTime(func(o *wallshear.OverTime) float64 { return o.Mean })},
	{"peak_wall_shear_over_time_pa", overTime(func(o *wallshear.OverTime) float64 { return o.Peak })},
	{"oscillatory_shear_index", overTime(func(o *wallshear.OverTime) float64 { return o.Oscillatory })},
}

// wall is a value of the stress on the wall, where it is known.
func wall(value func(w *wallshear.Figures) float64) func(f *Figures) float64 {
	return func(f *Figures) float64 {
		if f.Wall == nil {
			return math.NaN()
		}
		return value(f.Wall)
	}
}

// overTime is one of the stress over time.
func overTime(value func(o *wallshear.OverTime) float64) func(f *Figures) float64 {
	return wall(func(w *wallshear.Figures) float64 {
		if w.Over == nil {
			return math.NaN()
		}
		return value(w.Over)
	})
}

func known(v *float64) float64 {
	if v == nil {
		return math.NaN()
	}
	return *v
}

// Columns are those of the flow, for tables and lines of branches; what is not known is
// no number.
func (a *Answers) Columns() []tree.Column {
	column := func(name string, value func(b *Branch) float64) tree.Column {
		return tree.Column{Name: name, Value: func(b *tree.Branch) float64 { return value(&a.Branches[b.Number-1]) }}
	}
	var list []tree.Column
	for _, c := range figures {
		list = append(list, column(c.name, func(b *Branch) float64 { return c.value(&b.Figures) }))
	}
	return append(list,
		column("reynolds", func(b *Branch) float64 { return b.Reynolds }),
		column("womersley", func(b *Branch) float64 { return known(b.Womersley) }))
}

// WriteLobes writes a row of figures for every lobe.
func (a *Answers) WriteLobes(w io.Writer) error {
	table := newTable(w, "lobe", "openings", "branches", "share")
	for i := range a.Lobes {
		l := &a.Lobes[i]
		table.row(&l.Figures, l.Name, joined(l.Openings), joined(l.Branches), strconv.FormatFloat(l.Share, 'g', 6, 64))
	}
	return table.end("lobes")
}

// WriteEnds writes a row of figures for every opening.
func (a *Answers) WriteEnds(w io.Writer) error {
	table := newTable(w, "opening", "name", "branch")
	for i := range a.Ends {
		e := &a.Ends[i]
		table.row(&e.Figures, strconv.Itoa(e.Number), e.Name, strconv.Itoa(e.Branch))
	}
	return table.end("openings")
}

// table writes rows that end with figures.
type table struct{ *csv.Writer }

func newTable(w io.Writer, heading ...string) table {
	for _, c := range figures {
		heading = append(heading, c.name)
	}
	t := table{csv.NewWriter(w)}
	// A csv.Writer keeps its first error.
	_ = t.Write(append(heading, "volume_m3"))
	return t
}

func (t table) row(f *Figures, words ...string) {
	for _, c := range figures {
		words = append(words, tree.Number(c.value(f)))
	}
	_ = t.Write(append(words, tree.Number(f.Volume)))
}

func (t table) end(of string) error {
	t.Flush()
	if err := t.Error(); err != nil {
		return fmt.Errorf("writing the table of %s: %w", of, err)
	}
	return nil
}

func joined(numbers []int) string {
	words := make([]string, len(numbers))
	for i, n := range numbers {
		words[i] = strconv.Itoa(n)
	}
	return strings.Join(words, " ")
}
