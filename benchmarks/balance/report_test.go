package balancebench

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"carina/balance"

	"github.com/google/go-cmp/cmp"
)

// TestMergedHoldsOneGridAndOneCost checks which earlier rows new ones replace.
func TestMergedHoldsOneGridAndOneCost(t *testing.T) {
	row := func(ranks int, cells int64, costs string) Row {
		return Row{Layout: balance.Plain, Ranks: ranks, FluidCells: cells, Costs: costs}
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

// TestTablesOfTheSourcesRanks checks which rows stand in the tables that have the
// source's numbers of ranks.
func TestTablesOfTheSourcesRanks(t *testing.T) {
	row := func(decompose, balancer string, plain bool, ranks, k int, step float64) Row {
		return Row{Layout: balance.Plain, Strategy: Strategy{Decompose: decompose, Balance: balancer, Plain: plain}, Ranks: ranks, PerRank: k, FluidCells: int64(ranks) * 1e6, Predicted: step}
	}
	r := new(report)
	r.balancersByRanks([]Row{
		row("regular", "linear", true, 32, 4, 8), row("regular", "graph", true, 32, 4, 4), row("regular", "lpt", true, 32, 4, 5),
		row("shrink", "graph", true, 32, 4, 2), row("shrink", "graph", false, 32, 4, 1), row("shrink", "lpt", true, 32, 4, 2.5),
		row("regular", "linear", true, 512, 16, 10), row("regular", "linear", true, 16, 4, 1), row("shrink", "lpt", true, 64, 8, 1),
	})
	want := `**Balancers on the regular decomposition, MLUP/ps (shape of table 5.3)**

| ranks | k | old dec., linear | old dec., graph | old dec., lpt |
| --- | --- | --- | --- | --- |
| 32 | 4 | 0.125 | 0.250 | 0.200 |
| 512 | 16 | 0.100 |  |  |

**Balancers with shrinking, MLUP/ps (shape of table 5.4)**

| ranks | k | old dec., linear | shrink, graph | shrink, lpt |
| --- | --- | --- | --- | --- |
| 32 | 4 | 0.125 | 0.500 | 0.400 |
| 512 | 16 | 0.100 |  |  |

`
	if diff := cmp.Diff(want, r.text.String()); diff != "" {
		t.Error(diff)
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
	m := predictedMargins()
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
		"With ours empty cells take 5.0 %, cuboids, lanes and copies 4.0 %, messages 8.0 %, waiting 3.0 %."
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestMeasuredMarginsSayWhy checks where measured steps fall, and the figures
// of the sentence for those that gain too little.
func TestMeasuredMarginsSayWhy(t *testing.T) {
	m := measuredMargins()
	m.note(&Row{Ranks: 64, Predicted: 4, Measured: 4}, &Row{Ranks: 64, Predicted: 2, Measured: 1.6, Computing: 0.75}, &Row{Ranks: 64, Predicted: 1.6, Measured: 1.5, Computing: 0.9, Disturbed: 1.2})
	if len(m.shrinking) != 1 || m.shrinking[0] != "64 (+150.0 %)" || len(m.oursShort) != 1 || m.oursShort[0] != "64 (+6.7 %)" {
		t.Errorf("reached %q, short %q", m.shrinking, m.oursShort)
	}
	want := "64 ranks, measured +6.7 %: the partitions that were timed are predicted to gain +25.0 %. " +
		"With shrinking + graph the timed ranks compute for 0.75 times the predicted time on the mean, and the slowest step takes 0.80 times the predicted one. " +
		"With ours the timed ranks compute for 0.90 times the predicted time on the mean, and the slowest step takes 0.94 times the predicted one (1.12 times in the most disturbed of the rounds)."
	if len(m.reasons) != 1 || m.reasons[0] != want {
		t.Errorf("got  %q\nwant %q", m.reasons, want)
	}
}

// TestVerdictsListRanks checks that ranks are listed on the side they fall, and
// that nothing is said where none were judged.
func TestVerdictsListRanks(t *testing.T) {
	for _, c := range []struct {
		m    margins
		want string
	}{
		{margins{}, ""},
		{margins{shrinking: []string{"8"}, shrinkingShort: []string{"16", "32"}, ours: []string{"8", "16"}, oursShort: []string{"32"}, reasons: []string{"Lanes."}},
			"- shrinking + graph gains the source's 75 % over the traditional way at ranks: 8; not at: 16, 32.\n" +
				"- ours gain a further 10 % at ranks: 8, 16; not at: 32.\n\nWhere a margin is not reached:\n\n- Lanes.\n\n"},
		{margins{shrinking: []string{"8"}, shrinkingShort: []string{"16"}, oursShort: []string{"8", "16"}},
			"- shrinking + graph gains the source's 75 % over the traditional way at ranks: 8; not at: 16.\n" +
				"- ours gain a further 10 % at ranks: none; not at: 8, 16.\n\n"},
	} {
		r := new(report)
		r.verdict(&c.m, "Predicted")
		if c.want != "" {
			c.want = "Predicted, at 8 ranks and up:\n\n" + c.want
		}
		if diff := cmp.Diff(c.want, r.text.String()); diff != "" {
			t.Error(diff)
		}
	}
}

// TestRowsThatWereMeasured checks that rows without a measured step are left out.
func TestRowsThatWereMeasured(t *testing.T) {
	eight := wasMeasured(func(r *Row) bool { return r.Ranks == 8 })
	for _, c := range []struct {
		row  Row
		want bool
	}{{Row{Ranks: 8}, false}, {Row{Ranks: 8, Measured: 1e-6}, true}, {Row{Ranks: 4, Measured: 1}, false}} {
		if eight(&c.row) != c.want {
			t.Errorf("%d ranks, measured %g: %v", c.row.Ranks, c.row.Measured, !c.want)
		}
	}
}

// TestCostsOfOtherLayoutsStay checks that measuring one layout again leaves the
// others in the machine file, unless it is another machine's.
func TestCostsOfOtherLayoutsStay(t *testing.T) {
	folder := t.TempDir()
	write := func(name string, costs ...balance.Cost) *balance.Machine {
		r := CostReport{Machine: balance.NewMachine(name, "a test")}
		r.Machine.Costs = costs
		if err := r.Write(folder); err != nil {
			t.Fatal(err)
		}
		m, err := balance.ReadMachine(filepath.Join(folder, "machine.json"))
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	plain := balance.DefaultCost(balance.Plain)
	write("desk", balance.DefaultCost(balance.Sparse), plain)
	plain.Fluid *= 2
	m := write("desk", plain)
	if c, err := m.Cost(balance.Plain); len(m.Costs) != 2 || m.Costs[0].Layout != balance.Sparse || err != nil || c.Fluid != plain.Fluid {
		t.Errorf("%+v, error %v", m.Costs, err)
	}
	if m = write("another", plain); len(m.Costs) != 1 {
		t.Errorf("another machine has %+v", m.Costs)
	}
}

// TestRowsWithOtherColumnsAreRefused checks that rows are read whose columns are
// those of today, and no others.
func TestRowsWithOtherColumnsAreRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rows.csv")
	want := Row{Geometry: "tube", Ranks: 8, FluidCells: 1000}
	var text strings.Builder
	if err := errors.Join(writeCSV(&text, []Row{want}), os.WriteFile(path, []byte(text.String()), 0o644)); err != nil {
		t.Fatal(err)
	}
	if rows, err := readCSV(path); err != nil || len(rows) != 1 || rows[0].Geometry != want.Geometry || rows[0].Ranks != want.Ranks || rows[0].FluidCells != want.FluidCells {
		t.Errorf("%+v, error %v", rows, err)
	}
	for _, text := range []string{"", "geometry,ranks,fluid_cells\ntube,8,1000\n", "geometry,unheard_of\ntube,8\n"} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if rows, err := readCSV(path); err == nil {
			t.Errorf("%q: read as %+v", text, rows)
		}
	}
}
