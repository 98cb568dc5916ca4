package main

import (
	"cmp"
	"errors"
	"fmt"

	"carina"
	"carina/internal/resultsfolder"
	"carina/internal/workflow"

	"github.com/spf13/cobra"
)

func newRun() *cobra.Command {
	var output string
	var kept keptFlags
	command := &cobra.Command{
		Use:   "run SURFACE.stl | CASE.yaml | --restart FOLDER",
		Short: "From a surface to the flow of air: voxelize, partition, solve, report",
		Long: "Voxelize a surface, share the cells among ranks, compute the flow and report it. The folder of results\n" +
			"receives the grid, the partition file, the fields for ParaView, pictures and the summary.",
		Example: "  carina run airway.stl --spacing 0.5mm --flow 1L/min --ranks 4\n" +
			"  carina run airway.stl --fluid-cells 500000 --inlet 2 --decompose octree --time 0.2s --out results --checkpoint 10m\n" +
			"  carina run --restart results",
		Args: kept.orRestart("a surface, grid or case file"),
		RunE: func(command *cobra.Command, arguments []string) error {
			var before carina.Case
			if _, err := kept.open(&before); err != nil {
				return err
			}
			c, err := caseOf(command, arguments, before, geometryFlags, partitionFlags, layoutFlag, axesFlag, flowFlags, refineFlags)
			if err != nil {
				return err
			}
			c.Output = cmp.Or(output, c.Output, kept.restart, resultsFolder(c.Surface))
			if err := kept.check(c.Output); err != nil {
				return err
			}
			return runCase(command, &c, &kept)
		},
	}
	defaults := &carina.Case{Ranks: 1}
	geometryFlags(command, defaults)
	partitionFlags(command, defaults)
	layoutFlag(command, defaults)
	axesFlag(command, defaults)
	flowFlags(command, defaults)
	refineFlags(command, defaults)
	command.Flags().StringVar(&output, "out", "", "folder for results (default that of --restart, or the surface's name with -flow)")
	kept.add(command)
	return command
}

func runCase(command *cobra.Command, c *carina.Case, kept *keptFlags) error {
	if !command.Flags().Changed("ranks") && c.Ranks == 0 {
		c.Ranks = 1
	}
	if err := workflow.Check(c); err != nil {
		return err
	}
	if err := resultsfolder.Writable(c.Output); err != nil {
		return err
	}
	if c.Refine > 1 || c.Accuracy != "" {
		if kept.text != "" || kept.restart != "" {
			return errors.New("checkpoints are of a flow on one spacing: leave --refine and --accuracy out, or --checkpoint and --restart")
		}
		return refineCase(command, c)
	}
	g, err := loadGrid(command, c, func(cells int64) error { return workflow.AdmitFlow(c, cells) })
	if err != nil {
		return err
	}
	if wantsJSON(command) {
		for _, note := range g.Report.Notes {
			message(command, "note: %s", note)
		}
	} else {
		fmt.Fprint(command.OutOrStdout(), g.Report.Words())
	}
	if err := c.CheckOpenings(g.Grid); err != nil {
		return err
	}
	p, err := partitionGrid(command, c, g)
	if err != nil {
		return err
	}
	if !wantsJSON(command) {
		fmt.Fprint(command.OutOrStdout(), workflow.PartitionWords(p))
	}
	s := &workflow.Solver{Case: *c, Grid: g.Grid, Partition: p, Folder: c.Output, Checkpoints: kept.checkpoints, Restart: kept.from}
	s.KeepMade(gridName(c.Surface), g)
	return solve(command, s, nil)
}
