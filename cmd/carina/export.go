package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"carina"
	"carina/balance"
	"carina/cmd/carina/report"
	"carina/geometry"
	"carina/internal/atomicfile"
	"carina/internal/quantity"
	"carina/output/vtk"

	"github.com/spf13/cobra"
)

// exporters write a partition in other tools' formats. The files are named by
// what follows the stem; N stands for the number of ranks.
var exporters = []exporter{
	{"metis", "the weighted graph of the cuboids and its partition, NAME.graph and NAME.graph.part.N", []string{".graph", ".graph.part.N"}, exportMETIS},
	{"openlb", "OpenLB's cuboid decomposition and load balancer, NAME.xml", []string{".xml"}, exportOpenLB},
	{"vtk", "the cuboids as boxes coloured by owner, NAME.vtu", []string{".vtu"}, exportVTK},
}

type exporter struct {
	format, does string
	endings      []string
	write        func(files []string, p *balance.Partition, g *geometry.Grid) error
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
			if err := report.Expect(path, report.Partition); err != nil {
				return err
			}
			if output == "" {
				output = balance.Stem(path)
			}
			for _, e := range exporters {
				if e.format == format {
					return export(command, path, output, e)
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

func export(command *cobra.Command, path, stem string, e exporter) error {
	if info, err := os.Stat(stem); err == nil && info.IsDir() && command.Flags().Changed("output") {
		return fmt.Errorf("writing %s: it is a folder; name the files in it without their endings, such as %s", stem, filepath.Join(stem, filepath.Base(balance.Stem(path))))
	}
	p, g, err := carina.ReadPartition(path)
	if err != nil {
		return err
	}
	var files []string
	for _, ending := range e.endings {
		file := stem + strings.TrimSuffix(ending, "N")
		if file != stem+ending {
			file += strconv.Itoa(len(p.Ranks))
		}
		if err := differ(file, path); err != nil {
			return err
		}
		if err := atomicfile.Writable(file); err != nil {
			return err
		}
		files = append(files, file)
	}
	if err := e.write(files, p, g); err != nil {
		return err
	}
	result := map[string][]string{"files": files}
	return printResult(command, result, func() string { return wrote(files...) })
}

func exportMETIS(files []string, p *balance.Partition, g *geometry.Grid) error {
	graph, err := p.Weighted(g)
	if err != nil {
		return err
	}
	return errors.Join(
		atomicfile.Write(files[0], func(w io.Writer) error { return balance.WriteMETIS(w, graph) }),
		atomicfile.Write(files[1], p.WriteMETISParts))
}

func exportOpenLB(files []string, p *balance.Partition, _ *geometry.Grid) error {
	return atomicfile.Write(files[0], p.WriteOpenLB)
}

func exportVTK(files []string, p *balance.Partition, g *geometry.Grid) error {
	return vtk.WritePartition(files[0], g, p)
}
