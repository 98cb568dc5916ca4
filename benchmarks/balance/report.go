package balancebench

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"carina/balance"
	"carina/geometry"
	"carina/internal/atomicfile"
	"carina/internal/machine"
	"carina/internal/quantity"
)

// writer keeps signatures short.
type writer = io.Writer

func writeFile(path string, fill func(w writer) error) error { return atomicfile.Write(path, fill) }

// report is a Markdown text that grows geometry by geometry.
type report struct {
	text bytes.Buffer
	opt  *Options
}

func newReport(opt *Options, title string) *report {
	r := &report{opt: opt}
	d := machine.Describe()
	r.printf("%s\n\n", title)
	r.printf("Partitions were made on: %s, %d cores, %s.\n\n", d.Processor, d.Cores, d.GoVersion)
	r.printf("MLUP/ps is million fluid cell updates per second and rank, the unit of the source (Fietz 2011, section 5.3). ")
	r.printf("*Predicted* is by the cost model below; *measured* is the slowest of the ranks, each timed alone with real kernels in seconds of the processor, the fastest of many steps in rounds in which the partitions that are compared take turns (all ranks up to %d, beyond that the %d predicted slowest and %d others), plus its exchange by the cost model. ", mostTimed, mostTimed/2, mostTimed/2)
	r.printf("The plain layout streams every cell of a cuboid as the source's OpenLB did; the dense one is the solver's own for cuboids that are stored whole, the sparse one the solver's own for fluid cells alone. \"Unsplit\" strategies leave cuboids as the decomposition makes them, as the source did. k is the number of blocks per rank before those without fluid are removed; the best k by the prediction is shown.\n\n")
	r.costs()
	return r
}

func (r *report) printf(format string, arguments ...any) {
	fmt.Fprintf(&r.text, format, arguments...)
}

// table writes a Markdown table, or nothing where there are no rows.
func (r *report) table(caption string, head []string, rows [][]string) {
	if len(rows) == 0 {
		return
	}
	r.printf("**%s**\n\n| %s |\n|%s\n", caption, strings.Join(head, " | "), strings.Repeat(" --- |", len(head)))
	for _, row := range rows {
		r.printf("| %s |\n", strings.Join(row, " | "))
	}
	r.printf("\n")
}

// costs describes the cost models.
func (r *report) costs() {
	var rows [][]string
	var used []balance.Cost
	for _, layout := range []balance.Layout{balance.Plain, balance.Dense, balance.Sparse} {
		c, err := r.opt.cost(layout)
		if err != nil {
			continue
		}
		used = append(used, *c)
		rows = append(rows, []string{
			string(layout), c.Source, nano(c.Fluid), nano(c.Boundary), nano(c.Opening), nano(c.Empty), nano(c.Lane), nano(c.Cuboid), nano(1e3 * c.CopyPerByte),
			fmt.Sprintf("%.2g µs + %.2g ns/kB", 1e6*c.Inside.Latency, 1e12*c.Inside.SecondsPerByte),
			fmt.Sprintf("%.2g µs + %.2g ns/kB", 1e6*c.Between.Latency, 1e12*c.Between.SecondsPerByte),
		})
	}
	hosts := fmt.Sprintf("%s per host", quantity.Count(r.opt.DevicesPerHost, "rank"))
	if r.opt.DevicesPerHost == oneHost {
		hosts = "all ranks in one host"
	}
	r.table("Cost model, one rank; "+hosts,
		[]string{"layout", "figures", "fluid ns", "boundary ns", "opening ns", "empty ns", "lane ns", "cuboid ns", "copy ns/kB", "message in a host", "message between hosts"}, rows)
	r.sizeFactors(used)
}

func nano(seconds float64) string { return fmt.Sprintf("%.3g", 1e9*seconds) }

