package run

import (
	"context"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"carina/balance"
	"carina/geometry"
	"carina/geometry/generate"
	"carina/solver"
	"carina/solver/airflow"
	"carina/solver/airflow/gpu"
	"carina/solver/cuda/device"
	"carina/solver/cuda/devicetest"
	"carina/solver/processor"
	"carina/solver/transport"
)

// partitioned is a lump of balls for some ranks.
func partitioned(t testing.TB, ranks int) (*balance.Partition, Job) {
	t.Helper()
	balls := generate.BallsGrid([3]int32{24, 20, 28}, 4, 5)
	halfway := func(_, _, _ int32, _ geometry.Offset) (fraction float64, opening int) { return 0.5, 0 }
	grid := generate.LinkedGrid(balls.Size, balls.Spacing, [3]bool{}, balls.Contains, halfway, nil)
	p, err := balance.Make(context.Background(), grid, balance.Options{Ranks: ranks})
	if err != nil {
		t.Fatal(err)
	}
	domain, err := solver.NewDomain(grid, p)
	if err != nil {
		t.Fatal(err)
	}
	settings := airflow.DefaultSettings()
	settings.BodyForce, settings.Workers = [3]float64{1e-4, 2e-4, 3e-4}, 1
	return p, Job{Domain: domain, Settings: settings}
}

// slowed is a job of two ranks that take as long as their cells are many, 3 ms a step
// for all cells; halfway the first is slowed threefold.
type slowed struct {
	job       Job
	partition *balance.Partition
	cells     float64
}

const slowedSteps, slowedAt = 900, 400

func newSlowed(t testing.TB) *slowed {
	p, job := partitioned(t, 2)
	job.Plan.Steps = slowedSteps
	return &slowed{job: job, partition: p, cells: float64(job.Domain.CellCount())}
}

// takes is how long a step takes a rank.
func (s *slowed) takes(rank int, slow bool, cells float64) time.Duration {
	took := 3e6 * cells / s.cells
	if rank == 0 && slow {
		took *= 3
	}
	return time.Duration(took)
}

// step is that of the slower rank after the slowing, over the ideal one.
func (s *slowed) step(l *Look) float64 { return max(3*l.Shares[0], l.Shares[1]) * (1 + 1/3.) }

// settled is the step two looks after the slowing; cells must have moved until then.
func (s *slowed) settled(t testing.TB, looks []Look) float64 {
	var moved []int64
	for i := range looks {
		l := &looks[i]
		t.Logf("%d: %v; busy %.3g, shares %.3f", l.Step, l.Decision, l.Busy, l.Shares)
		if l.Moves() {
			moved = append(moved, l.Step)
			if l.Took <= 0 {
				t.Error("moving took no time")
			}
		}
	}
	if was := s.step(&looks[0]); was < 1.6 {
		t.Errorf("without moves a step would take %.3f ideal ones", was)
	}
	if len(moved) == 0 {
		t.Error("nothing moved")
	}
	later := slices.IndexFunc(looks, func(l Look) bool { return l.Step > slowedAt+200 })
	return s.step(&looks[later])
}

// After two looks the slower of two ranks takes at most 8 % longer than the ideal for
// their speeds, and the flow is that of a run in which nothing moves. The clock is the
// test's own, a thousand times slower than the machine, so that moves cost nothing.
func TestOneOfTwoRanksIsSlowed(t *testing.T) {
	s := newSlowed(t)
	still, err := s.job.Run(context.Background(), Hooks{})
	if err != nil {
		t.Fatal(err)
	}
	var looks []Look
	b := &Rebalancing{Every: 100, Partition: s.partition,
		Hear: func(l Look) { looks = append(looks, l) },
		measured: func(rank int, step int64, cells float64) time.Duration {
			return 1000 * s.takes(rank, step > slowedAt, cells)
		},
	}
	summary, err := s.job.Run(context.Background(), Hooks{Rebalance: b})
	if err != nil {
		t.Fatal(err)
	}
	if summary.StateHash != still.StateHash {
		t.Errorf("the state is %s, and %s where nothing moves", summary.StateHash, still.StateHash)
	}
	if is := s.settled(t, looks); is > 1.08 {
		t.Errorf("two looks later a step takes %.3f ideal ones", is)
	}
	p := b.Moved()
	if p == nil {
		t.Fatal("nobody tells who owns the cells now")
	}
	if err := p.Write(io.Discard); err != nil {
		t.Error(err)
	}
	for rank, is := range summary.Ranks {
		if q := &p.Quality.Ranks[rank]; q.Fluid != is.FluidCells {
			t.Errorf("rank %d owns %d cells, said to be %d", rank, is.FluidCells, q.Fluid)
		}
	}
	q, err := b.Calibrated()
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(q.Owners, p.Owners) {
		t.Error("the calibrated partition has other owners")
	}
	for rank, busy := range looks[len(looks)-1].Busy {
		if work := q.Quality.Ranks[rank].Work; math.Abs(work/busy-1) > 0.03 {
			t.Errorf("rank %d computes %g s of a step, %g by the calibrated partition", rank, busy, work)
		}
	}
	if heaviest := p.Quality.WorkMaxOverMean; heaviest > 1.08 {
		t.Errorf("the heavier rank is said to have %.3f of its share", heaviest)
	}
}

