package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	gpubench "carina/benchmarks/gpu"
	solverbench "carina/benchmarks/solver"
	"carina/benchmarks/validate"
	"carina/geometry"
	"carina/internal/atomicfile"
	"carina/internal/machine"
	"carina/internal/quantity"
	"carina/solver/airflow"
	"carina/solver/cuda"

	"github.com/spf13/cobra"
)

// worded is a report that can be told in words.
type worded interface{ Words() string }

// pictured is a report whose pictures have been written to files.
type pictured interface{ Pictures() []string }

// runReport runs a benchmark, writes what it reports together with the machine
// as NAME.json and NAME.md, and prints it. Of records the page is written by
// hand, so that it leaves NAME.md alone there.
func runReport[R worded](command *cobra.Command, flags *benchFlags, name string,
	measure func(ctx context.Context, progress func(stage string, done float64)) (R, error)) error {
	if err := flags.makeFolder(); err != nil {
		return err
	}
	show, end := progress(command)
	report, err := measure(command.Context(), show)
	end()
	if err != nil {
		return err
	}
	d := machine.Describe()
	recorded := struct {
		Machine machine.Description `json:"machine"`
		Report  R                   `json:"report"`
	}{d, report}
	path := filepath.Join(flags.folder, name)
	if err := atomicfile.WriteJSON(path+".json", recorded); err != nil {
		return err
	}
	files := []string{path + ".json"}
	if p, ok := any(report).(pictured); ok {
		files = append(files, p.Pictures()...)
	}
	words := func() string { return report.Words() + wrote(files...) }
	if flags.record {
		return printResult(command, report, words)
	}
	err = atomicfile.Write(path+".md", func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "# carina bench %s\n\nMeasured on: %s, %s, %s, %s.\n\n```\n%s```\n",
			name, d.Processor, quantity.Count(d.Cores, "core"), d.System, d.GoVersion, report.Words())
		return err
	})
	if err != nil {
		return err
	}
	files = append(files, path+".md")
	return printResult(command, report, words)
}

// airwayFlags choose the airway of a benchmark.
func airwayFlags(command *cobra.Command, surface, unit *string, cells *int64, side *int32, cellsDefault, sideDefault string) {
	f := command.Flags()
	f.StringVar(surface, "surface", "", "airway to measure (default a generated one)")
	f.StringVar(unit, "unit", "", "unit of the surface (default guessed)")
	f.Int64Var(cells, "fluid-cells", 0, "cells of the airway (default "+cellsDefault+")")
	f.Int32Var(side, "side", 0, "side of the dense cube (default "+sideDefault+")")
}

func parseUnit(text string) (geometry.Unit, error) {
	if text == "" {
		return geometry.UnknownUnit, nil
	}
	return geometry.ParseUnit(text)
}

func newBenchSolver(flags *benchFlags) *cobra.Command {
	var o solverbench.Options
	var unit string
	command := &cobra.Command{
		Use:   "solver",
		Short: "Measure every kernel on the processor against the copy bandwidth",
		Args:  exactly(),
		RunE: func(command *cobra.Command, _ []string) error {
			var err error
			if o.Unit, err = parseUnit(unit); err != nil {
				return err
			}
			return runReport(command, flags, "solver", func(ctx context.Context, progress func(string, float64)) (*solverbench.Report, error) {
				o.Quick, o.Progress = flags.quick, progress
				return solverbench.Measure(ctx, o)
			})
		},
	}
	airwayFlags(command, &o.Surface, &unit, &o.FluidCells, &o.Side, "20000000", "200")
	command.Flags().StringVar((*string)(&o.Layout), "layout", "", quantity.Either(airflow.Layouts)+" (default both)")
	return command
}