// geometry writes the sections of one geometry.
func (r *report) geometry(ctx context.Context, s *suite, name string, g *geometry.Grid, sourceTables bool) error {
	r.printf("%d fluid cells in a box of %d×%d×%d (%.1f %%).\n\n", g.Cells(), g.Size[0], g.Size[1], g.Size[2],
		100*float64(g.Cells())/(float64(g.Size[0])*float64(g.Size[1])*float64(g.Size[2])))
	if slices.ContainsFunc(s.rows, func(r Row) bool { return r.Layout == balance.Plain }) {
		r.printf("## The plain layout, as in the source\n\n")
		r.improvement(s.rows, balance.Plain)
		r.strategies(s.rows, balance.Plain)
		r.printf("![rates](balance-%s-plain.png)\n\n", name)
	}
	if slices.ContainsFunc(s.rows, func(r Row) bool { return r.Layout == balance.Dense }) {
		r.printf("## The solver's dense layout\n\n")
		r.aboutDense()
		r.improvement(s.rows, balance.Dense)
		r.strategies(s.rows, balance.Dense)
		r.printf("![rates](balance-%s-dense.png)\n\n", name)
	}
	r.printf("## The sparse layout\n\n")
	r.sparse(s.rows)
	r.printf("![bytes](balance-%s-bytes.png)\n\n", name)
	if sourceTables {
		r.printf("## The source's tables\n\n")
		r.balancersByK(s.rows)
		r.balancersByRanks(s.rows)
		r.shrinking(ctx, s, g)
		if err := r.octrees(ctx, g); err != nil {
			return err
		}
		return r.communication(ctx, s, name, g)
	}
	return nil
}

// improvement is shaped like the source's table 5.6.
func (r *report) improvement(rows []Row, layout balance.Layout) {
	var lines, measured, losses [][]string
	verdict, measuredVerdict := predictedMargins(), measuredMargins()
	for _, p := range ranksOf(rows) {
		at := func(step func(r *Row) float64, match func(r *Row) bool) *Row {
			return fastestBy(step, rows, func(r *Row) bool { return r.Layout == layout && r.Ranks == p && match(r) })
		}
		old, shrunk, ours := at(predictedStep, isTraditional), at(predictedStep, isShrunk), at(predictedStep, isOurs)
		if old == nil || shrunk == nil || ours == nil {
			continue
		}
		verdict.note(old, shrunk, ours)
		lines = append(lines, []string{fmt.Sprint(p), rate(old, old.Predicted), rate(shrunk, shrunk.Predicted), gain(old.Predicted, shrunk.Predicted),
			rate(ours, ours.Predicted), gain(shrunk.Predicted, ours.Predicted), gain(old.Predicted, ours.Predicted), rate(ours, ours.Ideal), gain(old.Predicted, ours.Ideal), gain(shrunk.Predicted, ours.Ideal),
			fmt.Sprintf("%s, k = %d; %s, k = %d; %s, k = %s", old.Strategy, old.PerRank, shrunk.Strategy, shrunk.PerRank, ours.Strategy, chosen(ours))})
		losses = append(losses, append(append(append([]string{fmt.Sprint(p)}, lost(old)...), lost(shrunk)...), lost(ours)...))
		old, shrunk, ours = at(measuredStep, wasMeasured(isTraditional)), at(measuredStep, wasMeasured(isShrunk)), at(measuredStep, wasMeasured(isOurs))
		if old != nil && shrunk != nil && ours != nil {
			measuredVerdict.note(old, shrunk, ours)
			measured = append(measured, []string{fmt.Sprint(p), rate(old, old.Measured), rate(shrunk, shrunk.Measured), gain(old.Measured, shrunk.Measured),
				rate(ours, ours.Measured), gain(shrunk.Measured, ours.Measured), gain(old.Measured, ours.Measured), fmt.Sprint(ours.Timed),
				longer(old), longer(shrunk), longer(ours), fmt.Sprintf("%s, k = %d; %s, k = %d; %s, k = %s", old.Strategy, old.PerRank, shrunk.Strategy, shrunk.PerRank, ours.Strategy, chosen(ours))})
		}
	}
	name := layoutName(layout)
	r.table(name+", MLUP/ps predicted: traditional (regular + linear), shrinking + graph, and the best of ours (shape of table 5.6; the source found +52.7 % at 1 rank to +104.7 % at 32). The bound is fluid cells alone, shared perfectly, with nothing else to do",
		[]string{"ranks", "traditional", "shrinking", "improvement", "ours", "on top of shrinking", "ours over traditional", "bound", "bound over traditional", "bound over shrinking", "strategies"}, lines)
	if len(measured) > 0 {
		r.table(name+", MLUP/ps measured: the slowest of the ranks timed alone with real kernels, exchange by the cost model added; of each kind the fastest of those that were timed, the two with the shortest predicted steps",
			[]string{"ranks", "traditional", "shrinking", "improvement", "ours", "on top of shrinking", "ours over traditional", "ranks timed", "traditional: measured step against predicted", "shrinking", "ours", "strategies"}, measured)
	}
	r.table(name+": where the time goes by the prediction, in % of the bound's step: empty cells, cuboids as such, lanes without fluid and copies between those of a rank, messages, waiting for the slowest rank",
		[]string{"ranks", "traditional: empty", "cuboids", "messages", "waiting", "shrinking: empty", "cuboids", "messages", "waiting", "ours: empty", "cuboids", "messages", "waiting"}, losses)
	r.verdict(verdict, name+", by the prediction")
	r.verdict(measuredVerdict, name+", measured")
	r.agreement(rows, layout)
	if len(verdict.shrinkingShort) > 0 {
		r.shortOfSource(layout)
	}
	if layout == balance.Plain {
		r.sameK(rows)
	}
}

