package main

import (
	"errors"

	"carina"
	"carina/cmd/carina/report"
	"carina/geometry"

	"github.com/spf13/cobra"
)

func newVoxelize() *cobra.Command {
	var output string
	command := &cobra.Command{
		Use:     "voxelize SURFACE.stl --spacing 0.25mm -o GRID",
		Short:   "Fill the lumen of a surface with cells",
		Example: "  carina voxelize airway.stl --fluid-cells 1000000 -o airway.grid",
		Args:    exactly("a surface or case file"),
		RunE: func(command *cobra.Command, arguments []string) error {
			if output == "" {
				return usageError{errors.New("say where to write the grid, such as -o airway.grid")}
			}
			c, err := caseOf(command, arguments, carina.Case{}, geometryFlags)
			if err != nil {
				return err
			}
			if err := differ(output, c.Files()...); err != nil {
				return err
			}
			v, err := voxelize(command, &c)
			if err != nil {
				return err
			}
			if err := geometry.WriteGrid(output, v.Grid); err != nil {
				return err
			}
			result := struct {
				File string `json:"file"`
				*carina.GridReport
			}{output, &v.Report}
			return printResult(command, result, func() string { return report.GridWords(&v.Report) + wrote(output) })
		},
	}
	geometryFlags(command, new(carina.Case))
	command.Flags().StringVarP(&output, "output", "o", "", "the grid file to write")
	return command
}

// voxelize reads or makes the case's grid with progress on the terminal.
func voxelize(command *cobra.Command, c *carina.Case) (*carina.Voxels, error) {
	if err := report.Expect(c.Surface, report.Surface, report.Grid); err != nil {
		return nil, err
	}
	show, end := progress(command)
	defer end()
	return c.Voxelize(command.Context(), show)
}
