package balance

import (
	"context"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestSavingMakesRanksFaster compares the sum of all step times, worked out
// afresh, and the slowest one before and after.
func TestSavingMakesRanksFaster(t *testing.T) {
	checkAndHappens(t, func(t *rapid.T) int {
		cost, ranks, counts, crossings, owners := randomProblem(t)
		sum := func() (all float64, slowest float64) {
			q := measureQuality(cost, ranks, counts, crossings, owners, nil)
			for _, r := range q.Ranks {
				all += r.Step
			}
			if q.EmptyRanks > 0 {
				t.Fatal("a rank was emptied")
			}
			return all, q.PredictedStep
		}
		before, slowest := sum()
		moves := newImprover(cost, ranks, counts, crossings, owners).saveAll()
		after, now := sum()
		if now > slowest*(1+1e-9) {
			t.Fatalf("the slowest rank went from %g to %g", slowest, now)
		}
		if moves > 0 && after >= before || moves == 0 && after != before {
			t.Fatalf("%d moves took all ranks from %g to %g", moves, before, after)
		}
		return moves
	})
}

func TestImproveAndSaveLowersThePredictedStep(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cost, ranks, counts, crossings, owners := randomProblem(t)
		again := slices.Clone(owners)
		before := measureQuality(cost, ranks, counts, crossings, owners, nil)
		improveAndSave(context.Background(), cost, ranks, counts, crossings, owners)
		after := measureQuality(cost, ranks, counts, crossings, owners, nil)
		if after.PredictedStep > before.PredictedStep*(1+1e-9) || after.EmptyRanks > 0 {
			t.Fatalf("step %g became %g, %d ranks empty", before.PredictedStep, after.PredictedStep, after.EmptyRanks)
		}
		if improveAndSave(context.Background(), cost, ranks, counts, crossings, again); !slices.Equal(owners, again) {
			t.Fatal("the second run moved otherwise")
		}
	})
}