// layoutName begins captions.
func layoutName(layout balance.Layout) string {
	return map[balance.Layout]string{balance.Plain: "Plain layout", balance.Dense: "Dense layout", balance.Sparse: "Sparse layout"}[layout]
}

// longer is by how much a measured step is longer than its prediction.
func longer(r *Row) string { return fmt.Sprintf("%+.1f %%", 100*(r.Measured/r.Predicted-1)) }

// lost tells where the time of a row goes.
func lost(r *Row) []string {
	var list []string
	for _, seconds := range []float64{r.Lost.Empty, r.Lost.Cuboids, r.Lost.Exchange, r.Lost.Waiting} {
		list = append(list, fmt.Sprintf("%.1f", 100*seconds/r.Ideal))
	}
	return list
}

// wasMeasured narrows a condition to rows that were measured.
func wasMeasured(match func(r *Row) bool) func(r *Row) bool {
	return func(r *Row) bool { return r.Measured > 0 && match(r) }
}

// sameK compares shrinking with the traditional way for equal numbers of
// blocks.
func (r *report) sameK(rows []Row) {
	var lines [][]string
	for _, p := range ranksOf(rows) {
		line := []string{fmt.Sprint(p)}
		for _, k := range perRank {
			old, shrunk := find(rows, "regular", "linear", p, k), find(rows, "shrink", "graph", p, k)
			if old == nil || shrunk == nil {
				line = append(line, "")
				continue
			}
			line = append(line, gain(old.Predicted, shrunk.Predicted))
		}
		if strings.Join(line[1:], "") != "" {
			lines = append(lines, line)
		}
	}
	head := []string{"ranks"}
	for _, k := range perRank {
		head = append(head, fmt.Sprintf("k = %d", k))
	}
	r.table("Shrinking + graph over the traditional way with the same k, predicted", head, lines)
}

func rate(r *Row, step float64) string {
	if r == nil || step == 0 {
		return ""
	}
	return fmt.Sprintf("%.3f", r.rate(step))
}

// gain is how much faster a step of so many seconds is than the one before.
func gain(before, after float64) string { return fmt.Sprintf("%+.1f %%", 100*(before/after-1)) }