// No cell is cut, and none moves, where ranks take as long as the partition says, although
// their times scatter.
func TestBalancedRanksAreWatched(t *testing.T) {
	p, job := partitioned(t, 3)
	job.Plan.Steps = 2400
	random := make([]*rand.Rand, 3)
	for r := range random {
		random[r] = rand.New(rand.NewPCG(uint64(r), 9))
	}
	looks := 0
	b := &Rebalancing{Partition: p,
		Hear: func(l Look) {
			if looks++; l.Moves() {
				t.Errorf("step %d: %v", l.Step, l.Decision)
			}
		},
		measured: func(rank int, _ int64, _ float64) time.Duration {
			return time.Duration(1e6 * p.Quality.Ranks[rank].Work / p.Quality.Ranks[0].Work * math.Exp(0.3*random[rank].NormFloat64()))
		},
	}
	if _, err := job.Run(context.Background(), Hooks{Rebalance: b}); err != nil {
		t.Fatal(err)
	}
	if b.Moved() != nil {
		t.Error("cells are said to have moved")
	}
	if looks == 0 || b.rebalancer != nil {
		t.Errorf("%d looks; cells were cut: %t", looks, b.rebalancer != nil)
	}
}

// emulated lets a job compute on emulated GPUs, and the ranks of others on processors.
func emulated(t *testing.T, job *Job, devices ...Device) {
	devicetest.Open(t, 1) // or the test is skipped
	job.Devices = devices
	job.GPUs = func(o gpu.Options) airflow.Backend {
		return gpu.BackendOn(func(tr transport.Transport) (device.Device, error) { return devicetest.Fresh(t, tr.Rank()) }, o)
	}
}

// Cells of ranks on GPUs change owner as those of processors do. The flow is that of which
// no cell moves: to the last bit where all compute alike, where the computers of cells
// differ to their rounding.
func TestCellsMoveBetweenGPUs(t *testing.T) {
	for _, c := range []struct {
		name      string
		devices   []Device
		wall      airflow.Wall
		tolerance float64
	}{
		{"GPUs", []Device{GPU, GPU}, airflow.Interpolated, 0},
		{"quadratic walls", []Device{GPU, GPU}, airflow.Quadratic, 0},
		{"GPUs and a processor", []Device{GPU, CPU}, airflow.Interpolated, 1e-5},
	} {
		t.Run(c.name, func(t *testing.T) {
			devicetest.BesideOthers(t)
			if testing.Short() && c.wall == airflow.Quadratic {
				t.Skip("compiling the kernels for the processor takes a while")
			}
			p, job := partitioned(t, len(c.devices))
			emulated(t, &job, c.devices...)
			job.Settings.Collision, job.Settings.Wall, job.Plan.Steps = airflow.TRT, c.wall, 250
			run := func(b *Rebalancing) (hash string, all *airflow.Fields) {
				summary, err := job.Run(context.Background(), Hooks{Rebalance: b, Visit: func(v *View) error {
					own, err := v.Fields()
					if err != nil {
						return err
					}
					gathered, err := v.Gather(own)
					if gathered != nil {
						all = gathered
					}
					return err
				}})
				if err != nil {
					t.Fatal(err)
				}
				return summary.StateHash, all
			}
			want, fields := run(nil)
			moves := 0
			got, others := run(&Rebalancing{Every: 50, Partition: p, patient: true,
				Hear: func(l Look) {
					if l.Moves() {
						moves++
					}
				},
				measured: func(rank int, step int64, cells float64) time.Duration {
					return time.Duration(1e6 * cells * float64(1+2*((int64(rank)+step/120)%2)))
				},
			})
			if moves == 0 {
				t.Error("no cell moved")
			}
			if c.tolerance == 0 && got != want {
				t.Errorf("the state is %s, and %s where nothing moves", got, want)
			}
			largest, differ := 0.0, 0.0
			for axis := range 3 {
				for i, v := range fields.Velocity[axis] {
					largest = max(largest, math.Abs(float64(v)))
					differ = max(differ, math.Abs(float64(v-others.Velocity[axis][i])))
				}
			}
			if largest == 0 || differ > c.tolerance*largest {
				t.Errorf("velocities up to %g differ by %g from those where nothing moves", largest, differ)
			}
		})
	}
}

