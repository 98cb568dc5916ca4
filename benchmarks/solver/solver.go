package solverbench

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"carina/geometry"
	"carina/internal/machine"
	"carina/internal/quantity"
	"carina/internal/simd"
	"carina/solver/airflow"
	"carina/solver/transport"
)

// Options choose what is measured.
type Options struct {
	// Surface is read for the sparse case; where it is empty an airway is
	// generated. Unit is that of the file.
	Surface string
	Unit    geometry.Unit
	// FluidCells is the size of the sparse case, Side that of the dense cube;
	// 0 means 2·10⁷ and 200.
	FluidCells int64
	Side       int32
	// Pairs of steps are timed in every turn; 0 means 2.
	Pairs int
	// Layout restricts the cases to one layout; all if empty.
	Layout airflow.Layout
	// Quick measures small cases in fewer turns.
	Quick bool
	// Progress hears what is being done; it may be nil.
	Progress func(stage string, done float64)

	turns turns
}

// turns are how often a case and copies are measured in turn, and how often two
// cases that are compared are. What a machine shared with others does in a minute
// changes by more than what is compared; what it does in a second, less, but
// single turns still differ by ten percent.
type turns struct{ alone, compared int }

// Report is what was measured.
type Report struct {
	// Machines are the instruction sets, the fastest first; Workers the
	// goroutines of the one rank.
	Machines []string `json:"instruction_sets"`
	Workers  int      `json:"workers"`
	// BandwidthBytesPerSecond is that of a copy, bytes read and written, the
	// best of all.
	BandwidthBytesPerSecond float64 `json:"bandwidth_bytes_per_s"`
	Results                 []Row   `json:"results"`
	// Comparisons relate the speeds of results, measured in turn.
	Comparisons []Comparison `json:"comparisons"`
}

// Row is one case.
type Row struct {
	Case   string `json:"case"`
	Layout string `json:"layout"`
	// Decompose says what cuboids the domain is cut into, if it is; Cuboids is
	// how many.
	Decompose  string `json:"decompose,omitempty"`
	Cuboids    int    `json:"cuboids"`
	Precision  string `json:"precision"`
	Collision  string `json:"collision"`
	Wall       string `json:"wall"`
	Lattice    string `json:"lattice"`
	LargeEddy  bool   `json:"large_eddy"`
	Devices    int    `json:"devices"`
	FluidCells int64  `json:"fluid_cells"`
	// MLUPS is that of the best pair of steps, alone or while compared;
	// MedianMLUPS the median of the turns' best ones, alone.
	MLUPS       float64 `json:"mlups"`
	MedianMLUPS float64 `json:"median_mlups"`
	// CopyBytesPerSecond is the bandwidth of copies made in turn with the
	// steps, the median of the turns' best ones.
	CopyBytesPerSecond float64 `json:"copy_bytes_per_s"`
	// BytesPerUpdate is the least traffic: every population read and written
	// once. Fraction is what that makes of the bandwidth, the median over the
	// turns of their best steps against their best copy.
	BytesPerUpdate float64 `json:"bytes_per_update"`
	Fraction       float64 `json:"fraction"`
	// BytesPerCell is the memory held for each fluid cell.
	BytesPerCell float64 `json:"bytes_per_cell"`
}

// variant is one way to compute one of the domains.
type variant struct {
	where  string
	change func(*airflow.Settings)
}

