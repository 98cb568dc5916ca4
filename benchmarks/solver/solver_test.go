package solverbench

import (
	"context"
	"slices"
	"strings"
	"testing"

	"carina/internal/race"
	"carina/solver/airflow"
)

// few turns, in which quartiles differ from medians.
var few = turns{2, 3}

// Every case is measured and set in relation to the bandwidth.
func TestMeasure(t *testing.T) {
	var done []float64
	r, err := Measure(context.Background(), Options{FluidCells: race.Few[int64](2000, 10000), Side: 16, Pairs: 2, turns: few, Progress: func(_ string, share float64) { done = append(done, share) }})
	if err != nil {
		t.Fatal(err)
	}
	// One count from nothing to nearly all, a step for each case and comparison.
	if !slices.IsSorted(done) || done[0] != 0 || len(done) != 1+len(variants)+17 || done[len(done)-1] < 0.9 || done[len(done)-1] >= 1 {
		t.Errorf("progress %.2f", done)
	}
	if len(r.Results) != len(variants) || r.BandwidthBytesPerSecond <= 0 {
		t.Fatalf("%d cases at %g bytes/s", len(r.Results), r.BandwidthBytesPerSecond)
	}
	for _, row := range r.Results {
		if row.MLUPS <= 0 || row.MLUPS < row.MedianMLUPS || row.CopyBytesPerSecond > r.BandwidthBytesPerSecond || row.Fraction <= 0 || row.BytesPerCell < row.BytesPerUpdate/2 {
			t.Errorf("%+v", row)
		}
	}
	if len(r.Comparisons) != 17 {
		t.Errorf("%d comparisons: %v", len(r.Comparisons), r.Comparisons)
	}
	for _, c := range r.Comparisons {
		if c.LowerQuartile <= 0 || c.Ratio < c.LowerQuartile || c.Ratio > c.UpperQuartile {
			t.Errorf("%+v", c)
		}
	}
	if words := r.Words(); strings.Count(words, "\n") != len(variants)+len(r.Comparisons)+4 {
		t.Errorf("table:\n%s", words)
	}
}

// The airway has no more branches than its cells can fill: five hundred cells are
// some eight across and along.
func TestAirwayFitsItsCells(t *testing.T) {
	race.SkipArithmetic(t)
	for _, cells := range []int64{20_000, 200_000} {
		g, err := voxelizeAirway(context.Background(), &Options{FluidCells: cells})
		if err != nil {
			t.Fatal(err)
		}
		if n := int64(len(g.Openings)); n*500 > cells || g.Cells() < cells*9/10 || g.Cells() > cells*11/10 {
			t.Errorf("%d cells, %d asked for, for an airway with %d openings", g.Cells(), cells, n)
		}
	}
}

// One layout alone can be measured.
func TestMeasureOneLayout(t *testing.T) {
	r, err := Measure(context.Background(), Options{FluidCells: race.Few[int64](2000, 10000), Side: 16, Pairs: 1, turns: few, Layout: airflow.Dense})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Results) != 4 || len(r.Comparisons) != 0 {
		t.Errorf("%d cases and %d comparisons", len(r.Results), len(r.Comparisons))
	}
	if words := r.Words(); strings.Contains(words, "compared") {
		t.Errorf("nothing is compared, but the table says so:\n%s", words)
	}
	for _, row := range r.Results {
		if row.Layout != string(airflow.Dense) {
			t.Errorf("%s is of another layout", row.title())
		}
	}
	if _, err := Measure(context.Background(), Options{Layout: "plain"}); err == nil {
		t.Error("a layout that the solver does not have is measured")
	}
}

// A turn's steps are compared with the copies of the same turn.
func TestFractionIsTheMedianOfTurns(t *testing.T) {
	row := Row{BytesPerUpdate: 152}
	row.judge([]float64{100, 300, 150}, []float64{76e9, 76e9, 38e9})
	want := Row{BytesPerUpdate: 152, MLUPS: 300, MedianMLUPS: 150, CopyBytesPerSecond: 76e9, Fraction: 0.6}
	if row != want { // of the turns' 0.2, 0.6 and 0.6
		t.Errorf("%+v, want %+v", row, want)
	}
}
