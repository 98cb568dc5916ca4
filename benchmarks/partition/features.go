package partitionbench

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"carina/partition"
	"carina/partition/graph"
)

// Features compares partitions with wishes beyond a small cut with what one
// has without: connected parts with unconstrained ones, and with what gpmetis
// cuts when asked for them, and parts made for a machine with parts made first
// and mapped to it afterwards.
type Features struct {
	Rows []FeatureRow `json:"rows"`
}

// FeatureRow is the mean over the seeds for one graph, number of parts and
// preset.
type FeatureRow struct {
	Graph   string `json:"graph"`
	Parts   int    `json:"parts"`
	Preset  string `json:"preset"`
	Feature string `json:"feature"`
	Runs    int    `json:"runs"`
	// Without is the mean cut of unconstrained parts, or the mean mapping
	// cost of parts that were mapped afterwards; With that of what was asked
	// for.
	Without float64 `json:"without"`
	With    float64 `json:"with"`
	// DisconnectedWithout and Disconnected are mean numbers of parts in
	// several pieces.
	DisconnectedWithout float64 `json:"disconnected_without"`
	Disconnected        float64 `json:"disconnected"`
	// Infeasible counts runs beyond the limit where it can be kept.
	Infeasible     int     `json:"infeasible"`
	SecondsWithout float64 `json:"seconds_without"`
	SecondsWith    float64 `json:"seconds_with"`
	// Metis is the mean cut of gpmetis -contig where that is installed, and
	// MetisUnsound counts its runs beyond the limit or with parts in pieces.
	Metis        float64 `json:"gpmetis_contig,omitempty"`
	MetisUnsound int     `json:"gpmetis_contig_unsound,omitempty"`
}

// The machine that parts are mapped to: 4 hosts of 8 devices, ten times as
// far from host to host as within.
var (
	machineCounts    = []int{4, 8}
	machineDistances = []int64{10, 1}
	machineLeaves    = 32
)

// RunFeatures measures the features on every graph; mapping for as many parts
// as the machine has devices.
func RunFeatures(ctx context.Context, options Options) (*Features, error) {
	o, err := options.withDefaults()
	if err != nil {
		return nil, err
	}
	distances, err := partition.Hierarchy(machineCounts, machineDistances)
	if err != nil {
		return nil, err
	}
	work, err := os.MkdirTemp("", "carina-features-")
	if err != nil {
		return nil, fmt.Errorf("making a folder for the files of gpmetis: %w", err)
	}
	defer os.RemoveAll(work)
	features := &Features{}
	steps, done := len(o.Graphs)*len(o.Parts)*len(o.Presets), 0
	for _, name := range o.Graphs {
		g, err := readGraph(filepath.Join(o.Folder, name+graphSuffix))
		if err != nil {
			return features, err
		}
		for _, k := range o.Parts {
			for _, preset := range o.Presets {
				if o.Progress != nil {
					o.Progress(fmt.Sprintf("%s in %d, %s", name, k, preset), float64(done)/float64(steps))
				}
				done++
				c := comparison{g: g, options: partition.Options{Parts: k, Imbalance: o.Imbalance, Preset: preset}, seeds: o.Seeds, work: work}
				rows := []FeatureRow{{Feature: "contiguous"}}
				if k == machineLeaves {
					rows = append(rows, FeatureRow{Feature: "mapping"})
				}
				for i := range rows {
					rows[i].Graph, rows[i].Parts, rows[i].Preset = name, k, preset.String()
				}
				if err := c.contiguous(ctx, &rows[0]); err != nil {
					return features, err
				}
				if len(rows) > 1 {
					if err := c.mapping(ctx, &rows[1], distances); err != nil {
						return features, err
					}
				}
				features.Rows = append(features.Rows, rows...)
			}
		}
	}
	return features, nil
}

// comparison runs the partitioner with and without a wish.
type comparison struct {
	g       *graph.Graph
	options partition.Options
	seeds   int
	work    string // folder for the files of gpmetis
}

// each hands the results of all seeds without and with the changed options to
// add.
func (c *comparison) each(ctx context.Context, row *FeatureRow, change func(*partition.Options), add func(without, with *partition.Result) error) error {
	for seed := range c.seeds {
		plain := c.options
		plain.Seed = uint64(seed)
		wish := plain
		change(&wish)
		var results [2]*partition.Result
		for i, o := range []partition.Options{plain, wish} {
			cpu := processorSeconds()
			result, err := partition.Partition(ctx, c.g, o)
			if err != nil {
				return fmt.Errorf("%s in %d parts: %w", row.Graph, row.Parts, err)
			}
			results[i] = result
			share := (processorSeconds() - cpu) / float64(c.seeds)
			if i == 0 {
				row.SecondsWithout += share
			} else {
				row.SecondsWith += share
			}
		}
		row.Runs++
		row.DisconnectedWithout += float64(results[0].DisconnectedParts) / float64(c.seeds)
		row.Disconnected += float64(results[1].DisconnectedParts) / float64(c.seeds)
		if !results[1].Feasible && !results[1].Unreachable {
			row.Infeasible++
		}
		if err := add(results[0], results[1]); err != nil {
			return err
		}
	}
	return nil
}

func (c *comparison) contiguous(ctx context.Context, row *FeatureRow) error {
	err := c.each(ctx, row, func(o *partition.Options) { o.Contiguous = true }, func(without, with *partition.Result) error {
		row.Without += float64(without.Cut) / float64(c.seeds)
		row.With += float64(with.Cut) / float64(c.seeds)
		return nil
	})
	if err != nil {
		return err
	}
	return c.metis(ctx, row)
}

// metis partitions with gpmetis, asked for connected parts too.
func (c *comparison) metis(ctx context.Context, row *FeatureRow) error {
	path, err := exec.LookPath("gpmetis")
	if err != nil {
		return nil
	}
	tool := gpmetis{path: path, work: c.work, contiguous: true}
	for seed := range c.seeds {
		parts, err := tool.run(ctx, c.g, row.Parts, c.options.Imbalance, uint64(seed))
		if err != nil {
			return fmt.Errorf("%s in %d connected parts: %w", row.Graph, row.Parts, err)
		}
		result, err := partition.Evaluate(c.g, parts, c.options)
		if err != nil {
			return err
		}
		row.Metis += float64(result.Cut) / float64(c.seeds)
		if result.DisconnectedParts > 0 || !result.Feasible && !result.Unreachable {
			row.MetisUnsound++
		}
	}
	return nil
}

func (c *comparison) mapping(ctx context.Context, row *FeatureRow, distances [][]int64) error {
	change := func(o *partition.Options) { o.Objective, o.Distances = partition.MappingCost, distances }
	return c.each(ctx, row, change, func(without, with *partition.Result) error {
		after, err := partition.MapParts(c.g, without.Parts, distances)
		if err != nil {
			return err
		}
		row.Without += float64(partition.MappingCostOf(c.g, after, distances)) / float64(c.seeds)
		row.With += float64(with.MappingCost) / float64(c.seeds)
		return nil
	})
}
