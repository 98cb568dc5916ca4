package balance_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"carina/balance"
	"carina/cuboid"
	"carina/geometry"
	"carina/geometry/generate"
	"carina/partition/metis"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// A partition made of the cuboids and owners of another is worth the same.
func TestOwnersMadeElsewhereAreJudgedAlike(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawSmallGrid(t)
		opt := drawOptions(t, g.Cells(), false)
		if opt.Ranks > 12 {
			opt.Ranks, opt.Speeds = 12, nil
		}
		want, err := balance.Make(context.Background(), g, opt)
		if err != nil {
			t.Fatal(err)
		}
		got, err := balance.Make(context.Background(), g, balance.Options{
			Ranks: opt.Ranks, Speeds: opt.Speeds, DevicesPerHost: opt.DevicesPerHost, Cost: &want.Cost,
			Decomposer: balance.Cuboids(want.Cuboids), Decompose: "another's", Balancer: balance.Owners(want.Owners),
		})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want.Quality, got.Quality); diff != "" {
			t.Fatalf("quality (−made, +judged):\n%s", diff)
		}
		if got.Method.Decompose != "another's" || got.Method.Balance != "own" {
			t.Fatalf("the method is %s + %s", got.Method.Decompose, got.Method.Balance)
		}
		var file bytes.Buffer
		if err := got.Write(&file); err != nil {
			t.Fatal(err)
		}
		read, err := balance.Read(&file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want.Owners, read.Owners); diff != "" {
			t.Fatal(diff)
		}
	})
}

// Owners that come back from another partitioner by METIS files are worth the
// cut that its graph tells.
func TestOwnersComeBackFromMETIS(t *testing.T) {
	const ranks = 5
	g := generate.TreeGrid(40, 4)
	p, err := balance.Make(context.Background(), g, balance.Options{Ranks: ranks})
	if err != nil {
		t.Fatal(err)
	}
	graph, err := p.Weighted(g)
	if err != nil {
		t.Fatal(err)
	}
	parts := make([]int32, graph.Vertices())
	for v := range parts {
		parts[v] = int32(v * 7 % ranks)
	}
	var file bytes.Buffer
	if err := metis.WriteParts(&file, parts); err != nil {
		t.Fatal(err)
	}
	owners, err := metis.ReadParts(&file, graph.Vertices(), ranks)
	if err != nil {
		t.Fatal(err)
	}
	judged, err := balance.Make(context.Background(), g, balance.Options{
		Ranks: ranks, Cost: &p.Cost, Decomposer: balance.Cuboids(p.Cuboids), Balancer: balance.Owners(owners), Balance: "metis",
	})
	if err != nil {
		t.Fatal(err)
	}
	var cut int64
	for v := range graph.Vertices() {
		for e := graph.Offsets[v]; e < graph.Offsets[v+1]; e++ {
			if u := graph.Neighbours[e]; parts[v] != parts[u] {
				cut += graph.EdgeWeights[e]
			}
		}
	}
	if judged.Quality.BytesTotal != cut/2 || judged.Method.Balance != "metis" {
		t.Errorf("%d bytes by %s, want %d", judged.Quality.BytesTotal, judged.Method.Balance, cut/2)
	}
}

// A caller's own balancer and decomposition get what ours get, and what they
// return is kept as it is.
func TestOwnBalancerAndDecomposition(t *testing.T) {
	g := generate.FullGrid([3]int32{12, 4, 4})
	slabs := balance.DecomposerFunc(func(_ context.Context, g *geometry.Grid, ranks []balance.Rank) ([]cuboid.Cuboid, error) {
		return cuboid.Regular(cuboid.Box(g), 3*len(ranks))
	})
	var seen *balance.Problem
	heavy := balance.BalancerFunc(func(_ context.Context, p *balance.Problem) ([]int32, error) {
		seen = p
		owners := make([]int32, len(p.Cuboids))
		owners[0] = 1
		return owners, nil
	})
	p, err := balance.Make(context.Background(), g, balance.Options{Ranks: 2, Speeds: []float64{1, 2}, Decomposer: slabs, Balancer: heavy, Seed: 7, Preset: "fast"})
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Cuboids) != 6 || p.Owners[0] != 1 || p.Quality.Ranks[1].Cuboids != 1 {
		t.Errorf("cuboids %v are owned by %v", p.Cuboids, p.Owners)
	}
	if seen.Seed != 7 || seen.Preset != "fast" || seen.Ranks[1].Speed != 2 || seen.Graph.Edges() == 0 {
		t.Errorf("the balancer is asked %+v", seen)
	}
}

func TestOwnIsRefused(t *testing.T) {
	g := generate.FullGrid([3]int32{4, 4, 4})
	halves := balance.Cuboids{{Max: [3]int32{2, 4, 4}}, {Min: [3]int32{2, 0, 0}, Max: [3]int32{4, 4, 4}}}
	overlap := balance.Cuboids{halves[0], {Min: [3]int32{1, 0, 0}, Max: [3]int32{4, 4, 4}}}
	broken := errors.New("out of ideas")
	for name, test := range map[string]struct {
		opt  balance.Options
		says string
	}{
		"too few owners":   {balance.Options{Decomposer: halves, Balancer: balance.Owners{0}}, "1 owner given for 2 cuboids"},
		"no such rank":     {balance.Options{Decomposer: halves, Balancer: balance.Owners{0, 2}}, "rank 2"},
		"negative rank":    {balance.Options{Decomposer: halves, Balancer: balance.Owners{0, -1}}, "rank -1"},
		"an idle rank":     {balance.Options{Decomposer: halves, Balancer: balance.Owners{1, 1}}, "rank 0 is given no cuboid"},
		"too few cuboids":  {balance.Options{Decomposer: balance.Cuboids{{Max: g.Size}}}, "1 cuboid with fluid for 2 ranks"},
		"cells left out":   {balance.Options{Decomposer: halves[:1]}, "decomposition own"},
		"common cells":     {balance.Options{Decomposer: overlap}, "decomposition own"},
		"outside the grid": {balance.Options{Decomposer: balance.Cuboids{{Max: [3]int32{5, 4, 4}}}}, "decomposition own"},
		"idle sides":       {balance.Options{Decomposer: halves, MinSide: 4}, "leave them out"},
		"a failure": {balance.Options{Balance: "mine", Balancer: balance.BalancerFunc(func(context.Context, *balance.Problem) ([]int32, error) {
			return nil, broken
		})}, "balancer mine: out of ideas"},
	} {
		t.Run(name, func(t *testing.T) {
			test.opt.Ranks = 2
			if _, err := balance.Make(context.Background(), g, test.opt); err == nil || !strings.Contains(err.Error(), test.says) {
				t.Errorf("error %v does not say %q", err, test.says)
			}
		})
	}
}
