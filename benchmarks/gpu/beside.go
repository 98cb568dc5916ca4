package gpu

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"time"

	"carina/balance"
	"carina/internal/quantity"
	"carina/solver"
	"carina/solver/airflow"
	"carina/solver/airflow/gpu"
	"carina/solver/cuda/device"
	"carina/solver/transport"
)

// BesideReport is what a GPU and the cores beside it have reached together.
type BesideReport struct {
	Device string      `json:"device"`
	Cores  int         `json:"cores"`
	Rows   []BesideRow `json:"results"`
}

// BesideRow is one case. Rates are in MLUPS.
type BesideRow struct {
	Case       string `json:"case"`
	Precision  string `json:"precision"`
	FluidCells int64  `json:"fluid_cells"`
	// Held is which part of the cells the GPU's memory may hold.
	Held float64 `json:"held"`
	// GPU and Cores are the rates alone, each of all cells. Bound is what both could reach
	// together with what the memory holds.
	GPU   float64 `json:"gpu_mlups"`
	Cores float64 `json:"cores_mlups"`
	Bound float64 `json:"bound_mlups"`
	// CoreCells is how many cells the cores have, and MLUPS what both reach then.
	CoreCells int64   `json:"core_cells"`
	MLUPS     float64 `json:"mlups"`
	// InHost is what the GPU reaches without cores, with what its memory may not hold in the
	// host's, and HostBound what the bandwidth of that allows; 0 where it holds all.
	InHost    float64 `json:"in_host_mlups,omitempty"`
	HostBound float64 `json:"in_host_bound_mlups,omitempty"`
	// Why says why cores have no cells, and Anyway is what both reach if the cells are
	// shared by their rates nevertheless.
	Why    string  `json:"why,omitempty"`
	Anyway float64 `json:"anyway_mlups,omitempty"`
}

// heldParts are which parts of the cells the GPU's memory may hold.
var heldParts = []float64{1, 0.5, 0.25}

// MeasureBeside measures a GPU and the cores beside it: a cube and an airway, single and
// double precision, that fit on the GPU or of which it may hold a half and a quarter. The
// others are on cores, or in the host's memory.
func MeasureBeside(ctx context.Context, o Options) (*BesideReport, error) {
	name, err := o.completeBeside()
	if err != nil {
		return nil, err
	}
	r := &BesideReport{Device: name, Cores: runtime.GOMAXPROCS(0)}
	for i, c := range o.cases() {
		o.Progress("making the "+c.name, float64(i)/2)
		domain, err := c.domain(ctx)
		if err != nil {
			return nil, err
		}
		for k, precision := range []airflow.Precision{airflow.Single, airflow.Double} {
			o.Progress(fmt.Sprintf("%s, %s", c.name, precision), (float64(i)+float64(k)/2)/2)
			rows, err := o.besideRows(ctx, domain, precision)
			if err != nil {
				return nil, fmt.Errorf("%s, %s precision: %w", c.name, precision, err)
			}
			for _, row := range rows {
				row.Case = c.name
				r.Rows = append(r.Rows, row)
			}
		}
	}
	return r, nil
}

// completeBeside fills in what is not chosen, and names the GPU.
func (o *Options) completeBeside() (name string, err error) {
	o.Counts = []int{1}
	if o.FluidCells == 0 {
		o.FluidCells = 20e6
	}
	if o.Side == 0 {
		o.Side = 288
	}
	if o.Quick {
		o.FluidCells, o.Side = 2e6, 128
	}
	if len(o.Cases) == 0 {
		o.Cases = []string{denseCase, airwayCase}
	}
	return o.named()
}

// named names the first GPU, when all is filled in.
func (o *Options) named() (string, error) {
	list := slices.Repeat([]device.Description{{Name: "a test's"}}, 2)
	if o.gpus == nil {
		var err error
		if list, err = device.Devices(); err != nil {
			return "", err
		}
	}
	if err := o.setDefaults(len(list)); err != nil {
		return "", err
	}
	return list[o.Device].Name, nil
}

