package gpu

import (
	"context"
	"fmt"
	"slices"

	"carina/geometry"
	"carina/internal/quantity"
	"carina/solver"
	"carina/solver/airflow"
	"carina/solver/airflow/gpu"
	"carina/solver/cuda"
	"carina/solver/cuda/device"
	"carina/solver/cuda/tiles"
	"carina/solver/lattice"
)

// Options choose what is measured.
type Options struct {
	// Device is the number of the first GPU.
	Device int
	// Counts are how many GPUs; empty means 1, 2, 4 … as far as there are.
	Counts []int
	// Surface is read for the sparse cases; where it is empty an airway is
	// generated.
	Surface string
	Unit    geometry.Unit
	// FluidCells is the size of the airway per GPU, Side that of the dense
	// cube; 0 means 10⁸ and 512.
	FluidCells int64
	Side       int32
	// Cases are some of dense, airway and strong; empty means all.
	Cases []string
	// Exchanges are the ways of exchanging borders to measure; empty means
	// directly from GPU to GPU.
	Exchanges []cuda.Exchange
	// Collision, Lattice and Wall are those of all cases; empty means the
	// defaults.
	Collision airflow.Collision
	Lattice   airflow.Lattice
	Wall      airflow.Wall
	// Steps are timed; 0 means 200, enough for the power limit to show.
	Steps int
	// Quick measures small cases.
	Quick bool
	// Progress hears what is being done; it may be nil.
	Progress func(stage string, done float64)

	gpus func(gpu.Options) airflow.Backend // instead of real ones, for tests
}

// Report is what was measured.
type Report struct {
	Device string `json:"device"`
	// BandwidthBytesPerSecond is that of a copy on the device, bytes read and
	// written, in the same run.
	BandwidthBytesPerSecond float64 `json:"bandwidth_bytes_per_s"`
	// Cards are the GPUs one by one: what several together may reach.
	Cards   []Card `json:"cards"`
	Results []Row  `json:"results"`
}

// Card is the speed of one GPU on a dense cube in single precision, in MLUPS:
// alone, and while all others compute a cube of their own.
type Card struct {
	Device   int     `json:"device"`
	Alone    float64 `json:"alone_mlups"`
	Together float64 `json:"together_mlups"`
}

// Row is one case.
type Row struct {
	Case       string  `json:"case"`
	Layout     string  `json:"layout"`
	Precision  string  `json:"precision"`
	Collision  string  `json:"collision"`
	Lattice    string  `json:"lattice"`
	Wall       string  `json:"wall"`
	Devices    int     `json:"devices"`
	Exchange   string  `json:"exchange,omitempty"`
	FluidCells int64   `json:"fluid_cells"`
	MLUPS      float64 `json:"mlups"`
	// BytesPerUpdate is the least traffic: every population read and written
	// once. Fraction is what that makes of the bandwidth.
	BytesPerUpdate float64 `json:"bytes_per_update"`
	Fraction       float64 `json:"fraction"`
	BytesPerCell   float64 `json:"bytes_per_cell"`
	// SpeedUp is over the same case on one GPU, 0 where that was not measured.
	SpeedUp float64 `json:"speed_up"`
	// TileShare is the part of the cells of the stored tiles that are fluid.
	TileShare float64 `json:"tile_share"`
	// EvenSeconds and OddSeconds are the two kinds of steps, CheckSeconds a
	// look for divergence, SetupSeconds everything before the first step but
	// the voxelization.
	EvenSeconds  float64 `json:"even_seconds"`
	OddSeconds   float64 `json:"odd_seconds"`
	CheckSeconds float64 `json:"check_seconds"`
	SetupSeconds float64 `json:"setup_seconds"`
	// Phases is the time line of a step where there are several ranks.
	Phases tiles.Phases `json:"phases"`
}

