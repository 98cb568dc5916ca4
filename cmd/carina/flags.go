package main

import (
	"fmt"
	"slices"
	"strings"

	"carina"
	"carina/balance"
	"carina/cmd/carina/report"
	"carina/geometry"
	"carina/internal/quantity"
	"carina/partition"
	"carina/solver/airflow"
	"carina/solver/airflow/opening"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// A case comes from flags or from a case file with flags on top. The groups
// below are the flags of each part of a case.

// surfaceHelp says what a surface may be.
const surfaceHelp = "A surface is a file in the formats STL, OBJ,\nPLY or VTP, or a segmented image in the format NIfTI (.nii), each also gzipped."

const labelHelp = "label of the lumen in a segmentation (default all labels)"

const scaleHelp = "factor that multiplies the surface's coordinates before the unit (default 1)"

var (
	unitHelp   = "unit of the surface's coordinates: " + strings.Join(geometry.UnitNames(), ", ") + ", or what one of them is long, such as 50um (default what the file states, or guessed by size)"
	presetHelp = "effort of the graph partitioner: " + quantity.Either(partition.PresetNames()) + " (default eco)"
	// The suites make many partitions.
	benchPresetHelp = "effort of the graph partitioner: " + quantity.Either(partition.PresetNames()) + " (default fast, for the sparse layout eco)"
	latticeHelp     = "velocities: " + quantity.Either(airflow.Lattices) + " (default D3Q19, with cumulant D3Q27)"
	wallHelp        = "walls: " + quantity.Either(airflow.Walls) + " (default interpolated)"
)

// decomposeHelp names what a decomposition may begin with and the steps after.
func decomposeHelp() string {
	first, after := balance.DecompositionNames()
	for i := range after {
		after[i] = "+" + after[i]
	}
	return quantity.Either(first) + ", with " + quantity.Either(after) + " as wanted (default bricks)"
}

// axesFlag is for what is shown of the patient.
func axesFlag(command *cobra.Command, c *carina.Case) {
	command.Flags().StringVar(&c.Axes, "axes", c.Axes, "where the surface's axes point in the patient: LPS (left, back, head, as in DICOM) or RAS (right, front, head, as in NIfTI), for pictures and the page to say left and right")
}

func geometryFlags(command *cobra.Command, c *carina.Case) {
	f := command.Flags()
	f.StringVar(&c.Unit, "unit", c.Unit, unitHelp)
	f.Float64Var(&c.Scale, "scale", c.Scale, scaleHelp)
	f.IntVar(&c.Label, "label", c.Label, labelHelp)
	f.StringVar(&c.Spacing, "spacing", c.Spacing, "side of a cell, such as 0.25mm")
	f.Int64Var(&c.FluidCells, "fluid-cells", c.FluidCells, "number of fluid cells wanted, instead of a spacing")
	f.StringVar(&c.Voxelizer, "voxelizer", c.Voxelizer, quantity.Either(geometry.Methods)+" (default chosen by the surface's state)")
	f.IntVar(&c.Directions, "directions", c.Directions, "directions with links: 18 for D3Q19, 26 for D3Q27 and cumulant (default what the flow needs, or 18)")
	openingFlags(f, c)
	f.StringVar(&c.ExtendOpenings, "extend-openings", c.ExtendOpenings, "lengthen every opening by a straight piece, such as 10mm or 2D (diameters)")
}

// openingFlags correct by hand which openings there are and what they do.
func openingFlags(f *pflag.FlagSet, c *carina.Case) {
	f.IntVar(&c.Inlet, "inlet", c.Inlet, "number of the opening that air enters through (default the largest, or what --role names)")
	f.Var((*roleMap)(&c.Roles), "role", "role of an opening by its number, such as 3=outlet, or 3=inlet, after which the largest is an inlet only if --inlet or --role names it, too; may be repeated")
	f.Var((*wholeList)(&c.DropOpenings), "drop-opening", "number of an opening to close; the others keep their numbers; may be repeated")
	f.Var((*groupList)(&c.MergeOpenings), "merge-openings", "numbers of openings that act as one, such as 3,5; may be repeated")
	f.Var((*openingList)(&c.Openings), "opening", "an opening by hand, x,y,z,radius,name in the surface's unit; may be repeated")
}

func partitionFlags(command *cobra.Command, c *carina.Case) {
	rankFlags(command, &c.PartitionCase)
}

// rankFlags are those of who computes what, for any physics.
func rankFlags(command *cobra.Command, c *carina.PartitionCase) {
	f := command.Flags()
	f.IntVar(&c.Ranks, "ranks", c.Ranks, "number of ranks that share the work")
	f.StringVar(&c.Decompose, "decompose", c.Decompose, decomposeHelp())
	f.StringVar(&c.Balance, "balance", c.Balance, quantity.Either(balance.BalancerNames())+" (default graph)")
	f.IntVar(&c.CuboidsPerRank, "cuboids-per-rank", c.CuboidsPerRank, "regular and shrink: blocks per rank (default 8)")
	f.IntVar(&c.MinSide, "min-side", c.MinSide, "octree: smallest side of a cuboid; bricks: their side (default by the number of ranks)")
	f.IntVar(&c.MaxSide, "max-side", c.MaxSide, "octree: largest side of a cuboid (default by the number of ranks)")
	f.Float64Var(&c.Imbalance, "imbalance", c.Imbalance, "how far a rank may exceed its share, but for linear (default 0.03)")
	f.StringVar(&c.Preset, "preset", c.Preset, presetHelp)
	f.Uint64Var(&c.Seed, "seed", c.Seed, "seed of the graph balancer")
	f.StringVar(&c.Machine, "machine", c.Machine, "machine file of carina bench cost (default assumed costs)")
	f.Var((*numberList)(&c.Speeds), "speeds", "relative speeds of the ranks, such as 1,1,3,3 (default equal)")
	f.IntVar(&c.DevicesPerHost, "devices-per-host", c.DevicesPerHost, "consecutive ranks that share a host (default all)")
	f.BoolVar(&c.Improve, "improve", c.Improve, "afterwards move cuboids, and but for bricks slices of them, between ranks while the predicted step time falls")
	f.BoolVar(&c.KeepHeavy, "keep-heavy", c.KeepHeavy, "leave cuboids whole that the ranks cannot share within the imbalance")
	f.DurationVar(&c.TimeLimit, "time-limit", c.TimeLimit, "graph balancer: go on improving for so long, such as 30s; the result then depends on the machine")
}

// deviceFlags are those of what ranks compute on, for any physics.
func deviceFlags(command *cobra.Command, c *carina.PartitionCase) {
	f := command.Flags()
	f.StringVar((*string)(&c.Device), "device", string(c.Device), "cpu, or gpu with one rank a GPU; or one for each rank, such as gpu:0,gpu:1,cpu:12 with numbers of GPUs and cores; or gpu+cpu: all GPUs of the machine and its cores; gpu+host puts cells that a GPU's memory does not hold into the host's (default cpu)")
	f.StringVar(&c.GPUMemory, "gpu-memory", c.GPUMemory, "how much a rank may take of its GPU, such as 40GiB; cells beyond it are for cores or the host's memory with gpu+cpu, whichever is faster, for the host's memory with gpu+host (default all that is free)")
	f.StringVar(&c.Exchange, "exchange", c.Exchange, "how GPUs exchange their borders: ipc, directly, or host, by messages (default ipc where a pair of GPUs can)")
}

func layoutFlag(command *cobra.Command, c *carina.Case) {
	command.Flags().StringVar(&c.Layout, "layout", c.Layout, "what a rank stores: sparse, fluid cells alone, or dense, its cuboids whole (default sparse)")
}

func flowFlags(command *cobra.Command, c *carina.Case) {
	deviceFlags(command, &c.PartitionCase)
	f := command.Flags()
	f.StringVar(&c.Flow, "flow", c.Flow, "flow rate through the inlet (default 15L/min)")
	f.StringVar(&c.Viscosity, "viscosity", c.Viscosity, "kinematic viscosity (default 15mm2/s, air)")
	f.StringVar(&c.Density, "density", c.Density, "density (default 1.2kg/m3, air)")
	f.StringVar(&c.Profile, "profile", c.Profile, "velocity over the inlet: "+quantity.Either(opening.Profiles)+" (default plug)")
	f.StringVar(&c.Waveform, "waveform", c.Waveform, "factor of the flow over time: sine:PERIOD, breathing:PERIOD, a CSV file of times and factors, or periodic:FILE")
	f.StringVar(&c.Collision, "collision", c.Collision, "collision operator: "+quantity.Either(airflow.Collisions)+" (default auto)")
	f.StringVar(&c.Lattice, "lattice", c.Lattice, latticeHelp)
	f.Float64Var(&c.Smagorinsky, "smagorinsky", c.Smagorinsky, "constant of the eddy viscosity, often 0.1 to 0.2 (default none)")
	f.StringVar(&c.Wall, "wall", c.Wall, wallHelp)
	f.StringVar(&c.Precision, "precision", c.Precision, "single, double, or half: single with populations in 16 bits (default single)")
	f.StringVar(&c.Storage, "storage", c.Storage, "how populations are stored: single, or half in 16 bits (default single)")
	f.StringVar(&c.TimeStep, "time-step", c.TimeStep, "time step (default by the lattice velocity, with at most 1 as relaxation time)")
	f.Float64Var(&c.LatticeVelocity, "lattice-velocity", c.LatticeVelocity, "largest expected velocity in cells per step: twice the mean through the fastest opening, four times if it is narrower than a tenth of the widest one's area (default 0.1)")
	f.StringVar(&c.Mismatch, "mismatch", c.Mismatch, "by how much inflow and outflow may differ where a waveform changes the flow: shortens the time step and lengthens the start (default 1%)")
	f.Float64Var(&c.Tolerance, "tolerance", c.Tolerance, "end when the pressure drop and all shares are known within this, relatively, as they are still or as means (default 5e-3 without --steps and --time)")
	f.Int64Var(&c.Steps, "steps", c.Steps, "number of time steps")
	f.StringVar(&c.Time, "time", c.Time, "time to compute, such as 0.5s (default until steady, at most ten exchanges of the air)")
}

// resultsFlags say what is told of the flow.
func resultsFlags(command *cobra.Command, c *carina.Case) {
	f := command.Flags()
	f.Var((*lobeList)(&c.Lobes), "lobe", "a lobe to tell of, by its openings, such as left=3,5,left*, or by the branch that leads to it, such as left=branch:4; may be repeated")
	f.StringVar(&c.Series, "series", c.Series, "how often openings, branches, lobes and probes are told of while the flow is computed, such as 1ms or every=100 (steps): tables in the folder series of the results (default never)")
	f.StringVar(&c.Snapshots, "snapshots", c.Snapshots, "how often all fields are written while the flow is computed, such as 50ms or every=1000 (steps), with a file that lists them for ParaView (default never)")
	f.BoolVar(&c.Statistics, "statistics", c.Statistics, "take means, root mean squares and Reynolds stresses of all fields, by phase where the flow has a period")
	f.StringVar(&c.StatisticsFrom, "statistics-from", c.StatisticsFrom, "when statistics begin, such as 0.5s (default when the transient has left)")
	f.IntVar(&c.Phases, "phases", c.Phases, "into how many parts statistics divide a period (default 16); each takes 44 bytes a cell")
	f.Var((*probeList)(&c.Probes), "probe", "a point of which --series tells, x,y,z,name in the surface's unit, or a section, x,y,z,nx,ny,nz,radius,name; may be repeated")
}

func refineFlags(command *cobra.Command, c *carina.Case) {
	f := command.Flags()
	f.IntVar(&c.Refine, "refine", c.Refine, "compute on so many spacings, 2 or 3, the finest last, and tell what the flow tends to and how uncertain that is; 3 where no number is given")
	f.Lookup("refine").NoOptDefVal = "3"
	f.StringVar(&c.Accuracy, "accuracy", c.Accuracy, "compute on finer and finer spacings, at most that of --spacing or --fluid-cells, until the pressure drop and the resistance are known to this, such as 5%")
}

// caseOf returns the case that a case file holds, changed by the flags that
// were given, or the case of the flags alone for a surface. Where nothing is named, or a
// surface, it is what was before with these changes.
func caseOf(command *cobra.Command, arguments []string, before carina.Case, groups ...func(*cobra.Command, *carina.Case)) (carina.Case, error) {
	c := before
	if len(arguments) == 0 {
		return c, applyFlags(command, &c, groups...)
	}
	path := arguments[0]
	c.Surface = path
	if lower := strings.ToLower(path); strings.HasSuffix(lower, ".yaml") || strings.HasSuffix(lower, ".yml") {
		if err := report.Expect(path, report.Surface, report.Grid, report.Case); err != nil {
			return c, err
		}
		var err error
		if c, err = carina.ReadCase(path); err != nil {
			return c, err
		}
	}
	return c, applyFlags(command, &c, groups...)
}

// applyFlags sets in the case what was given on the command line.
func applyFlags(command *cobra.Command, c *carina.Case, groups ...func(*cobra.Command, *carina.Case)) error {
	if command.Flags().Changed("opening") {
		c.Openings = nil
	}
	if command.Flags().Changed("lobe") {
		c.Lobes = nil
	}
	if command.Flags().Changed("probe") {
		c.Probes = nil
	}
	scratch := &cobra.Command{}
	for _, group := range groups {
		group(scratch, c)
	}
	replaceAlternatives(command, c)
	if err := refuseZeros(command); err != nil {
		return err
	}
	if err := replay(command, scratch); err != nil {
		return err
	}
	return c.CheckNames()
}

// refuseZeros refuses a zero where it would stand for the default: of the keys of a case
// that refuse it, but for ranks, and of others by name.
func refuseZeros(command *cobra.Command, others ...string) error {
	var failure error
	command.Flags().Visit(func(f *pflag.Flag) {
		text := f.Value.String()
		zero := text == "0" || text == "0s" || text == "-0"
		if failure == nil && zero && (f.Name != "ranks" && carina.RefusesZero(f.Name) || slices.Contains(others, f.Name)) {
			failure = fmt.Errorf("--%s 0 cannot be meant: give a number above zero, or leave it out for the default", f.Name)
		}
	})
	return failure
}

// refuseEmpty refuses arguments that are empty, as those of shells' variables without a
// value are, and flags with an empty value, which would stand for the default.
func refuseEmpty(command *cobra.Command, arguments []string) error {
	if slices.Contains(arguments, "") {
		return usageError{fmt.Errorf("an argument is empty: give a value (see %s --help)", command.CommandPath())}
	}
	var failure error
	command.Flags().Visit(func(given *pflag.Flag) {
		text := given.Value.String()
		if failure == nil && (text == "" || text == "[]") {
			failure = usageError{fmt.Errorf("--%s is empty: give a value or leave it out (see %s --help)", given.Name, command.CommandPath())}
		}
	})
	return failure
}

// replaceAlternatives clears what the case file had where a flag was given that
// takes its place.
func replaceAlternatives(command *cobra.Command, c *carina.Case) {
	for _, pair := range []struct {
		first, second           string
		clearFirst, clearSecond func()
	}{
		{"spacing", "fluid-cells", func() { c.Spacing = "" }, func() { c.FluidCells = 0 }},
		{"time-step", "lattice-velocity", func() { c.TimeStep = "" }, func() { c.LatticeVelocity = 0 }},
		{"steps", "time", func() { c.Steps = 0 }, func() { c.Time = "" }},
	} {
		switch first, second := command.Flags().Changed(pair.first), command.Flags().Changed(pair.second); {
		case first && !second:
			pair.clearSecond()
		case second && !first:
			pair.clearFirst()
		}
	}
}

// onlyFlags refuses flags that mean nothing for what is at hand, such as the
// unit of a grid file; used names those that mean something.
func onlyFlags(command *cobra.Command, what string, used ...string) error {
	var failure error
	command.Flags().Visit(func(given *pflag.Flag) {
		if failure == nil && given.Name != "json" && !slices.Contains(used, given.Name) {
			failure = usageError{fmt.Errorf("--%s means nothing for %s: leave it out", given.Name, what)}
		}
	})
	return failure
}
