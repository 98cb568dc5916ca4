package water

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"time"

	"carina"
	"carina/geometry/terrain"
	"carina/internal/atomicfile"
	"carina/internal/quantity"
	"carina/internal/resultsfolder"
	"carina/solver/shallow"
)

// Summary is the outcome of a flood, in SI units: what summary.json holds.
type Summary struct {
	Cells int64   `json:"cells"`
	Steps int64   `json:"steps"`
	Time  float64 `json:"time_s"`
	// TimeStep is the mean of all steps.
	TimeStep float64 `json:"mean_time_step_s"`
	Ranks    int     `json:"ranks"`
	// ExchangeEvery is in how many steps ranks have exchanged their borders once.
	ExchangeEvery int `json:"exchange_every"`
	// Seconds is how long the steps took, Updates how many cells a second were computed.
	Seconds float64 `json:"seconds"`
	Updates float64 `json:"cell_updates_per_s"`
	// Before and After are the volumes of water, Entered what came in at edges. Left is what
	// went out where there are open edges, and MassError, where there are none, what is
	// missing in the balance, relative to all that there was.
	Before    float64  `json:"volume_before_m3"`
	After     float64  `json:"volume_after_m3"`
	Entered   float64  `json:"volume_entered_m3"`
	Left      *float64 `json:"volume_left_m3,omitempty"`
	MassError *float64 `json:"mass_error,omitempty"`
	// Deepest is the greatest depth at any time, Fastest the highest speed at the end, and
	// Flooded the area that has been under water.
	Deepest float64        `json:"greatest_depth_m"`
	Fastest float64        `json:"highest_speed_at_end_m_s"`
	Flooded float64        `json:"flooded_m2"`
	Gauges  []GaugeSummary `json:"gauges,omitempty"`
	// StateHash is the same for the same water, however its cells are shared.
	StateHash string `json:"state_hash"`
	// Interrupted tells that somebody has stopped it.
	Interrupted bool      `json:"interrupted,omitempty"`
	Speeds      []float64 `json:"speeds,omitempty"`

	Provenance Provenance `json:"provenance"`
}

// GaugeSummary is what a gauge has told.
type GaugeSummary struct {
	Name string  `json:"name"`
	X    float64 `json:"x_m"`
	Y    float64 `json:"y_m"`
	// Deepest is the greatest depth there, and Arrival when it was first flooded; nil if it
	// was not.
	Deepest float64  `json:"greatest_depth_m"`
	Arrival *float64 `json:"arrival_s,omitempty"`
}

// Provenance says what a flood was computed by and from.
type Provenance struct {
	carina.Program
	Started time.Time `json:"started"`
	Command []string  `json:"command"`
	Case    WaterCase `json:"case"`
	Ground  string    `json:"ground_sha256"`
}

// String says the same in a few lines.
func (s *Summary) String() string {
	words := fmt.Sprintf("%s, %s of %s on average in %.1f s, %.1f million updates/s\n", quantity.Count(s.Cells, "cell"), quantity.Count(s.Steps, "step"), quantity.Format(s.TimeStep, "s"), s.Seconds, s.Updates/1e6)
	words += fmt.Sprintf("%s of water, %s deep at most, %s have been flooded\n", formatVolume(s.After), quantity.Format(s.Deepest, "m"), formatArea(s.Flooded))
	switch {
	case s.MassError != nil:
		words += fmt.Sprintf("%s were there and %s came in: the balance is off by %.2g\n", formatVolume(s.Before), formatVolume(s.Entered), *s.MassError)
	case s.Left != nil:
		words += fmt.Sprintf("%s were there, %s came in, %s went out\n", formatVolume(s.Before), formatVolume(s.Entered), formatVolume(*s.Left))
	}
	for _, g := range s.Gauges {
		if g.Arrival == nil {
			words += fmt.Sprintf("gauge %s was not flooded\n", g.Name)
			continue
		}
		words += fmt.Sprintf("gauge %s: %s at most, flooded after %s\n", g.Name, quantity.Format(g.Deepest, "m"), quantity.Format(*g.Arrival, "s"))
	}
	return words
}

