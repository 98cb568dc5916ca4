package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"carina"
	"carina/balance"
	"carina/cmd/carina/report"
	"carina/internal/quantity"
	"carina/internal/terminal"
	"carina/partition/graph"
	"carina/solver/checkpoint"

	"github.com/spf13/cobra"
)

func newInspect() *cobra.Command {
	var flags inspectFlags
	command := &cobra.Command{
		Use:   "inspect FILE | FOLDER",
		Short: "Say what a surface, grid, partition file, graph or folder with a checkpoint is and whether it is sound",
		Args:  exactly("a file or a folder with a checkpoint"),
		RunE: func(command *cobra.Command, arguments []string) error {
			path := arguments[0]
			if command.Flags().Changed("branches") {
				if err := checkBranchesName(flags.branches); err != nil {
					return err
				}
			}
			if info, err := os.Stat(path); err == nil && info.IsDir() {
				if err := onlyFlags(command, "a folder"); err != nil {
					return err
				}
				return inspectCheckpoint(command, path)
			}
			if err := report.Expect(path, report.Surface, report.Grid, report.Partition, report.Graph); err != nil {
				return err
			}
			kind, err := report.KindOf(path)
			if err != nil {
				return err
			}
			if kind != report.Surface {
				var also []string
				if kind == report.Grid {
					also = []string{"branches"}
				}
				if err := onlyFlags(command, "a "+string(kind)+" file", also...); err != nil {
					return err
				}
			}
			switch kind {
			case report.Grid:
				return inspectGrid(command, path, flags.branches)
			case report.Partition:
				return inspectPartition(command, path)
			case report.Graph:
				return inspectGraph(command, path)
			}
			return inspectSurface(command, path, &flags)
		},
	}
	f := command.Flags()
	f.StringVar(&flags.unit, "unit", "", unitHelp)
	f.Float64Var(&flags.scale, "scale", 0, scaleHelp)
	f.IntVar(&flags.label, "label", 0, labelHelp)
	openingFlags(f, &flags.corrections)
	axesFlag(command, &flags.corrections)
	f.StringVar(&flags.picture, "picture", "", "write a picture of a surface and its numbered openings, or where it could be cut, to this PNG file")
	f.StringVar(&flags.branches, "branches", "", "find the branches of a surface or grid and write them to this file: a table, .csv, or centre lines for ParaView, .vtp")
	return command
}

// checkBranchesName refuses a name from which no format follows.
func checkBranchesName(path string) error {
	if ending := filepath.Ext(path); !strings.EqualFold(ending, ".csv") && !strings.EqualFold(ending, ".vtp") {
		return usageError{errors.New("branches are written as a table or as lines for ParaView: give --branches a name that ends in .csv or .vtp")}
	}
	return nil
}

// inspectFlags are for surfaces.
type inspectFlags struct {
	unit, picture, branches string
	scale                   float64
	label                   int
	corrections             carina.Case
}

func inspectSurface(command *cobra.Command, path string, flags *inspectFlags) error {
	if err := refuseZeros(command); err != nil {
		return err
	}
	if ending := filepath.Ext(flags.picture); ending != "" && !strings.EqualFold(ending, ".png") {
		return usageError{fmt.Errorf("a picture is written in the format PNG: give it a name such as %s", strings.TrimSuffix(flags.picture, ending)+".png")}
	}
	c := flags.corrections
	c.Surface, c.Unit, c.Scale, c.Label = path, flags.unit, flags.scale, flags.label
	surface, err := interruptible(command.Context(), func() (*report.SurfaceReport, error) {
		return report.InspectSurface(&c, flags.picture)
	})
	if err != nil {
		return err
	}
	inspected := inspectedSurface{SurfaceReport: surface}
	if flags.branches != "" && surface.Problem == "" {
		inspected.Tree, err = interruptible(command.Context(), func() (*report.BranchesReport, error) {
			return report.BranchesOf(command.Context(), c, flags.branches)
		})
		if err != nil {
			return err
		}
	}
	if err := printResult(command, inspected, func() string { return surface.Words() + inspected.Tree.Words() }); err != nil || surface.Problem == "" {
		return err
	}
	return fmt.Errorf("%s cannot be solved as it is: %s", path, surface.Problem)
}

// inspectedSurface is what `carina inspect SURFACE --json` prints, inspectedGrid that of
// a grid.
type inspectedSurface struct {
	*report.SurfaceReport
	Tree *report.BranchesReport `json:"tree,omitempty"`
}

type inspectedGrid struct {
	*carina.GridReport
	Tree *report.BranchesReport `json:"tree,omitempty"`
}