// neverPrepared prepares no kernel until the test is over.
type neverPrepared struct {
	device.Device
	over chan struct{}
}

func (d neverPrepared) Prepare(device.Source) error {
	<-d.over
	return nil
}

// A move that is still being prepared when the run ends is told, and moves nothing.
func TestRunsEndWhileMovesArePrepared(t *testing.T) {
	p, job := partitioned(t, 2)
	emulated(t, &job, GPU, GPU)
	over := make(chan struct{})
	defer close(over)
	job.GPUs = func(o gpu.Options) airflow.Backend {
		return gpu.BackendOn(func(tr transport.Transport) (device.Device, error) {
			d, err := devicetest.Fresh(t, tr.Rank())
			return neverPrepared{d, over}, err
		}, o)
	}
	job.Settings.Collision, job.Plan.Steps = airflow.TRT, 400
	var looks []Look
	b := &Rebalancing{Every: 50, Partition: p, Hear: func(l Look) { looks = append(looks, l) },
		measured: func(rank int, step int64, cells float64) time.Duration {
			return time.Duration(1e6 * cells * float64(1+2*rank))
		},
	}
	if _, err := job.Run(context.Background(), Hooks{Rebalance: b}); err != nil {
		t.Fatal(err)
	}
	if len(looks) == 0 || b.Moved() != nil {
		t.Fatalf("%d looks, partition of what has moved: %v", len(looks), b.Moved())
	}
	if l := looks[len(looks)-1]; l.Moves() || l.Moved != 0 || !strings.Contains(l.Why, "being prepared") {
		t.Errorf("the last look: %v", l.Decision)
	}
}

// What a step takes is what ranks have computed without the time of exchanges.
func TestLooksMeasureWhatIsComputed(t *testing.T) {
	p, job := partitioned(t, 2)
	job.Plan.Steps = 400
	looks := 0
	if _, err := job.Run(context.Background(), Hooks{Rebalance: &Rebalancing{Every: 100, Partition: p, Hear: func(l Look) {
		looks++
		for rank, busy := range l.Busy {
			if busy <= 0 {
				t.Errorf("step %d: rank %d computes %g s of a step", l.Step, rank, busy)
			}
		}
		if l.Busy[0] > l.Seconds {
			t.Errorf("step %d: rank 0 computes %g s of a step's %g", l.Step, l.Busy[0], l.Seconds)
		}
	}}}); err != nil {
		t.Fatal(err)
	}
	if looks < 2 {
		t.Errorf("%d looks", looks)
	}
}

// BenchmarkOneOfTwoRanksIsSlowed is the test by the machine's clock, on devices that
// sleep: two looks after the slowing, a step over the ideal one.
func BenchmarkOneOfTwoRanksIsSlowed(b *testing.B) {
	s := newSlowed(b)
	for range b.N {
		var slow atomic.Bool
		job := s.job
		job.Plan.Prepared = func(r *airflow.Rank) {
			rank := r.Number()
			r.Engine().Device().(*processor.Device).Disturb(func(cells int) time.Duration {
				return s.takes(rank, slow.Load(), float64(cells))
			})
		}
		var looks []Look
		hooks := Hooks{
			Between:   []Between{{Do: func(v *View) error { slow.Store(v.Step() >= slowedAt); return nil }}},
			Rebalance: &Rebalancing{Every: 100, Partition: s.partition, Hear: func(l Look) { looks = append(looks, l) }},
		}
		if _, err := job.Run(context.Background(), hooks); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(s.settled(b, looks), "ideal-steps")
	}
}
