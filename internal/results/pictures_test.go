package results

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"carina/balance"
	"carina/geometry/generate"
	"carina/solver/airflow"
)

// Pictures show the owners of the cells that a flow began with where none has moved, and
// those at the end, with the work by their speeds, where some have.
func TestPicturesShowWhoOwnsCellsAtTheEnd(t *testing.T) {
	grid := generate.TreeGrid(40, 2)
	began, err := balance.Make(context.Background(), grid, balance.Options{Ranks: 2, CuboidsPerRank: 1})
	if err != nil {
		t.Fatal(err)
	}
	rebalancer, err := balance.NewRebalancer(context.Background(), began, grid, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	owners := make([]int32, len(rebalancer.Cuboids()))
	owners[0] = 1
	moved := rebalancer.Partition(owners, []float64{4, 2})
	if len(moved.Cuboids) <= len(began.Cuboids) {
		t.Fatalf("%d cuboids were cut into %d", len(began.Cuboids), len(moved.Cuboids))
	}
	summary := &airflow.Summary{Ranks: []airflow.RankSummary{{Work: 1}, {Work: 1}}}
	for name, c := range map[string]struct {
		moved func() *balance.Partition
		want  *balance.Partition
	}{
		"never balanced": {nil, began},
		"nothing moved":  {func() *balance.Partition { return nil }, began},
		"moved":          {func() *balance.Partition { return moved }, moved},
	} {
		r := &Results{of: Of{Partition: began, Grid: grid, Moved: c.moved}, ranks: 2}
		r.showMoved()
		path := filepath.Join(t.TempDir(), "cuboids.vtu")
		if err := r.writeCuboids(path); err != nil {
			t.Fatal(err)
		}
		content, err := os.ReadFile(path)
		if cells := `NumberOfCells="` + strconv.Itoa(len(c.want.Cuboids)) + `"`; err != nil || !bytes.Contains(content, []byte(cells)) {
			t.Errorf("%s: cuboids.vtu has not %s: %v", name, cells, err)
		}
		shown := r.ranksPicture(summary)
		if c.want == moved != strings.HasSuffix(shown.Subtitle, "after moves") {
			t.Errorf("%s: the picture of ranks says %s", name, shown.Subtitle)
		}
		for rank, load := range shown.Loads {
			want := 1.0
			if c.want == moved {
				want = moved.Quality.Ranks[rank].Work
			}
			if load.Work != want {
				t.Errorf("%s: rank %d has %g to do, want %g", name, rank, load.Work, want)
			}
		}
	}
}
