package balancebench

import (
	"slices"
	"testing"

	"carina/balance"
)

// TestMergedHoldsOneGridAndOneCost checks which earlier rows new ones replace.
func TestMergedHoldsOneGridAndOneCost(t *testing.T) {
	row := func(ranks int, cells int64, costs string) Row {
		return Row{Layout: balance.Dense, Ranks: ranks, FluidCells: cells, Costs: costs}
	}
	earlier := []Row{row(2, 100, "a"), row(4, 100, "a"), row(8, 100, "a")}
	for _, c := range []struct {
		name  string
		fresh Row
		want  []int
	}{
		{"more ranks", row(16, 100, "a"), []int{2, 4, 8, 16}},
		{"the same ranks", row(4, 100, "a"), []int{2, 4, 8}},
		{"another grid", row(16, 200, "a"), []int{16}},
		{"other costs", row(16, 100, "b"), []int{16}},
	} {
		if got := ranksOf(merged(earlier, []Row{c.fresh})); !slices.Equal(got, c.want) {
			t.Errorf("%s: ranks %v are left, want %v", c.name, got, c.want)
		}
	}
}

// TestNamedGeometriesKeepTheSuitesCells checks that a slice of the suite is of
// the same grids as the whole.
func TestNamedGeometriesKeepTheSuitesCells(t *testing.T) {
	whole := (&Options{}).plans()
	for _, p := range whole {
		one := (&Options{Geometries: []string{p.geometry}}).plans()
		if len(one) != 1 || one[0].cells != p.cells || one[0].sourceTables != p.sourceTables {
			t.Errorf("%s by name: %+v, in the suite %+v", p.geometry, one, p)
		}
	}
}

// TestMarginsSortRanks checks on which side of the margins steps of known
// length fall.
func TestMarginsSortRanks(t *testing.T) {
	at := func(ranks int, step float64) *Row { return &Row{Ranks: ranks, Predicted: step} }
	var m margins
	m.note(at(4, 1), at(4, 1), at(4, 1)) // too few ranks to be judged
	m.note(at(8, 1.8), at(8, 1), at(8, 0.95))
	m.note(at(64, 1.7), at(64, 1), at(64, 0.8))
	for _, c := range []struct {
		name string
		got  []string
		want string
	}{
		{"shrinking reaches", m.shrinking, "8 (+80.0 %)"},
		{"shrinking falls short", m.shrinkingShort, "64 (+70.0 %)"},
		{"ours reach", m.ours, "64 (+25.0 %)"},
		{"ours fall short", m.oursShort, "8 (+5.3 %)"},
	} {
		if len(c.got) != 1 || c.got[0] != c.want {
			t.Errorf("%s: %q, want %q", c.name, c.got, c.want)
		}
	}
}

// TestReasonsSayWhatAMarginLeaves checks the figures of the sentence for ranks
// where a margin is missed: 1.26 of the bound's step, less 10 %, leaves 14.5 %.
func TestReasonsSayWhatAMarginLeaves(t *testing.T) {
	shrunk := &Row{Ranks: 8, PerRank: 16, FluidCells: 80, KeptCells: 100, Predicted: 1.26, Ideal: 1}
	ours := &Row{Ranks: 8, Predicted: 1.2, Ideal: 1, Lost: Losses{Empty: 0.05, Cuboids: 0.04, Exchange: 0.08, Waiting: 0.03}}
	got := reason("ours", "shrinking + graph", shrunk, ours, ourMargin)
	want := "8 ranks: shrinking + graph (k = 16, 80 % of its cells fluid) takes 1.26 times the bound's step. " +
		"+10 % over that would leave 14.5 % of the bound's step for all but fluid cells. " +
		"With ours empty cells take 5.0 %, cuboids and copies 4.0 %, messages 8.0 %, waiting 3.0 %."
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
