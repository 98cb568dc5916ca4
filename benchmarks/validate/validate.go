package validate

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"carina/internal/palette"
	"carina/solver/airflow"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
)

// Options choose what is computed.
type Options struct {
	// References is the folder of published data that is not part of the
	// program: the cavity is left out where it is absent.
	References string
	// Plots begins the paths of the plots, such as results/validate; none are
	// drawn where it is empty.
	Plots string
	// Cases are the names of cases; empty means all.
	Cases []string
	// Quick computes less and coarser.
	Quick bool
	// Change alters the settings of every case, for instance the precision;
	// airflow.Half has tolerances of its own. It may be nil.
	Change func(*airflow.Settings)
	// Device is Processor, also if empty, or GPU: the first one.
	Device string
	// Progress hears what is being done; it may be nil.
	Progress func(stage string, done float64)
	// Found hears of every result as it is known, so that nothing is lost where large
	// sizes are not waited for; it may be nil.
	Found func(Result)
}

// Report is the outcome of the suite.
type Report struct {
	// Device computed the cases.
	Device  string   `json:"device"`
	Results []Result `json:"results"`
	// Failed is how many results are outside their tolerance.
	Failed int `json:"failed"`

	pictures []string
}

// Pictures are the files of the plots.
func (r *Report) Pictures() []string { return r.pictures }

// cases lists the families of flows by name.
var cases = []struct {
	name string
	run  func(*suite) error
}{
	{"pipe", (*suite).pipe},
	{"duct", (*suite).duct},
	{"taylor-green", (*suite).taylorGreen},
	{"womersley", (*suite).womersley},
	{"bifurcation", (*suite).bifurcation},
	{"breathing", (*suite).breathing},
	{"cavity", (*suite).cavity},
	{"cylinder", (*suite).cylinders},
	{"breakdown", (*suite).breakdown},
	{"turbulence", (*suite).turbulence},
	{"nozzle", (*suite).nozzle},
}

// Names lists the names of the cases.
func Names() []string {
	names := make([]string, len(cases))
	for i, c := range cases {
		names[i] = c.name
	}
	return names
}

// Run computes the cases.
func Run(ctx context.Context, o Options) (*Report, error) {
	if o.Progress == nil {
		o.Progress = func(string, float64) {}
	}
	if o.References == "" {
		o.References = filepath.Join("..", "shared", "reference-data")
	}
	if o.Change == nil {
		o.Change = func(*airflow.Settings) {}
	}
	usual := airflow.DefaultSettings()
	o.Change(&usual)
	s := &suite{options: o, ctx: ctx, precision: usual.Precision}
	for _, wanted := range o.Cases {
		if !strings.Contains(" "+strings.Join(Names(), " ")+" ", " "+wanted+" ") {
			return nil, fmt.Errorf("there is no case %q; choose from %s", wanted, strings.Join(Names(), ", "))
		}
	}
	for i, c := range cases {
		if len(o.Cases) > 0 && !strings.Contains(" "+strings.Join(o.Cases, " ")+" ", " "+c.name+" ") {
			continue
		}
		o.Progress(c.name, float64(i)/float64(len(cases)))
		if err := c.run(s); err != nil {
			return nil, fmt.Errorf("case %s: %w", c.name, err)
		}
	}
	r := &Report{Device: s.device, Results: s.results}
	for _, result := range r.Results {
		if !result.Pass {
			r.Failed++
		}
	}
	if o.Plots == "" {
		return r, nil
	}
	for _, p := range s.plots {
		picture := o.Plots + "-" + p.Name + ".png"
		if err := p.draw(picture); err != nil {
			return nil, err
		}
		r.pictures = append(r.pictures, picture)
	}
	return r, nil
}

// draw writes a plot as a picture.
func (p *Plot) draw(path string) error {
	picture := plot.New()
	if p.Logarithmic {
		picture.X.Scale, picture.Y.Scale = plot.LogScale{}, plot.LogScale{}
		picture.Y.Tick.Marker = plot.LogTicks{Prec: -1}
		var ticks plot.ConstantTicks
		for _, x := range p.Curves[0].X {
			ticks = append(ticks, plot.Tick{Value: x, Label: strconv.FormatFloat(x, 'g', 4, 64)})
		}
		picture.X.Tick.Marker = ticks
	}
	picture.Title.Text, picture.X.Label.Text, picture.Y.Label.Text = p.Title, p.XLabel, p.YLabel
	for i, c := range p.Curves {
		points := make(plotter.XYs, len(c.X))
		for k := range c.X {
			points[k].X, points[k].Y = c.X[k], c.Y[k]
		}
		var thing plot.Plotter
		if c.Points {
			scatter, err := plotter.NewScatter(points)
			if err != nil {
				return fmt.Errorf("drawing %s: %w", path, err)
			}
			scatter.Color, scatter.Shape = palette.Lines[i%len(palette.Lines)], plotutil.Shape(i)
			thing = scatter
			if c.Name != "" {
				picture.Legend.Add(c.Name, scatter)
			}
		} else {
			line, err := plotter.NewLine(points)
			if err != nil {
				return fmt.Errorf("drawing %s: %w", path, err)
			}
			line.LineStyle = palette.Line(i)
			thing = line
			if c.Name != "" {
				picture.Legend.Add(c.Name, line)
			}
		}
		picture.Add(thing)
	}
	// The legend gets room of its own above the curves.
	const line = 0.035 // of the height
	part := 0.0
	for _, c := range p.Curves {
		if c.Name != "" {
			part += line
		}
	}
	room := part / (1 - part)
	picture.Legend.Top = true
	if p.Logarithmic {
		picture.Y.Max *= math.Pow(picture.Y.Max/picture.Y.Min, room)
	} else {
		picture.Y.Max += room * (picture.Y.Max - picture.Y.Min)
	}
	if err := picture.Save(16*vg.Centimeter, 11*vg.Centimeter, path); err != nil {
		return fmt.Errorf("drawing %s: %w", path, err)
	}
	return nil
}

// Words is the report as a table.
func (r *Report) Words() string {
	var b strings.Builder
	if r.Device != "" {
		fmt.Fprintf(&b, "computed on: %s\n\n", r.Device)
	}
	fmt.Fprintln(&b, row("case", "quantity", "value", "reference", "tolerance", "verdict", "source"))
	for _, result := range r.Results {
		fmt.Fprintln(&b, result.Words())
	}
	return b.String()
}
