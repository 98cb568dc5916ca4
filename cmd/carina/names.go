package main

import (
	"fmt"
	"os"
	"slices"

	"carina/balance"
	"carina/benchmarks/validate"
	"carina/geometry"
	"carina/internal/quantity"
	"carina/partition"
	"carina/solver/airflow"
	"carina/solver/cuda"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// chosen are the flags whose names no case checks: of the commands that have none,
// by their path below carina, or all where that is empty.
var chosen = []struct {
	command, flag string
	check         func(name string) error
}{
	{"", "unit", func(name string) error { _, err := geometry.ParseUnit(name); return err }},
	{"", "axes", func(name string) error { _, err := geometry.ParseAxes(name); return err }},
	{"", "preset", checkPreset},
	{"bench partition", "presets", checkPreset},
	{"bench partition", "tools", oneOf("tool", append(partition.PresetNames(), "memetic", "gpmetis", "scotch"))},
	{"bench validate", "cases", oneOf("case", validate.Names())},
	{"bench validate", "device", oneOf("device", []string{validate.Processor, validate.GPU})},
	{"bench validate", "precision", oneOf("precision", airflow.Precisions)},
	{"bench gpu", "cases", oneOf("case", []string{"dense", "airway", "strong"})},
	{"bench gpu", "collision", oneOf("collision", airflow.Collisions)},
	{"bench gpu", "lattice", oneOf("lattice", airflow.Lattices)},
	{"bench gpu", "wall", oneOf("wall", airflow.Walls)},
	{"bench gpu", "exchange", oneOf("exchange", []cuda.Exchange{cuda.IPC, cuda.Host})},
	{"bench solver", "layout", oneOf("layout", airflow.Layouts)},
	{"bench cost", "layout", oneOf("layout", balance.Layouts)},
	{"bench balance", "layout", oneOf("layout", balance.Layouts)},
	{"bench balance", "geometry", checkGeometry},
	{"bench scale", "geometry", checkGeometry},
	{"bench rebalance", "geometry", checkGeometry},
}

func checkPreset(name string) error {
	_, err := partition.ParsePreset(name)
	return err
}

// checkGeometry takes the suite's own and files.
func checkGeometry(name string) error {
	if _, err := os.Stat(name); err == nil {
		return nil
	}
	return quantity.CheckName("geometry and no file", name, []string{"cavity", "bifurcation", "bifurcation-large", "airway"})
}

func oneOf[T ~string](what string, list []T) func(string) error {
	return func(name string) error { return quantity.CheckName(what, T(name), list) }
}

// refuseNames refuses names that are none of those to choose from, before
// anything is read or made.
func refuseNames(command *cobra.Command) error {
	var failure error
	command.Flags().Visit(func(f *pflag.Flag) {
		names := []string{f.Value.String()}
		if list, is := f.Value.(pflag.SliceValue); is {
			names = list.GetSlice()
		}
		for _, c := range chosen {
			if c.flag != f.Name || c.command != "" && command.Root().Name()+" "+c.command != command.CommandPath() {
				continue
			}
			for _, name := range slices.Compact(names) {
				if err := c.check(name); err != nil && failure == nil {
					failure = fmt.Errorf("--%s: %w", f.Name, err)
				}
			}
		}
	})
	return failure
}
