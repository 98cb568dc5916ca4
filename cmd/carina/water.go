package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"carina/cmd/carina/report"
	"carina/internal/quantity"
	"carina/solver/transport"
	"carina/water"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// waterFlags are those of a case of water.
func waterFlags(command *cobra.Command, c *water.Case) {
	rankFlags(command, &c.PartitionCase)
	deviceFlags(command, &c.PartitionCase)
	f := command.Flags()
	f.StringVar(&c.Depth, "depth", c.Depth, "grid of the water's depths in m at the start, of the squares of the ground")
	f.StringVar(&c.Level, "level", c.Level, "level up to which all ground is under water at the start, such as 12.5m")
	f.StringVar(&c.Spacing, "spacing", c.Spacing, "side of a cell, such as 2m (default that of the ground)")
	f.StringVar(&c.Time, "time", c.Time, "time to compute, such as 30min (default that of the scene)")
	f.Float64Var(&c.CFL, "cfl", c.CFL, "part of the time in which the fastest wave crosses a cell that a step takes, at most 0.25 (default 0.25)")
	f.StringVar(&c.Scheme, "scheme", c.Scheme, "steps in time: "+quantity.Either(water.Schemes)+" (default heun, of second order)")
	f.StringVar(&c.Precision, "precision", c.Precision, quantity.Either(water.Precisions)+" (default single)")
	f.Float64Var(&c.Manning, "manning", c.Manning, "Manning's coefficient of the ground, such as 0.03 (default no friction)")
	f.Float64Var(&c.Chezy, "chezy", c.Chezy, "Chézy's coefficient of the ground, such as 40, instead of Manning's")
	f.Var((*edgeList)(&c.Edges), "edge", "what lies beyond a side: west, east, south, north, or gaps for ground without height, = wall, open, periodic, or inflow: with a flow or a CSV file of times in s and flows in m³/s; @FROM..TO in m for a part of it; may be repeated, the last one counts (default wall)")
	f.Var((*gaugeList)(&c.Gauges), "gauge", "name of a place and its coordinates in m, such as bridge=120,45; may be repeated")
	f.StringVar(&c.Interval, "interval", c.Interval, "time between two looks at the gauges (default a 200th of all)")
	f.StringVar(&c.Snapshots, "snapshots", c.Snapshots, "how often depth and discharge of all cells are written, such as 10s, with a file that lists them for ParaView (default never)")
	f.StringVar(&c.ExchangeEvery, "exchange-every", c.ExchangeEvery, "in how many steps ranks exchange their borders once, computing meanwhile what lies beyond them, where messages take long: a number, or auto, which tries several (default 1)")
	f.StringVar(&c.Wet, "wet", c.Wet, "depth from which on ground counts as flooded (default 1cm)")
}

type (
	edgeList  []string
	gaugeList []string
)

var (
	_ listFlag = (*edgeList)(nil)
	_ listFlag = (*gaugeList)(nil)
)

// String is the list as written.
func (l *edgeList) String() string { return strings.Join(*l, " ") }

// Set adds an edge.
func (l *edgeList) Set(text string) error {
	*l = append(*l, text)
	return water.ParseEdge(text)
}

// Type is the name of the value in help texts.
func (l *edgeList) Type() string { return "side=what" }

func (l *edgeList) copyOf(other pflag.Value) { *l = slices.Clone(*other.(*edgeList)) }

// String is the list as written.
func (l *gaugeList) String() string { return strings.Join(*l, " ") }

// Set adds a gauge.
func (l *gaugeList) Set(text string) error {
	*l = append(*l, text)
	return nil
}

// Type is the name of the value in help texts.
func (l *gaugeList) Type() string { return "name=x,y" }

func (l *gaugeList) copyOf(other pflag.Value) { *l = slices.Clone(*other.(*gaugeList)) }

