package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"carina/cmd/carina/report"
	"carina/internal/machine"
	"carina/internal/quantity"
	"carina/partition"
	"carina/partition/graph"
	"carina/partition/metis"

	"github.com/spf13/cobra"
)

// graphFlags are the flags of carina graph.
type graphFlags struct {
	imbalance           float64
	preset, timeLimit   string
	output              string
	seed                uint64
	objective           string
	targets             string
	fixed, from         string
	migrationCost       float64
	contiguous          bool
	topology, distances string
}

func (f *graphFlags) register(command *cobra.Command) {
	flags := command.Flags()
	flags.Float64Var(&f.imbalance, "imbalance", partition.DefaultImbalance, "how far a part may exceed its share of the weight")
	flags.StringVar(&f.preset, "preset", "eco", "effort: "+quantity.Either(partition.PresetNames()))
	flags.Uint64Var(&f.seed, "seed", 0, "seed; equal seeds give equal partitions")
	flags.StringVar(&f.timeLimit, "time-limit", "", "go on improving by memetic search for this long, such as 60s")
	flags.StringVarP(&f.output, "output", "o", "", "the part file to write: one part number per line")
	flags.StringVar(&f.objective, "objective", "", "what to minimise: cut, volume (total communication volume, by the sizes of vertices where the graph has them), bottleneck (largest volume of a part) or mapping (default cut, with --topology mapping)")
	flags.StringVar(&f.targets, "targets", "", "share of the weight of each part, such as 1,1,3, or a file of them")
	flags.StringVar(&f.fixed, "fixed", "", "file with one line per vertex: the part it must be in, or -1")
	flags.StringVar(&f.from, "from", "", "part file to start from: repartition")
	flags.Float64Var(&f.migrationCost, "migration-cost", 0, "with --from: what moving a unit of vertex weight costs, in units of edge weight")
	flags.BoolVar(&f.contiguous, "contiguous", false, "connected parts")
	flags.StringVar(&f.topology, "topology", "", "machine to map the parts to, from the outside in: 4x8 is 4 hosts of 8 devices")
	flags.StringVar(&f.distances, "distances", "", "distance of two parts that differ first on each layer of --topology: 10,1 between hosts and within one")
}

// largestImbalance lets parts be heavier than twice their share, as some graphs
// need whose parts must be connected; what is above it means percent.
const largestImbalance = 2

