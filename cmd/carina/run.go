package main

import (
	"cmp"

	"carina"
	"carina/cmd/carina/report"

	"github.com/spf13/cobra"
)

func newRun() *cobra.Command {
	var output string
	var flags runFlags
	command := &cobra.Command{
		Use:   "run SURFACE | CASE.yaml | --restart FOLDER",
		Short: "From a surface to the flow of air: voxelize, partition, solve, report",
		Long: "Voxelize a surface, share the cells among ranks, compute the flow and report it. " + surfaceHelp + "\n" +
			"The folder of results receives the grid, the partition file, the fields for ParaView, pictures and the summary.",
		Example: "  carina run airway.stl --spacing 0.5mm --flow 1L/min --ranks 4\n" +
			"  carina run airway.stl --fluid-cells 500000 --inlet 2 --decompose octree --time 0.2s --out results --checkpoint 10m\n" +
			"  carina run --restart results",
		Args: flags.orRestart("a surface, grid or case file"),
		RunE: func(command *cobra.Command, arguments []string) error {
			var before carina.Case
			if _, err := flags.open(&before); err != nil {
				return err
			}
			c, err := caseOf(command, arguments, before, geometryFlags, partitionFlags, layoutFlag, axesFlag, flowFlags, resultsFlags, refineFlags)
			if err != nil {
				return err
			}
			c.Output = cmp.Or(output, c.Output, flags.restart, c.Name()+"-flow")
			if err := flags.check(c.Output); err != nil {
				return err
			}
			return runCase(command, &c, &flags)
		},
	}
	defaults := &carina.Case{PartitionCase: carina.PartitionCase{Ranks: 1}}
	geometryFlags(command, defaults)
	partitionFlags(command, defaults)
	layoutFlag(command, defaults)
	axesFlag(command, defaults)
	flowFlags(command, defaults)
	resultsFlags(command, defaults)
	refineFlags(command, defaults)
	command.Flags().StringVar(&output, "out", "", "folder for results (default that of --restart, or the surface's name with -flow)")
	flags.add(command)
	flags.addCalibrated(command)
	return command
}

func runCase(command *cobra.Command, c *carina.Case, flags *runFlags) error {
	if !command.Flags().Changed("ranks") && c.Ranks == 0 {
		c.Ranks = c.DefaultRanks()
	}
	if err := c.Ready(); err != nil {
		return err
	}
	if err := report.Expect(c.Surface, report.Surface, report.Grid); err != nil {
		return err
	}
	l := newListener(command, c)
	f, err := carina.Run(command.Context(), *c, append(flags.options(), carina.Discard(), carina.Listen(l.Listener))...)
	if accuracy, _ := c.WantedAccuracy(); err == nil && accuracy > 0 && !f.Summary().Refinement.Reaches(accuracy) { // checked before
		l.pause()
		message(command, "%s", report.MissingWords(f.Summary().Refinement, accuracy))
	}
	return l.tellFlow(f, nil, err)
}
