package main

import (
	"fmt"
	"path/filepath"
	"strings"

	rebalancebench "carina/benchmarks/rebalance"
	thermalbench "carina/benchmarks/thermal"
	waterbench "carina/benchmarks/water"
	"carina/internal/machine"
	"carina/internal/terminal"

	"github.com/spf13/cobra"
)

func newBenchRebalance(flags *benchFlags) *cobra.Command {
	var options rebalancebench.Options
	var trace string
	command := &cobra.Command{
		Use:   "rebalance",
		Short: "Replay ranks whose speeds change, and compare balancing while a job runs with rows after Skevik 2014",
		Args:  exactly(),
		RunE: func(command *cobra.Command, _ []string) error {
			if trace != "" {
				file, err := machine.Open(trace)
				if err != nil {
					return err
				}
				defer file.Close()
				if options.Trace, err = rebalancebench.ReadTrace(file); err != nil {
					return fmt.Errorf("%s: %w", trace, err)
				}
			}
			if err := flags.makeFolder(options.Ranks...); err != nil {
				return err
			}
			report, end := progress(command)
			options.Folder, options.Quick, options.Progress = flags.folder, flags.quick, report
			rows, err := rebalancebench.Run(command.Context(), options)
			end()
			if err != nil {
				return err
			}
			return printResult(command, rows, func() string {
				var w strings.Builder
				for i := range rows {
					r := &rows[i]
					fmt.Fprintf(&w, "%5d ranks, %-15s, a move takes %3g steps: %5.1f %% above the oracle, %d moves\n", r.Ranks, r.Policy, r.MoveSteps, 100*r.AboveOracle, r.Moves)
				}
				fmt.Fprintf(&w, "wrote rebalance.csv, rebalance.md and pictures to %s\n", terminal.Line(filepath.Clean(flags.folder)))
				return w.String()
			})
		},
	}
	f := command.Flags()
	f.StringVar(&options.Geometry, "geometry", "airway", "cavity, bifurcation, bifurcation-large, airway, or the file of a surface in mm")
	f.StringVar(&trace, "trace", "", "balance.csv of a run with --rebalance, to be replayed instead of the recorded traces")
	f.IntSliceVar(&options.Ranks, "ranks", nil, "numbers of ranks (default 32,256,2000)")
	return command
}

func newBenchWater(flags *benchFlags) *cobra.Command {
	var options waterbench.Options
	command := &cobra.Command{
		Use:   "water",
		Short: "Measure floods: cells a second, wet and dry, and a valley shared by ranks, beside Skevik 2014",
		Args:  exactly(),
		RunE: func(command *cobra.Command, _ []string) error {
			if err := flags.makeFolder(options.Ranks); err != nil {
				return err
			}
			report, end := progress(command)
			options.Folder, options.Quick, options.Progress = flags.folder, flags.quick, report
			result, err := waterbench.Run(command.Context(), options)
			end()
			if err != nil {
				return err
			}
			return printResult(command, result, func() string {
				return result.Words("", ", ", "\n") + fmt.Sprintf("wrote water.csv and water.md to %s\n", terminal.Line(filepath.Clean(flags.folder)))
			})
		},
	}
	command.Flags().IntVar(&options.Ranks, "ranks", 8, "number of ranks that share the valley")
	return command
}

func newBenchThermal(flags *benchFlags) *cobra.Command {
	return &cobra.Command{
		Use:   "thermal",
		Short: "Compare a gas heated from below with the onset of rolls and a spectral solution, and dense gas above thin gas with its eigenvalue",
		Args:  exactly(),
		RunE: func(command *cobra.Command, _ []string) error {
			if err := flags.makeFolder(); err != nil {
				return err
			}
			report, end := progress(command)
			result, err := thermalbench.Run(command.Context(), thermalbench.Options{Folder: flags.folder, Quick: flags.quick, Progress: report})
			end()
			if err != nil {
				return err
			}
			return printResult(command, result, func() string {
				return result.String() + fmt.Sprintf("wrote thermal.csv, thermal.md and thermal-cuts.png to %s\n", terminal.Line(filepath.Clean(flags.folder)))
			})
		},
	}
}

func newBenchCuts(flags *benchFlags) *cobra.Command {
	size := boxSize{512, 512}
	o := thermalbench.CutOptions{Ranks: []int{1, 2, 3, 4}, Device: "cpu:1"}
	command := &cobra.Command{
		Use:   "cuts",
		Short: "Time a thermal gas in stripes and tiles beside the model's predictions",
		Long: "Time steps of a thermal gas that ranks share in stripes and in tiles, and predict them from what cells and rows take\n" +
			"gases of one rank each, as many at once as cores are at work, and what messages take; show where tiles become\n" +
			"faster. The box has at least 64 x 16 cells. For an idle machine.",
		Example: "  carina bench cuts --device gpu --ranks 1,2 --size 2048x4096",
		Args:    exactly(),
		RunE: func(command *cobra.Command, _ []string) error {
			if err := flags.makeFolder(o.Ranks...); err != nil {
				return err
			}
			report, end := progress(command)
			o.Folder, o.Quick, o.Progress, o.Size = flags.folder, flags.quick, report, size
			result, err := thermalbench.TimeCuts(command.Context(), o)
			end()
			if err != nil {
				return err
			}
			return printResult(command, result, func() string {
				return result.String() + fmt.Sprintf("wrote thermal-cuts.csv and thermal-cuts.md to %s\n", terminal.Line(filepath.Clean(flags.folder)))
			})
		},
	}
	f := command.Flags()
	f.Var(&size, "size", "cells along x and y")
	f.IntSliceVar(&o.Ranks, "ranks", o.Ranks, "numbers of ranks")
	f.StringVar((*string)(&o.Device), "device", string(o.Device), "what each rank computes on: cpu:1, a core, or gpu, one of its own")
	return command
}
