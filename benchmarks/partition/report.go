package partitionbench

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"text/tabwriter"
)

// Report is what a run has measured.
type Report struct {
	Options Options `json:"-"`
	Rows    []Row   `json:"rows"`
	// References are recorded means of other partitioners, BestKnown the best
	// known feasible cuts, where the folder has them.
	References []Row            `json:"-"`
	BestKnown  map[Case]float64 `json:"-"`
}

// Case is a graph and a number of parts.
type Case struct {
	Graph string
	Parts int
}

// Mean holds a tool's geometric means over the cases it shares with what it is
// compared with; 0 where there is none.
type Mean struct {
	Tool  string `json:"tool"`
	Cases int    `json:"cases"`
	// CutToReference and TimeToReference compare with KaFFPa strong's recorded
	// mean cut and seconds, CutToBestKnown with the best known cuts,
	// CutToGpmetis, TimeToGpmetis and CPUToGpmetis with gpmetis in this run.
	CutToReference  float64 `json:"cut_to_kaffpa_strong"`
	TimeToReference float64 `json:"time_to_kaffpa_strong"`
	CutToBestKnown  float64 `json:"cut_to_best_known"`
	CutToGpmetis    float64 `json:"cut_to_gpmetis"`
	TimeToGpmetis   float64 `json:"time_to_gpmetis"`
	CPUToGpmetis    float64 `json:"cpu_to_gpmetis"`
	// Infeasible counts runs beyond the limit where it can be kept at all.
	Infeasible int `json:"infeasible"`
	EmptyParts int `json:"empty_parts"`
}

// referenceTool is the row of reference-cuts.tsv that others are related to.
const referenceTool = "kaffpa_strong"

// ratio is a geometric mean in the making.
type ratio struct {
	sum float64
	n   int
}

func (r *ratio) add(x, base float64) {
	if x > 0 && base > 0 {
		r.sum += math.Log(x / base)
		r.n++
	}
}

func (r *ratio) mean() float64 {
	if r.n == 0 {
		return 0
	}
	return math.Exp(r.sum / float64(r.n))
}

// MachineFactor is gpmetis's time here over its recorded one, by which times
// of the reference are translated; 1 if unknown.
func (r *Report) MachineFactor() float64 {
	recorded := rowsOf(r.References, "gpmetis_kway")
	var factor ratio
	for c, row := range rowsOf(r.Rows, "gpmetis") {
		factor.add(row.MeanSeconds, recorded[c].MeanSeconds)
	}
	if factor.n == 0 {
		return 1
	}
	return factor.mean()
}

func rowsOf(rows []Row, tool string) map[Case]Row {
	result := make(map[Case]Row)
	for _, row := range rows {
		if row.Tool == tool {
			result[Case{row.Graph, row.Parts}] = row
		}
	}
	return result
}

// Means returns the geometric means of every tool, measured or recorded.
func (r *Report) Means() []Mean {
	reference, metis := rowsOf(r.References, referenceTool), rowsOf(r.Rows, "gpmetis")
	machine := r.MachineFactor()
	var means []Mean
	for _, name := range r.tools() {
		mean := Mean{Tool: name}
		var cut, time, best, metisCut, metisTime, metisCPU ratio
		for c, row := range rowsOf(r.Rows, name) {
			mean.Cases++
			cut.add(row.MeanCut, reference[c].MeanCut)
			time.add(row.MeanSeconds, machine*reference[c].MeanSeconds)
			best.add(row.MeanCut, r.BestKnown[c])
			metisCut.add(row.MeanCut, metis[c].MeanCut)
			metisTime.add(row.MeanSeconds, metis[c].MeanSeconds)
			metisCPU.add(row.MeanCPUSeconds, metis[c].MeanCPUSeconds)
			if !row.Unreachable {
				mean.Infeasible += row.Infeasible
			}
			mean.EmptyParts += row.EmptyParts
		}
		mean.CutToReference, mean.TimeToReference, mean.CutToBestKnown = cut.mean(), time.mean(), best.mean()
		mean.CutToGpmetis, mean.TimeToGpmetis, mean.CPUToGpmetis = metisCut.mean(), metisTime.mean(), metisCPU.mean()
		means = append(means, mean)
	}
	return means
}

