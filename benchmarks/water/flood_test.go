package waterbench

import (
	"context"
	"testing"

	"carina/internal/race"
	"carina/water"
)

// A flood down a valley over eight ranks, by counted work: rebalancing stays near what work
// divided at will would take in every step, and rows that never move are much slower.
func TestValleyIsShared(t *testing.T) {
	race.SkipArithmetic(t)
	var c water.Case
	c.Terrain, c.Spacing, c.Scheme, c.Time = "valley", "5m", "euler", "160s"
	c.Interval = "2s"
	f, moments, err := Record(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	step := 1e-8
	outcomes, err := Share(context.Background(), f, moments, 8, Costs{Wet: step, Dry: 0.05 * step, Move: 5 * step * 500, MoveCell: 2 * step})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range outcomes {
		t.Logf("%-36s %5.1f %% above the ideal, %5.1f %% with %d moves", o.Policy, 100*o.AboveIdeal, 100*o.Net, o.Moves)
	}
	rows, ours := outcomes[0], outcomes[len(outcomes)-1]
	if ours.AboveIdeal > 0.1 || rows.Seconds < 1.5*ours.Seconds {
		t.Errorf("rebalancing is %.3f above the ideal, rows that never move take %.2f of its time", ours.AboveIdeal, rows.Seconds/ours.Seconds)
	}
}
