package balance_test

import (
	"bytes"
	"context"
	"math"
	"strings"
	"testing"

	"carina/balance"
	"carina/geometry"
	"carina/geometry/generate"
	"carina/internal/race"
	"pgregory.net/rapid"
)

// drawOptions draws options that Make must be able to fulfil.
func drawOptions(t *rapid.T, cells int64, improve bool) balance.Options {
	cost := balance.DefaultCost(rapid.SampledFrom(balance.Layouts).Draw(t, "layout"))
	opt := balance.Options{
		Ranks:          rapid.SampledFrom([]int{1, 2, 3, 71, 97, 512, 1021}).Draw(t, "ranks"),
		Decompose:      rapid.SampledFrom([]string{"regular", "shrink", "octree", "octree+shrink+recombine", "bricks", "bricks+shrink", "bricks+recombine", "carve", "carve+recombine", "regular+carve"}).Draw(t, "decompose"),
		Balance:        rapid.SampledFrom(balance.BalancerNames()).Draw(t, "balance"),
		CuboidsPerRank: rapid.SampledFrom([]int{0, 1, 4}).Draw(t, "k"),
		KeepHeavy:      rapid.Bool().Draw(t, "keep heavy"),
		Improve:        improve,
		DevicesPerHost: rapid.IntRange(0, 5).Draw(t, "devices"),
		Seed:           rapid.Uint64().Draw(t, "seed"),
		Cost:           &cost,
	}
	if opt.Balance == "graph" {
		opt.Preset = "fast"
	}
	opt.Ranks = int(min(int64(opt.Ranks), cells))
	if rapid.Bool().Draw(t, "speeds") {
		for r := range opt.Ranks {
			opt.Speeds = append(opt.Speeds, float64(1+r%3))
		}
	}
	return opt
}

func drawGrid(t *rapid.T) *geometry.Grid {
	seed := rapid.Uint64().Draw(t, "grid seed")
	switch rapid.IntRange(0, 3).Draw(t, "grid") {
	case 0:
		return generate.FullGrid([3]int32{11, 12, 13})
	case 1:
		return generate.BallsGrid([3]int32{24, 20, 28}, 3, seed)
	case 2:
		return generate.NoiseGrid([3]int32{14, 14, 14}, 0.5, seed)
	default:
		return generate.TreeGrid(40, 3)
	}
}

// drawSmallGrid draws a grid for improvement, whose time grows with the ranks
// times the cells; the draws of ranks from one to one for every cell remain.
func drawSmallGrid(t *rapid.T) *geometry.Grid {
	seed := rapid.Uint64().Draw(t, "grid seed")
	switch rapid.IntRange(0, 3).Draw(t, "grid") {
	case 0:
		return generate.FullGrid([3]int32{6, 7, 8})
	case 1:
		return generate.BallsGrid([3]int32{15, 13, 17}, 3, seed)
	case 2:
		return generate.NoiseGrid([3]int32{9, 9, 9}, 0.5, seed)
	default:
		return generate.TreeGrid(28, 3)
	}
}

func TestEveryCellHasOneOwnerAndNoRankIsEmpty(t *testing.T) {
	made := drawGrid
	if race.Enabled {
		made = drawSmallGrid
	}
	t.Run("made", func(t *testing.T) { checkOwners(t, made, false) })
	t.Run("improved", func(t *testing.T) { checkOwners(t, drawSmallGrid, true) })
	t.Run("improved for many ranks", func(t *testing.T) {
		race.SkipArithmetic(t)
		t.Parallel()
		g := generate.FullGrid([3]int32{11, 12, 13})
		for _, opt := range []balance.Options{
			{Ranks: 97, Decompose: "bricks", Balance: "sfc"},
			{Ranks: 512, Decompose: "bricks", Balance: "graph", Preset: "fast"},
			{Ranks: 1021, Decompose: "octree+shrink+recombine", Balance: "sfc"},
		} {
			opt.Improve, opt.DevicesPerHost = true, 3
			cost := balance.DefaultCost(balance.Sparse)
			opt.Cost = &cost
			checkMade(t, g, opt)
		}
	})
}

func checkOwners(t *testing.T, draw func(*rapid.T) *geometry.Grid, improve bool) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		g := draw(t)
		checkMade(t, g, drawOptions(t, g.Cells(), improve))
	})
}

