package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"time"

	"carina/internal/atomicfile"
	"carina/internal/quantity"
	"carina/partition"

	"github.com/spf13/cobra"
)

// mostEmptyParts bounds the memory for parts that must stay empty.
const mostEmptyParts = 1 << 20

type graphFlags struct {
	imbalance         float64
	preset, timeLimit string
	output            string
	seed              uint64
}

// graphResult is what `carina graph --json` prints.
type graphResult struct {
	Vertices            int     `json:"vertices"`
	Edges               int     `json:"edges"`
	Parts               int     `json:"parts"`
	Cut                 int64   `json:"cut"`
	CommunicationVolume int64   `json:"communication_volume"`
	Imbalance           float64 `json:"imbalance"`
	Feasible            bool    `json:"feasible"`
	EmptyParts          int     `json:"empty_parts"`
	Seconds             float64 `json:"seconds"`
}

func newGraph() *cobra.Command {
	var flags graphFlags
	command := &cobra.Command{
		Use:     "graph FILE.graph K",
		Short:   "Partition a METIS graph into K parts",
		Example: "  carina graph mesh.graph 16 --preset strong -o mesh.part",
		Args:    exactly("a METIS graph file", "a number of parts"),
		RunE: func(command *cobra.Command, arguments []string) error {
			return runGraph(command, arguments[0], arguments[1], &flags)
		},
	}
	f := command.Flags()
	f.Float64Var(&flags.imbalance, "imbalance", partition.DefaultImbalance, "how far a part may exceed its share of the weight")
	f.StringVar(&flags.preset, "preset", "eco", "fast, eco or strong")
	f.Uint64Var(&flags.seed, "seed", 0, "seed; equal seeds give equal partitions")
	f.StringVar(&flags.timeLimit, "time-limit", "", "go on improving by memetic search for this long, such as 60s")
	f.StringVarP(&flags.output, "output", "o", "", "the part file to write: one part number per line")
	return command
}

func (f *graphFlags) options(parts string) (partition.Options, error) {
	options := partition.Options{Imbalance: f.imbalance, Seed: f.seed}
	var err error
	if options.Parts, err = strconv.Atoi(parts); err != nil {
		return options, usageError{fmt.Errorf("%q is not a number of parts", parts)}
	}
	if options.Parts < 1 || options.Parts > math.MaxInt32 {
		return options, fmt.Errorf("a graph cannot be divided into %d parts: ask for at least one", options.Parts)
	}
	if options.Preset, err = partition.ParsePreset(f.preset); err != nil {
		return options, err
	}
	if f.timeLimit != "" {
		seconds, err := quantity.Time.ParsePositive(f.timeLimit)
		if err != nil {
			return options, err
		}
		options.TimeLimit = time.Duration(seconds * float64(time.Second))
	}
	return options, nil
}

func runGraph(command *cobra.Command, path, parts string, flags *graphFlags) error {
	options, err := flags.options(parts)
	if err != nil {
		return err
	}
	graph, err := readGraph(path)
	if err != nil {
		return err
	}
	if most := max(graph.Vertices(), mostEmptyParts); options.Parts > most {
		return fmt.Errorf("%d parts are too many for %d vertices: ask for at most %d", options.Parts, graph.Vertices(), most)
	}
	report, end := progress(command)
	options.Progress = func(p partition.Progress) { report(p.Stage, p.Done) }
	begin := time.Now()
	result, err := partition.Partition(command.Context(), graph, options)
	end()
	if err != nil && (result == nil || !errors.Is(err, context.Canceled)) {
		return fmt.Errorf("partitioning %s: %w", path, err)
	}
	seconds := time.Since(begin).Seconds()
	if err != nil {
		message(command, "stopped early; this is the best partition until then")
	}
	if flags.output != "" {
		if err := writeParts(flags.output, result.Parts); err != nil {
			return err
		}
	}
	figures := graphResult{
		graph.Vertices(), graph.Edges(), options.Parts, result.Cut, result.CommunicationVolume,
		result.Imbalance, result.Feasible, result.EmptyParts, seconds,
	}
	return printResult(command, figures, func() string { return graphWords(path, figures, result) })
}

func readGraph(path string) (*partition.Graph, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("reading the graph: %w", err)
	}
	defer file.Close()
	graph, err := partition.ReadMETIS(file)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	if err := graph.Validate(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return graph, nil
}

func writeParts(path string, parts []int32) error {
	return atomicfile.Write(path, func(w io.Writer) error {
		buffer := bufio.NewWriter(w)
		line := make([]byte, 0, 16)
		for _, part := range parts {
			line = append(strconv.AppendInt(line[:0], int64(part), 10), '\n')
			if _, err := buffer.Write(line); err != nil {
				return err
			}
		}
		return buffer.Flush()
	})
}

func graphWords(path string, f graphResult, result *partition.Result) string {
	words := fmt.Sprintf("%s: %d vertices, %d edges into %d parts in %.2f s\ncut %d, communication volume %d, imbalance %.4f\n",
		path, f.Vertices, f.Edges, f.Parts, f.Seconds, f.Cut, f.CommunicationVolume, f.Imbalance)
	switch {
	case result.Unreachable:
		words += "single vertices are heavier than a part may be: their parts hold little else\n"
	case !f.Feasible:
		words += "no partition within the imbalance was found\n"
	}
	if f.EmptyParts > 0 {
		words += fmt.Sprintf("%d parts are empty: there are more parts than vertices\n", f.EmptyParts)
	}
	return words
}
