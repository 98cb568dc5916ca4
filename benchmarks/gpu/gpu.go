package gpu

import (
	"context"
	"fmt"
	"time"

	"carina/geometry"
	"carina/solver"
	"carina/solver/cuda"
)

// Options choose what is measured.
type Options struct {
	// Device is the number of the GPU.
	Device int
	// Surface is read for the sparse case; where it is empty an airway is
	// generated.
	Surface string
	Unit    geometry.Unit
	// FluidCells is the size of the sparse case, Side that of the dense cube;
	// 0 means 10⁸ and 512.
	FluidCells int64
	Side       int32
	// Steps are timed; 0 means 60.
	Steps int
	// Quick measures small cases.
	Quick bool
	// Progress hears what is being done; it may be nil.
	Progress func(stage string, done float64)
}

// Report is what was measured.
type Report struct {
	Device string `json:"device"`
	// BandwidthBytesPerSecond is that of a copy on the device, bytes read and
	// written, in the same run.
	BandwidthBytesPerSecond float64 `json:"bandwidth_bytes_per_s"`
	Results                 []Row   `json:"results"`
}

// Row is one case.
type Row struct {
	Case       string  `json:"case"`
	Layout     string  `json:"layout"`
	Precision  string  `json:"precision"`
	Collision  string  `json:"collision"`
	Devices    int     `json:"devices"`
	FluidCells int64   `json:"fluid_cells"`
	MLUPS      float64 `json:"mlups"`
	// BytesPerUpdate is the least traffic: every population read and written
	// once. Fraction is what that makes of the bandwidth.
	BytesPerUpdate float64 `json:"bytes_per_update"`
	Fraction       float64 `json:"fraction"`
	BytesPerCell   float64 `json:"bytes_per_cell"`
	// TileShare is the part of the cells of the stored tiles that are fluid.
	TileShare float64 `json:"tile_share"`
	// EvenSeconds and OddSeconds are the two kinds of steps, CheckSeconds a
	// look for divergence, SetupSeconds everything before the first step but
	// the voxelization.
	EvenSeconds  float64 `json:"even_seconds"`
	OddSeconds   float64 `json:"odd_seconds"`
	CheckSeconds float64 `json:"check_seconds"`
	SetupSeconds float64 `json:"setup_seconds"`
}

// Measure runs all cases on one GPU.
func Measure(ctx context.Context, o Options) (*Report, error) {
	devices, err := cuda.Devices()
	if err != nil {
		return nil, err
	}
	if o.Device < 0 || o.Device >= len(devices) {
		return nil, fmt.Errorf("there is no GPU %d; this machine has %d", o.Device, len(devices))
	}
	o.setDefaults()
	r := &Report{Device: devices[o.Device].Name, BandwidthBytesPerSecond: devices[o.Device].Bandwidth}
	o.Progress("reading the surface", 0)
	airway, err := sparse(ctx, &o)
	if err != nil {
		return nil, err
	}
	cases := []struct {
		name   string
		domain *solver.Domain
	}{{"dense", dense(o.Side)}, {"airway", solver.WholeDomain(airway)}}
	for i, c := range cases {
		for j, storage := range []cuda.Storage{cuda.Single, cuda.Half} {
			o.Progress(c.name+" "+string(storage), float64(2*i+j)/4)
			row, err := measure(c.domain, &o, storage, r.BandwidthBytesPerSecond)
			if err != nil {
				return nil, fmt.Errorf("%s, %s storage: %w", c.name, storage, err)
			}
			row.Case = c.name
			r.Results = append(r.Results, *row)
			if err := ctx.Err(); err != nil {
				return nil, err
			}
		}
	}
	return r, nil
}

func (o *Options) setDefaults() {
	cells, side, steps := int64(100e6), int32(512), 60
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
}

// dense is a periodic cube full of fluid.
func dense(side int32) *solver.Domain {
	g := &geometry.Grid{Spacing: 1e-4, Size: [3]int32{side, side, side}}
	for z := range side {
		for y := range side {
			g.Runs = append(g.Runs, geometry.Run{X1: side, Y: y, Z: z})
		}
	}
	g.Links = geometry.Links{Directions: 18, First: []int64{0}}
	d := solver.WholeDomain(g)
	d.Periodic = [3]bool{true, true, true}
	return d
}

// measure times one case.
func measure(domain *solver.Domain, o *Options, storage cuda.Storage, bandwidth float64) (*Row, error) {
	settings := solver.DefaultSettings()
	begin := time.Now()
	s, err := cuda.New(domain, settings, cuda.Options{Device: o.Device, Storage: storage})
	if err != nil {
		return nil, err
	}
	defer s.Close()
	setup := time.Since(begin).Seconds()
	if err := s.Scramble(1); err != nil {
		return nil, err
	}
	t, err := s.Measure(o.Steps)
	if err != nil {
		return nil, err
	}
	cells := domain.Grid.Cells()
	const values = 2 * 19 // read and written
	bytes := float64(values * 4)
	if storage == cuda.Half {
		bytes /= 2
	}
	rate := float64(cells) / t.Step
	return &Row{
		Layout: "packed tiles, in place", Precision: string(storage), Collision: string(settings.Collision), Devices: 1,
		FluidCells: cells, MLUPS: rate / 1e6, BytesPerUpdate: bytes, Fraction: rate * bytes / bandwidth,
		BytesPerCell: float64(s.Bytes()) / float64(cells), TileShare: s.TileShare(),
		EvenSeconds: t.Even, OddSeconds: t.Odd, CheckSeconds: t.Check, SetupSeconds: setup,
	}, nil
}