// checkMade makes a partition and checks its owners, its file and its quality.
func checkMade(t rapid.TB, g *geometry.Grid, opt balance.Options) {
	t.Helper()
	p, err := balance.Make(context.Background(), g, opt)
	if err != nil {
		t.Fatal(err)
	}
	segments, err := p.Segments(g)
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := p.Write(&file); err != nil {
		t.Fatal(err)
	}
	if _, err := balance.Read(&file); err != nil {
		t.Fatalf("cannot read back: %v", err)
	}
	fluid := make([]int64, opt.Ranks)
	var cells int64
	for _, s := range segments {
		fluid[p.Owners[s.Cuboid]] += int64(s.X1 - s.X0)
		cells += int64(s.X1 - s.X0)
	}
	if cells != g.Cells() {
		t.Fatalf("%d of %d cells owned", cells, g.Cells())
	}
	for r, n := range fluid {
		if n == 0 {
			t.Fatalf("rank %d is empty", r)
		}
	}
	checkQuality(t, g, p)
}

// checkQuality compares the quality with a walk over all links of all cells.
func checkQuality(t rapid.TB, g *geometry.Grid, p *balance.Partition) {
	owner := make(map[[3]int32]int32)
	for _, r := range g.Runs {
		for x := r.X0; x < r.X1; x++ {
			owner[[3]int32{x, r.Y, r.Z}] = -1
		}
	}
	for i, c := range p.Cuboids {
		for z := c.Min[2]; z < c.Max[2]; z++ {
			for y := c.Min[1]; y < c.Max[1]; y++ {
				for x := c.Min[0]; x < c.Max[0]; x++ {
					if _, fluid := owner[[3]int32{x, y, z}]; fluid {
						owner[[3]int32{x, y, z}] = p.Owners[i]
					}
				}
			}
		}
	}
	bytes := make([]int64, len(p.Ranks))
	neighbours := make([]map[int32]bool, len(p.Ranks))
	halo := make([]map[[3]int32]bool, len(p.Ranks))
	for r := range p.Ranks {
		neighbours[r], halo[r] = make(map[int32]bool), make(map[[3]int32]bool)
	}
	for cell, o := range owner {
		for _, d := range geometry.Directions[:p.Cost.Directions] {
			next := [3]int32{cell[0] + int32(d.X), cell[1] + int32(d.Y), cell[2] + int32(d.Z)}
			if q, fluid := owner[next]; fluid && q != o {
				bytes[o] += int64(p.Cost.BytesPerPopulation)
				neighbours[o][q] = true
				halo[o][next] = true
			}
		}
	}
	for r, q := range p.Quality.Ranks {
		if q.Bytes != bytes[r] || q.Neighbours != len(neighbours[r]) || q.HaloCells != int64(len(halo[r])) {
			t.Fatalf("rank %d: %d bytes, %d neighbours, %d halo cells; want %d, %d, %d",
				r, q.Bytes, q.Neighbours, q.HaloCells, bytes[r], len(neighbours[r]), len(halo[r]))
		}
	}
}

