package rebalancebench

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"carina/balance"
	balancebench "carina/benchmarks/balance"
	"carina/geometry"
	"carina/internal/atomicfile"
	"carina/internal/palette"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

// Options of the suite.
type Options struct {
	// Folder is where results are written.
	Folder string
	// Quick replays few ranks.
	Quick bool
	// Geometry is as in the suite of balancers: airway by default.
	Geometry string
	// Ranks are the numbers of ranks; 32, 256 and 2,000 by default.
	Ranks []int
	// Trace, if given, is replayed instead of the recorded ones.
	Trace Trace
	// Progress is told the stage and the share done.
	Progress func(stage string, done float64)

	// leastCells are those of few ranks, slowedCells those of two, one of which is slowed
	// and which sleep so long in a phase of a step.
	leastCells, slowedCells int64
	phase                   time.Duration
}

// Row is one replay.
type Row struct {
	Ranks     int     `json:"ranks"`
	Cells     int64   `json:"fluid_cells"`
	Policy    string  `json:"policy"`
	MoveSteps float64 `json:"steps_of_a_move"`
	Outcome   `json:"outcome"`
}

const (
	seed, looks, stepsOfALook = 5, 60, 100
	noise, moveCell           = 0.01, 3e-8
)

// moveSteps are what a move may take, in steps.
var moveSteps = []float64{15, 75, 300}

// Run replays the recorded traces with all policies, and writes rebalance.csv,
// rebalance.md and rebalance.png into the folder; where nothing is left out, slowed.csv and
// slowed.png of two ranks that compute, too.
func Run(ctx context.Context, o Options) ([]Row, error) {
	if o.Geometry == "" {
		o.Geometry = "airway"
	}
	if o.Trace != nil {
		o.Ranks = []int{len(o.Trace[0])}
	}
	if len(o.Ranks) == 0 {
		o.Ranks = []int{32, 256, 2000}
		if o.Quick {
			o.Ranks = []int{32}
		}
	}
	if o.leastCells == 0 {
		o.leastCells, o.slowedCells, o.phase = 300_000, 40_000, 20*time.Millisecond
	}
	if o.Progress == nil {
		o.Progress = func(string, float64) {}
	}
	var rows []Row
	for i, ranks := range o.Ranks {
		o.Progress(fmt.Sprintf("%d ranks", ranks), float64(i)/float64(len(o.Ranks)))
		more, err := replays(ctx, &o, ranks)
		if err != nil {
			return nil, err
		}
		rows = append(rows, more...)
	}
	words := ""
	if !o.Quick && o.Trace == nil {
		o.Progress("one of two ranks is slowed", 0.95)
		s, err := slowed(ctx, &o)
		if err != nil {
			return nil, err
		}
		if err := s.write(o.Folder); err != nil {
			return nil, err
		}
		words = s.words()
	}
	for name, fill := range map[string]func(w io.Writer) error{
		"rebalance.csv": func(w io.Writer) error { return writeRows(w, rows) },
		"rebalance.md":  func(w io.Writer) error { return writePage(w, rows, o.Trace != nil, words) },
		"rebalance.png": func(w io.Writer) error { return draw(w, rows) },
	} {
		if err := atomicfile.Write(filepath.Join(o.Folder, name), fill); err != nil {
			return nil, err
		}
	}
	return rows, nil
}

// replays are those of one number of ranks.
func replays(ctx context.Context, o *Options, ranks int) ([]Row, error) {
	_, g, err := balancebench.Grid(ctx, o.Geometry, max(o.leastCells, min(10_000_000, 6000*int64(ranks))))
	if err != nil {
		return nil, err
	}
	p, err := balance.Make(ctx, g, balance.Options{Ranks: ranks, Preset: "fast"})
	if err != nil {
		return nil, err
	}
	first, err := balance.NewRebalancer(ctx, p, g, nil, nil)
	if err != nil {
		return nil, err
	}
	exchange := 0.0
	for _, seconds := range first.Exchanging() {
		exchange += seconds / float64(ranks)
	}
	trace := o.Trace
	if trace == nil {
		trace = NewTrace(ranks, looks, seed)
	}
	var rows []Row
	for _, policy := range policies {
		for _, move := range moveSteps {
			b, err := policy.start(ctx, p, g)
			if err != nil {
				return nil, err
			}
			outcome, err := Replay(ctx, Replaying{Trace: trace, Steps: stepsOfALook, Noise: noise, MoveSteps: move, MoveCell: moveCell, Exchange: exchange}, b)
			if err != nil {
				return nil, err
			}
			rows = append(rows, Row{Ranks: ranks, Cells: g.Cells(), Policy: policy.name, MoveSteps: move, Outcome: outcome})
			if policy.still {
				break // a move costs nothing where there is none
			}
		}
	}
	return rows, nil
}

