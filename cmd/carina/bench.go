package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"carina"
	"carina/balance"
	balancebench "carina/benchmarks/balance"
	"carina/internal/quantity"
	"carina/internal/terminal"

	"github.com/spf13/cobra"
)

// Where benchmarks write, and where those of the project are recorded.
var (
	benchFolder   = "bench-results"
	recordsFolder = filepath.Join("benchmarks", "results")
)

// benchFlags are what the benchmarks have in common.
type benchFlags struct {
	folder string
	quick  bool
	record bool
}

func newBench() *cobra.Command {
	command := &cobra.Command{
		Use:   "bench NAME",
		Short: "Measure: cost, solver, validate, partition, balance, scale, rebalance, water, thermal, cuts, gpu, hybrid",
		Long: "Run a benchmark and write its tables and plots, with the machine described, to a folder; with --record to the\n" +
			"project's records.",
		RunE: func(command *cobra.Command, arguments []string) error {
			if len(arguments) > 0 {
				return unknownCommand(command, arguments[0])
			}
			return usageError{errors.New("say which benchmark: see carina bench --help")}
		},
	}
	var flags benchFlags
	command.PersistentFlags().StringVar(&flags.folder, "out", benchFolder, "folder for results")
	command.PersistentFlags().BoolVar(&flags.record, "record", false, "write to "+filepath.ToSlash(recordsFolder)+" instead, over what is recorded there")
	command.PersistentFlags().BoolVar(&flags.quick, "quick", false, "do less, in a few minutes")
	command.AddCommand(newBenchCost(&flags), newBenchSolver(&flags), newBenchValidate(&flags), newBenchPartition(&flags), newBenchBalance(&flags), newBenchScale(&flags), newBenchRebalance(&flags), newBenchWater(&flags), newBenchThermal(&flags), newBenchCuts(&flags), newBenchGPU(&flags), newBenchHybrid(&flags))
	return command
}

// makeFolder makes the folder for results. That of the records must be there
// already, so that it is that of the project. Numbers of ranks that cannot be are refused
// before.
func (f *benchFlags) makeFolder(ranks ...int) error {
	for _, n := range ranks {
		if err := (&carina.PartitionCase{Ranks: n}).CheckRanks(); err != nil {
			return err
		}
	}
	if f.record {
		switch {
		case f.quick:
			return usageError{errors.New("--quick does too little to be recorded: leave out --record, or --quick")}
		case f.folder != benchFolder:
			return usageError{fmt.Errorf("--record writes to %s: leave out --out, or --record", recordsFolder)}
		}
		if _, err := os.Stat(recordsFolder); err != nil {
			return fmt.Errorf("recording in %s: %w; start it in the folder of the project", recordsFolder, err)
		}
		f.folder = recordsFolder
	}
	if err := os.MkdirAll(f.folder, 0o777); err != nil {
		return fmt.Errorf("making the folder for results: %w", err)
	}
	return nil
}

func newBenchCost(flags *benchFlags) *cobra.Command {
	var options balancebench.CostOptions
	command := &cobra.Command{
		Use:   "cost",
		Short: "Measure what cells, messages and bytes cost on this machine, and write a machine file for partition --machine",
		Args:  exactly(),
		RunE: func(command *cobra.Command, _ []string) error {
			if err := flags.makeFolder(); err != nil {
				return err
			}
			report, end := progress(command)
			options.Quick, options.Progress = flags.quick, report
			measured, err := balancebench.Cost(command.Context(), options)
			end()
			if err != nil {
				return err
			}
			if err := measured.Write(flags.folder); err != nil {
				return err
			}
			return printResult(command, measured.Machine, func() string {
				return fmt.Sprintf("wrote %s and beside it what it was fitted to, machine.md\n", terminal.Line(filepath.Join(flags.folder, "machine.json")))
			})
		},
	}
	command.Flags().StringVar(&options.Name, "name", "", "name of the machine (default the host's)")
	command.Flags().StringVar((*string)(&options.Layout), "layout", "", "measure "+quantity.Either(balance.Layouts)+" only, and keep the others of the machine file there (default all)")
	return command
}