// tools lists the measured tools in order of appearance.
func (r *Report) tools() []string {
	var names []string
	seen := make(map[string]bool)
	for _, row := range r.Rows {
		if !seen[row.Tool] {
			seen[row.Tool] = true
			names = append(names, row.Tool)
		}
	}
	return names
}

// WriteTable writes the geometric means for people to read.
func (r *Report) WriteTable(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "tool\tcases\tcut/KaFFPa strong\tcut/best known\tcut/gpmetis\ttime/KaFFPa strong\ttime/gpmetis\tCPU/gpmetis\tinfeasible\tempty parts\t")
	for _, m := range r.Means() {
		fmt.Fprintf(t, "%s\t%d\t%s\t%s\t%s\t%s\t%s\t%s\t%d\t%d\t\n", m.Tool, m.Cases, figure(m.CutToReference), figure(m.CutToBestKnown),
			figure(m.CutToGpmetis), figure(m.TimeToReference), figure(m.TimeToGpmetis), figure(m.CPUToGpmetis), m.Infeasible, m.EmptyParts)
	}
	return t.Flush()
}

func figure(x float64) string {
	if x == 0 {
		return "–"
	}
	return strconv.FormatFloat(x, 'f', 3, 64)
}

// readTable returns the rows of a tab-separated file as maps by column; none
// if there is no such file.
func readTable(path string) []map[string]string {
	file, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer file.Close()
	reader := csv.NewReader(file)
	reader.Comma = '\t'
	lines, err := reader.ReadAll()
	if err != nil || len(lines) == 0 {
		return nil
	}
	var rows []map[string]string
	for _, line := range lines[1:] {
		row := make(map[string]string, len(line))
		for i, field := range line {
			row[lines[0][i]] = field
		}
		rows = append(rows, row)
	}
	return rows
}

func number(text string) float64 {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return 0
	}
	return x
}

func readReferences(folder string) []Row {
	var rows []Row
	for _, line := range readTable(filepath.Join(folder, "reference-cuts.tsv")) {
		rows = append(rows, Row{Graph: line["graph"], Parts: int(number(line["k"])), Tool: line["tool"],
			MeanCut: number(line["mean_cut"]), MeanSeconds: number(line["mean_seconds"])})
	}
	return rows
}

func readBestKnown(folder string) map[Case]float64 {
	best := make(map[Case]float64)
	for _, line := range readTable(filepath.Join(folder, "best-known-cuts.tsv")) {
		best[Case{line["graph"], int(number(line["k"]))}] = number(line["best_feasible_cut"])
	}
	return best
}

// profile returns for a tool the sorted ratios of its mean cut to the best
// mean cut any measured tool reached on the same case; infeasible or empty
// parts where avoidable count as infinite.
func (r *Report) profile(tool string) []float64 {
	best := make(map[Case]float64)
	for _, row := range r.Rows {
		c := Case{row.Graph, row.Parts}
		if x, ok := best[c]; row.sound() && (!ok || row.MeanCut < x) {
			best[c] = row.MeanCut
		}
	}
	var ratios []float64
	for c, row := range rowsOf(r.Rows, tool) {
		switch {
		case !row.sound():
			ratios = append(ratios, math.Inf(1))
		case best[c] > 0:
			ratios = append(ratios, row.MeanCut/best[c])
		default:
			ratios = append(ratios, 1)
		}
	}
	sort.Float64s(ratios)
	return ratios
}

func (row *Row) sound() bool {
	return row.EmptyParts == 0 && (row.Infeasible == 0 || row.Unreachable)
}