// besideRows are those of a domain and a precision.
func (o *Options) besideRows(ctx context.Context, whole *solver.Domain, precision airflow.Precision) (rows []BesideRow, err error) {
	s := o.settings()
	s.Precision = precision
	cells := whole.Grid.Cells()
	workers := []balance.Worker{{Name: "the GPU"}, {Name: quantity.Count(runtime.GOMAXPROCS(0), "core"), Helps: true}}
	for i := range workers {
		alone := []int64{0, 0}
		alone[i] = cells
		if workers[i].Rate, err = o.together(ctx, whole, s, alone); err != nil {
			return nil, err
		}
	}
	for _, held := range heldParts {
		row := BesideRow{Precision: string(precision), FluidCells: cells, Held: held, GPU: workers[0].Rate / 1e6, Cores: workers[1].Rate / 1e6}
		limited := slices.Clone(workers)
		if held < 1 {
			limited[0].Cells = int64(held * float64(cells))
		}
		each, why, err := balance.Share(limited, cells)
		if err != nil {
			return nil, err
		}
		row.CoreCells, row.Why, row.MLUPS, row.Bound = each[1], why, row.GPU, row.GPU+row.Cores
		if held < 1 {
			row.Bound = float64(cells) / 1e6 / max(float64(each[0])/workers[0].Rate, float64(each[1])/workers[1].Rate)
		}
		var rate float64
		if each[1] > 0 {
			rate, err = o.together(ctx, whole, s, each)
			row.MLUPS = rate / 1e6
		} else {
			share := int64(float64(cells) * workers[1].Rate / (workers[0].Rate + workers[1].Rate))
			rate, err = o.together(ctx, whole, s, []int64{cells - share, share})
			row.Anyway = rate / 1e6
		}
		if err == nil && held < 1 {
			err = o.inHost(ctx, whole, s, &row)
		}
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// inHost measures the GPU with cells in the host's memory.
func (o *Options) inHost(ctx context.Context, whole *solver.Domain, s airflow.Settings, row *BesideRow) error {
	needs, err := gpu.MemoryEstimate(whole.Grid, s, gpu.Single)
	if err != nil {
		return err
	}
	rate, err := o.stepped(ctx, whole, s, []airflow.Backend{o.gpu(int64(row.Held * float64(needs)))}, true)
	if err != nil {
		return err
	}
	bandwidth := 1e11 // of a test's
	if o.gpus == nil {
		if bandwidth, err = device.HostBandwidth(o.Device); err != nil {
			return err
		}
	}
	cells, beyond := float64(row.FluidCells), (1-row.Held)*float64(needs)
	row.InHost, row.HostBound = rate/1e6, cells/1e6/(row.Held*cells/(1e6*row.GPU)+2*beyond/bandwidth)
	return nil
}

// together measures how many cells a second a GPU and the cores, which have so many cells,
// update together; one of them may have none.
func (o *Options) together(ctx context.Context, whole *solver.Domain, s airflow.Settings, each []int64) (rate float64, err error) {
	cores := runtime.GOMAXPROCS(0)
	backends := []airflow.Backend{o.gpu(0), airflow.Processors(max(1, cores-1))} // one core waits for the GPU
	domain := whole
	switch {
	case each[0] == 0:
		backends = []airflow.Backend{airflow.Processors(cores)}
	case each[1] == 0:
		backends = backends[:1]
	default:
		if domain, err = shared(ctx, whole, each); err != nil {
			return 0, err
		}
	}
	return o.stepped(ctx, domain, s, backends, each[0] > 0)
}

// shared divides a domain as a run does that ranks of such shares compute.
func shared(ctx context.Context, whole *solver.Domain, each []int64) (*solver.Domain, error) {
	o := balance.Options{Ranks: len(each)}
	for _, cells := range each {
		o.Speeds = append(o.Speeds, float64(cells))
	}
	partition, err := balance.Make(ctx, whole.Grid, o)
	if err != nil {
		return nil, err
	}
	domain, err := solver.NewDomain(whole.Grid, partition)
	if err != nil {
		return nil, err
	}
	domain.Periodic = whole.Periodic
	return domain, nil
}

// stepped measures how many cells a second ranks update, one on each backend, of which the
// first may be a GPU.
func (o *Options) stepped(ctx context.Context, domain *solver.Domain, s airflow.Settings, backends []airflow.Backend, onGPU bool) (float64, error) {
	var seconds float64
	err := transport.InProcess(len(backends), func(t transport.Transport) error {
		r, err := airflow.NewRankOn(backends[t.Rank()], domain, s, t)
		if err != nil {
			return err
		}
		defer r.Close()
		if onGPU && t.Rank() == 0 {
			if err := gpu.Scramble(r, 1); err != nil {
				return err
			}
		}
		took, err := stepSeconds(ctx, r, o.enough())
		if t.Rank() == 0 {
			seconds = took
		}
		return err
	})
	return float64(domain.Grid.Cells()) / seconds, err
}

// enough is how long steps are timed.
func (o *Options) enough() time.Duration {
	if o.gpus != nil {
		return 0
	}
	return 400 * time.Millisecond
}

// gpu is the backend of the GPU, which may take so much of its memory, all if 0, and of the
// host's for what that does not hold.
func (o *Options) gpu(memory int64) airflow.Backend {
	backend := gpu.Backend
	if o.gpus != nil {
		backend = o.gpus
	}
	return backend(gpu.Options{Devices: []int{o.Device}, Memory: memory, HostMemory: memory > 0})
}

// stepSeconds times steps of all ranks together: more and more until they take long enough,
// then the median of three times as many.
func stepSeconds(ctx context.Context, r *airflow.Rank, enough time.Duration) (float64, error) {
	steps := 2
	for {
		took, err := timed(ctx, r, steps)
		if err != nil {
			return 0, err
		}
		if took >= enough {
			break
		}
		steps *= 2
	}
	var all []float64
	for range 3 {
		took, err := timed(ctx, r, steps)
		if err != nil {
			return 0, err
		}
		all = append(all, took.Seconds()/float64(steps))
	}
	return median(all), nil
}

func median(list []float64) float64 {
	slices.Sort(list)
	return list[len(list)/2]
}

// timed is how long the slowest rank takes for so many steps, from when all begin.
func timed(ctx context.Context, r *airflow.Rank, steps int) (time.Duration, error) {
	e := r.Engine()
	t, took := e.Transport(), []int64{0}
	if err := e.Device().Wait(); err != nil {
		return 0, err
	}
	if err := transport.Agree(t, ctx.Err()); err != nil {
		return 0, err
	}
	begin := time.Now()
	for range steps {
		if err := e.Step(); err != nil {
			return 0, err
		}
	}
	if err := e.Device().Wait(); err != nil {
		return 0, err
	}
	took[0] = int64(time.Since(begin))
	err := t.Reduce(transport.Max, took)
	return time.Duration(took[0]), err
}