func formatVolume(m3 float64) string { return fmt.Sprintf("%.5g m³", m3) }

func formatArea(m2 float64) string {
	const hectare = 1e4
	if m2 >= hectare {
		return fmt.Sprintf("%.4g ha", m2/hectare)
	}
	return fmt.Sprintf("%.4g m²", m2)
}

// The files of a folder of results.
const (
	depthGrid, speedGrid, deepestGrid, arrivalGrid     = "depth.asc", "speed.asc", "max-depth.asc", "arrival.asc"
	depthPicture, deepestPicture                       = "depth.png", "max-depth.png"
	gaugeTable, gaugePicture, looksTable, looksPicture = "gauges.csv", "gauges.png", "balance.csv", "balance.png"
	summaryFile                                        = "summary.json"
)

// names are the files that are going to be written.
func (f *Flood) names() []string {
	list := []string{depthGrid, speedGrid, deepestGrid, arrivalGrid, depthPicture, deepestPicture, summaryFile}
	if len(f.settings.gauges) > 0 {
		list = append(list, gaugeTable, gaugePicture)
	}
	if f.options.Rebalance.On && f.c.Ranks > 1 {
		list = append(list, looksTable, looksPicture)
	}
	return list
}

// conclude writes the results. All processes call it.
func (f *Flood) conclude(ctx context.Context) (err error) {
	var failed error
	interrupted := false
	if f.outcome != nil {
		f.finish()
		interrupted = f.summary.Interrupted
		if f.c.Output != "" {
			failed = f.writeAll()
		}
	}
	if f.files, err = f.course.Conclude(failed); err != nil {
		return err
	}
	if interrupted {
		return &carina.StoppedError{Steps: f.outcome.steps, Folder: f.c.Output, Cause: context.Cause(ctx)}
	}
	return nil
}

// raster spreads values of cells, by global number, over the squares; those that are not
// kept have none.
func (f *Flood) raster(value func(cell int64) float64) *terrain.Raster {
	r := like(f.ground.heights, func(int) float64 { return math.NaN() })
	f.ground.each(func(cell int64, square int) { r.Values[square] = value(cell) })
	return r
}

// each calls do for all cells, by global number, with the number of their square.
func (g *ground) each(do func(cell int64, square int)) {
	cell := int64(0)
	for i := range g.grid.Runs {
		r := &g.grid.Runs[i]
		for x := r.X0; x < r.X1; x++ {
			do(cell, int(r.Y)*int(g.heights.Columns)+int(x))
			cell++
		}
	}
}

// finish adds the last step to the records and makes the summary.
func (f *Flood) finish() {
	o := f.outcome
	depth, most, arrival := o.values[0], o.values[3], o.values[4]
	area := f.ground.heights.Spacing * f.ground.heights.Spacing
	s := &Summary{Cells: f.cells, Steps: o.steps, Time: o.time, TimeStep: o.time / math.Max(1, float64(o.steps)), Ranks: f.domain.Ranks, ExchangeEvery: o.every,
		Seconds: o.timing.Total.Seconds(), StateHash: fmt.Sprintf("%016x", o.hash), Interrupted: o.interrupted, Speeds: f.course.Looks.Speeds()}
	s.Updates = float64(f.cells) * float64(o.timing.Steps) / math.Max(1e-9, s.Seconds)
	f.ground.each(func(cell int64, square int) {
		h := depth[cell]
		if most[cell] = math.Max(most[cell], h); arrival[cell] < 0 && h >= f.settings.wet {
			arrival[cell] = o.time
		}
		s.Before += area * f.ground.depths.Values[square]
		s.After += area * h
		s.Deepest = math.Max(s.Deepest, most[cell])
		s.Fastest = math.Max(s.Fastest, o.speed(cell))
		if arrival[cell] >= 0 {
			s.Flooded += area
		}
	})
	open := false
	for _, e := range f.settings.edges {
		open = open || e.kind == "open"
	}
	for side, flow := range o.entered {
		if f.entering[side] > 0 {
			s.Entered += flow
		}
	}
	missing := s.Before + s.Entered - s.After
	if open {
		s.Left = &missing
	} else {
		missing /= math.Max(s.Before+s.Entered, math.SmallestNonzeroFloat64)
		s.MassError = &missing
	}
	for _, g := range f.gauges {
		k := GaugeSummary{Name: g.name, X: g.x, Y: g.y, Deepest: most[g.cell]}
		if arrival[g.cell] >= 0 {
			k.Arrival = &arrival[g.cell]
		}
		s.Gauges = append(s.Gauges, k)
	}
	s.Provenance = Provenance{Program: carina.ProgramOf(), Started: started, Command: os.Args, Case: f.c.WaterCase, Ground: f.ground.hash()}
	f.summary = s
}