func newBenchGPU(flags *benchFlags) *cobra.Command {
	var o gpubench.Options
	var unit string
	var exchanges []string
	command := &cobra.Command{
		Use:   "gpu",
		Short: "Measure the solver on GPUs: dense cube and airway, storages, scaling",
		Args:  exactly(),
		RunE: func(command *cobra.Command, _ []string) error {
			var err error
			if o.Unit, err = parseUnit(unit); err != nil {
				return err
			}
			return runReport(command, flags, "gpu", func(ctx context.Context, progress func(string, float64)) (*gpubench.Report, error) {
				o.Quick, o.Progress = flags.quick, progress
				for _, e := range exchanges {
					o.Exchanges = append(o.Exchanges, cuda.Exchange(e))
				}
				return gpubench.Measure(ctx, o)
			})
		},
	}
	airwayFlags(command, &o.Surface, &unit, &o.FluidCells, &o.Side, "100000000", "512")
	command.Flags().StringVar((*string)(&o.Collision), "collision", "", "collision operator: "+quantity.Either(airflow.Collisions)+" (default trt where stable)")
	command.Flags().StringVar((*string)(&o.Lattice), "lattice", "", latticeHelp)
	command.Flags().StringVar((*string)(&o.Wall), "wall", "", wallHelp)
	command.Flags().IntVar(&o.Device, "device", 0, "number of the first GPU")
	command.Flags().StringSliceVar(&o.Cases, "cases", nil, "some of dense, airway and strong (default all)")
	command.Flags().StringSliceVar(&exchanges, "exchange", nil, "ways of exchanging borders: ipc, host or both (default ipc)")
	command.Flags().IntSliceVar(&o.Counts, "devices", nil, "how many GPUs (default 1, 2, 4 … as far as there are)")
	return command
}

func newBenchHybrid(flags *benchFlags) *cobra.Command {
	var o gpubench.Options
	var unit string
	var slowed bool
	command := &cobra.Command{
		Use:   "hybrid",
		Short: "Measure a GPU and the cores beside it, or two GPUs of which one is slowed",
		Long: "Measure a GPU and the cores beside it on a dense cube and an airway, in single and double precision, that fit on the\n" +
			"GPU or of which its memory may hold a half or a quarter; or with --slowed two GPUs of which the second one also\n" +
			"copies memory from some step on, while cells change owner.",
		Args: exactly(),
		RunE: func(command *cobra.Command, _ []string) error {
			var err error
			if o.Unit, err = parseUnit(unit); err != nil {
				return err
			}
			if slowed {
				return runReport(command, flags, "slowed", func(ctx context.Context, progress func(string, float64)) (*gpubench.DisturbedReport, error) {
					o.Quick, o.Progress = flags.quick, progress
					return gpubench.MeasureDisturbed(ctx, o)
				})
			}
			return runReport(command, flags, "hybrid", func(ctx context.Context, progress func(string, float64)) (*gpubench.BesideReport, error) {
				o.Quick, o.Progress = flags.quick, progress
				return gpubench.MeasureBeside(ctx, o)
			})
		},
	}
	airwayFlags(command, &o.Surface, &unit, &o.FluidCells, &o.Side, "20000000, or 40000000 with --slowed", "288")
	command.Flags().IntVar(&o.Device, "device", 0, "number of the GPU")
	command.Flags().StringSliceVar(&o.Cases, "cases", nil, "some of dense and airway (default both)")
	command.Flags().BoolVar(&slowed, "slowed", false, "slow one of two GPUs, the first two of the machine")
	command.Flags().IntVar(&o.Steps, "steps", 0, "steps between looks with --slowed (default 4000)")
	return command
}

func newBenchValidate(flags *benchFlags) *cobra.Command {
	o := validate.Options{}
	var precision string
	command := &cobra.Command{
		Use:   "validate",
		Short: "Compare the solver with analytic solutions and published numbers",
		Args:  exactly(),
		RunE: func(command *cobra.Command, _ []string) error {
			if precision != "" {
				o.Change = func(s *airflow.Settings) { s.Precision = airflow.Precision(precision) }
			}
			name := "validate"
			if o.Device == validate.GPU {
				name += "-gpu"
			}
			if precision != "" {
				name += "-" + precision
			}
			var failed int
			err := runReport(command, flags, name, func(ctx context.Context, progress func(string, float64)) (*validate.Report, error) {
				o.Quick, o.Progress = flags.quick, progress
				o.Found = func(r validate.Result) { message(command, "%s", r.Words()) }
				if !flags.record { // the page has one picture of all plots
					o.Plots = filepath.Join(flags.folder, name)
				}
				report, err := validate.Run(ctx, o)
				if err == nil {
					failed = report.Failed
				}
				return report, err
			})
			if err == nil && failed > 0 {
				err = errors.New("some results are outside their tolerance, see the table")
			}
			return err
		},
	}
	f := command.Flags()
	f.StringSliceVar(&o.Cases, "cases", nil, fmt.Sprintf("some of %v (default all)", validate.Names()))
	f.StringVar(&o.References, "references", "", "folder of published data (the cavity is left out without)")
	f.StringVar(&o.Device, "device", validate.Processor, "cpu or gpu")
	f.StringVar(&precision, "precision", "", "precision instead of each case's own")
	return command
}