// variants lists the cases: the cube with every collision, the airway with what
// walls, eddies and storage cost there, and both in the dense layout.
var variants = []variant{
	{cavity, func(s *airflow.Settings) {}},
	{cavity, func(s *airflow.Settings) { s.Collision = airflow.BGK }},
	{cavity, func(s *airflow.Settings) { s.Collision = airflow.Regularized }},
	{cavity, func(s *airflow.Settings) { s.Collision = airflow.Recursive }},
	{cavity, func(s *airflow.Settings) { s.Smagorinsky = 0.15 }},
	{cavity, func(s *airflow.Settings) { s.Lattice = airflow.D3Q27 }},
	{cavity, func(s *airflow.Settings) { s.Collision = airflow.Cumulant }},
	{cavity, func(s *airflow.Settings) { s.Precision = airflow.Half }},
	{cavity, func(s *airflow.Settings) { s.Precision, s.Smagorinsky = airflow.Half, 0.15 }},
	{cavity, func(s *airflow.Settings) { s.Precision = airflow.Double }},
	{airway, func(s *airflow.Settings) { s.Wall = airflow.BounceBack }},
	{airway, func(s *airflow.Settings) {}},
	{airway, func(s *airflow.Settings) { s.Collision = airflow.BGK }},
	{airway, func(s *airflow.Settings) { s.Collision = airflow.Recursive }},
	{airway, func(s *airflow.Settings) { s.Smagorinsky = 0.15 }},
	{airway, func(s *airflow.Settings) { s.Precision, s.Wall = airflow.Half, airflow.BounceBack }},
	{airway, func(s *airflow.Settings) { s.Precision = airflow.Half }},
	{cavity, dense},
	{octreeAirway, dense},
	{shrunkAirway, dense},
	{octreeAirway, denseHalf},
}

func dense(s *airflow.Settings) { s.Layout = airflow.Dense }

func denseHalf(s *airflow.Settings) { s.Layout, s.Precision = airflow.Dense, airflow.Half }