func inspectGrid(command *cobra.Command, path, branches string) error {
	c := carina.Case{SurfaceCase: carina.SurfaceCase{Surface: path}}
	v, err := c.Voxelize(command.Context(), nil)
	if err != nil {
		return err
	}
	inspected := inspectedGrid{GridReport: &v.Report}
	if branches != "" {
		inspected.Tree, err = interruptible(command.Context(), func() (*report.BranchesReport, error) { return report.BranchesIn(v.Grid, path, branches) })
		if err != nil {
			return err
		}
	}
	return printResult(command, inspected, func() string { return report.GridWords(&v.Report) + inspected.Tree.Words() })
}

// inspectedPartition is what `carina inspect FILE.part.json --json` prints.
type inspectedPartition struct {
	partitionResult
	// Sound tells that the grid file is there and every fluid cell has one
	// owner; Problem says what is wrong otherwise.
	Sound   bool   `json:"sound"`
	Problem string `json:"problem,omitempty"`
	// VolumeExcess is by which part the cells hold more than the surface encloses,
	// where that is known.
	VolumeExcess *float64 `json:"volume_excess,omitempty"`
}

// inspectPartition shows the partition and, if its grid file is there, checks
// that they belong together.
func inspectPartition(command *cobra.Command, path string) error {
	p, err := balance.ReadFile(path)
	if err != nil {
		return err
	}
	description := inspectedPartition{partitionResult: describePartition(path, p, 0)}
	var volumes string
	if _, grid, err := carina.ReadPartition(path); err != nil {
		description.Problem = err.Error()
	} else if _, err := p.Segments(grid); err != nil {
		description.Problem = err.Error()
	} else {
		description.VolumeExcess, volumes = report.VolumeWords(grid)
	}
	description.Sound = description.Problem == ""
	err = printResult(command, description, func() string {
		const rows = 32
		var w strings.Builder
		w.WriteString(report.PartitionWords(p) + volumes)
		// A strings.Builder takes everything.
		_ = p.Quality.WriteTable(&w, rows)
		if description.Sound {
			fmt.Fprintf(&w, "sound: every fluid cell of %s has one owner\n", terminal.Line(p.Source.File))
		} else {
			fmt.Fprintf(&w, "cannot be solved as it is: %s\n", terminal.Line(description.Problem))
		}
		return w.String()
	})
	if err != nil || description.Sound {
		return err
	}
	return fmt.Errorf("%s cannot be solved as it is: %s", path, description.Problem)
}

// graphDescription is what `carina inspect FILE.graph --json` prints.
type graphDescription struct {
	Vertices         int     `json:"vertices"`
	Edges            int     `json:"edges"`
	VertexWeight     int64   `json:"vertex_weight"`
	HeaviestVertex   int64   `json:"heaviest_vertex"`
	LargestDegree    int64   `json:"largest_degree"`
	MeanDegree       float64 `json:"mean_degree"`
	IsolatedVertices int     `json:"isolated_vertices"`
}

func inspectGraph(command *cobra.Command, path string) error {
	g, err := readGraph(path)
	if err != nil {
		return err
	}
	d := describeGraph(g)
	return printResult(command, d, func() string {
		return fmt.Sprintf("%s: a sound graph of %s and %s, %.2f neighbours on average, %d at most, %s without any\n"+
			"vertices weigh %d together, the heaviest %d\n",
			terminal.Line(path), quantity.Count(d.Vertices, "vertex"), quantity.Count(d.Edges, "edge"), d.MeanDegree, d.LargestDegree, quantity.Count(d.IsolatedVertices, "vertex"), d.VertexWeight, d.HeaviestVertex)
	})
}

func describeGraph(g *graph.Graph) graphDescription {
	d := graphDescription{Vertices: g.Vertices(), Edges: g.Edges(), VertexWeight: g.TotalVertexWeight(), HeaviestVertex: 1}
	for _, weight := range g.VertexWeights {
		d.HeaviestVertex = max(d.HeaviestVertex, weight)
	}
	for v := range d.Vertices {
		degree := g.Offsets[v+1] - g.Offsets[v]
		d.LargestDegree = max(d.LargestDegree, degree)
		if degree == 0 {
			d.IsolatedVertices++
		}
	}
	if d.Vertices > 0 {
		d.MeanDegree = 2 * float64(d.Edges) / float64(d.Vertices)
	}
	return d
}

// inspectCheckpoint says what a folder of results could go on from.
func inspectCheckpoint(command *cobra.Command, folder string) error {
	kept, err := report.InspectCheckpoint(folder)
	if errors.Is(err, checkpoint.ErrNone) {
		return fmt.Errorf("reading %s: it is a folder: name a file, or a folder that holds a checkpoint", folder)
	}
	if err != nil {
		return err
	}
	err = printResult(command, kept, func() string { return terminal.Line(folder) + ": " + strings.TrimSpace(kept.Words()) + "\n" })
	if err != nil || kept.Whole {
		return err
	}
	return errors.New(kept.Problem)
}
