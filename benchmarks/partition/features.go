package partitionbench

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"

	"carina/partition"
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
	// Bound is what every division into connected parts cuts at least, by
	// proof; 0 where there is none. It is asked for in two parts, and in four
	// where connected ones were found to cut much more.
	Bound float64 `json:"bound,omitempty"`
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
				c := comparison{g: g, options: partition.Options{Parts: k, Imbalance: o.Imbalance, Preset: preset}, seeds: o.Seeds, boundStates: o.BoundStates, work: work}
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
	g       *partition.Graph
	options partition.Options
	seeds   int
	// boundStates is how many states a bound may hold at a time.
	boundStates int
	work        string // folder for the files of gpmetis
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
	if err := c.metis(ctx, row); err != nil || row.Parts != 2 && (row.Parts != 4 || row.With <= wantedRatio*row.Without) {
		return err
	}
	return c.bound(ctx, row)
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

const (
	// defaultBoundStates take below 1 GB.
	defaultBoundStates = 2_000_000
	// boundStep is from one bound that is tried to the next.
	boundStep = 1.1
)

// bound proves how little connected parts can cut: first that what is wanted
// cannot be had, [wantedRatio], then more and more, up to what was found.
func (c *comparison) bound(ctx context.Context, row *FeatureRow) error {
	found := math.Ceil(row.With)
	for below := math.Floor(wantedRatio*row.Without) + 1; row.Bound < found; below = math.Ceil(boundStep * below) {
		asked := min(below, found)
		bound, err := partition.ConnectedCutBound(ctx, c.g, row.Parts, c.options.Imbalance, int64(asked), c.boundStates)
		if errors.Is(err, partition.ErrBoundOutOfReach) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("bound of %s in %d connected parts: %w", row.Graph, row.Parts, err)
		}
		row.Bound = max(row.Bound, float64(bound)) // more asked for may mean less precision
		if row.Bound < asked {
			return nil
		}
	}
	return nil
}

// wantedRatio is the cut of connected parts over that of unconstrained ones
// that is hoped for.
const wantedRatio = 1.03

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
