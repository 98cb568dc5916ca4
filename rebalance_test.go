package carina_test

import (
	"context"
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"carina"
	"carina/balance"
	"carina/solver/transport"
)

// A flow during which cells may change owner is the one of which none does, and what was
// found is heard, in the table and in the summary.
func TestRebalance(t *testing.T) {
	_, c := pipe(t)
	c.Surface, c.Unit, c.Ranks = written(t, t.TempDir()), "mm", 3
	want, err := carina.Run(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	if want.Summary().Speeds != nil {
		t.Error("speeds are told that nobody has measured")
	}
	c.Output = filepath.Join(t.TempDir(), "results")
	calibrated := filepath.Join(t.TempDir(), "next.part.json")
	if _, err := carina.Run(context.Background(), c, carina.Calibrated(calibrated)); err == nil || !strings.Contains(err.Error(), "--rebalance auto") {
		t.Errorf("a calibrated partition without looks: %v", err)
	}
	heard := 0
	how, err := carina.ParseRebalancing("every=50")
	if err != nil {
		t.Fatal(err)
	}
	got, err := carina.Run(context.Background(), c, carina.Rebalance(how), carina.Calibrated(calibrated), carina.Listen(carina.Listener{Look: func(l carina.Look) {
		if heard++; len(l.Busy) != 3 || len(l.Shares) != 3 || l.Step%50 != 0 || l.Why == "" {
			t.Errorf("a look says %+v", l)
		}
	}}))
	if err != nil {
		t.Fatal(err)
	}
	if got.Summary().StateHash != want.Summary().StateHash {
		t.Errorf("the state is %s, and %s where no cell moves", got.Summary().StateHash, want.Summary().StateHash)
	}
	if len(got.Summary().Speeds) != 3 || heard == 0 {
		t.Errorf("%d looks were heard, speeds are %v", heard, got.Summary().Speeds)
	}
	next, _, err := carina.ReadPartition(calibrated)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(got.Files(), calibrated) {
		t.Errorf("%s is not among the files written, %q", calibrated, got.Files())
	}
	speeds, mean := got.Summary().Speeds, (next.Ranks[0].Speed+next.Ranks[1].Speed+next.Ranks[2].Speed)/3
	for i, r := range got.Summary().Ranks {
		if next.Quality.Ranks[i].Fluid != r.FluidCells || math.Abs(next.Ranks[i].Speed/mean-speeds[i]) > 1e-4 {
			t.Errorf("rank %d has %d cells and a speed of %g, in the next partition %d and %g", i, r.FluidCells, speeds[i], next.Quality.Ranks[i].Fluid, next.Ranks[i].Speed/mean)
		}
	}
	file, err := os.Open(filepath.Join(c.Output, "balance.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if rows, err := csv.NewReader(file).ReadAll(); err != nil || len(rows) != heard+1 {
		t.Errorf("%d rows for %d looks: %v", len(rows), heard, err)
	}
}

// Processes between which cells may change owner read the whole grid in place of their
// shares, and say so where it is not there.
func TestRebalanceBesideShares(t *testing.T) {
	surface, c := pipe(t)
	grid, err := c.Grid(surface)
	if err != nil {
		t.Fatal(err)
	}
	partition, err := c.Partition(grid)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "pipe.part.json")
	if err := (&carina.Voxels{Grid: grid}).WriteShares(path, partition); err != nil {
		t.Fatal(err)
	}
	run := func(with ...carina.Option) (hash string, err error) {
		err = transport.InProcess(2, func(tr transport.Transport) error {
			f, err := carina.OpenFile(path, c, append(with, carina.Over(tr))...)
			if err == nil {
				err = f.Run(context.Background())
			}
			if err == nil && tr.Rank() == 0 {
				hash = f.Summary().StateHash
			}
			return err
		})
		return hash, err
	}
	balances := carina.Rebalance(carina.Rebalancing{On: true, Every: 50})
	want, err := run()
	if err != nil {
		t.Fatal(err)
	}
	if got, err := run(balances); err != nil || got != want {
		t.Errorf("the state is %s, and %s where each process reads its share; %v", got, want, err)
	}
	if err := os.Remove(balance.Stem(path) + ".grid"); err != nil {
		t.Fatal(err)
	}
	if got, err := run(); err != nil || got != want {
		t.Errorf("without the grid the state is %s, want %s; %v", got, want, err)
	}
	if _, err := run(balances); err == nil || !strings.Contains(err.Error(), "copy the grid beside the partition file, or leave --rebalance out") {
		t.Errorf("with --rebalance and without the grid: %v", err)
	}
}

func TestParseRebalancing(t *testing.T) {
	for text, is := range map[string]carina.Rebalancing{"off": {}, "auto": {On: true}, "every=1000": {On: true, Every: 1000}} {
		if got, err := carina.ParseRebalancing(text); err != nil || got != is || got.String() != text {
			t.Errorf("%s is %+v: %v", text, got, err)
		}
	}
	for _, text := range []string{"on", "every", "every=", "every=0", "every=49", "every=1e3", "every=-100", "auto,every=100", " auto"} {
		if _, err := carina.ParseRebalancing(text); err == nil || !strings.Contains(err.Error(), "every=1000") {
			t.Errorf("%q: %v", text, err)
		}
	}
}