// options returns what can be said before the graph has been read.
func (f *graphFlags) options(parts string) (partition.Options, error) {
	options := partition.Options{Imbalance: f.imbalance, Seed: f.seed, Contiguous: f.contiguous}
	number, err := quantity.Whole(parts)
	if err != nil {
		return options, usageError{fmt.Errorf("%q is not a number of parts", parts)}
	}
	if number < 1 || number > math.MaxInt32 {
		return options, fmt.Errorf("a graph cannot be divided into %d parts: ask for 1 to %d", number, math.MaxInt32)
	}
	options.Parts = int(number)
	if err := quantity.CheckImbalance(options.Imbalance, largestImbalance); err != nil {
		return options, err
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
	if f.targets != "" {
		if options.Targets, err = parseTargets(f.targets); err != nil {
			return options, err
		}
	}
	return options, f.setObjective(&options)
}

// setObjective sets the objective and the distances it needs.
func (f *graphFlags) setObjective(options *partition.Options) error {
	if (f.topology == "") != (f.distances == "") {
		return usageError{errors.New("--topology and --distances belong together, such as --topology 4x8 --distances 10,1")}
	}
	if f.topology != "" {
		options.Objective = partition.MappingCost
		var err error
		if options.Distances, err = parseTopology(f.topology, f.distances, options.Parts); err != nil {
			return err
		}
	}
	if f.objective == "" {
		return nil
	}
	var err error
	if options.Objective, err = partition.ParseObjective(f.objective); err != nil {
		return err
	}
	if options.Objective == partition.MappingCost && f.topology == "" {
		return usageError{errors.New("the mapping objective needs a machine, such as --topology 4x8 --distances 10,1")}
	}
	return nil
}

// parseTopology returns the distances between the leaves of a machine.
func parseTopology(topology, distances string, parts int) ([][]int64, error) {
	counts, err := parseIntegers(topology, "x")
	if err != nil {
		return nil, fmt.Errorf("topology %q: %w; write the counts from the outside in, such as 4x8", topology, err)
	}
	apart, err := parseIntegers(distances, ",")
	if err != nil {
		return nil, fmt.Errorf("distances %q: %w; write one per layer from the outside in, such as 10,1", distances, err)
	}
	layers := make([]int, len(counts))
	leaves := int64(1)
	for i, c := range counts {
		layers[i] = int(c)
		leaves *= max(c, 1)
		if c > math.MaxInt32 || leaves > math.MaxInt32 {
			return nil, fmt.Errorf("topology %s has too many leaves", topology)
		}
	}
	for i := 1; i < len(apart); i++ {
		if apart[i] > apart[i-1] {
			return nil, fmt.Errorf("distances %s grow from the outside in; layers are given from the outermost on, such as --topology 4x8 --distances 10,1", distances)
		}
	}
	matrix, err := partition.Hierarchy(layers, apart)
	if err != nil {
		return nil, fmt.Errorf("topology %s with distances %s: %w", topology, distances, err)
	}
	if len(matrix) != parts {
		return nil, fmt.Errorf("topology %s has %s but is for %s: ask for %s", topology, quantity.Count(len(matrix), "leaf"), quantity.Count(parts, "part"), quantity.Count(len(matrix), "part"))
	}
	return matrix, nil
}

func parseIntegers(text, separator string) ([]int64, error) {
	var numbers []int64
	for word := range strings.SplitSeq(text, separator) {
		x, err := strconv.ParseInt(strings.TrimSpace(word), 10, 64)
		if err != nil {
			return nil, fmt.Errorf("%q is not a whole number", word)
		}
		numbers = append(numbers, x)
	}
	return numbers, nil
}

// parseTargets reads shares from a list or, if text is not one, from the file
// of that name.
func parseTargets(text string) ([]float64, error) {
	list, err := parseNumbers(strings.Split(text, ","))
	if err == nil {
		return list, nil
	}
	data, fileErr := machine.ReadFile(text)
	if fileErr != nil {
		return nil, fmt.Errorf("targets %q are neither numbers such as 1,1,3 nor a file that can be read", text)
	}
	list, err = parseNumbers(strings.FieldsFunc(strings.TrimPrefix(string(data), "\ufeff"), func(r rune) bool { return strings.ContainsRune(", \t\r\n", r) }))
	if err != nil {
		return nil, fmt.Errorf("reading targets from %s: %w; write one number per part", text, err)
	}
	return list, nil
}

func parseNumbers(words []string) ([]float64, error) {
	numbers := make([]float64, len(words))
	for i, word := range words {
		var err error
		if numbers[i], err = quantity.Number(word); err != nil {
			return nil, fmt.Errorf("%q is not a number", word)
		}
	}
	return numbers, nil
}

// readVertexFiles reads the files that hold one line per vertex.
func (f *graphFlags) readVertexFiles(graph *graph.Graph, options *partition.Options) error {
	var err error
	if f.fixed != "" {
		if options.Fixed, err = readLabels(f.fixed, graph, options.Parts, metis.ReadFixed); err != nil {
			return err
		}
	}
	if f.from == "" {
		if f.migrationCost != 0 {
			return usageError{errors.New("--migration-cost needs the partition to start from: --from FILE.part")}
		}
		return nil
	}
	if options.Previous, err = readLabels(f.from, graph, options.Parts, metis.ReadParts); err != nil {
		return err
	}
	options.MigrationCosts, err = migrationCosts(graph, f.migrationCost)
	return err
}

func readLabels(path string, graph *graph.Graph, parts int, read func(io.Reader, int, int) ([]int32, error)) ([]int32, error) {
	if err := report.Expect(path, report.Parts); err != nil {
		return nil, err
	}
	file, err := machine.Open(path)
	if err != nil {
		return nil, fmt.Errorf("reading a part per vertex: %w", err)
	}
	defer file.Close()
	labels, err := read(file, graph.Vertices(), parts)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	return labels, nil
}

// migrationCosts returns the cost of moving each vertex, in whole units.
func migrationCosts(graph *graph.Graph, perWeight float64) ([]int64, error) {
	if !(perWeight >= 0) {
		return nil, fmt.Errorf("migration cost %v: give a number that is not negative", perWeight)
	}
	if perWeight == 0 {
		return nil, nil
	}
	costs := make([]int64, graph.Vertices())
	for v := range costs {
		weight := 1.0
		if graph.VertexWeights != nil {
			weight = float64(graph.VertexWeights[v])
		}
		cost := math.Round(perWeight * weight)
		if cost > partition.LargestMigrationCost {
			return nil, fmt.Errorf("migration cost %v makes moving vertex %d cost %g; at most %g is possible", perWeight, v+1, cost, float64(partition.LargestMigrationCost))
		}
		costs[v] = int64(cost)
	}
	return costs, nil
}
