package waterbench

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"carina/internal/atomicfile"
	"carina/internal/machine"
	"carina/water"
)

// Options of the suite.
type Options struct {
	// Folder is where results are written.
	Folder string
	// Quick computes small grids alone.
	Quick bool
	// Ranks share the flood; 8 by default.
	Ranks int
	// Progress is told the stage and the share done.
	Progress func(stage string, done float64)
}

// Row is a circular dam that breaks, of side² cells, computed for 60 s.
type Row struct {
	Scheme  string  `json:"scheme"`
	Side    int     `json:"side"`
	Steps   int64   `json:"steps"`
	Seconds float64 `json:"seconds"`
	// Source is how long it took on one GTX480 (Skevik 2014, tables 3.3 and 4.1).
	Source float64 `json:"source_seconds"`
	// Updates are cells a second, OfCopy the part of the memory's bandwidth that their
	// least traffic is: 68 bytes a step of Heun's method, 28 of Euler's.
	Updates float64 `json:"cell_updates_per_s"`
	OfCopy  float64 `json:"of_copy"`
}

// Result is what was measured.
type Result struct {
	Machine machine.Description `json:"machine"`
	// Copy is the bandwidth of a copy by all cores, read and written, in bytes a second.
	Copy  float64 `json:"copy_bytes_per_s"`
	Rows  []Row   `json:"circular_dam"`
	Wet   float64 `json:"wet_cell_s"`
	Dry   float64 `json:"dry_cell_s"`
	Ranks int     `json:"ranks"`
	// Shared is a flood down a valley.
	Shared []Outcome `json:"valley"`
}

// source are the seconds of the source, by side.
var source = map[string]map[int]float64{
	"euler": {256: 0.044, 512: 0.24, 1024: 1.6, 2048: 13},
	"heun":  {256: 0.082, 512: 0.47, 1024: 3.3, 2048: 25},
}

// leastBytes are those that a step moves of a cell, in single precision.
var leastBytes = map[string]float64{"euler": 28, "heun": 68}

// Run measures and writes water.csv and water.md into the folder.
func Run(ctx context.Context, o Options) (*Result, error) {
	if o.Progress == nil {
		o.Progress = func(string, float64) {}
	}
	r := &Result{Machine: machine.Describe(), Ranks: max(o.Ranks, 1)}
	if o.Ranks == 0 {
		const ranks = 8
		r.Ranks = ranks
	}
	const copied, times = 64 << 20, 8
	r.Copy = machine.NewCopier(runtime.GOMAXPROCS(0), copied).Bandwidth(times)
	sides := []int{256, 512, 1024, 2048}
	if o.Quick {
		sides = sides[:2]
	}
	for i, side := range sides {
		for _, scheme := range []string{"euler", "heun"} {
			o.Progress(fmt.Sprintf("circular dam, %d² cells, %s", side, scheme), float64(i)/float64(len(sides)+1))
			var c water.Case
			c.Terrain, c.Scheme, c.Spacing = "circle", scheme, strconv.FormatFloat(2000/float64(side), 'g', -1, 64)+"m"
			s, err := compute(ctx, c)
			if err != nil {
				return nil, err
			}
			r.Rows = append(r.Rows, Row{scheme, side, s.Steps, s.Seconds, source[scheme][side], s.Updates, s.Updates * leastBytes[scheme] / r.Copy})
		}
	}
	o.Progress(fmt.Sprintf("valley on %d ranks", r.Ranks), float64(len(sides))/float64(len(sides)+1))
	return r, r.share(ctx, &o)
}

func compute(ctx context.Context, c water.Case) (*water.Summary, error) {
	f, err := water.Open(ctx, c, water.Options{})
	if err == nil {
		err = f.Run(ctx)
	}
	if err != nil {
		return nil, err
	}
	return f.Summary(), nil
}

// cost is what a step takes a core for a cell, under water or on dry ground, as long runs meet it:
// the least between two looks, which steps pass between, once caches are warm.
func cost(ctx context.Context, level, until string) (least float64, err error) {
	const steps = 100
	var c water.Case
	c.Terrain, c.Spacing, c.Level, c.Time = "dam", "0.1m", level, until
	least = math.Inf(1)
	var before time.Duration
	var cells float64
	f, err := water.Open(ctx, c, water.Options{Progress: func(now, end, _ float64) {
		took := machine.ProcessorTime()
		if before > 0 && now < end {
			least = math.Min(least, (took-before).Seconds()/steps/cells)
		}
		before = took
	}})
	if err == nil {
		cells = float64(f.Grid().Cells())
		err = f.Run(ctx)
	}
	return least, err
}

