package main

import (
	"carina"
	"carina/cmd/carina/report"
	"carina/output/page"

	"github.com/spf13/cobra"
)

func newView() *cobra.Command {
	var output string
	var c carina.Case
	command := &cobra.Command{
		Use:   "view FILE",
		Short: "Write an HTML page to look at a surface, grid or partition and turn it around",
		Long: "Write one self-contained HTML page that any browser opens without a network.\n" +
			"carina run and carina solve write one with the fields of the flow as view.html.",
		Args: exactly("a surface, grid or partition file"),
		RunE: func(command *cobra.Command, arguments []string) error {
			path := arguments[0]
			c.Surface = path
			if err := refuseZeros(command); err != nil {
				return err
			}
			if output == "" {
				output = path + ".html"
			}
			if err := differ(output, path); err != nil {
				return err
			}
			if kind, err := report.KindOf(path); err == nil && kind != report.Surface {
				if err := onlyFlags(command, "a "+string(kind)+" file", "output", "axes"); err != nil {
					return err
				}
			}
			shown, err := interruptible(command.Context(), func() (*page.Page, error) {
				return report.PageOf(command.Context(), &c)
			})
			if err != nil {
				return err
			}
			if err := page.Write(output, shown); err != nil {
				return err
			}
			result := map[string]string{"file": output}
			return printResult(command, result, func() string { return wrote(output) })
		},
	}
	command.Flags().StringVarP(&output, "output", "o", "", "the page to write (default FILE.html)")
	command.Flags().StringVar(&c.Unit, "unit", "", unitHelp)
	command.Flags().Float64Var(&c.Scale, "scale", 0, scaleHelp)
	command.Flags().IntVar(&c.Label, "label", 0, labelHelp)
	axesFlag(command, &c)
	return command
}