// Measure runs all cases: a cube and an airway that grow with the number of
// GPUs (weak scaling), and an airway that does not (strong scaling).
func Measure(ctx context.Context, o Options) (*Report, error) {
	devices, err := device.Devices()
	if err != nil {
		return nil, err
	}
	if err := o.setDefaults(len(devices)); err != nil {
		return nil, err
	}
	r := &Report{Device: devices[o.Device].Name, BandwidthBytesPerSecond: devices[o.Device].Bandwidth}
	if o.wants(denseCase) {
		if r.Cards, err = compareCards(&o); err != nil {
			return nil, err
		}
	}
	cases := o.cases()
	for i, c := range cases {
		o.Progress(fmt.Sprintf("%s on %d", c.name, c.counts), float64(i)/float64(len(cases)))
		domain, err := c.domain(ctx)
		if err != nil {
			return nil, err
		}
		for _, v := range c.variants(&o) {
			row, err := measure(domain, &o, v, r.BandwidthBytesPerSecond)
			if err != nil {
				return nil, fmt.Errorf("%s on %s, %s storage: %w", c.name, quantity.Count(v.devices, "GPU"), v.storage, err)
			}
			row.Case = c.name
			r.Results = append(r.Results, *row)
			if err := ctx.Err(); err != nil {
				return nil, err
			}
		}
	}
	r.compare()
	return r, nil
}

// benchCase is a domain and the numbers of GPUs to measure it on.
type benchCase struct {
	kind   string // of Options.Cases
	name   string
	counts []int
	domain func(context.Context) (*solver.Domain, error)
}

// variant is how a case is measured.
type variant struct {
	devices  int
	storage  gpu.Storage
	exchange cuda.Exchange
}

// variants are all ways to measure a case.
func (c *benchCase) variants(o *Options) (list []variant) {
	for _, n := range c.counts {
		exchanges := o.Exchanges
		if n == 1 {
			exchanges = []cuda.Exchange{""}
		}
		for _, exchange := range exchanges {
			for _, storage := range []gpu.Storage{gpu.Single, gpu.Half} {
				list = append(list, variant{n, storage, exchange})
			}
		}
	}
	return list
}

// The kinds of cases: weak scaling of a cube and of an airway, strong scaling of
// an airway.
const (
	denseCase  = "dense"
	airwayCase = "airway"
	strongCase = "strong"
)

// wants tells whether cases of a kind were asked for.
func (o *Options) wants(kind string) bool { return len(o.Cases) == 0 || slices.Contains(o.Cases, kind) }

// strongFactor is how many GPUs' worth of cells the airway of the strong
// scaling has.
const strongFactor = 2

func (o *Options) cases() []benchCase {
	var list []benchCase
	airway := func(cells int64) func(context.Context) (*solver.Domain, error) {
		return func(ctx context.Context) (*solver.Domain, error) {
			grid, err := sparse(ctx, o, cells)
			if err != nil {
				return nil, err
			}
			return solver.WholeDomain(grid), nil
		}
	}
	for _, n := range o.Counts {
		list = append(list, benchCase{denseCase, "dense", []int{n}, func(context.Context) (*solver.Domain, error) { return dense(o.Side, n), nil }})
	}
	for _, n := range o.Counts {
		list = append(list, benchCase{airwayCase, "airway", []int{n}, airway(o.FluidCells * int64(n))})
	}
	if len(o.Counts) > 1 {
		list = append(list, benchCase{strongCase, "airway, fixed size", o.Counts, airway(o.FluidCells * strongFactor)})
	}
	list = slices.DeleteFunc(list, func(c benchCase) bool { return !o.wants(c.kind) })
	return list
}

// compare fills in the speed-up of every row over its case on one GPU.
func (r *Report) compare() {
	for i := range r.Results {
		row := &r.Results[i]
		for _, one := range r.Results {
			if one.Devices == 1 && one.Case == row.Case && one.Precision == row.Precision {
				row.SpeedUp = row.MLUPS / one.MLUPS
			}
		}
	}
}

