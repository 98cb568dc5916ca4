package gpu

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"carina/balance"
	"carina/internal/run"
	"carina/solver"
	"carina/solver/airflow"
	"carina/solver/cuda/device"
)

// DisturbedReport is how two GPUs have shared an airway, of which one is slowed meanwhile.
type DisturbedReport struct {
	Device     string `json:"device"`
	FluidCells int64  `json:"fluid_cells"`
	// From is the step from which the second one competes with copies on the device.
	From  int64           `json:"disturbed_from"`
	Looks []DisturbedLook `json:"looks"`
}

// DisturbedLook is a look at the balance: what was measured since the one before, and what
// was decided.
type DisturbedLook struct {
	Step    int64      `json:"step"`
	Seconds float64    `json:"seconds"` // of a step
	Busy    [2]float64 `json:"busy"`
	Shares  [2]float64 `json:"shares"`
	// Ideal is a step's time if the cells were shared by the speeds that were measured.
	Ideal float64 `json:"ideal_seconds"`
	// Moved is how many cells change owner now, Took how long that took.
	Moved int64   `json:"moved"`
	Took  float64 `json:"moving_seconds"`
	Why   string  `json:"why"`
}

// Looks before and after the disturbance begins.
const looksBefore, looksAfter = 4, 12

// MeasureDisturbed lets two GPUs compute an airway and slows the second with copies.
func MeasureDisturbed(ctx context.Context, o Options) (*DisturbedReport, error) {
	name, err := o.completeDisturbed()
	if err != nil {
		return nil, err
	}
	o.Progress("making the airway", 0)
	grid, err := sparse(ctx, &o, o.FluidCells)
	if err != nil {
		return nil, err
	}
	cost := balance.GPUCost()
	partition, err := balance.Make(ctx, grid, balance.Options{Ranks: 2, Cost: &cost, Preset: "fast"})
	if err != nil {
		return nil, err
	}
	domain, err := solver.NewDomain(grid, partition)
	if err != nil {
		return nil, err
	}
	every := int64(o.Steps)
	r := &DisturbedReport{Device: name, FluidCells: grid.Cells(), From: looksBefore * every}
	job := run.Job{Domain: domain, Settings: o.settings(), Devices: []run.Device{run.GPU, run.GPU}, Plan: airflow.Plan{Steps: (looksBefore + looksAfter) * every, Once: true}}
	compete := device.Compete
	if o.gpus != nil {
		job.GPUs, compete = o.gpus, func(int) (func() error, error) { return func() error { return nil }, nil }
	}
	stop := func() error { return nil }
	var once sync.Once
	_, err = job.Run(ctx, run.Hooks{
		Between: []run.Between{{Do: func(v *run.View) (err error) {
			if v.Rank() == 0 && v.Step() >= r.From {
				once.Do(func() { stop, err = compete(1) })
			}
			return err
		}}},
		Rebalance: &run.Rebalancing{Every: every, Partition: partition, Hear: func(l run.Look) {
			look := disturbedLook(&l)
			o.Progress(fmt.Sprintf("look at step %d: %.3g ms a step, %.3g by the speeds, the second has %.3g %%", l.Step, 1e3*look.Seconds, 1e3*look.Ideal, 100*look.Shares[1]), float64(l.Step)/float64(job.Plan.Steps))
			r.Looks = append(r.Looks, look)
		}},
	})
	if failed := stop(); err == nil {
		err = failed
	}
	return r, err
}

// disturbedLook is what a look says.
func disturbedLook(l *run.Look) DisturbedLook {
	rate := 0.0
	for rank, busy := range l.Busy {
		rate += l.Shares[rank] / busy
	}
	d := DisturbedLook{Step: l.Step, Seconds: l.Seconds, Busy: [2]float64(l.Busy), Shares: [2]float64(l.Shares), Ideal: 1 / rate, Took: l.Took, Why: l.Why}
	if l.Moves() {
		d.Moved = l.Moved
	}
	return d
}

// completeDisturbed fills in what is not chosen, and names the GPUs.
func (o *Options) completeDisturbed() (string, error) {
	o.Counts = []int{2}
	if o.FluidCells == 0 {
		o.FluidCells = 40e6
	}
	if o.Steps == 0 { // automatic looks are further apart once a move was measured
		o.Steps = 4000
	}
	if o.Quick {
		o.FluidCells = 5e6
	}
	return o.named()
}

// Settled is a step's time over the ideal one two looks after the disturbance has begun,
// and worst what it was before cells moved; NaN where no look tells.
func (r *DisturbedReport) Settled() (worst, settled float64) {
	worst, settled = math.NaN(), math.NaN()
	first := slices.IndexFunc(r.Looks, func(l DisturbedLook) bool { return l.Step > r.From })
	if first < 0 {
		return worst, settled
	}
	over := func(l *DisturbedLook) float64 { return l.Seconds / l.Ideal }
	worst = over(&r.Looks[first])
	if first+2 < len(r.Looks) {
		settled = over(&r.Looks[first+2])
	}
	return worst, settled
}
