package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	partitionbench "carina/benchmarks/partition"
	"carina/internal/quantity"
	"carina/partition"

	"github.com/spf13/cobra"
)

// partitionReport tells a report in words.
type partitionReport struct {
	Means []partitionbench.Mean `json:"means"`
	*partitionbench.Report
	picture string
}

var _ pictured = partitionReport{}

// Pictures is the file of the plot.
func (r partitionReport) Pictures() []string { return []string{r.picture} }

// Words is the table of geometric means.
func (r partitionReport) Words() string {
	var w strings.Builder
	if err := r.WriteTable(&w); err != nil {
		return fmt.Sprintln(err)
	}
	return w.String()
}

// featuresReport tells of features in words.
type featuresReport struct{ *partitionbench.Features }

// Words is the table of all rows.
func (r featuresReport) Words() string {
	var w strings.Builder
	if err := r.WriteTable(&w); err != nil {
		return fmt.Sprintln(err)
	}
	return w.String()
}

func newBenchPartition(flags *benchFlags) *cobra.Command {
	var o partitionbench.Options
	var timeLimit string
	var features bool
	var presets []string
	command := &cobra.Command{
		Use:     "partition --graphs FOLDER",
		Short:   "Compare the graph partitioner with gpmetis and scotch on a folder of METIS graphs",
		Example: "  carina bench partition --graphs graphs --parts 2,16,64 --seeds 3",
		Args:    exactly(),
		RunE: func(command *cobra.Command, _ []string) error {
			if o.Folder == "" {
				return usageError{errors.New("name a folder of METIS graphs: --graphs FOLDER")}
			}
			if o.Imbalance != 0 {
				if err := quantity.CheckImbalance(o.Imbalance, largestImbalance); err != nil {
					return err
				}
			}
			if timeLimit != "" {
				seconds, err := quantity.Time.ParsePositive(timeLimit)
				if err != nil {
					return err
				}
				o.TimeLimit = time.Duration(seconds * float64(time.Second))
			}
			for _, name := range presets {
				preset, err := partition.ParsePreset(name)
				if err != nil {
					return err
				}
				o.Presets = append(o.Presets, preset)
			}
			if features {
				return runReport(command, flags, "partition-features", func(ctx context.Context, progress func(string, float64)) (featuresReport, error) {
					o.Quick, o.Progress = flags.quick, progress
					report, err := partitionbench.RunFeatures(ctx, o)
					return featuresReport{report}, err
				})
			}
			return runReport(command, flags, "partition", func(ctx context.Context, progress func(string, float64)) (partitionReport, error) {
				o.Quick, o.Progress = flags.quick, progress
				report, err := partitionbench.Run(ctx, o)
				if err != nil {
					return partitionReport{}, err
				}
				picture := filepath.Join(flags.folder, "partition.png")
				return partitionReport{report.Means(), report, picture}, report.Plot(picture)
			})
		},
	}
	f := command.Flags()
	f.StringVar(&o.Folder, "graphs", "", "folder of METIS graphs (NAME.graph)")
	f.StringSliceVar(&o.Graphs, "names", nil, "names of graphs (default all of the folder)")
	f.IntSliceVar(&o.Parts, "parts", nil, "numbers of parts (default 2 to 64)")
	f.IntVar(&o.Seeds, "seeds", 0, "runs of each (default 3)")
	f.Float64Var(&o.Imbalance, "imbalance", 0, "how far a part may exceed its share (default 0.03)")
	f.BoolVar(&features, "features", false, "instead compare connected parts with unconstrained ones and those of gpmetis -contig, and mapping to a machine with mapping after the fact")
	f.StringSliceVar(&presets, "presets", nil, "presets to run (default fast, eco and strong)")
	f.StringVar(&timeLimit, "time-limit", "", "add a memetic run of that length, such as 60s")
	f.BoolVar(&o.ProcessorTime, "cpu-time", false, "measure the time limit in processor time of one core, for busy machines")
	f.StringSliceVar(&o.Tools, "tools", nil, "what to run: fast, eco, strong, memetic, gpmetis, scotch (default all there are)")
	f.StringVar(&o.Journal, "journal", "", "file to add each row to as it is measured; rows that it holds are not measured again")
	return command
}