// policies are what is compared.
var policies = []struct {
	name  string
	still bool
	start func(ctx context.Context, p *balance.Partition, g *geometry.Grid) (Balancer, error)
}{
	{"never", true, func(ctx context.Context, p *balance.Partition, g *geometry.Grid) (Balancer, error) {
		r, err := balance.NewRebalancer(ctx, p, g, nil, nil)
		if err != nil {
			return nil, err
		}
		return &still{*r}, nil
	}},
	{"rows, even", true, slabs(Even)},
	{"rows, automatic", false, slabs(Automatic)},
	{"rows, dynamic", false, slabs(Dynamic)},
	{"auto", false, func(ctx context.Context, p *balance.Partition, g *geometry.Grid) (Balancer, error) {
		return balance.NewRebalancer(ctx, p, g, nil, nil)
	}},
}

func slabs(s Scheme) func(context.Context, *balance.Partition, *geometry.Grid) (Balancer, error) {
	return func(_ context.Context, p *balance.Partition, g *geometry.Grid) (Balancer, error) {
		return NewSlabs(g, &p.Cost, len(p.Ranks), s), nil
	}
}

var columns = []string{"ranks", "fluid_cells", "policy", "steps_of_a_move", "above_oracle", "moves", "cells_moved_each", "share_of_moving", "longest_look_s"}

// words are a row's.
func (r *Row) words() []string {
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', 4, 64) }
	return []string{strconv.Itoa(r.Ranks), strconv.FormatInt(r.Cells, 10), r.Policy, number(r.MoveSteps), number(r.AboveOracle), strconv.Itoa(r.Moves), number(r.MovedEach / float64(r.Cells)), number(r.MovingShare), number(r.LongestLook.Seconds())}
}

func writeRows(w io.Writer, rows []Row) error {
	c := csv.NewWriter(w)
	list := [][]string{columns}
	for i := range rows {
		list = append(list, rows[i].words())
	}
	return c.WriteAll(list)
}

func writePage(w io.Writer, rows []Row, measured bool, slowed string) error {
	var text strings.Builder
	text.WriteString("# Balancing while a job runs\n\n`carina bench rebalance`. Replays of ranks whose speeds change")
	if measured {
		fmt.Fprintf(&text, " as a run has measured, %d steps a look", stepsOfALook)
	} else {
		fmt.Fprintf(&text, ": %d looks of %d steps; a host of eight ranks is slowed by a half from look %d on, a rank threefold from look %d to %d, a rank fourfold in look %d alone, three by 30 %% from look %d on", looks, stepsOfALook, looks/6, looks/3, 2*looks/3, looks/2, looks*3/4)
	}
	fmt.Fprintf(&text, "; measured times scatter by %g %%. *Above the oracle* is the time of all steps, with their messages by the cost model, and of moves over that of work which is divided at will at the beginning of every look and has the mean messages of the graph partition. *auto* is `--rebalance auto`; *rows* are the schemes of Skevik (2014): rows of the bounding box, here weighed by their work, divided evenly, by speeds measured once, or anew whenever that is a twentieth better.\n\n", 100*noise)
	fmt.Fprint(&text, "| ranks | fluid cells | policy | steps a move takes | above the oracle | moves | cells a move | moving | longest look |\n|", strings.Repeat(" --- |", len(columns)), "\n")
	for i := range rows {
		r := &rows[i]
		fmt.Fprintf(&text, "| %d | %d | %s | %g | %.1f %% | %d | %.1f %% | %.1f %% | %.2f s |\n", r.Ranks, r.Cells, r.Policy, r.MoveSteps, 100*r.AboveOracle, r.Moves, 100*r.MovedEach/float64(r.Cells), 100*r.MovingShare, r.LongestLook.Seconds())
	}
	text.WriteString("\n![steps of the first number of ranks](rebalance.png)\n" + slowed)
	_, err := io.WriteString(w, text.String())
	return err
}

// draw plots the steps of the first number of ranks, with moves of 75 steps.
func draw(w io.Writer, rows []Row) error {
	p := plot.New()
	p.Title.Text = fmt.Sprintf("Steps of %d ranks whose speeds change", rows[0].Ranks)
	p.X.Label.Text, p.Y.Label.Text, p.Y.Min = "look", "time of a step over the ideal one of the beginning", 0
	p.Legend.Top, p.Legend.Left = true, true
	for k, policy := range []string{"never", "rows, dynamic", "auto"} {
		i := slices.IndexFunc(rows, func(r Row) bool { return r.Policy == policy && (r.MoveSteps == 75 || policy == "never") })
		if i < 0 {
			continue
		}
		line := plotter.XYs{}
		for x, y := range rows[i].Steps {
			line = append(line, plotter.XY{X: float64(x), Y: y})
		}
		l, err := plotter.NewLine(line)
		if err != nil {
			return fmt.Errorf("plotting replays: %w", err)
		}
		l.Color, l.Width = palette.Lines[k%len(palette.Lines)], vg.Points(1.5)
		p.Add(l)
		p.Legend.Add(policy, l)
	}
	to, err := p.WriterTo(18*vg.Centimeter, 10*vg.Centimeter, "png")
	if err != nil {
		return fmt.Errorf("plotting replays: %w", err)
	}
	_, err = to.WriteTo(w)
	return err
}
