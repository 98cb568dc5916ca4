package balance

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"carina/cuboid"
	"carina/geometry"
	"carina/internal/quantity"
	"carina/partition/graph"
)

// Layout is how a rank stores its cells.
type Layout string

// The layouts. Sparse stores fluid cells only: empty cells and the number of
// cuboids cost next to nothing. Dense is the solver's layout of whole cuboids:
// it stores every cell of a cuboid, empty or not, and passes over what is empty
// as well as its vector kernels can. Plain stands for other solvers, such as
// OpenLB: it stores and streams every cell of a cuboid and copies what crosses
// between cuboids of one rank.
const (
	Sparse Layout = "sparse"
	Dense  Layout = "dense"
	Plain  Layout = "plain"
)

// Layouts are all layouts.
var Layouts = []Layout{Sparse, Dense, Plain}

// Network is what messages cost: Latency seconds until the first arrives, which
// messages under way at the same time share, and for each message the Overhead
// of handling it and SecondsPerByte for every byte (Alexandrov et al., LogGP,
// 1995), with what packing it and computing next to another rank cost.
type Network struct {
	Latency        float64 `json:"latency_s"`
	Overhead       float64 `json:"overhead_s"`
	SecondsPerByte float64 `json:"seconds_per_byte"`
}

// Cost says what one time step costs on a rank of speed 1. All times are in
// seconds. Only ratios matter to the balancers; the predicted step time takes
// the figures as they are.
type Cost struct {
	// Source says where the figures come from: "assumed", or the machine they
	// were measured on.
	Source string `json:"source"`
	Layout Layout `json:"layout"`
	// Fluid, Boundary, Opening and Empty are the times per cell: a fluid cell
	// without links to the wall, one with such links, one with links to an
	// opening, and a cell that is not fluid but lies in a cuboid; in the dense
	// layout only one that is not passed over.
	Fluid    float64 `json:"fluid_s"`
	Boundary float64 `json:"boundary_s"`
	Opening  float64 `json:"opening_s"`
	Empty    float64 `json:"empty_s"`
	// Lane is the time that a place without fluid costs in the windows of cells
	// that vector kernels compute at once: the more of them, the fewer fluid cells
	// a window has.
	Lane float64 `json:"lane_s,omitempty"`
	// Cuboid is the time that a cuboid costs besides its cells.
	Cuboid float64 `json:"cuboid_s"`
	// CopyPerByte is the time per byte that crosses between two cuboids of one
	// rank; 0 where cuboids share one storage.
	CopyPerByte float64 `json:"copy_seconds_per_byte"`
	// Packing is the part of SecondsPerByte of both networks that a rank computes
	// for: packing and unpacking, and what cells next to other ranks cost more.
	Packing float64 `json:"packing_seconds_per_byte,omitempty"`
	// BytesPerPopulation is the size of one crossing value: 8 or 4.
	BytesPerPopulation int `json:"bytes_per_population"`
	// Directions is 18 for D3Q19 and 26 for D3Q27. Physics of other reach say in Reaches
	// what crosses instead, and after how many cells along each axis the grid repeats, 0
	// where it does not; Directions is 0 then.
	Directions int            `json:"directions"`
	Reaches    []cuboid.Reach `json:"reaches,omitempty"`
	Period     [3]int32       `json:"period,omitzero"`
	// Inside is a message between two ranks of one host, Between one between
	// two hosts.
	Inside  Network `json:"inside_host"`
	Between Network `json:"between_hosts"`
	// BySize says how the times of cells, cuboids, copies and packing depend on
	// how many cells a rank holds, in ascending order of the cells; where there is
	// nothing they do not.
	BySize []SizeFactors `json:"held,omitempty"`
}