// Measure runs all cases.
func Measure(ctx context.Context, o Options) (*Report, error) {
	if err := o.complete(); err != nil {
		return nil, err
	}
	chosen := o.variants()
	r := &Report{Machines: simd.Machines(), Workers: runtime.GOMAXPROCS(0)}
	o.Progress("making the airway", 0)
	domains, err := makeDomains(ctx, &o, chosen)
	if err != nil {
		return nil, err
	}
	// Copies are of memory of the size of the cube's populations.
	copier := machine.NewCopier(r.Workers, int(o.Side)*int(o.Side)*int(o.Side)*76/r.Workers)
	for _, v := range chosen {
		r.Results = append(r.Results, describe(domains[v.where], v))
	}
	pairs := r.pairs()
	// Two cases are timed in a turn of a comparison, one and copies else.
	all := float64(len(chosen)*o.turns.alone + len(pairs)*o.turns.compared)
	for i, v := range chosen {
		row := &r.Results[i]
		o.Progress(row.title(), float64(i*o.turns.alone)/all)
		if err := r.measure(row, domains[v.where], v, &o, copier); err != nil {
			return nil, fmt.Errorf("measuring the %s: %w", v.where, err)
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	cache := &rankCache{variants: chosen, domains: domains, ranks: map[int]*airflow.Rank{}}
	defer cache.release()
	for i, p := range pairs {
		o.Progress("comparing "+p.name, float64(len(chosen)*o.turns.alone+i*o.turns.compared)/all)
		if err := r.compare(ctx, p, cache, &o); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// variants are the cases to measure.
func (o *Options) variants() []variant {
	return slices.DeleteFunc(slices.Clone(variants), func(v variant) bool { return o.Layout != "" && v.settings().Layout != o.Layout })
}

// complete fills in what is not given.
func (o *Options) complete() error {
	if o.Layout != "" && !slices.Contains(airflow.Layouts, o.Layout) {
		return fmt.Errorf("the solver has no %s layout: use one of %s", o.Layout, quantity.Either(airflow.Layouts))
	}
	cells, side, pairs, often := int64(20e6), int32(200), 2, turns{11, 25}
	if o.Quick {
		cells, side, pairs, often = 2e6, 128, 1, turns{5, 7}
	}
	if o.turns == (turns{}) {
		o.turns = often
	}
	if o.FluidCells == 0 {
		o.FluidCells = cells
	}
	if o.Side == 0 {
		o.Side = side
	}
	if o.Pairs == 0 {
		o.Pairs = pairs
	}
	if o.Progress == nil {
		o.Progress = func(string, float64) {}
	}
	return nil
}

// newRank makes the one rank of a case. Ranks are so large that those before
// would fill the memory before they are collected.
func newRank(d domain, v variant) (*airflow.Rank, error) {
	debug.FreeOSMemory()
	return airflow.NewRank(d.Domain, v.settings(), transport.NewLocal(1)[0])
}

func (v variant) settings() airflow.Settings {
	s := airflow.DefaultSettings()
	s.Collision, s.LatticeVelocity, s.Layout = airflow.TRT, 0.01, airflow.Sparse
	v.change(&s)
	return s
}

// describe is a case before it is measured.
func describe(d domain, v variant) Row {
	s := v.settings()
	q := s.Directions() + 1
	return Row{
		Case: d.name, Layout: string(s.Layout), Decompose: d.decompose, Cuboids: len(d.Owners), Precision: string(s.Precision), Collision: string(s.Collision), Wall: string(s.Wall),
		Lattice: fmt.Sprintf("D3Q%d", q), LargeEddy: s.Smagorinsky > 0, Devices: 1, FluidCells: d.Grid.Cells(),
		BytesPerUpdate: float64(2 * q * s.Precision.Bytes()),
	}
}

// measure times one case in turn with copies: what other users of a shared
// machine leave of its bandwidth changes from minute to minute.
func (r *Report) measure(row *Row, d domain, v variant, o *Options, copier *machine.Copier) error {
	rank, err := newRank(d, v)
	if err != nil {
		return err
	}
	defer rank.Close()
	cells := float64(row.FluidCells)
	row.BytesPerCell = float64(rank.Bytes()) / cells
	var speeds, copies []float64
	for range o.turns.alone {
		t, err := rank.Measure(o.Pairs)
		if err != nil {
			return err
		}
		speeds, copies = append(speeds, cells/t.Best/1e6), append(copies, copier.Bandwidth(o.Pairs))
	}
	r.BandwidthBytesPerSecond = max(r.BandwidthBytesPerSecond, slices.Max(copies))
	row.judge(speeds, copies)
	return nil
}

// judge works out speeds and fraction from the MLUPS and the copies' bytes per
// second of all turns, which it sorts.
func (r *Row) judge(speeds, copies []float64) {
	fractions := make([]float64, len(speeds))
	for i := range speeds {
		fractions[i] = speeds[i] * 1e6 * r.BytesPerUpdate / copies[i]
	}
	r.MLUPS, r.MedianMLUPS = slices.Max(speeds), median(speeds)
	r.CopyBytesPerSecond, r.Fraction = median(copies), median(fractions)
}

// median sorts the values.
func median(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}

// title names a case in a few words.
func (r *Row) title() string {
	words := []string{r.Case, r.Lattice, r.Collision}
	if r.LargeEddy {
		words = append(words, "+ eddies")
	}
	words = append(words, r.Precision, r.Wall)
	if r.Layout == string(airflow.Dense) {
		words = append(words, r.Layout)
	}
	if r.Decompose != "" {
		words = append(words, fmt.Sprintf("%s (%d)", r.Decompose, r.Cuboids))
	}
	return strings.Join(words, " ")
}

// Words is the report as a table.
func (r *Report) Words() string {
	var b strings.Builder
	fmt.Fprintf(&b, "copy at best %.1f GB/s read and written; %d workers; %s\n", r.BandwidthBytesPerSecond/1e9, r.Workers, strings.Join(r.Machines, ", "))
	fmt.Fprintf(&b, "%-66s %12s %8s %8s %10s %14s %9s %11s\n", "case", "fluid cells", "MLUPS", "median", "copy GB/s", "bytes/update", "fraction", "bytes/cell")
	for i := range r.Results {
		row := &r.Results[i]
		fmt.Fprintf(&b, "%-66s %12d %8.1f %8.1f %10.1f %14.0f %9.2f %11.1f\n", row.title(), row.FluidCells, row.MLUPS, row.MedianMLUPS,
			row.CopyBytesPerSecond/1e9, row.BytesPerUpdate, row.Fraction, row.BytesPerCell)
	}
	if len(r.Comparisons) == 0 {
		return b.String()
	}
	fmt.Fprintf(&b, "\n%-66s %12s %8s  %s\n", "speeds compared, measured in turn", "case", "ratio", "half of all turns")
	for _, c := range r.Comparisons {
		fmt.Fprintf(&b, "%-66s %12s %8.2f  %.2f to %.2f\n", c.Name, c.Case, c.Ratio, c.LowerQuartile, c.UpperQuartile)
	}
	return b.String()
}