// setDefaults fills in what is not chosen, on a machine with so many GPUs.
func (o *Options) setDefaults(all int) error {
	if o.Device < 0 || o.Device >= all {
		return fmt.Errorf("there is no GPU %d; this machine has %d", o.Device, all)
	}
	devices := all - o.Device
	cells, side, steps := int64(100e6), int32(512), 200
	if o.Quick {
		cells, side, steps = 2e6, 128, 20
	}
	if o.FluidCells == 0 {
		o.FluidCells = cells
	}
	if o.Side == 0 {
		o.Side = side
	}
	if o.Steps == 0 {
		o.Steps = steps
	}
	if o.Progress == nil {
		o.Progress = func(string, float64) {}
	}
	for _, c := range o.Cases {
		if c != denseCase && c != airwayCase && c != strongCase {
			return fmt.Errorf("there is no case %q: choose some of %s, %s and %s", c, denseCase, airwayCase, strongCase)
		}
	}
	if len(o.Exchanges) == 0 {
		o.Exchanges = []cuda.Exchange{cuda.IPC}
	}
	if len(o.Counts) == 0 {
		for n := 1; n <= devices; n *= 2 {
			o.Counts = append(o.Counts, n)
		}
	}
	for _, n := range o.Counts {
		if n < 1 || n > devices {
			return fmt.Errorf("%s asked for, but from the first one on there are %d: ask for 1 to %d", quantity.Count(n, "GPU"), devices, devices)
		}
	}
	return nil
}

// dense is periodic cubes full of fluid, one on the other.
func dense(side int32, cubes int) *solver.Domain {
	g := &geometry.Grid{Spacing: 1e-4, Size: [3]int32{side, side, side * int32(cubes)}}
	for z := range g.Size[2] {
		for y := range side {
			g.Runs = append(g.Runs, geometry.Run{X1: side, Y: y, Z: z})
		}
	}
	g.Links = geometry.Links{Directions: len(geometry.Directions)}
	d := solver.WholeDomain(g)
	d.Periodic = [3]bool{true, true, true}
	return d
}

// slowFlow is a litre a minute: slow enough for the noise of Scramble to die
// away at the openings.
const slowFlow = 1e-3 / 60

// settings are those of all cases.
func (o *Options) settings() airflow.Settings {
	settings := airflow.DefaultSettings()
	settings.FlowRate, settings.Lattice = slowFlow, o.Lattice
	if o.Collision != "" {
		settings.Collision = o.Collision
	}
	if o.Wall != "" {
		settings.Wall = o.Wall
	}
	return settings
}

// measure times one case.
func measure(domain *solver.Domain, o *Options, v variant, bandwidth float64) (*Row, error) {
	m, err := onGPUs(domain, o, v)
	if err != nil {
		return nil, err
	}
	return m.row(domain.Grid.Cells(), v, bandwidth), nil
}

// row says what a case with so many cells has reached.
func (m *measured) row(cells int64, v variant, bandwidth float64) *Row {
	t, used := m.timing, m.used
	set := lattice.D3Q19
	if used.Lattice == airflow.D3Q27 {
		set = lattice.D3Q27
	}
	const readAndWritten, single = 2, 4
	bytes := float64(readAndWritten * set.Q * single)
	if v.storage == gpu.Half {
		bytes /= 2
	}
	rate := float64(cells) / t.Step
	return &Row{
		Layout: "packed tiles, in place", Precision: string(v.storage), Collision: string(used.Collision), Lattice: set.Name, Wall: string(used.Wall), Devices: v.devices, Exchange: string(v.exchange),
		FluidCells: cells, MLUPS: rate / 1e6, BytesPerUpdate: bytes, Fraction: rate * bytes / (bandwidth * float64(v.devices)),
		BytesPerCell: float64(m.bytes) / float64(cells), TileShare: m.tileShare,
		EvenSeconds: t.Even, OddSeconds: t.Odd, CheckSeconds: t.Check, SetupSeconds: m.setup, Phases: t.Phases,
	}
}