// DefaultCost returns assumed figures for a layout, for use until a machine
// has been measured: one core, memory inside a host, and between hosts a
// network of 100 Gbit/s that some six ranks of a host share. The sparse layout
// is that of the solver in single precision with interpolated walls; the factors
// of its boundary and opening cells, and those of the empty cells and lanes of
// the dense layout, are what carina bench cost finds on a core with AVX-512.
// The plain layout streams 10 GB/s, 304 bytes per D3Q19 update in double
// precision; its empty cells cost a third of a fluid one (Fietz 2011, table 4.1:
// 1/1.8 to 1/4.5).
func DefaultCost(layout Layout) Cost {
	c := Cost{
		Source: "assumed", Layout: layout,
		Directions: 18,
		Inside:     Network{Latency: 0.5e-6, Overhead: 0.2e-6, SecondsPerByte: 1 / 8e9},
		Between:    Network{Latency: 2e-6, Overhead: 0.5e-6, SecondsPerByte: 1 / 2e9},
	}
	if layout == Plain {
		const fluid = 304 / 10e9
		c.Fluid, c.Boundary, c.Opening, c.Empty = fluid, 1.3*fluid, 2*fluid, fluid/3
		c.Cuboid = 0.5e-6
		c.CopyPerByte = 1 / 5e9
		c.AddPacking(c.CopyPerByte)
		c.BytesPerPopulation = 8
		return c
	}
	const fluid = 8e-9
	c.Fluid, c.Boundary, c.Opening = fluid, 3*fluid, 25*fluid
	c.BytesPerPopulation = 4
	if layout == Dense {
		c.Boundary, c.Empty, c.Lane = 2*fluid, 0.6*fluid, 0.2*fluid
	}
	return c
}

// GPUCost returns assumed figures of the sparse layout for a GPU in single
// precision: 26·10⁹ cells a second, as an H200 updates (see
// benchmarks/results/gpu.md), with walls that cost it less than a core,
// and the links between GPUs of a host and between hosts.
func GPUCost() Cost {
	const fluid = 1 / 26e9
	return Cost{
		Source: "assumed, GPU", Layout: Sparse,
		Fluid: fluid, Boundary: 2 * fluid, Opening: 4 * fluid,
		BytesPerPopulation: 4, Directions: 18,
		Inside:  Network{Latency: 3e-6, Overhead: 0.5e-6, SecondsPerByte: 1 / 300e9},
		Between: Network{Latency: 6e-6, Overhead: 1e-6, SecondsPerByte: 1 / 50e9},
	}
}

// Check returns an error that names the first figure that cannot be.
func (c *Cost) Check() error {
	if !slices.Contains(Layouts, c.Layout) {
		return fmt.Errorf("unknown layout %q in the cost model: use one of %s", c.Layout, quantity.Either(Layouts))
	}
	for _, f := range []struct {
		name  string
		value float64
	}{
		{"fluid_s", c.Fluid}, {"boundary_s", c.Boundary}, {"opening_s", c.Opening}, {"empty_s", c.Empty},
		{"lane_s", c.Lane}, {"cuboid_s", c.Cuboid}, {"copy_seconds_per_byte", c.CopyPerByte}, {"packing_seconds_per_byte", c.Packing},
		{"inside_host.latency_s", c.Inside.Latency}, {"inside_host.overhead_s", c.Inside.Overhead}, {"between_hosts.overhead_s", c.Between.Overhead}, {"inside_host.seconds_per_byte", c.Inside.SecondsPerByte},
		{"between_hosts.latency_s", c.Between.Latency}, {"between_hosts.seconds_per_byte", c.Between.SecondsPerByte},
	} {
		if !(f.value >= 0) || f.value > 1e6 {
			return fmt.Errorf("%s is %v in the cost model: give seconds, at least 0", f.name, f.value)
		}
	}
	if c.Fluid < 1e-15 || max(c.Boundary, c.Opening, c.Empty, c.Lane) > 1e6*c.Fluid || c.Cuboid > 1e9*c.Fluid {
		return fmt.Errorf("a fluid cell costs %v s in the cost model, too little beside the other figures: measure them together", c.Fluid)
	}
	if c.BytesPerPopulation < 1 || c.BytesPerPopulation > 16 {
		return fmt.Errorf("%d bytes per population in the cost model: use 2, 4 or 8", c.BytesPerPopulation)
	}
	for _, r := range c.Reaches {
		if r.Offset == (geometry.Offset{}) || r.Values < 1 || r.Values > 1<<16 {
			return fmt.Errorf("%d values cross to the neighbour at %v in the cost model: give numbers above 0 and offsets other than 0", r.Values, r.Offset)
		}
	}
	if slices.Min(c.Period[:]) < 0 {
		return fmt.Errorf("the grid repeats after %v cells in the cost model: give numbers from 0 on", c.Period)
	}
	if c.Directions != 18 && c.Directions != 26 && (c.Directions != 0 || len(c.Reaches) == 0) {
		return fmt.Errorf("%d directions in the cost model: use 18 (D3Q19) or 26 (D3Q27)", c.Directions)
	}
	return checkSizeFactors(c.BySize)
}

