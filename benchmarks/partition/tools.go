package partitionbench

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"carina/partition"
	"carina/partition/graph"
	"carina/partition/metis"
)

// tool is a partitioner under test.
type tool struct {
	name  string
	seeds func(o *Options) int
	run   func(ctx context.Context, g *graph.Graph, k int, imbalance float64, seed uint64) ([]int32, error)
}

func allSeeds(o *Options) int { return o.Seeds }

// ourTools lists the presets and, given a time limit, the memetic search.
func ourTools(o *Options) []tool {
	var tools []tool
	add := func(name string, options partition.Options, seeds func(*Options) int) {
		tools = append(tools, tool{name, seeds, func(ctx context.Context, g *graph.Graph, k int, imbalance float64, seed uint64) ([]int32, error) {
			options := options
			options.Parts, options.Imbalance, options.Seed = k, imbalance, seed
			result, err := partition.Partition(ctx, g, options)
			if err != nil {
				return nil, err
			}
			return result.Parts, nil
		}})
	}
	for _, preset := range o.Presets {
		add(preset.String(), partition.Options{Preset: preset}, allSeeds)
	}
	if o.TimeLimit > 0 {
		options := partition.Options{Preset: partition.Strong, TimeLimit: o.TimeLimit}
		if o.ProcessorTime {
			options.Clock = func() time.Duration { return time.Duration(processorSeconds() * float64(time.Second)) }
			options.Workers = 1
		}
		add("memetic", options, func(*Options) int { return 1 })
	}
	return tools
}

// chosenTools lists the tools asked for, with files in folder work.
func chosenTools(o *Options, work string) ([]tool, error) {
	all := append(ourTools(o), otherTools(work)...)
	if o.Tools == nil {
		return all, nil
	}
	var chosen []tool
	var names []string
	for _, t := range all {
		names = append(names, t.name)
		if slices.Contains(o.Tools, t.name) {
			chosen = append(chosen, t)
		}
	}
	for _, name := range o.Tools {
		if !slices.Contains(names, name) {
			return nil, fmt.Errorf("no tool %q here; there are %s (memetic only with a time limit)", name, strings.Join(names, ", "))
		}
	}
	return chosen, nil
}

// otherTools lists the other programs found, with files in folder work.
func otherTools(work string) []tool {
	var tools []tool
	if path, err := exec.LookPath("gpmetis"); err == nil {
		tools = append(tools, tool{"gpmetis", allSeeds, gpmetis{path: path, work: work}.run})
	}
	if path, err := exec.LookPath("scotch_gpart"); err == nil {
		// Deterministic: one run tells everything.
		tools = append(tools, tool{"scotch", func(*Options) int { return 1 }, scotch{path, work}.run})
	}
	return tools
}

// processorSeconds is the user and system time of this process and the
// programs it has waited for.
func processorSeconds() float64 {
	var total float64
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var usage syscall.Rusage
		if syscall.Getrusage(who, &usage) == nil {
			total += time.Duration(usage.Utime.Nano() + usage.Stime.Nano()).Seconds()
		}
	}
	return total
}

// gpmetis runs METIS's program.
type gpmetis struct {
	path, work string
	contiguous bool // ask for connected parts
}

func (m gpmetis) run(ctx context.Context, g *graph.Graph, k int, imbalance float64, seed uint64) ([]int32, error) {
	file := filepath.Join(m.work, "metis.graph")
	if err := writeFile(file, func(w *bufio.Writer) error { return metis.Write(w, g) }); err != nil {
		return nil, err
	}
	// -ufactor is in thousandths.
	arguments := []string{"-ufactor=" + strconv.Itoa(int(imbalance*1000+0.5)), "-seed=" + strconv.FormatUint(seed+1, 10), file, strconv.Itoa(k)}
	if m.contiguous {
		arguments = append([]string{"-contig"}, arguments...)
	}
	if err := runProgram(ctx, m.path, arguments...); err != nil {
		return nil, err
	}
	text, err := os.Open(file + ".part." + strconv.Itoa(k))
	if err != nil {
		return nil, fmt.Errorf("gpmetis left no part file: %w", err)
	}
	defer text.Close()
	return metis.ReadParts(text, g.Vertices(), k)
}

// scotch runs Scotch's gpart.
type scotch struct{ path, work string }

func (m scotch) run(ctx context.Context, g *graph.Graph, k int, imbalance float64, _ uint64) ([]int32, error) {
	file := filepath.Join(m.work, "scotch.grf")
	if err := writeFile(file, func(w *bufio.Writer) error { return writeScotch(w, g) }); err != nil {
		return nil, err
	}
	mapping := filepath.Join(m.work, "scotch.map")
	if err := runProgram(ctx, m.path, strconv.Itoa(k), file, mapping, "-b"+strconv.FormatFloat(imbalance, 'g', -1, 64)); err != nil {
		return nil, err
	}
	return readScotchMapping(mapping, g.Vertices(), k)
}

func runProgram(ctx context.Context, path string, arguments ...string) error {
	var output bytes.Buffer
	command := exec.CommandContext(ctx, path, arguments...)
	command.Stdout, command.Stderr = &output, &output
	if err := command.Run(); err != nil {
		text := strings.TrimSpace(output.String())
		return fmt.Errorf("%s: %w: %s", filepath.Base(path), err, text[max(0, len(text)-200):])
	}
	return nil
}

func writeFile(path string, write func(w *bufio.Writer) error) error {
	file, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("writing a graph for another program: %w", err)
	}
	defer file.Close()
	w := bufio.NewWriter(file)
	if err := write(w); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return file.Close()
}

// writeScotch writes the format of the Scotch user's guide, section "Graph
// files": version, sizes, base and flags (edge, vertex loads), then per vertex
// its load, degree and edges.
func writeScotch(w *bufio.Writer, g *graph.Graph) error {
	flags := 0
	if g.EdgeWeights != nil {
		flags += 10
	}
	if g.VertexWeights != nil {
		flags++
	}
	fmt.Fprintf(w, "0\n%d %d\n0 %03d\n", g.Vertices(), len(g.Neighbours), flags)
	for v := range g.Vertices() {
		if g.VertexWeights != nil {
			fmt.Fprintf(w, "%d ", g.VertexWeights[v])
		}
		begin, end := g.Offsets[v], g.Offsets[v+1]
		fmt.Fprint(w, end-begin)
		for e := begin; e < end; e++ {
			if g.EdgeWeights != nil {
				fmt.Fprintf(w, " %d", g.EdgeWeights[e])
			}
			fmt.Fprintf(w, " %d", g.Neighbours[e])
		}
		if err := w.WriteByte('\n'); err != nil {
			return fmt.Errorf("writing a Scotch graph: %w", err)
		}
	}
	return nil
}

// readScotchMapping reads "vertex part" lines after their number.
func readScotchMapping(path string, n, k int) ([]int32, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("scotch_gpart left no mapping: %w", err)
	}
	defer file.Close()
	in := bufio.NewReader(file)
	var count int
	if _, err := fmt.Fscan(in, &count); err != nil || count != n {
		return nil, fmt.Errorf("scotch_gpart mapped %d of %d vertices", count, n)
	}
	parts := make([]int32, n)
	for range n {
		var v, p int
		if _, err := fmt.Fscan(in, &v, &p); err != nil || v < 0 || v >= n || p < 0 || p >= k {
			return nil, fmt.Errorf("scotch_gpart's mapping holds vertex %d in part %d: %v", v, p, err)
		}
		parts[v] = int32(p)
	}
	return parts, nil
}
