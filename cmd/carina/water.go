package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"carina"
	"carina/balance"
	"carina/cmd/carina/report"
	"carina/gas"
	"carina/internal/crash"
	"carina/internal/quantity"
	"carina/internal/terminal"
	"carina/solver/transport"
	"carina/water"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// waterFlags are those of a case of water.
func waterFlags(command *cobra.Command, c *water.Case) {
	rankFlags(command, &c.PartitionCase)
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
	f.StringVar(&c.ExchangeEvery, "exchange-every", c.ExchangeEvery, "in how many steps ranks exchange their borders once, computing meanwhile what lies beyond them, where messages take long: a number, or auto, which tries several (default 1)")
	f.StringVar(&c.Wet, "wet", c.Wet, "depth from which on ground counts as flooded (default 1cm)")
	f.StringVar((*string)(&c.Device), "device", string(c.Device), "cpu, or gpu with one rank a GPU; or one for each rank, such as gpu,cpu (default cpu)")
	f.StringVar(&c.Exchange, "exchange", c.Exchange, "how GPUs exchange their borders: ipc, directly, or host, by messages (default ipc where a pair of GPUs can)")
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
	if err := refuseZeros(command); err != nil {
		return c, err
	}
	if err := replay(command, scratch); err != nil {
		return c, err
	}
	c.Output = cmp.Or(output, c.Output, flags.restart, c.Name()+"-flood")
	return c, c.Check()
}

func runWater(command *cobra.Command, arguments []string, output string, flags *runFlags) error {
	t, finish, err := connect()
	if err != nil {
		return err
	}
	// Processes leave together, after one of them has told what all have seen.
	defer finish()
	if t != nil {
		// One that panics cannot wait for the others, which mpirun ends.
		defer crash.Guard()
	}
	c, err := waterCase(command, arguments, output, flags)
	if t != nil && !command.Flags().Changed("ranks") {
		c.Ranks = 0 // as many as there are processes
	}
	// A rank that fails alone must not leave the others waiting.
	if err = transport.Agree(t, err); err == nil {
		err = computeWater(command, c, flags, t)
	}
	if err == nil || t == nil {
		return err
	}
	if t.Rank() == 0 {
		tell(command, err)
	}
	return errTold
}

// computeWater computes a flood and tells how it goes, and of what came out.
func computeWater(command *cobra.Command, c water.Case, flags *runFlags, t transport.Transport) error {
	var show func(string, float64)
	end := func() {}
	pause := func() {
		end()
		show, end = nil, func() {}
	}
	flood, err := water.Open(command.Context(), c, water.Options{
		Transport: t, Checkpoints: flags.checkpoints, Restart: flags.from, Rebalance: flags.rebalance,
		Partitioned: func(p *balance.Partition) {
			if !wantsJSON(command) {
				fmt.Fprint(command.OutOrStdout(), report.PartitionWords(p))
			}
		},
		Warn: func(warning string) { message(command, "warning: %s", warning) },
		Look: func(k carina.Look) {
			pause()
			message(command, "balance at step %d: %v", k.Step, k.Decision)
		},
		Resumed: func(step int64, seconds float64) {
			message(command, "goes on from step %d (%s)", step, quantity.Format(seconds, "s"))
		},
		Progress: func(time, until, fastest float64) {
			if show == nil {
				show, end = progressLeft(command, "about")
			}
			show(fmt.Sprintf("flood %s, %s", quantity.Format(time, "s"), quantity.Format(fastest, "m/s")), time/until)
		},
	})
	if err != nil {
		return err
	}
	err = flood.Run(command.Context())
	pause()
	if s := flood.Summary(); s != nil {
		printed := printResult(command, s, func() string {
			words := s.String()
			for _, path := range flood.Files() {
				words += "wrote " + terminal.Line(path) + "\n"
			}
			return words
		})
		err = cmp.Or(err, printed)
	}
	return err
}

func newThermal() *cobra.Command {
	var c gas.Case
	var size string
	command := &cobra.Command{
		Use:   "thermal SCENE",
		Short: "Compute a thermal gas: convection, fingers of dense gas, a shock tube",
		Long: "Compute a gas that carries its own heat (D2Q37) in a box. The scenes:\n\n" + strings.Join(gas.SceneWords(), "\n") + "\n\n" +
			"The folder of results receives mass, momentum, energy and the scene's figure over time, the profile at the end,\n" +
			"pictures of temperature and density, and the summary. Lengths are in cells, times in steps.",
		Example: "  carina thermal rayleigh-taylor --size 256x512 --steps 20000 --pictures 4 --ranks 2 --out fingers\n" +
			"  carina thermal rayleigh-benard --rayleigh 5000 --size 96x48\n" +
			"  carina thermal sod --precision single",
		Args: exactly("a scene"),
		RunE: func(command *cobra.Command, arguments []string) error {
			c.Scene = arguments[0]
			if c.Output == "" {
				c.Output = c.Scene + "-gas"
			}
			if size != "" {
				var err error
				if c.Size, err = gas.ParseSize(size); err != nil {
					return err
				}
			}
			for _, name := range []string{"steps", "every", "ranks", "tau", "rayleigh"} {
				if f := command.Flags().Lookup(name); f.Changed && f.Value.String() == "0" {
					return fmt.Errorf("--%s 0 cannot be meant: give a number above zero, or leave it out for the default", name)
				}
			}
			if !command.Flags().Changed("pictures") {
				c.Pictures = gas.SomePictures
			} else if c.Pictures < 0 {
				return fmt.Errorf("--pictures %d is negative: give 0 for none", c.Pictures)
			}
			report, end := progress(command)
			flow, err := gas.Run(command.Context(), c, func(step, of int) {
				report(fmt.Sprintf("step %d", step), float64(step)/float64(of))
			})
			end()
			if err != nil {
				return err
			}
			return printResult(command, flow.Summary(), func() string {
				words := flow.Summary().String()
				for _, path := range flow.Files() {
					words += "wrote " + terminal.Line(path) + "\n"
				}
				return words
			})
		},
	}
	f := command.Flags()
	f.StringVar(&size, "size", "", "cells along x and y, such as 256x128 (default that of the scene)")
	f.IntVar(&c.Steps, "steps", 0, "steps to compute (default those of the scene)")
	f.IntVar(&c.Every, "every", 0, "steps between two lines of the table (default a 100th of all)")
	f.Float64Var(&c.Tau, "tau", 0, "relaxation time in steps, above 0.5: the viscosity is (tau - 0.5) times the temperature (default that of the scene)")
	f.Float64Var(&c.Rayleigh, "rayleigh", 0, "Rayleigh number of rayleigh-benard (default 20000)")
	f.StringVar(&c.Collision, "collision", "", "operator: "+quantity.Either(gas.Collisions)+" (default regularized)")
	f.StringVar(&c.Precision, "precision", "", quantity.Either(gas.Precisions)+" (default double)")
	f.IntVar(&c.Ranks, "ranks", 0, "number of ranks in this process (default 1)")
	f.StringVar(&c.Cut, "cut", "", "how ranks share the box: "+quantity.Either(gas.Cuts)+" (default stripes)")
	f.IntVar(&c.Pictures, "pictures", 2, "number of pictures of temperature and density; 0 for none")
	f.StringVar(&c.Output, "out", "", "folder for results (default the scene's name with -gas)")
	return command
}
