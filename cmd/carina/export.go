package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"carina"
	"carina/balance"
	"carina/geometry"
	"carina/internal/atomicfile"
	"carina/internal/quantity"
	"carina/internal/workflow"

	"github.com/spf13/cobra"
)

// exporters write a partition in other tools' formats; each returns the files
// it wrote.
var exporters = []struct {
	format, does string
	write        func(stem string, p *balance.Partition, g *geometry.Grid) ([]string, error)
}{
	{"metis", "the weighted graph of the cuboids and its partition, NAME.graph and NAME.graph.part.N", exportMETIS},
	{"openlb", "OpenLB's cuboid decomposition and load balancer, NAME.xml", exportOpenLB},
	{"vtk", "the cuboids as boxes coloured by owner, NAME.vtu", exportVTK},
}

func newExport() *cobra.Command {
	var format, output string
	var names, help []string
	for _, e := range exporters {
		names = append(names, e.format)
		help = append(help, fmt.Sprintf("  %-8s %s", e.format, e.does))
	}
	command := &cobra.Command{
		Use:   "export FILE.part.json --to " + strings.Join(names, "|"),
		Short: "Write a partition in other tools' formats",
		Long:  "Write a partition in another tool's format:\n\n" + strings.Join(help, "\n"),
		Args:  exactly("a partition file"),
		RunE: func(command *cobra.Command, arguments []string) error {
			path := arguments[0]
			if output == "" {
				output = strings.TrimSuffix(carina.GridBeside(path), ".grid")
			}
			for _, e := range exporters {
				if e.format == format {
					return export(command, path, output, e.write)
				}
			}
			if format != "" {
				return usageError{fmt.Errorf("there is no format %q to export: say --to %s", format, quantity.Either(names))}
			}
			return usageError{fmt.Errorf("say --to %s", quantity.Either(names))}
		},
	}
	command.Flags().StringVar(&format, "to", "", "the format: "+quantity.Either(names))
	command.Flags().StringVarP(&output, "output", "o", "", "path of the files without their endings (default that of the partition file)")
	return command
}

func export(command *cobra.Command, path, stem string, write func(string, *balance.Partition, *geometry.Grid) ([]string, error)) error {
	p, g, err := carina.ReadPartition(path)
	if err != nil {
		return err
	}
	files, err := write(stem, p, g)
	if err != nil {
		return err
	}
	result := map[string][]string{"files": files}
	return printResult(command, result, func() string { return wrote(files...) })
}

func exportMETIS(stem string, p *balance.Partition, g *geometry.Grid) ([]string, error) {
	graph, err := p.Weighted(g)
	if err != nil {
		return nil, err
	}
	graphFile := stem + ".graph"
	partFile := fmt.Sprintf("%s.part.%d", graphFile, len(p.Ranks))
	return []string{graphFile, partFile}, errors.Join(
		atomicfile.Write(graphFile, func(w io.Writer) error { return balance.WriteMETIS(w, graph) }),
		atomicfile.Write(partFile, p.WriteMETISParts))
}

func exportOpenLB(stem string, p *balance.Partition, _ *geometry.Grid) ([]string, error) {
	return []string{stem + ".xml"}, atomicfile.Write(stem+".xml", p.WriteOpenLB)
}

func exportVTK(stem string, p *balance.Partition, g *geometry.Grid) ([]string, error) {
	return []string{stem + ".vtu"}, workflow.WriteCuboids(stem+".vtu", p, g)
}