func TestSameSeedSameFile(t *testing.T) {
	g := generate.TreeGrid(60, 4)
	for _, name := range balance.BalancerNames() {
		var files [2]bytes.Buffer
		for i := range files {
			p, err := balance.Make(context.Background(), g, balance.Options{Ranks: 13, Balance: name, Seed: 7})
			if err != nil {
				t.Fatal(err)
			}
			if err := p.Write(&files[i]); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(files[0].Bytes(), files[1].Bytes()) {
			t.Errorf("%s: the files differ", name)
		}
	}
}

func TestSlowRanksGetAThird(t *testing.T) {
	race.SkipArithmetic(t)
	g := generate.TreeGrid(100, 4)
	for _, name := range []string{"lpt", "graph", "sfc", "morton", "rcb"} {
		t.Run(name, func(t *testing.T) {
			p, err := balance.Make(context.Background(), g, balance.Options{Ranks: 4, Speeds: []float64{1, 3, 1, 3}, Balance: name})
			if err != nil {
				t.Fatal(err)
			}
			work := make([]float64, 4)
			for r, q := range p.Quality.Ranks {
				work[r] = q.Work * p.Ranks[r].Speed
			}
			for _, slow := range []int{0, 2} {
				for _, fast := range []int{1, 3} {
					if ratio := 3 * work[slow] / work[fast]; math.Abs(ratio-1) > 0.03 {
						t.Errorf("rank %d has %.3f of a third of the work of rank %d", slow, ratio, fast)
					}
				}
			}
		})
	}
}

func TestMakeRefuses(t *testing.T) {
	g := generate.FullGrid([3]int32{4, 5, 6})
	bad := balance.DefaultCost(balance.Sparse)
	bad.Fluid = math.NaN()
	for _, test := range []struct {
		name string
		opt  balance.Options
		want string
	}{
		{"no ranks", balance.Options{}, "0 ranks asked for"},
		{"negative ranks", balance.Options{Ranks: -3}, "-3 ranks asked for"},
		{"more ranks than cells", balance.Options{Ranks: 121}, "only 120 fluid cells: use at most 120 ranks"},
		{"speeds", balance.Options{Ranks: 2, Speeds: []float64{1}}, "1 speed given for 2 ranks"},
		{"speeds far apart", balance.Options{Ranks: 2, Speeds: []float64{1, 1e-18}}, "rank 1 has speed 1e-18"},
		{"speeds further apart than meant", balance.Options{Ranks: 2, Speeds: []float64{1, 1e-7}}, "less than a millionth"},
		{"cuboids beyond number", balance.Options{Ranks: 2, Decompose: "regular", CuboidsPerRank: 1 << 40}, "cannot be numbered"},
		{"speed zero", balance.Options{Ranks: 2, Speeds: []float64{1, 0}}, "rank 1 has speed 0"},
		{"balancer", balance.Options{Ranks: 2, Balance: "luck"}, `unknown balancer "luck"`},
		{"decomposition", balance.Options{Ranks: 2, Decompose: "axe"}, `unknown decomposition "axe"`},
		{"step", balance.Options{Ranks: 2, Decompose: "octree+grow"}, `unknown step "grow"`},
		{"octree sides", balance.Options{Ranks: 2, Decompose: "octree", MinSide: 3}, "powers of two"},
		{"imbalance", balance.Options{Ranks: 2, Imbalance: -1}, "may not be negative"},
		{"largest side of bricks", balance.Options{Ranks: 2, MaxSide: 8}, "max-side) is for the octree decomposition only: leave it out with bricks + graph"},
		{"smallest side of blocks", balance.Options{Ranks: 2, Decompose: "shrink", MinSide: 8}, "min-side) is for the octree and bricks"},
		{"preset of rcb", balance.Options{Ranks: 2, Balance: "rcb", Preset: "eco"}, "preset is for the graph balancer only"},
		{"time limit of lpt", balance.Options{Ranks: 2, Balance: "lpt", TimeLimit: 1}, "time limit is for the graph balancer only"},
		{"imbalance of linear", balance.Options{Ranks: 2, Balance: "linear", Imbalance: 0.1}, "which linear does not"},
		{"cost", balance.Options{Ranks: 2, Cost: &bad}, "fluid_s is NaN"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := balance.Make(context.Background(), g, test.opt)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want one with %q", err, test.want)
			}
		})
	}
}

func TestMakeStopsWhenCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := balance.Make(ctx, generate.TreeGrid(60, 4), balance.Options{Ranks: 8, Decompose: "octree", Balance: "rcb"}); err == nil {
		t.Error("no error")
	}
}

// A rank a million times slower than the other gets one cuboid, whatever the
// balancer.
func TestSpeedsFarApart(t *testing.T) {
	g := generate.BallsGrid([3]int32{12, 10, 8}, 2, 5)
	for _, name := range balance.BalancerNames() {
		p, err := balance.Make(context.Background(), g, balance.Options{Ranks: 2, Speeds: []float64{1, 1e-6}, Balance: name, KeepHeavy: true})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var file bytes.Buffer
		if err := p.Write(&file); err != nil {
			t.Fatal(err)
		}
		if _, err := balance.Read(&file); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A grid may claim a box of any size for few cells.
func TestEmptyBoxesOfAnySize(t *testing.T) {
	g := generate.BallsGrid([3]int32{12, 10, 8}, 2, 5)
	for _, test := range []struct {
		side int32
		opt  balance.Options
		says string
	}{
		{1 << 21, balance.Options{Ranks: 2}, "more than the 1048576"},
		{1 << 20, balance.Options{Ranks: 2, MinSide: 2}, "cuboids"},
		{1 << 20, balance.Options{Ranks: 2, MinSide: 16}, "bricks"},
		{1 << 20, balance.Options{Ranks: 2, Decompose: "octree"}, ""},
		{1 << 20, balance.Options{Ranks: 2, Decompose: "carve"}, ""},
	} {
		g.Size = [3]int32{test.side, test.side, test.side}
		_, err := balance.Make(context.Background(), g, test.opt)
		if test.says == "" && err != nil || test.says != "" && (err == nil || !strings.Contains(err.Error(), test.says)) {
			t.Errorf("%+v in a box of side %d: error %v, want %q", test.opt, test.side, err, test.says)
		}
	}
}