// AddPacking adds the seconds that a rank computes for each byte it sends to
// what messages cost.
func (c *Cost) AddPacking(secondsPerByte float64) {
	c.Packing += secondsPerByte
	c.Inside.SecondsPerByte += secondsPerByte
	c.Between.SecondsPerByte += secondsPerByte
}

// Seconds returns the time a rank of speed 1 spends on the cells of a cuboid.
func (c *Cost) Seconds(n cuboid.Counts) float64 {
	return c.Cuboid + c.Lane*float64(n.Lanes) + c.Fluid*float64(n.Fluid-n.Boundary) +
		c.Boundary*float64(n.Boundary-n.Opening) + c.Opening*float64(n.Opening) + c.Empty*float64(c.computedEmpty(n))
}

// count says what the cells of every cuboid are, as far as they cost something.
func (c *Cost) count(g *geometry.Grid, cuboids []cuboid.Cuboid, segments []cuboid.Segment) []cuboid.Counts {
	counts := cuboid.Count(g, cuboids, segments)
	if c.Layout == Dense {
		CountWindows(cuboids, segments, counts)
	}
	return counts
}

// computedEmpty is how many empty cells cost something.
func (c *Cost) computedEmpty(n cuboid.Counts) int64 {
	if c.Layout == Dense {
		return n.Empty - n.Passed
	}
	return n.Empty
}

// cutRows is what a cut across an axis costs that divides rows of fluid, where
// so many fluid cells face each other across it.
func (c *Cost) cutRows(axis int, facing int64) float64 {
	if axis != 0 {
		return 0
	}
	return lanesPerCut * c.Lane * float64(facing)
}

// unitsPerFluidCell makes graph weights whole numbers without rounding that
// could matter: a thousandth of the work of one cell.
const unitsPerFluidCell = 1000

// Weight returns the work of a cuboid in thousandths of a fluid cell.
func (c *Cost) Weight(n cuboid.Counts) int64 {
	return int64(math.Round(c.Seconds(n) / c.Fluid * unitsPerFluidCell))
}

// Crossings counts what crosses between cuboids.
func (c *Cost) Crossings(segments []cuboid.Segment) []cuboid.Crossing {
	if len(c.Reaches) > 0 {
		return cuboid.CrossingsOf(segments, c.Reaches, c.Period)
	}
	return cuboid.Crossings(segments, c.Directions)
}

// neighbours is in how many directions cells are next to each other.
func (c *Cost) neighbours() int {
	const most = 26
	return cmp.Or(c.Directions, most)
}

// Bytes returns how many bytes pass between two cuboids on different ranks in
// one step, both ways together.
func (c *Cost) Bytes(crossing cuboid.Crossing) int64 {
	return 2 * crossing.Populations * int64(c.BytesPerPopulation)
}

// Graph returns the weighted graph of a decomposition: a vertex per cuboid
// weighing its work, an edge where populations cross weighing the bytes that
// would pass per step, so that the cut of a partition is the number of bytes
// all ranks send. The crossings must be ordered, as cuboid.Crossings
// returns them.
func Graph(cost *Cost, counts []cuboid.Counts, crossings []cuboid.Crossing) *graph.Graph {
	g := &graph.Graph{
		Offsets:       make([]int64, len(counts)+1),
		Neighbours:    make([]int32, 2*len(crossings)),
		VertexWeights: make([]int64, len(counts)),
		EdgeWeights:   make([]int64, 2*len(crossings)),
	}
	for i, n := range counts {
		g.VertexWeights[i] = cost.Weight(n)
	}
	for _, c := range crossings {
		g.Offsets[c.A+1]++
		g.Offsets[c.B+1]++
	}
	for i := range counts {
		g.Offsets[i+1] += g.Offsets[i]
	}
	next := append([]int64(nil), g.Offsets...)
	put := func(from, to int32, weight int64) {
		g.Neighbours[next[from]], g.EdgeWeights[next[from]] = to, weight
		next[from]++
	}
	for _, c := range crossings {
		put(c.A, c.B, cost.Bytes(c))
		put(c.B, c.A, cost.Bytes(c))
	}
	return g
}
