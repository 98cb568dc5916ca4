package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"carina/cmd/carina/report"
	"carina/internal/atomicfile"
	"carina/internal/machine"
	"carina/internal/quantity"
	"carina/internal/terminal"
	"carina/partition"
	"carina/partition/graph"
	"carina/partition/metis"

	"github.com/spf13/cobra"
)

// mostEmptyParts bounds the memory for parts that must stay empty.
const mostEmptyParts = 1 << 20

// graphResult is what `carina graph --json` prints.
type graphResult struct {
	File                string  `json:"file,omitempty"` // where the parts were written
	Vertices            int     `json:"vertices"`
	Edges               int     `json:"edges"`
	Parts               int     `json:"parts"`
	Objective           string  `json:"objective"`
	Cut                 int64   `json:"cut"`
	CommunicationVolume int64   `json:"communication_volume"`
	BottleneckVolume    int64   `json:"bottleneck_volume"`
	Imbalance           float64 `json:"imbalance"`
	HeaviestPart        int64   `json:"heaviest_part"`
	Feasible            bool    `json:"feasible"`
	// Unreachable tells that whole vertices do not fit within the imbalance.
	Unreachable       bool `json:"unreachable"`
	EmptyParts        int  `json:"empty_parts"`
	DisconnectedParts int  `json:"disconnected_parts"`
	// MappingCost is there with a topology, the migration with a partition to
	// start from.
	MappingCost    *int64  `json:"mapping_cost,omitempty"`
	MigratedWeight *int64  `json:"migrated_weight,omitempty"`
	MigrationCost  *int64  `json:"migration_cost,omitempty"`
	Seconds        float64 `json:"seconds"`
}

func describeParts(g *graph.Graph, o *partition.Options, r *partition.Result, seconds float64) graphResult {
	d := graphResult{
		Vertices: g.Vertices(), Edges: g.Edges(), Parts: o.Parts, Objective: o.Objective.String(),
		Cut: r.Cut, CommunicationVolume: r.CommunicationVolume, BottleneckVolume: r.BottleneckVolume,
		Imbalance: r.Imbalance, HeaviestPart: slices.Max(r.PartWeights), Feasible: r.Feasible, Unreachable: r.Unreachable,
		EmptyParts: r.EmptyParts, DisconnectedParts: r.DisconnectedParts, Seconds: seconds,
	}
	if o.Distances != nil {
		d.MappingCost = &r.MappingCost
	}
	if o.Previous != nil {
		d.MigratedWeight = &r.MigratedWeight
	}
	if o.MigrationCosts != nil {
		d.MigrationCost = &r.MigrationCost
	}
	return d
}

func newGraph() *cobra.Command {
	var flags graphFlags
	command := &cobra.Command{
		Use:   "graph FILE.graph K",
		Short: "Partition a METIS graph into K parts",
		Long: "Partition a METIS graph into K parts of equal or given weight, by edge cut, communication volume, or mapped to a machine.\n" +
			"Parts may be asked to be connected, vertices to stay in a part, and an earlier partition to change little.",
		Example: "  carina graph mesh.graph 16 --preset strong -o mesh.part\n" +
			"  carina graph mesh.graph 3 --targets 1,1,3 --contiguous -o mesh.part\n" +
			"  carina graph mesh.graph 32 --topology 4x8 --distances 10,1 -o mesh.part\n" +
			"  carina graph mesh.graph 16 --from old.part --migration-cost 0.5 -o mesh.part",
		Args: exactly("a METIS graph file", "a number of parts"),
		RunE: func(command *cobra.Command, arguments []string) error {
			return runGraph(command, arguments[0], arguments[1], &flags)
		},
	}
	flags.register(command)
	return command
}

func runGraph(command *cobra.Command, path, parts string, flags *graphFlags) error {
	options, err := flags.options(parts)
	if err != nil {
		return err
	}
	graph, sizes, err := readSizedGraph(path)
	if err != nil {
		return err
	}
	options.VertexSizes = sizes
	if err := flags.readVertexFiles(graph, &options); err != nil {
		return err
	}
	if most := max(graph.Vertices(), mostEmptyParts); options.Parts > most {
		return fmt.Errorf("%d parts are too many for %s: ask for at most %d", options.Parts, quantity.Count(graph.Vertices(), "vertex"), most)
	}
	if err := machine.AdmitFor(fmt.Sprintf("a graph of %s vertices and %s edges", quantity.Grouped(graph.Vertices()), quantity.Grouped(graph.Edges())),
		partition.MemoryEstimate(graph, options.Preset), "choose the preset fast, a smaller graph or a machine with more memory"); err != nil {
		return fmt.Errorf("partitioning %s: %w", path, err)
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
	figures := describeParts(graph, &options, result, seconds)
	figures.File = flags.output
	return printResult(command, figures, func() string { return graphWords(path, figures, options.Contiguous) })
}

func readGraph(path string) (*graph.Graph, error) {
	graph, _, err := readSizedGraph(path)
	return graph, err
}

// readSizedGraph reads a graph with the sizes of its vertices, if it has any.
func readSizedGraph(path string) (*graph.Graph, []int64, error) {
	if err := report.Expect(path, report.Graph); err != nil {
		return nil, nil, err
	}
	file, err := machine.Open(path)
	if err != nil {
		return nil, nil, fmt.Errorf("reading the graph: %w", err)
	}
	defer file.Close()
	graph, sizes, err := metis.ReadSized(file)
	if err != nil {
		return nil, nil, fmt.Errorf("reading %s: %w", path, err)
	}
	return graph, sizes, nil
}

func writeParts(path string, parts []int32) error {
	return atomicfile.Write(path, func(w io.Writer) error { return metis.WriteParts(w, parts) })
}

func graphWords(path string, f graphResult, contiguous bool) string {
	var words strings.Builder
	say := func(format string, arguments ...any) { fmt.Fprintf(&words, format, arguments...) }
	say("%s: %s, %s into %s by %s in %.2f s\n", terminal.Line(path),
		quantity.Count(f.Vertices, "vertex"), quantity.Count(f.Edges, "edge"), quantity.Count(f.Parts, "part"), f.Objective, f.Seconds)
	say("cut %d, communication volume %d (at most %d of a part), heaviest part %d, imbalance %.4f\n",
		f.Cut, f.CommunicationVolume, f.BottleneckVolume, f.HeaviestPart, f.Imbalance)
	if f.MappingCost != nil {
		say("mapping cost %d\n", *f.MappingCost)
	}
	if f.MigratedWeight != nil {
		say("migrated weight %d", *f.MigratedWeight)
		if f.MigrationCost != nil {
			say(" at a cost of %d", *f.MigrationCost)
		}
		say("\n")
	}
	switch {
	case f.Unreachable:
		say("whole vertices do not fit within the imbalance: some parts were allowed more\n")
	case !f.Feasible:
		say("no partition within the imbalance was found\n")
	}
	if f.DisconnectedParts > 0 {
		say("parts in several pieces: %d", f.DisconnectedParts)
		if contiguous {
			say("; more connected ones within the limits were not found")
		}
		say("\n")
	}
	if f.EmptyParts > 0 {
		say("empty parts: %d\n", f.EmptyParts)
	}
	if f.File != "" {
		say("%s", wrote(f.File))
	}
	return words.String()
}