// started is when the program was.
var started = time.Now()

// speed is that in a cell at the end.
func (o *outcome) speed(cell int64) float64 {
	const thin = 1e-4 // in thinner water there is none to speak of
	h := o.values[shallow.StateDepth][cell]
	if h < thin {
		return 0
	}
	return math.Hypot(o.values[shallow.StateDischargeX][cell], o.values[shallow.StateDischargeY][cell]) / h
}

// writeAll writes the files.
func (f *Flood) writeAll() error {
	o := f.outcome
	thin := func(v float64) float64 {
		if v < 1e-6 {
			return 0
		}
		return v
	}
	arrived := func(cell int64) float64 {
		if v := o.values[4][cell]; v >= 0 {
			return v
		}
		return math.NaN()
	}
	grid := func(value func(cell int64) float64) func(path string) error {
		return func(path string) error {
			return atomicfile.Write(path, f.raster(value).Write)
		}
	}
	depth := func(cell int64) float64 { return thin(o.values[0][cell]) }
	most := func(cell int64) float64 { return thin(o.values[3][cell]) }
	writers := map[string]func(path string) error{
		depthGrid: grid(depth), speedGrid: grid(o.speed), deepestGrid: grid(most), arrivalGrid: grid(arrived),
		depthPicture: func(path string) error { return f.draw(path, "depth after "+quantity.Format(o.time, "s"), depth) },
		deepestPicture: func(path string) error {
			return f.draw(path, "greatest depth until "+quantity.Format(o.time, "s"), most)
		},
		gaugeTable: f.writeGauges, gaugePicture: f.drawGauges,
		looksTable: func(path string) error { return f.course.Looks.WriteTable(path) }, looksPicture: func(path string) error { return f.course.Looks.WritePicture(path) },
		summaryFile: func(path string) error { return atomicfile.WriteJSON(path, f.summary) },
	}
	for _, name := range f.names() {
		if err := writers[name](resultsfolder.Hidden(f.c.Output, name)); err != nil {
			return err
		}
	}
	return nil
}

// writeGauges writes a row for each time, with the depth, the level and the velocity at each
// gauge.
func (f *Flood) writeGauges(path string) error {
	return atomicfile.Write(path, func(w io.Writer) error {
		c := csv.NewWriter(w)
		head := []string{"time_s"}
		for _, g := range f.gauges {
			head = append(head, g.name+"_depth_m", g.name+"_level_m", g.name+"_velocity_x_m_s", g.name+"_velocity_y_m_s")
		}
		rows := [][]string{head}
		number := func(v float64) string { return strconv.FormatFloat(v, 'g', 7, 64) }
		for _, row := range f.rows {
			line := []string{number(row.Time)}
			for i, g := range f.gauges {
				h, hu, hv := row.Values[3*i], row.Values[3*i+1], row.Values[3*i+2]
				level := h + f.ground.heights.Values[int(g.row)*int(f.ground.heights.Columns)+int(g.column)]
				u, v := 0.0, 0.0
				if h > 1e-4 {
					u, v = hu/h, hv/h
				}
				line = append(line, number(h), number(level), number(u), number(v))
			}
			rows = append(rows, line)
		}
		return c.WriteAll(slices.Clip(rows))
	})
}
