package balance_test

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"carina/balance"
	"carina/cuboid"
	"carina/geometry"
	"carina/geometry/generate"
	"carina/internal/race"
	"pgregory.net/rapid"
)

// simulated is a job whose ranks take as long as a cost model and their speeds say.
type simulated struct {
	*balance.Rebalancer
	counts []cuboid.Counts
	cost   balance.Cost
	speeds []float64
	noise  float64
	random *rand.Rand
}

func simulate(t testing.TB, g *geometry.Grid, p *balance.Partition, truth balance.Cost) *simulated {
	t.Helper()
	r, err := balance.NewRebalancer(context.Background(), p, g, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	s := &simulated{Rebalancer: r, cost: truth, counts: cuboid.Count(g, r.Cuboids(), r.Segments()), random: rand.New(rand.NewPCG(1, 2))}
	for range p.Ranks {
		s.speeds = append(s.speeds, 1)
	}
	return s
}

// busy is the time of a step of every rank, and that of an ideal one.
func (s *simulated) busy() (busy []float64, ideal float64) {
	busy = make([]float64, len(s.speeds))
	var work, speed float64
	for v, r := range s.Owners() {
		seconds := s.cost.Seconds(s.counts[v])
		busy[r] += seconds / s.speeds[r]
		work += seconds
	}
	for _, v := range s.speeds {
		speed += v
	}
	return busy, work / speed
}

// look is one after so many steps.
func (s *simulated) look(steps int64) *balance.Decision {
	busy, _ := s.busy()
	spread := make([]float64, len(busy))
	for r := range busy {
		busy[r] *= 1 + s.noise*s.random.NormFloat64()
		spread[r] = max(s.noise, 1e-3)
	}
	return s.Look(context.Background(), balance.Measured{Busy: busy, Spread: spread, Steps: steps})
}

// above is how far the slowest rank is above the ideal.
func (s *simulated) above() float64 {
	busy, ideal := s.busy()
	return slices.Max(busy)/ideal - 1
}

func made(t testing.TB, g *geometry.Grid, ranks int, cost balance.Cost) *balance.Partition {
	t.Helper()
	p, err := balance.Make(context.Background(), g, balance.Options{Ranks: ranks, Cost: &cost, Preset: "fast"})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestRebalanceNothingWithoutDisturbance looks ten times at ranks as fast as the
// partition was made for, whose times scatter by a percent.
func TestRebalanceNothingWithoutDisturbance(t *testing.T) {
	race.SkipArithmetic(t)
	g := generate.TreeGrid(120, 4)
	cost := balance.DefaultCost(balance.Sparse)
	for _, ranks := range []int{2, 7, 32} {
		s := simulate(t, g, made(t, g, ranks, cost), cost)
		s.noise = 0.01
		for look := range 10 {
			if d := s.look(1000); d.Moves() {
				t.Errorf("%d ranks: look %d: %v", ranks, look, d)
			}
		}
	}
}

// unsteady makes the times of ranks scatter around what they are: each part of a look by
// so much, and parts that follow each other alike.
type unsteady struct {
	*simulated
	scatter float64
	was     []float64
}

// look is one of eight parts.
func (u *unsteady) look(steps int64) *balance.Decision {
	const parts, alike = 8, 0.3
	busy, _ := u.busy()
	spread := make([]float64, len(busy))
	for r, is := range busy {
		times := make([]balance.Part, parts)
		for i := range times {
			u.was[r] = alike*u.was[r] + math.Sqrt(1-alike*alike)*u.random.NormFloat64()
			times[i] = balance.Part{Seconds: is * math.Exp(u.scatter*u.was[r]), Steps: steps / parts}
		}
		busy[r], spread[r] = balance.Mean(times)
	}
	return u.Look(context.Background(), balance.Measured{Busy: busy, Spread: spread, Steps: steps})
}

// On machines whose speed scatters nothing moves in ten looks, and a rank that is slowed
// threefold is answered within two, but where times scatter by 30 % within a few more in
// at most one of four cases.
func TestRebalanceUnsteadyMachine(t *testing.T) {
	race.SkipArithmetic(t)
	g := generate.TreeGrid(80, 4)
	cost := balance.DefaultCost(balance.Sparse)
	const seeds, mostLate = 8, 6
	lateOfAll := 0
	for _, ranks := range []int{2, 7, 32} {
		p := made(t, g, ranks, cost)
		for _, scatter := range []float64{0.05, 0.1, 0.3} {
			late := 0
			for seed := range uint64(seeds) {
				u := &unsteady{simulate(t, g, p, cost), scatter, make([]float64, ranks)}
				u.random = rand.New(rand.NewPCG(seed, 3))
				for range 10 {
					if d := u.look(400); d.Moves() {
						t.Errorf("%d ranks, scatter %g, seed %d: %v", ranks, scatter, seed, d)
					}
				}
				u.speeds[0] = 1 / 3.
				was := u.above()
				looks := 0
				for ; looks < 6 && u.above() > was/2; looks++ {
					u.look(400)
				}
				if looks > 2 {
					late++
				}
				if u.above() > was/2 {
					t.Errorf("%d ranks, scatter %g, seed %d: a slowed rank is not answered", ranks, scatter, seed)
				}
			}
			t.Logf("%d ranks whose times scatter by %g: %d of %d slowed ranks are answered late", ranks, scatter, late, seeds)
			if lateOfAll += late; late > 0 && scatter < 0.2 {
				t.Errorf("%d ranks whose times scatter by %g: %d of %d slowed ranks are answered late", ranks, scatter, late, seeds)
			}
		}
	}
	if lateOfAll > mostLate {
		t.Errorf("%d slowed ranks of %d are answered late", lateOfAll, 3*seeds)
	}
}

// TestRebalanceSlowRank slows one of the ranks threefold: after two looks the
// slowest is near the ideal, and everything comes back when it recovers.
func TestRebalanceSlowRank(t *testing.T) {
	race.SkipArithmetic(t)
	g := generate.TreeGrid(120, 4)
	cost := balance.DefaultCost(balance.Sparse)
	for _, ranks := range []int{2, 3, 12} {
		s := simulate(t, g, made(t, g, ranks, cost), cost)
		for _, factor := range []float64{3, 1} {
			s.speeds[0] = 1 / factor
			before := s.above()
			for range 2 {
				s.look(500)
			}
			// A single rank that is too fast for its share is worth less.
			if after := s.above(); after > 0.04 && factor > 1 || after > before {
				t.Errorf("%d ranks, the first slower by %g: %.1f %% above the ideal, %.1f %% before", ranks, factor, 100*after, 100*before)
			}
		}
	}
}

// A rank never gets more cells than its memory holds, neither from its neighbours nor from a
// partition made anew, and others get them.
func TestRebalanceWithinMemory(t *testing.T) {
	race.SkipArithmetic(t)
	g := generate.TreeGrid(120, 4)
	cost := balance.DefaultCost(balance.Sparse)
	const ranks = 5
	s := simulate(t, g, made(t, g, ranks, cost), cost)
	held := func() []int64 {
		cells := make([]int64, ranks)
		for v, r := range s.Owners() {
			cells[r] += s.counts[v].Fluid
		}
		return cells
	}
	most := make([]int64, ranks)
	for r, n := range held()[:3] {
		most[r] = n + n/50
	}
	s.Limit(most)
	s.speeds[4] = 1. / 3
	moved := false
	for range 6 {
		d := s.look(500)
		moved = moved || d.Moves()
		for r, n := range held() {
			if most[r] > 0 && n > most[r] {
				t.Fatalf("rank %d has %d cells of at most %d: %v", r, n, most[r], d)
			}
		}
		owners, err := s.Distant(500)(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		s.Found(owners)
	}
	busy, _ := s.busy()
	if !moved || slices.Max(busy) > 1.05*(busy[3]+busy[4])/2 {
		t.Errorf("steps take the ranks %v s", busy)
	}
}

// TestRebalanceWrongCosts begins with partitions by cost models that are wrong by
// a factor of two for walls or openings: two looks later a step takes at most 5 %
// longer than with the right model.
func TestRebalanceWrongCosts(t *testing.T) {
	race.SkipArithmetic(t)
	g := generate.TreeGrid(120, 4)
	right := balance.DefaultCost(balance.Sparse)
	for _, ranks := range []int{2, 5, 32} {
		known := simulate(t, g, made(t, g, ranks, right), right)
		for range 2 {
			known.look(1000)
		}
		busy, _ := known.busy()
		best := slices.Max(busy)
		for name, change := range map[string]func(c *balance.Cost){
			"walls too dear":     func(c *balance.Cost) { c.Boundary *= 2 },
			"walls too cheap":    func(c *balance.Cost) { c.Boundary /= 2 },
			"openings too dear":  func(c *balance.Cost) { c.Opening *= 2 },
			"openings too cheap": func(c *balance.Cost) { c.Opening /= 2 },
		} {
			wrong := right
			change(&wrong)
			s := simulate(t, g, made(t, g, ranks, wrong), right)
			for range 2 {
				s.look(1000)
			}
			busy, _ := s.busy()
			t.Logf("%d ranks, %s: %.3f", ranks, name, slices.Max(busy)/best)
			if is := slices.Max(busy) / best; is > 1.05 {
				t.Errorf("%d ranks, %s: a step takes %.3f times that with the right model", ranks, name, is)
			}
		}
	}
}

// TestRebalanceKeepsPromises draws grids, ranks and speeds: decisions name owners of
// all cuboids, leave no rank without one, respect memories, predict what comes, and
// are the same for the same measurements.
func TestRebalanceKeepsPromises(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := generate.BallsGrid([3]int32{16, 12, 18}, 3, rapid.Uint64Range(1, 1000).Draw(t, "seed"))
		ranks := rapid.IntRange(1, 9).Draw(t, "ranks")
		cost := balance.DefaultCost(balance.Sparse)
		p, err := balance.Make(context.Background(), g, balance.Options{Ranks: ranks, Preset: "fast", DevicesPerHost: rapid.IntRange(0, 3).Draw(t, "host")})
		if err != nil {
			t.Skip(err)
		}
		most := g.Cells()*5/int64(4*ranks) + 600
		devices, kinds := []balance.Device{{Cost: cost}, {Cost: balance.GPUCost(), Cells: most}}, make([]int, ranks)
		for r := range kinds {
			kinds[r] = rapid.IntRange(0, 1).Draw(t, "kind")
		}
		var again [2]*balance.Rebalancer
		for i := range again {
			if again[i], err = balance.NewRebalancer(context.Background(), p, g, devices, kinds); err != nil {
				t.Fatal(err)
			}
		}
		cuboids := again[0].Cuboids()
		counts := cuboid.Count(g, cuboids, again[0].Segments())
		for range rapid.IntRange(1, 4).Draw(t, "looks") {
			busy, held := make([]float64, ranks), make([]int64, ranks)
			for r := range busy {
				busy[r] = rapid.Float64Range(0, 1e-3).Draw(t, "busy")
			}
			before := again[0].Owners()
			m := balance.Measured{Busy: busy, Steps: 100}
			d := again[0].Look(context.Background(), m)
			if other := again[1].Look(context.Background(), m); fmt.Sprint(d) != fmt.Sprint(other) || !slices.Equal(d.Owners, other.Owners) {
				t.Fatalf("%v\n%v", d, other)
			}
			if !d.Moves() {
				continue
			}
			var moved int64
			for v, r := range d.Owners {
				held[r] += counts[v].Fluid
				if before[v] != r {
					moved += counts[v].Fluid
				}
			}
			if moved != d.Moved || !(d.After < d.Before) || d.After < d.Ideal*0.9 || len(d.Owners) != len(cuboids) {
				t.Fatalf("%d cells change owner: %v", moved, d)
			}
			for r, n := range held {
				if n == 0 || kinds[r] == 1 && n > max(most, p.Quality.Ranks[r].Fluid) {
					t.Fatalf("rank %d has %d cells of at most %d", r, n, most)
				}
			}
			if math.IsNaN(d.Gain) || d.Gain <= d.Cost {
				t.Fatal(d)
			}
		}
	})
}

// The partition of a rebalancer is a sound one of the same cells, each counted once, and
// shares are judged by the speeds that it is given.
func TestRebalancerPartition(t *testing.T) {
	race.SkipArithmetic(t)
	g := generate.TreeGrid(120, 4)
	p := made(t, g, 3, balance.DefaultCost(balance.Sparse))
	r, err := balance.NewRebalancer(context.Background(), p, g, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	q := r.Partition(r.Owners(), nil)
	for rank, is := range q.Quality.Ranks {
		if was := p.Quality.Ranks[rank]; is.Fluid != was.Fluid || is.Boundary != was.Boundary {
			t.Errorf("rank %d has %d cells, %d at walls, had %d, %d", rank, is.Fluid, is.Boundary, was.Fluid, was.Boundary)
		}
	}
	var file bytes.Buffer
	if err := q.Write(&file); err != nil {
		t.Fatal(err)
	}
	if again, err := balance.Read(&file); err != nil || !slices.Equal(again.Owners, q.Owners) || !slices.Equal(again.Cuboids, q.Cuboids) {
		t.Errorf("it is read as another: %v", err)
	}
	if slow := r.Partition(r.Owners(), []float64{1, 1, 0.5}).Quality; slow.Ranks[2].Work != 2*q.Quality.Ranks[2].Work || slow.WorkMaxOverMean < 1.5 {
		t.Errorf("a rank of half the speed works %g s, %g before, %.3f of its share", slow.Ranks[2].Work, q.Quality.Ranks[2].Work, slow.WorkMaxOverMean)
	}
	if p.Ranks[2].Speed != 1 {
		t.Error("the partition that the job began with has other speeds now")
	}
}

// A partition by a model in which walls are twice too dear, on ranks of which one is twice
// as slow, is calibrated by two looks: the file that is read again has the right ratio of
// costs and of speeds, and predicts the steps that ranks take.
func TestCalibratedPartition(t *testing.T) {
	race.SkipArithmetic(t)
	g := generate.TreeGrid(120, 4)
	right := balance.DefaultCost(balance.Sparse)
	wrong := right
	wrong.Boundary *= 2
	const ranks, slow = 32, 5
	p := made(t, g, ranks, wrong)
	s := simulate(t, g, p, right)
	s.speeds[slow] = 0.5
	for range 2 {
		s.look(1000)
	}
	q, err := s.Partition(s.Owners(), nil).Calibrated(g, s.Balancer)
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := q.Write(&file); err != nil {
		t.Fatal(err)
	}
	again, err := balance.Read(&file)
	if err != nil {
		t.Fatal(err)
	}
	if is, want := again.Cost.Boundary/again.Cost.Fluid, right.Boundary/right.Fluid; math.Abs(is/want-1) > 0.1 {
		t.Errorf("a cell at a wall costs %.2f others, and %.2f in truth", is, want)
	}
	if is := again.Ranks[slow].Speed / again.Ranks[0].Speed; math.Abs(is/0.5-1) > 0.05 {
		t.Errorf("the slow rank is said to have %.3f of the speed of another, and has half", is)
	}
	busy, _ := s.busy()
	for r := range busy {
		if is := again.Quality.Ranks[r].Work; math.Abs(is/busy[r]-1) > 0.05 {
			t.Errorf("rank %d is to compute for %.4g s and computes for %.4g", r, is, busy[r])
		}
	}
	if !slices.Equal(again.Owners, s.Owners()) || again.Cost.Source == wrong.Source {
		t.Error("it has other owners, or does not say where its costs come from")
	}
}
