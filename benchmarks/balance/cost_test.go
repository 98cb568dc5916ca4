package balancebench

import (
	"context"
	"slices"
	"testing"

	"carina/balance"
)

func TestPackingDependsOnCellsHeld(t *testing.T) {
	for _, c := range []struct{ seconds, factors []float64 }{
		{[]float64{1e-9, 1.5e-9, 2e-9}, []float64{0.5, 0.75, 1}},
		{[]float64{0, 1, 2e-9}, []float64{0.1, 10, 1}}, // noise is bounded
		{[]float64{1e-9, 2e-9, 0}, []float64{1, 1, 1}}, // no time could be told
	} {
		start := balance.DefaultCost(balance.Dense)
		cost := start
		for i := range c.seconds {
			cost.BySize = append(cost.BySize, balance.SizeFactors{Cells: int64(1000 * (i + 1)), Factor: 1, Empty: 1})
		}
		notePacking(&cost, c.seconds)
		if err := cost.Check(); err != nil {
			t.Error(err)
		}
		var factors []float64
		for _, h := range cost.BySize {
			factors = append(factors, h.PackingFactor())
		}
		if !slices.Equal(factors, c.factors) {
			t.Errorf("%v seconds: factors %v, want %v", c.seconds, factors, c.factors)
		}
		most := c.seconds[len(c.seconds)-1]
		if cost.Packing != start.Packing+most || cost.Inside.SecondsPerByte != start.Inside.SecondsPerByte+most || cost.Between.SecondsPerByte != start.Between.SecondsPerByte+most {
			t.Errorf("%v seconds: %+v", c.seconds, cost)
		}
	}
}

func TestCostCountsOnceOverItsStages(t *testing.T) {
	if testing.Short() {
		t.Skip("measures")
	}
	opt := CostOptions{Quick: true, Layout: balance.Plain, cells: 8_000}
	count := newCounted(t, &opt.Progress)
	if _, err := Cost(context.Background(), opt); err != nil {
		t.Fatal(err)
	}
	count.check(4, 0.9)
}
