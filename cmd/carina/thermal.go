package main

import (
	"cmp"
	"fmt"
	"strings"

	"carina/cmd/carina/report"
	"carina/gas"
	"carina/internal/quantity"
	"carina/solver/transport"

	"github.com/spf13/cobra"
)

// thermalFlags are those of a case of a thermal gas.
func thermalFlags(command *cobra.Command, c *gas.Case) {
	rankFlags(command, &c.PartitionCase)
	deviceFlags(command, &c.PartitionCase)
	f := command.Flags()
	f.Var((*boxSize)(&c.Size), "size", "cells along x and y, such as 256x128 (default that of the scene)")
	f.IntVar(&c.Steps, "steps", c.Steps, "steps to compute (default those of the scene)")
	f.IntVar(&c.Every, "every", c.Every, "steps between two lines of the table (default a 100th of all)")
	f.Float64Var(&c.Tau, "tau", c.Tau, "relaxation time in steps, above 0.5: the viscosity is (tau - 0.5) times the temperature (default that of the scene)")
	f.Float64Var(&c.Rayleigh, "rayleigh", c.Rayleigh, "Rayleigh number of rayleigh-benard (default 20000)")
	f.StringVar(&c.Collision, "collision", c.Collision, "operator: "+quantity.Either(gas.Collisions)+" (default regularized)")
	f.StringVar(&c.Precision, "precision", c.Precision, quantity.Either(gas.Precisions)+" (default double)")
	f.StringVar(&c.Cut, "cut", c.Cut, "how ranks share the box: "+quantity.Either(gas.Cuts)+", instead of by --decompose and --balance (default stripes)")
	f.StringVar(&c.Partition, "partition", c.Partition, "partition file, such as an earlier run has left among its results, that says who computes what")
	f.IntVar(&c.Pictures, "pictures", c.Pictures, "number of pictures of temperature and density; 0 for none")
	f.StringVar(&c.Snapshots, "snapshots", c.Snapshots, "how often temperature, density and velocity of all cells are written, such as every=1000 (steps), with a file that lists them for ParaView (default never)")
}

// boxSize is the size of a box as a flag.
type boxSize [2]int

// String is the size as written.
func (s *boxSize) String() string {
	if *s == (boxSize{}) {
		return ""
	}
	return fmt.Sprintf("%dx%d", s[0], s[1])
}

// Set reads it.
func (s *boxSize) Set(text string) (err error) {
	*(*[2]int)(s), err = gas.ParseSize(text)
	return err
}

// Type is the name of the value in help texts.
func (s *boxSize) Type() string { return "size" }

func newThermal() *cobra.Command {
	var output string
	var flags runFlags
	command := &cobra.Command{
		Use:   "thermal SCENE | --restart FOLDER",
		Short: "Compute a thermal gas: convection, fingers of dense gas, a shock tube",
		Long: "Compute a gas that carries its own heat (D2Q37) in a box. The scenes:\n\n" + strings.Join(gas.SceneWords(), "\n") + "\n\n" +
			"The folder of results receives mass, momentum, energy and the scene's figure over time, the profile at the end,\n" +
			"pictures of temperature and density, the partition and the summary, and with --snapshots fields for ParaView.\n" +
			"Lengths are in cells, times in steps.\n" +
			"Started by mpirun -np N (in a binary built with make mpi) every process takes one rank.",
		Example: "  carina thermal rayleigh-taylor --size 256x512 --steps 20000 --pictures 4 --ranks 2 --out fingers\n" +
			"  carina thermal rayleigh-taylor --size 2048x4096 --steps 96000 --every 4000 --device gpu --checkpoint 10m\n" +
			"  carina thermal rayleigh-benard --rayleigh 5000 --size 96x48\n" +
			"  carina thermal sod --precision single",
		Args: flags.orRestart("a scene"),
		RunE: func(command *cobra.Command, arguments []string) error {
			var c gas.Case
			return inProcesses(command, &c.PartitionCase, func() (err error) {
				c, err = thermalCase(command, arguments, output, &flags)
				return err
			}, func(t transport.Transport) error { return computeThermal(command, c, &flags, t) })
		},
	}
	thermalFlags(command, &gas.Case{Pictures: 2})
	command.Flags().StringVar(&output, "out", "", "folder for results (default that of --restart, or the scene's name with -gas)")
	flags.add(command)
	return command
}

// thermalCase is what the checkpoint to go on from and the flags say.
func thermalCase(command *cobra.Command, arguments []string, output string, flags *runFlags) (c gas.Case, err error) {
	if err := flags.parse(); err != nil {
		return c, err
	}
	c.Pictures = gas.SomePictures
	if flags.from != nil {
		if c, err = gas.CheckpointCase(flags.from); err != nil {
			return c, flags.unknown(err)
		}
	}
	if len(arguments) > 0 {
		c.Scene = arguments[0]
	}
	// Another way to share the box takes the place of that of before.
	switch changed := command.Flags().Changed; {
	case changed("cut"), changed("decompose"), changed("balance"), changed("partition"):
		c.Cut, c.Decompose, c.Balance, c.Partition = "", "", "", ""
	case changed("ranks"):
		c.Partition = ""
	}
	scratch := &cobra.Command{}
	thermalFlags(scratch, &c)
	if err := refuseZeros(command, "ranks", "every", "tau", "rayleigh"); err != nil {
		return c, err
	}
	if err := replay(command, scratch); err != nil {
		return c, err
	}
	if command.Flags().Changed("pictures") && c.Pictures < 0 {
		return c, fmt.Errorf("--pictures %d is negative: give 0 for none", c.Pictures)
	}
	if c.Partition != "" {
		if err := report.Expect(c.Partition, report.Partition); err != nil {
			return c, err
		}
	}
	c.Output = cmp.Or(output, c.Output, flags.restart, c.Scene+"-gas")
	return c, nil
}

// computeThermal computes a gas and tells how it goes, and of what came out.
func computeThermal(command *cobra.Command, c gas.Case, flags *runFlags, t transport.Transport) error {
	l := newTeller(command)
	flow, err := gas.Open(command.Context(), c, gas.Options{
		Transport: t, Checkpoints: flags.checkpoints, Restart: flags.from, Rebalance: flags.rebalance,
		Partitioned: l.partitioned, Warn: l.warn, Look: l.look,
		Resumed:  func(step int64) { message(command, "goes on from step %d", step) },
		Progress: func(step, of int) { l.progress(fmt.Sprintf("step %d", step), float64(step)/float64(of)) },
	})
	if err != nil {
		return err
	}
	err = flow.Run(command.Context())
	l.pause()
	if s := flow.Summary(); s != nil {
		err = cmp.Or(err, printWithFiles(command, s, flow.Files()))
	}
	return err
}