// share measures what wet and dry cells cost, and shares a flood of such.
func (r *Result) share(ctx context.Context, o *Options) error {
	var err error
	// Both have some 600 steps.
	if r.Wet, err = cost(ctx, "1m", "5s"); err != nil {
		return err
	}
	if r.Dry, err = cost(ctx, "-1m", "1650s"); err != nil {
		return err
	}
	var c water.Case
	c.Terrain, c.Interval, c.Spacing = "valley", "2s", "2.5m"
	if o.Quick {
		c.Spacing = "5m"
	}
	f, moments, err := Record(ctx, c)
	if err != nil {
		return err
	}
	// A move takes some steps, and as long as some more of the cells that move.
	const steps, each = 5, 2
	cells := float64(f.Grid().Cells()) / float64(r.Ranks)
	if r.Shared, err = Share(ctx, f, moments, r.Ranks, Costs{Wet: r.Wet, Dry: r.Dry, Move: steps * r.Wet * cells / 4, MoveCell: each * r.Wet}); err != nil {
		return err
	}
	for name, fill := range map[string]func(w io.Writer) error{"water.csv": r.writeTable, "water.md": r.writePage} {
		if err := atomicfile.Write(filepath.Join(o.Folder, name), fill); err != nil {
			return err
		}
	}
	return nil
}

func (r *Result) writeTable(w io.Writer) error {
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', 4, 64) }
	list := [][]string{{"what", "scheme_or_policy", "side_or_ranks", "steps_or_moves", "seconds", "source_seconds", "cell_updates_per_s", "of_copy", "above_ideal", "above_ideal_with_moves"}}
	for _, k := range r.Rows {
		list = append(list, []string{"circular dam", k.Scheme, strconv.Itoa(k.Side), strconv.FormatInt(k.Steps, 10), number(k.Seconds), number(k.Source), number(k.Updates), number(k.OfCopy), "", ""})
	}
	for _, k := range r.Shared {
		list = append(list, []string{"valley", k.Policy, strconv.Itoa(r.Ranks), strconv.Itoa(k.Moves), number(k.Seconds), "", "", "", number(k.AboveIdeal), number(k.Net)})
	}
	return csv.NewWriter(w).WriteAll(list)
}

func (r *Result) writePage(w io.Writer) error {
	_, err := io.WriteString(w, "# Floods\n\n`carina bench water`, "+r.Machine.Processor+".\n\n"+r.Words("| ", " | ", " |\n"))
	return err
}

// Words are the tables, in lines with something before, between and after their columns.
func (r *Result) Words(before, between, after string) string {
	var text strings.Builder
	line := func(columns ...string) { text.WriteString(before + strings.Join(columns, between) + after) }
	ruled := func(columns ...string) {
		line(columns...)
		if before != "" {
			line(strings.Split(strings.Repeat("---,", len(columns)-1)+"---", ",")...)
		}
	}
	fmt.Fprintf(&text, "A circular dam of 2000 m breaks, 60 s, single precision. A copy by all cores moves %.1f GB/s; *of the copy* is the part that the least traffic takes, 68 bytes a step of Heun's method and 28 of Euler's. The source is Skevik (2014), one GTX480.\n\n", r.Copy/1e9)
	ruled("cells", "scheme", "steps", "seconds", "source's", "million updates/s", "of the copy")
	for _, k := range r.Rows {
		line(fmt.Sprintf("%d²", k.Side), k.Scheme, strconv.FormatInt(k.Steps, 10), fmt.Sprintf("%.3g", k.Seconds), fmt.Sprint(k.Source), fmt.Sprintf("%.1f", k.Updates/1e6), fmt.Sprintf("%.2f", k.OfCopy))
	}
	fmt.Fprintf(&text, "\nA flood down a valley over %d ranks, replayed by counted work: a step takes a wet cell %.1f ns and a dry one %.2f ns on a core, as measured here, and a move five steps and two of each cell of the busiest rank. *Above the ideal* is how much longer a step takes on average than work divided at will in that step.\n\n", r.Ranks, 1e9*r.Wet, 1e9*r.Dry)
	ruled("policy", "above the ideal", "with moves", "moves")
	for _, k := range r.Shared {
		line(k.Policy, fmt.Sprintf("%.1f %%", 100*k.AboveIdeal), fmt.Sprintf("%.1f %%", 100*k.Net), strconv.Itoa(k.Moves))
	}
	return text.String()
}
