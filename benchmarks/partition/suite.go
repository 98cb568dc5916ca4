package partitionbench

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"time"

	"carina/partition"
	"carina/partition/graph"
	"carina/partition/metis"
)

// Options of a run.
type Options struct {
	// Folder holds the graphs, files named NAME.graph.
	Folder string
	// Graphs names the graphs to use; nil means all of Folder.
	Graphs []string
	// Parts are the numbers of parts; nil means 2, 4, … 64.
	Parts []int
	// Presets to run; nil means all three.
	Presets []partition.Preset
	// Seeds is the number of runs of each; 0 means 3.
	Seeds int
	// Imbalance is the tolerance; 0 means [partition.DefaultImbalance].
	Imbalance float64
	// TimeLimit, if positive, adds a memetic run of that length for each
	// graph and number of parts.
	TimeLimit time.Duration
	// ProcessorTime measures TimeLimit in this process's processor time,
	// which other programs beside it do not lessen. One core's worth is used:
	// on two, a minute of time would be two of processor time.
	ProcessorTime bool
	// Tools names the tools to run, presets and "memetic" included; nil means
	// all there are.
	Tools []string
	// Journal, if given, is a file to which each row is added as soon as it is
	// measured. Rows that it holds already are not measured again, so that an
	// interrupted run can be taken up.
	Journal string
	// Quick restricts the run to small graphs, few numbers of parts and one
	// seed.
	Quick bool
	// Progress, if set, is told what is running and how much is done.
	Progress func(what string, done float64)
}

// Row is what one tool reached on one graph and number of parts.
type Row struct {
	Graph string `json:"graph"`
	Parts int    `json:"parts"`
	Tool  string `json:"tool"`
	Runs  int    `json:"runs"`
	// MeanCut and BestCut are over all runs.
	MeanCut float64 `json:"mean_cut"`
	BestCut int64   `json:"best_cut"`
	// WorstImbalance is the largest of the heaviest part over the average,
	// minus 1; Infeasible counts runs beyond the limit, EmptyParts parts left
	// empty.
	WorstImbalance float64 `json:"worst_imbalance"`
	Infeasible     int     `json:"infeasible"`
	EmptyParts     int     `json:"empty_parts"`
	// Unreachable tells that a single vertex is heavier than a part.
	Unreachable bool `json:"unreachable"`
	// MeanSeconds is wall time (of the other programs that of the process,
	// reading included); MeanCPUSeconds is processor time.
	MeanSeconds    float64 `json:"mean_seconds"`
	MeanCPUSeconds float64 `json:"mean_cpu_seconds"`
}

const graphSuffix = ".graph"

// largestQuick is the size in bytes up to which a graph is small.
const largestQuick = 400_000

func (o *Options) withDefaults() (Options, error) {
	r := *o
	if r.Folder == "" {
		return r, fmt.Errorf("no folder of graphs given; name one that holds METIS files NAME%s", graphSuffix)
	}
	if r.Parts == nil {
		r.Parts = []int{2, 4, 8, 16, 32, 64}
	}
	if r.Presets == nil {
		r.Presets = []partition.Preset{partition.Fast, partition.Eco, partition.Strong}
	}
	if r.Seeds == 0 {
		r.Seeds = 3
	}
	if r.Imbalance == 0 {
		r.Imbalance = partition.DefaultImbalance
	}
	files, err := filepath.Glob(filepath.Join(r.Folder, "*"+graphSuffix))
	if err != nil || len(files) == 0 {
		return r, fmt.Errorf("no graphs in %s; it must hold METIS files NAME%s", r.Folder, graphSuffix)
	}
	if r.Graphs == nil {
		for _, file := range files {
			info, err := os.Stat(file)
			if err != nil {
				return r, fmt.Errorf("looking at the graphs: %w", err)
			}
			if !r.Quick || info.Size() <= largestQuick {
				r.Graphs = append(r.Graphs, strings.TrimSuffix(filepath.Base(file), graphSuffix))
			}
		}
	}
	sort.Strings(r.Graphs)
	if r.Quick {
		r.Parts, r.Seeds = []int{4, 32}, 1
	}
	return r, nil
}

// Run measures everything. When ctx is cancelled it returns what has been
// measured so far and the context's error.
func Run(ctx context.Context, options Options) (*Report, error) {
	o, err := options.withDefaults()
	if err != nil {
		return nil, err
	}
	report := &Report{Options: o, References: readReferences(o.Folder), BestKnown: readBestKnown(o.Folder)}
	work, err := os.MkdirTemp("", "carina-bench-")
	if err != nil {
		return nil, fmt.Errorf("making a folder for the other programs' files: %w", err)
	}
	defer os.RemoveAll(work)
	tools, err := chosenTools(&o, work)
	if err != nil {
		return nil, err
	}
	journal, err := openJournal(o.Journal)
	if err != nil {
		return nil, err
	}
	defer journal.close()
	steps, done := len(o.Graphs)*len(o.Parts)*len(tools), 0
	for _, name := range o.Graphs {
		g, err := readGraph(filepath.Join(o.Folder, name+graphSuffix))
		if err != nil {
			return report, err
		}
		for _, k := range o.Parts {
			for _, tool := range tools {
				if o.Progress != nil {
					o.Progress(fmt.Sprintf("%s in %d, %s", name, k, tool.name), float64(done)/float64(steps))
				}
				done++
				if row, ok := journal.row(name, k, tool.name); ok {
					report.Rows = append(report.Rows, row)
					continue
				}
				row, err := measure(ctx, tool, name, g, k, &o)
				if ctx.Err() != nil {
					return report, ctx.Err()
				}
				if err != nil {
					return report, fmt.Errorf("%s on %s in %d parts: %w", tool.name, name, k, err)
				}
				if err := journal.add(row); err != nil {
					return report, err
				}
				report.Rows = append(report.Rows, row)
			}
		}
	}
	return report, nil
}

func readGraph(path string) (*graph.Graph, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("reading a graph: %w", err)
	}
	defer file.Close()
	g, err := metis.Read(file)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	return g, nil
}

// measure runs a tool once per seed.
func measure(ctx context.Context, tool tool, name string, g *graph.Graph, k int, o *Options) (Row, error) {
	row := Row{Graph: name, Parts: k, Tool: tool.name}
	for seed := range max(tool.seeds(o), 1) {
		wall, cpu := time.Now(), processorSeconds()
		parts, err := tool.run(ctx, g, k, o.Imbalance, uint64(seed))
		if err != nil {
			return row, err
		}
		row.MeanSeconds += time.Since(wall).Seconds()
		row.MeanCPUSeconds += processorSeconds() - cpu
		evaluation, err := partition.Evaluate(g, parts, partition.Options{Parts: k, Imbalance: o.Imbalance})
		if err != nil {
			return row, err
		}
		row.MeanCut += float64(evaluation.Cut)
		if row.Runs == 0 || evaluation.Cut < row.BestCut {
			row.BestCut = evaluation.Cut
		}
		row.WorstImbalance = max(row.WorstImbalance, evaluation.Imbalance)
		if !evaluation.Feasible {
			row.Infeasible++
		}
		row.EmptyParts += evaluation.EmptyParts
		row.Unreachable = evaluation.Unreachable
		row.Runs++
	}
	row.MeanCut /= float64(row.Runs)
	row.MeanSeconds /= float64(row.Runs)
	row.MeanCPUSeconds /= float64(row.Runs)
	return row, nil
}