func newBenchBalance(flags *benchFlags) *cobra.Command {
	var options balancebench.Options
	var machine string
	var strict bool
	command := &cobra.Command{
		Use:   "balance",
		Short: "Compare decompositions and balancers, as Fietz 2011 did",
		Long: "Compare decompositions and balancers on cavities, bifurcations and airways, as Fietz did (2011, chapter 5): predicted by\n" +
			"the cost model, and with --measured timed. Each geometry has a CSV file, tables and plots; a further run for other\n" +
			"--ranks adds to them, and one that was stopped goes on. The whole suite takes hours; with --quick it takes less than a minute on two cores.",
		Example: "  carina bench balance --measured --geometry bifurcation-large --ranks 8,64 --machine benchmarks/results/machine.json\n" +
			"  carina bench balance --strict --geometry airway --ranks 2,71,512",
		Args: exactly(),
		RunE: func(command *cobra.Command, _ []string) error {
			if strict {
				if options.Measured {
					return usageError{errors.New("--strict compares bytes, which need not be measured: leave --measured out")}
				}
				return runBalanceBench(command, flags, &options, machine, balancebench.Strict)
			}
			return runBalanceBench(command, flags, &options, machine, balancebench.Balance)
		},
	}
	balanceBenchFlags(command, &options)
	command.Flags().StringVar(&options.Preset, "preset", "", benchPresetHelp)
	command.Flags().StringVar(&machine, "machine", "", "machine file of carina bench cost (default assumed costs)")
	command.Flags().BoolVar(&options.Measured, "measured", false, "time ranks with the real kernels as well")
	command.Flags().StringVar((*string)(&options.Layout), "layout", "", quantity.Either(balance.Layouts)+" (default all)")
	command.Flags().BoolVar(&strict, "strict", false, "instead compare the bytes of graph with those of each other balancer, at the other's balance")
	return command
}

func newBenchScale(flags *benchFlags) *cobra.Command {
	var options balancebench.Options
	command := &cobra.Command{
		Use:   "scale",
		Short: "Partition large airways for up to 100,000 ranks of modelled machines and plot the predicted efficiency",
		Args:  exactly(),
		RunE: func(command *cobra.Command, _ []string) error {
			return runBalanceBench(command, flags, &options, "", balancebench.Scale)
		},
	}
	balanceBenchFlags(command, &options)
	return command
}

func balanceBenchFlags(command *cobra.Command, o *balancebench.Options) {
	f := command.Flags()
	f.StringSliceVar(&o.Geometries, "geometry", nil, "cavity, bifurcation, bifurcation-large, airway, or files of surfaces in mm (default the suite's own)")
	f.Int64Var(&o.FluidCells, "fluid-cells", 0, "size of each grid (default the suite's own)")
	f.IntSliceVar(&o.Ranks, "ranks", nil, "numbers of ranks (default the suite's own)")
}

func runBalanceBench(command *cobra.Command, flags *benchFlags, o *balancebench.Options, machine string,
	run func(ctx context.Context, o balancebench.Options) error) error {
	if machine != "" {
		m, err := balance.ReadMachine(machine)
		if err != nil {
			return err
		}
		o.Machine = m
	}
	if err := flags.makeFolder(o.Ranks...); err != nil {
		return err
	}
	report, end := progress(command)
	defer end()
	o.Folder, o.Quick, o.Progress = flags.folder, flags.quick, report
	err := run(command.Context(), *o)
	if errors.Is(err, context.Canceled) {
		return fmt.Errorf("stopped by the user; what was complete until then is in %s", flags.folder)
	}
	if err != nil {
		return err
	}
	result := map[string]string{"folder": flags.folder}
	return printResult(command, result, func() string { return fmt.Sprintf("wrote the results to %s\n", terminal.Line(flags.folder)) })
}
