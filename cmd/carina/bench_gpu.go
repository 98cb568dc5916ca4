package main

import (
	"encoding/json"
	"io"
	"path/filepath"

	gpubench "carina/benchmarks/gpu"
	"carina/geometry"
	"carina/internal/atomicfile"

	"github.com/spf13/cobra"
)

func newBenchGPU(flags *benchFlags) *cobra.Command {
	var options gpubench.Options
	var unit string
	command := &cobra.Command{
		Use:   "gpu",
		Short: "Measure the solver on a GPU: dense cube and airway, both storages",
		Args:  exactly(),
		RunE: func(command *cobra.Command, _ []string) error {
			var err error
			if unit != "" {
				if options.Unit, err = geometry.ParseUnit(unit); err != nil {
					return err
				}
			}
			if err := flags.makeFolder(); err != nil {
				return err
			}
			var end func()
			options.Progress, end = progress(command)
			options.Quick = flags.quick
			report, err := gpubench.Measure(command.Context(), options)
			end()
			if err != nil {
				return err
			}
			if err := writeJSON(filepath.Join(flags.folder, "gpu.json"), report); err != nil {
				return err
			}
			return printResult(command, report, report.Words)
		},
	}
	f := command.Flags()
	f.StringVar(&options.Surface, "surface", "", "airway to measure (default a generated one)")
	f.StringVar(&unit, "unit", "", "unit of the surface (default guessed)")
	f.Int64Var(&options.FluidCells, "fluid-cells", 0, "cells of the airway (default 100000000)")
	f.Int32Var(&options.Side, "side", 0, "side of the dense cube (default 512)")
	f.IntVar(&options.Device, "device", 0, "number of the GPU")
	return command
}

// writeJSON writes a value as a JSON file.
func writeJSON(path string, value any) error {
	return atomicfile.Write(path, func(w io.Writer) error {
		encoder := json.NewEncoder(w)
		encoder.SetIndent("", "  ")
		return encoder.Encode(value)
	})
}
