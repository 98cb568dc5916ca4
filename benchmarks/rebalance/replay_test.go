package rebalancebench

import (
	"context"
	"slices"
	"strings"
	"testing"

	"carina/balance"
	balancebench "carina/benchmarks/balance"
	"carina/internal/race"
)

// recorded is the seed of the traces that are recorded.
const recorded = 5

// TestReplay replays recorded traces with moves that cost 75 steps: the time of all
// steps and moves stays near that of a job whose work is divided at will in every
// look, although a rank that is slowed threefold is known to be only a look later.
func TestReplay(t *testing.T) {
	ctx := context.Background()
	type job struct {
		ranks int
		cells int64
		most  float64
	}
	jobs := []job{{32, 150_000, 0.2}, {256, 400_000, 0.25}}
	for _, c := range race.Few(jobs[:1], jobs) {
		_, g, err := balancebench.Grid(ctx, "airway", c.cells)
		if err != nil {
			t.Fatal(err)
		}
		p, err := balance.Make(ctx, g, balance.Options{Ranks: c.ranks, Balance: "rcb"})
		if err != nil {
			t.Fatal(err)
		}
		r, err := balance.NewRebalancer(ctx, p, g, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		exchange := 0.0
		for _, seconds := range r.Exchanging() {
			exchange += seconds / float64(c.ranks)
		}
		o, err := Replay(ctx, Replaying{Trace: NewTrace(c.ranks, 60, recorded), Steps: 100, Noise: 0.01, MoveSteps: 75, MoveCell: 3e-8, Exchange: exchange}, r)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%d ranks: %.1f %% above the oracle, %d moves, a look takes up to %v", c.ranks, 100*o.AboveOracle, o.Moves, o.LongestLook)
		if o.AboveOracle > c.most || o.Moves == 0 || o.Moves > 8 {
			t.Errorf("%d ranks: %.1f %% above the oracle with %d moves", c.ranks, 100*o.AboveOracle, o.Moves)
		}
		// The hiccup of one look must not be answered by work that moves back and forth.
		if end := o.Steps[len(o.Steps)-1]; end > 1.25 {
			t.Errorf("%d ranks: the last step takes %.2f ideal ones", c.ranks, end)
		}
	}
}

// A trace is read from the table of a run, relative to the fastest rank of the first
// look; what is no trace is refused.
func TestReadTrace(t *testing.T) {
	trace, err := ReadTrace(strings.NewReader("step,decision,speed_0,speed_1,share_0\n100,\"a, b\",2,4,0.5\n200,c,1,8,0.5\n"))
	if err != nil || len(trace) != 2 || !slices.Equal(trace[0], []float64{0.5, 1}) || !slices.Equal(trace[1], []float64{0.25, 2}) {
		t.Errorf("%v: %v", trace, err)
	}
	for _, text := range []string{"", "step\n1\n", "step,speed_0\n1,1\n", "step,speed_0,speed_1\n", "step,speed_0,speed_1\n1,0,1\n", "step,speed_0,speed_1\n1,x,1\n", "step,speed_0,speed_1\n1,NaN,1\n"} {
		if trace, err := ReadTrace(strings.NewReader(text)); err == nil {
			t.Errorf("%q is %v", text, trace)
		}
	}
}
