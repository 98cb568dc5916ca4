package partition

import (
	"slices"
	"testing"

	"carina/internal/parallel"
	"carina/internal/random"
	"carina/partition/coarsen"
	"carina/partition/graph"
	"carina/partition/graphtest"

	"pgregory.net/rapid"
)

func TestWeightsDiffer(t *testing.T) {
	for _, c := range []struct {
		name    string
		weights []int64
		want    bool
	}{
		{"equal", []int64{5, 5, 5, 5}, false},
		{"three to four", []int64{3, 4, 3, 4}, false},
		{"one to three", []int64{1, 3, 1, 3}, true},
		{"one heavy vertex", []int64{1, 1, 1, 1, 1, 1, 1, 1, 1000}, true},
		{"beyond 64 bits when squared", []int64{1 << 60, 1 << 60, 1 << 58}, true},
		{"none", []int64{0, 0, 0}, false},
	} {
		if got := weightsDiffer(&graph.Graph{Offsets: make([]int64, len(c.weights)+1), VertexWeights: c.weights}); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// The start chosen is no worse than any of those it is chosen from, is what it is
// said to be, and does not depend on the number of workers.
func TestBestStart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := graphtest.Draw(t).Weighted()
		k := rapid.IntRange(3, 6).Draw(t, "parts")
		_, limit := graphtest.DrawParts(t, g, k)
		plan := startPlan{starts: rapid.IntRange(1, 6).Draw(t, "starts")}
		plan.finalists = rapid.IntRange(1, plan.starts).Draw(t, "finalists")
		seed := rapid.Uint64().Draw(t, "seed")
		task, l := testTask(), &coarsen.Level{Graph: g}
		best := task.bestStart(l, limit, task.c.kway, plan, random.New(seed))
		if again := task.measure(l, best.part, limit); again.compare(best) != 0 {
			t.Fatalf("cut %d, above limits %d; is said to be %d, %d", again.cut, again.over, best.cut, best.over)
		}
		for _, s := range random.New(seed).Seeds(plan.starts) {
			one := task.measure(l, task.fresh(l, limit, task.c.kway, random.New(s)), limit)
			if plan.starts > 1 && one.better(best) {
				t.Fatalf("%+v: cut %d was chosen, another start has %d", plan, best.cut, one.cut)
			}
		}
		task.workers = parallel.New(3)
		if other := task.bestStart(l, limit, task.c.kway, plan, random.New(seed)); !slices.Equal(other.part, best.part) {
			t.Fatalf("%+v: workers change what is chosen", plan)
		}
		task.halt.Store(true)
		if early := task.bestStart(l, limit, task.c.kway, plan, random.New(seed)); len(early.part) != g.Vertices() {
			t.Fatalf("%+v: stopped, it has %d parts for %d vertices", plan, len(early.part), g.Vertices())
		}
	})
}