// strategies lists all strategies of a layout with whole cuboids.
func (r *report) strategies(rows []Row, layout balance.Layout) {
	var lines [][]string
	for _, p := range ranksOf(rows) {
		for _, s := range denseStrategies {
			if b := best(rows, func(r *Row) bool { return r.Ranks == p && r.Layout == layout && sameStrategy(r.Strategy, s) }); b != nil {
				lines = append(lines, strategyLine(b))
			}
		}
	}
	r.table(layoutName(layout)+", all strategies, predicted", strategyHead, lines)
}

// sparse compares the balancers on bricks.
func (r *report) sparse(rows []Row) {
	var lines [][]string
	for _, p := range ranksOf(rows) {
		for _, s := range sparseStrategies {
			if b := best(rows, func(r *Row) bool { return r.Ranks == p && r.Layout == balance.Sparse && sameStrategy(r.Strategy, s) }); b != nil {
				lines = append(lines, strategyLine(b))
			}
		}
	}
	r.table("Sparse layout, bricks, predicted", strategyHead, lines)
	r.sparseMeasured(rows)
}

// sparseMeasured compares measured with predicted steps.
func (r *report) sparseMeasured(rows []Row) {
	var lines [][]string
	for i := range rows {
		row := &rows[i]
		if row.Layout == balance.Sparse && row.Measured > 0 {
			lines = append(lines, []string{fmt.Sprint(row.Ranks), row.Strategy.String(), fmt.Sprint(row.FluidCells / int64(row.Ranks)),
				fmt.Sprintf("%.4g", 1e6*row.Predicted), fmt.Sprintf("%.4g", 1e6*row.Measured), fmt.Sprint(row.Timed)})
		}
	}
	if len(lines) == 0 {
		return // nor the remark below
	}
	r.table("Sparse layout, measured with the solver's kernels", []string{"ranks", "strategy", "fluid cells of a rank", "predicted µs", "measured µs", "ranks timed"}, lines)
	r.printf("Next to other ranks the solver's vector kernels must gather cell by cell. Where ranks are small that, and not the transport, is what a byte that crosses costs; ")
	r.printf("the prediction knows it as far as the machine file's seconds per byte hold it, see carina bench cost.\n\n")
}

// chosen is k, or that the program chose.
func chosen(r *Row) string {
	if r.PerRank > 0 {
		return fmt.Sprint(r.PerRank)
	}
	return "chosen"
}

func sameStrategy(a, b Strategy) bool { return a.String() == b.String() }

var strategyHead = []string{"ranks", "strategy", "k", "cuboids", "fluid of kept cells", "work max/mean", "MB per step", "MB busiest rank", "neighbours", "step ms", "MLUP/ps", "processor seconds to partition"}

func strategyLine(b *Row) []string {
	return []string{fmt.Sprint(b.Ranks), b.Strategy.String(), chosen(b), fmt.Sprint(b.Cuboids),
		fmt.Sprintf("%.1f %%", 100*float64(b.FluidCells)/float64(b.KeptCells)), fmt.Sprintf("%.3f", b.MaxOverMean),
		fmt.Sprintf("%.3f", float64(b.Bytes)/1e6), fmt.Sprintf("%.4f", float64(b.BytesMax)/1e6), fmt.Sprint(b.NeighboursMax),
		fmt.Sprintf("%.4g", 1e3*b.Predicted), rate(b, b.Predicted), fmt.Sprintf("%.2f", b.Seconds)}
}

// writeIndex writes balance.md, which lists the geometries' own files.
func writeIndex(opt *Options) error {
	files, err := filepath.Glob(filepath.Join(opt.Folder, "balance-*.md"))
	if err != nil {
		return fmt.Errorf("listing the results: %w", err)
	}
	r := newReport(opt, "# Decompositions and balancers")
	for _, file := range files {
		file = filepath.Base(file)
		r.printf("- [%s](%s)\n", strings.TrimSuffix(strings.TrimPrefix(file, "balance-"), ".md"), file)
	}
	return r.write(filepath.Join(opt.Folder, "balance.md"))
}

func (r *report) write(path string) error {
	return writeFile(path, func(w writer) error {
		_, err := w.Write(r.text.Bytes())
		return err
	})
}
