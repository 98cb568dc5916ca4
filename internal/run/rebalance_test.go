package run

import (
	"context"
	"math"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"carina/balance"
	"carina/geometry"
	"carina/geometry/generate"
	"carina/solver"
	"carina/solver/airflow"
	"carina/solver/processor"
)

// partitioned is a lump of balls for some ranks.
func partitioned(t *testing.T, ranks int) (*balance.Partition, Job) {
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

// Two ranks take as long as their cells are many; one is slowed threefold halfway: after
// two looks the slower takes at most 8 % longer than the ideal for their speeds, and the
// flow is that of a run in which nothing moves. Left alone the step takes three times as
// long.
func TestOneOfTwoRanksIsSlowed(t *testing.T) {
	if testing.Short() {
		t.Skip("some seconds")
	}
	p, job := partitioned(t, 2)
	cells := float64(job.Domain.CellCount())
	perCell := time.Duration(3e6 / cells * 1000) // of a step of 3 ms
	const steps, slowedAt = 900, 400
	run := func(auto bool) (looks []Look, hash string) {
		var slow atomic.Bool
		j := job
		j.Plan = airflow.Plan{Steps: steps, Prepared: func(r *airflow.Rank) {
			first := r.Number() == 0
			if !auto {
				return // the same flow, however long it takes
			}
			r.Engine().Device().(*processor.Device).Disturb(func(cells int) time.Duration {
				if first && slow.Load() {
					return 3 * time.Duration(cells) * perCell / 1000
				}
				return time.Duration(cells) * perCell / 1000
			})
		}}
		hooks := Hooks{Between: []Between{{Do: func(v *View) error {
			if v.Step() >= slowedAt {
				slow.Store(true)
			}
			return nil
		}}}}
		if auto {
			hooks.Rebalance = &Rebalancing{Every: 100, Partition: p, Hear: func(l Look) { looks = append(looks, l) }}
		}
		summary, err := j.Run(context.Background(), hooks)
		if err != nil {
			t.Fatal(err)
		}
		return looks, summary.StateHash
	}
	_, still := run(false)
	// What else the machine does disturbs, too: one of three attempts counts.
	for attempt := 1; ; attempt++ {
		looks, hash := run(true)
		if hash != still {
			t.Fatalf("the state is %s, and %s where nothing moves", hash, still)
		}
		// step is that of the slower rank, over the ideal one.
		step := func(l *Look, factor float64) float64 {
			return math.Max(factor*l.Shares[0], l.Shares[1]) * (1 + 1/factor)
		}
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
		if was := step(&looks[0], 3); was < 1.6 {
			t.Errorf("without moves a step would take %.3f ideal ones", was)
		}
		later := slices.IndexFunc(looks, func(l Look) bool { return l.Step > slowedAt+200 })
		is := step(&looks[later], 3)
		if is <= 1.08 && len(moved) > 0 {
			return
		}
		if attempt == 3 {
			t.Fatalf("two looks later a step takes %.3f ideal ones; cells moved after %v", is, moved)
		}
	}
}
