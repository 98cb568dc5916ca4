package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"carina"
	"carina/cmd/carina/report"
	"carina/geometry"
	"carina/internal/atomicfile"
	"carina/internal/quantity"

	"github.com/spf13/cobra"
)

func newVoxelize() *cobra.Command {
	var output string
	command := &cobra.Command{
		Use:     "voxelize SURFACE --spacing 0.25mm -o GRID",
		Short:   "Fill the lumen of a surface with cells",
		Long:    "Fill the lumen of a surface with cells. " + surfaceHelp,
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

func newInit() *cobra.Command {
	var o report.CaseOptions
	var within string
	var c carina.Case
	command := &cobra.Command{
		Use:   "init SURFACE",
		Short: "Write a case file for a surface, with its ends, shares and a spacing, and a picture",
		Long: "Write a commented case file for a surface: its unit, all ends with number, area, role and share of the flow,\n" +
			"a spacing with what it costs, and a picture of the ends beside it. carina run goes on from the file.",
		Example: "  carina init lung.stl --unit mm --cut-ends --within 15min\n  carina run lung.yaml",
		Args:    exactly("a surface"),
		RunE: func(command *cobra.Command, arguments []string) error {
			if err := refuseZeros(command); err != nil {
				return err
			}
			if err := report.Expect(arguments[0], report.Surface); err != nil {
				return err
			}
			c.Surface = arguments[0]
			if o.File == "" {
				o.File = c.Name() + ".yaml"
			}
			if within != "" {
				var err error
				if o.Within, err = quantity.Time.ParsePositive(within); err != nil {
					return usageError{fmt.Errorf("--within: %w", err)}
				}
			}
			return initCase(command, &c, o)
		},
	}
	f := command.Flags()
	f.StringVar(&c.Unit, "unit", "", unitHelp)
	f.Float64Var(&c.Scale, "scale", 0, scaleHelp)
	f.IntVar(&c.Label, "label", 0, labelHelp)
	f.BoolVar(&o.Cut, "cut-ends", false, "cut the lumen at all places where it could be cut, where it has no flat ends")
	f.StringVar(&within, "within", "", "how long the run may take on this machine, such as 15min: chooses the finest spacing that does (default some 150,000 cells, however long)")
	f.StringVarP(&o.File, "output", "o", "", "the case file to write (default the surface's name with .yaml)")
	return command
}

func initCase(command *cobra.Command, c *carina.Case, o report.CaseOptions) error {
	file := o.File
	if ending := filepath.Ext(file); ending != ".yaml" && ending != ".yml" {
		return usageError{fmt.Errorf("a case file's name ends in .yaml: write -o %s.yaml", strings.TrimSuffix(file, ending))}
	}
	o.Picture = strings.TrimSuffix(file, filepath.Ext(file)) + ".png"
	for _, path := range []string{file, o.Picture} {
		if _, err := os.Lstat(path); err == nil {
			return fmt.Errorf("%s is there already: name another file with -o, or move it away", path)
		}
	}
	n, err := interruptible(command.Context(), func() (*report.NewCase, error) {
		return report.InitCase(command.Context(), c, o)
	})
	if err != nil {
		return err
	}
	seen := *c
	if _, err := report.InspectSurface(&seen, o.Picture); err != nil {
		return err
	}
	if err := atomicfile.Write(file, func(w io.Writer) error { _, err := io.WriteString(w, n.Text()); return err }); err != nil {
		return errors.Join(err, os.Remove(o.Picture)) // both or none
	}
	return printResult(command, n, n.Words)
}
