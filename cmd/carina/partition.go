package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"carina"
	"carina/balance"
	"carina/cmd/carina/report"
	"carina/internal/terminal"

	"github.com/spf13/cobra"
)

// partitionResult is what `carina partition --json` prints.
type partitionResult struct {
	File                 string                `json:"file"`
	Ranks                int                   `json:"ranks"`
	Cuboids              int                   `json:"cuboids"`
	Method               balance.Method        `json:"method"`
	Grid                 balance.GridReference `json:"grid"`
	GridFile             string                `json:"grid_file"`
	FluidCells           int64                 `json:"fluid_cells"`
	KeptCells            int64                 `json:"kept_cells"`
	WorkMaxOverMean      float64               `json:"work_max_over_mean"`
	BytesTotal           int64                 `json:"bytes_total"`
	BytesMax             int64                 `json:"bytes_max"`
	NeighboursMax        int                   `json:"neighbours_max"`
	EmptyRanks           int                   `json:"empty_ranks"`
	PredictedStepSeconds float64               `json:"predicted_step_seconds"`
	PredictedSpeedUp     float64               `json:"predicted_speed_up"`
	Seconds              float64               `json:"seconds,omitempty"`
	RankFigures          []balance.RankQuality `json:"rank_figures"`
}

func describePartition(file string, p *balance.Partition, seconds float64) partitionResult {
	q := &p.Quality
	return partitionResult{
		File: file, Ranks: len(p.Ranks), Cuboids: len(p.Cuboids), Method: p.Method, Grid: p.Grid, GridFile: p.Source.File,
		FluidCells: q.FluidCells, KeptCells: q.KeptCells, WorkMaxOverMean: q.WorkMaxOverMean,
		BytesTotal: q.BytesTotal, BytesMax: q.BytesMax, NeighboursMax: q.NeighboursMax, EmptyRanks: q.EmptyRanks,
		PredictedStepSeconds: q.PredictedStep, PredictedSpeedUp: q.PredictedSpeedUp,
		Seconds: seconds, RankFigures: q.Ranks,
	}
}

func newPartition() *cobra.Command {
	var output string
	var shares bool
	command := &cobra.Command{
		Use:   "partition SURFACE-or-GRID --ranks N -o FILE.part.json",
		Short: "Share the cells among ranks and write the partition file",
		Long: "Decompose a grid into cuboids, give every cuboid an owner, and write the partition file.\n" +
			"From a surface, the grid is written beside the partition file as FILE.grid, where carina solve looks for it; if\n" +
			"there is another grid of that name already, it stays, and the new one is named FILE-HASH.grid.",
		Example: "  carina partition airway.stl --spacing 0.5mm --ranks 4 --decompose octree --balance graph -o airway.part.json",
		Args:    exactly("a surface, grid or case file"),
		RunE: func(command *cobra.Command, arguments []string) error {
			if output == "" {
				return usageError{errors.New("say where to write the partition, such as -o airway.part.json")}
			}
			c, err := caseOf(command, arguments, carina.Case{}, geometryFlags, partitionFlags, ranksDeviceFlags, layoutFlag, axesFlag)
			if err != nil {
				return err
			}
			if c.Ranks == 0 && !command.Flags().Changed("ranks") && c.DefaultRanks() > 1 {
				c.Ranks = c.DefaultRanks()
			}
			if c.Ranks == 0 && !command.Flags().Changed("ranks") {
				return usageError{errors.New("say how many ranks share the work, such as --ranks 4")}
			}
			if err := c.CheckRanks(); err != nil {
				return err
			}
			if err := differ(output, c.Files()...); err != nil {
				return err
			}
			v, err := voxelize(command, &c)
			if err != nil {
				return err
			}
			begin := time.Now()
			show, end := progress(command)
			p, err := v.Partition(command.Context(), &c, show)
			end()
			if err != nil {
				return err
			}
			seconds := time.Since(begin).Seconds()
			write := v.WritePartition
			if shares {
				write = v.WriteShares
			}
			if err := write(output, p); err != nil {
				return err
			}
			return printResult(command, describePartition(output, p, seconds), func() string {
				return report.GridWords(&v.Report) + report.PartitionWords(p) + wroteWords(output, p.Source.File, arguments[0])
			})
		},
	}
	geometryFlags(command, new(carina.Case))
	partitionFlags(command, new(carina.Case))
	ranksDeviceFlags(command, new(carina.Case))
	layoutFlag(command, new(carina.Case))
	axesFlag(command, new(carina.Case))
	command.Flags().BoolVar(&shares, "shares", false, "write for every rank a file with what it needs of the grid, so that no process of several reads the whole")
	command.Flags().StringVarP(&output, "output", "o", "", "the partition file to write (.part.json, or .part.json.gz)")
	return command
}

func ranksDeviceFlags(command *cobra.Command, c *carina.Case) { deviceFlags(command, &c.PartitionCase) }

// wroteWords says what was written: the grid is not where it was the input.
func wroteWords(output, grid, input string) string {
	beside := grid
	if !filepath.IsAbs(grid) {
		beside = filepath.Join(filepath.Dir(output), grid)
	}
	if same, err := filepath.Abs(beside); err == nil {
		if given, err := filepath.Abs(input); err == nil && given == same {
			return fmt.Sprintf("wrote %s, which belongs to the grid %s\n", terminal.Line(output), terminal.Line(input))
		}
	}
	return fmt.Sprintf("wrote %s and, beside it, the grid %s\n", terminal.Line(output), terminal.Line(grid))
}