func newWater() *cobra.Command {
	var output string
	var flags runFlags
	command := &cobra.Command{
		Use:   "water GROUND.asc | SCENE | CASE.yaml | --restart FOLDER",
		Short: "Compute a flood: water that flows over ground",
		Long: "Compute how water flows over ground: a dam that breaks, a river that rises. The ground is a grid of heights\n" +
			"in m in ESRI's ASCII format, a case file that names one, or a scene:\n\n" + strings.Join(water.SceneWords(), "\n") + "\n\n" +
			"The folder of results receives the depth and the speed at the end, the greatest depth and the time of arrival as\n" +
			"grids in the same format, pictures, the gauges as a table, and the summary with the balance of the water.\n" +
			"Started by mpirun -np N (in a binary built with make mpi) every process takes one rank.",
		Example: "  carina water valley --ranks 2 --gauge village=1600,260 --out flood\n" +
			"  carina water ground.asc --level 12m --edge east=open --manning 0.03 --time 30min\n" +
			"  carina water ground.asc --edge west=inflow:river.csv@120..160 --edge east=open --time 2h --checkpoint 10m\n" +
			"  carina water --restart flood",
		Args: flags.orRestart("a grid of heights, a scene or a case file"),
		RunE: func(command *cobra.Command, arguments []string) error {
			return runWater(command, arguments, output, &flags)
		},
	}
	waterFlags(command, new(water.Case))
	command.Flags().StringVar(&output, "out", "", "folder for results (default that of --restart, or the ground's name with -flood)")
	flags.add(command)
	return command
}

// waterCase is what the checkpoint to go on from, the case file and the flags say.
func waterCase(command *cobra.Command, arguments []string, output string, flags *runFlags) (c water.Case, err error) {
	if err := flags.parse(); err != nil {
		return c, err
	}
	if flags.from != nil {
		if c, err = water.CheckpointCase(flags.from); err != nil {
			return c, flags.unknown(err)
		}
	}
	if len(arguments) > 0 {
		path := arguments[0]
		if err := report.Expect(path, report.Flood, report.Ground); err != nil {
			return c, err
		}
		if lower := strings.ToLower(path); strings.HasSuffix(lower, ".yaml") || strings.HasSuffix(lower, ".yml") {
			if c, err = water.ReadCase(path); err != nil {
				return c, err
			}
		} else {
			c.Terrain = path
		}
	}
	scratch := &cobra.Command{}
	waterFlags(scratch, &c)
	for _, pair := range [][2]string{{"depth", "level"}, {"manning", "chezy"}} {
		replaced := map[string]func(){"depth": func() { c.Level = "" }, "level": func() { c.Depth = "" }, "manning": func() { c.Chezy = 0 }, "chezy": func() { c.Manning = 0 }}
		if first, second := command.Flags().Changed(pair[0]), command.Flags().Changed(pair[1]); first != second {
			replaced[pair[map[bool]int{true: 0, false: 1}[first]]]()
		}
	}
	if err := refuseZeros(command, "ranks", "cfl", "chezy"); err != nil {
		return c, err
	}
	if err := replay(command, scratch); err != nil {
		return c, err
	}
	c.Output = cmp.Or(output, c.Output, flags.restart, c.Name()+"-flood")
	return c, c.Check()
}

func runWater(command *cobra.Command, arguments []string, output string, flags *runFlags) error {
	var c water.Case
	return inProcesses(command, &c.PartitionCase, func() (err error) {
		c, err = waterCase(command, arguments, output, flags)
		return err
	}, func(t transport.Transport) error { return computeWater(command, c, flags, t) })
}

// computeWater computes a flood and tells how it goes, and of what came out.
func computeWater(command *cobra.Command, c water.Case, flags *runFlags, t transport.Transport) error {
	l := newTeller(command)
	flood, err := water.Open(command.Context(), c, water.Options{
		Transport: t, Checkpoints: flags.checkpoints, Restart: flags.from, Rebalance: flags.rebalance,
		Partitioned: l.partitioned, Warn: l.warn, Look: l.look,
		Resumed: func(step int64, seconds float64) {
			message(command, "goes on from step %d (%s)", step, quantity.Format(seconds, "s"))
		},
		Progress: func(time, until, fastest float64) {
			l.progress(fmt.Sprintf("flood %s, %s", quantity.Format(time, "s"), quantity.Format(fastest, "m/s")), time/until)
		},
	})
	if err != nil {
		return err
	}
	err = flood.Run(command.Context())
	l.pause()
	if s := flood.Summary(); s != nil {
		err = cmp.Or(err, printWithFiles(command, s, flood.Files()))
	}
	return err
}
