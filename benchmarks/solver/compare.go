package solverbench

import (
	"context"
	"fmt"
	"slices"

	"carina/solver/airflow"
)

// Comparison is the speed of one result over that of another.
type Comparison struct {
	Name string `json:"name"`
	Case string `json:"case"`
	// Ratio is the median of all turns; half of these lie from LowerQuartile to
	// UpperQuartile.
	Ratio         float64 `json:"ratio"`
	LowerQuartile float64 `json:"lower_quartile"`
	UpperQuartile float64 `json:"upper_quartile"`
}

// comparisons lists what is compared, by what is different from a single
// precision TRT D3Q19 row with interpolated walls and no eddy viscosity in the
// sparse layout. Each holds for every case in which both are measured.
var comparisons = []struct {
	name       string
	one, other func(*Row)
}{
	{"BGK against TRT", func(r *Row) { r.Collision = string(airflow.BGK) }, single},
	{"recursive against TRT", func(r *Row) { r.Collision = string(airflow.Recursive) }, single},
	{"an eddy viscosity against none", eddies, single},
	{"interpolated against bounce-back walls", single, bounceBack},
	{"16 against 32 bits, bounce-back walls", func(r *Row) { half(r); bounceBack(r) }, bounceBack},
	{"interpolated against bounce-back walls in 16 bits", half, func(r *Row) { half(r); bounceBack(r) }},
	{"16 against 32 bits", half, single},
	{"an eddy viscosity against none in 16 bits", func(r *Row) { half(r); eddies(r) }, half},
	{"dense octree cuboids against sparse layout in 16 bits", func(r *Row) { half(r); octreeCuboids(r) }, half},
	{"dense octree cuboids against sparse layout", octreeCuboids, single},
	{"dense shrunk blocks against sparse layout", func(r *Row) { r.Layout, r.Decompose = string(airflow.Dense), "shrink" }, single},
	{"dense against sparse layout", func(r *Row) { r.Layout = string(airflow.Dense) }, single},
	{"64 against 32 bits", func(r *Row) { r.Precision = string(airflow.Double) }, single},
}

// Changes to the base case; single is none.
func single(*Row)          {}
func half(r *Row)          { r.Precision = string(airflow.Half) }
func bounceBack(r *Row)    { r.Wall = string(airflow.BounceBack) }
func eddies(r *Row)        { r.LargeEddy = true }
func octreeCuboids(r *Row) { r.Layout, r.Decompose = string(airflow.Dense), "octree+shrink" }

// pair are two results to compare.
type pair struct {
	name, where string
	one, other  int
}

// pairs are the comparisons of which both cases are among the results.
func (r *Report) pairs() []pair {
	var list []pair
	for _, where := range []string{cavity, airway} {
		for _, c := range comparisons {
			p := pair{c.name, where, r.find(where, c.one), r.find(where, c.other)}
			if p.one >= 0 && p.other >= 0 {
				list = append(list, p)
			}
		}
	}
	return list
}

// compare measures a pair in turn. Where a case is faster than when it was alone,
// its row says so.
func (r *Report) compare(ctx context.Context, p pair, cache *rankCache, o *Options) error {
	ratios, err := r.inTurn(p.one, p.other, cache, o)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return fmt.Errorf("comparing %s: %w", p.name, err)
	}
	r.Comparisons = append(r.Comparisons, Comparison{p.name, p.where, median(ratios), ratios[len(ratios)/4], ratios[len(ratios)*3/4]})
	return nil
}

// find returns which result is that of the base case with a change, or −1.
func (r *Report) find(name string, change func(*Row)) int {
	want := Row{Case: name, Precision: string(airflow.Single), Collision: string(airflow.TRT), Wall: string(airflow.Interpolated), Lattice: "D3Q19", Layout: string(airflow.Sparse)}
	change(&want)
	return slices.IndexFunc(r.Results, func(got Row) bool {
		return got.Case == want.Case && got.Precision == want.Precision && got.Collision == want.Collision &&
			got.Wall == want.Wall && got.Lattice == want.Lattice && got.LargeEddy == want.LargeEddy && got.Layout == want.Layout && got.Decompose == want.Decompose
	})
}

// rankCache are the ranks of the variants that are compared; those that the next
// comparison needs too are kept.
type rankCache struct {
	variants []variant
	domains  map[string]domain
	ranks    map[int]*airflow.Rank
}

// release gives up all ranks but those of some variants.
func (h *rankCache) release(but ...int) {
	for at, rank := range h.ranks {
		if !slices.Contains(but, at) {
			rank.Close()
			delete(h.ranks, at)
		}
	}
}

// of returns a variant's rank.
func (h *rankCache) of(at int) (*airflow.Rank, error) {
	if h.ranks[at] == nil {
		rank, err := newRank(h.domains[h.variants[at].where], h.variants[at])
		if err != nil {
			return nil, err
		}
		h.ranks[at] = rank
	}
	return h.ranks[at], nil
}

// inTurn returns the speeds of one variant over those of the other in all turns.
// Which of them is first alternates, so that a machine that becomes slower or
// faster favours neither.
func (r *Report) inTurn(one, other int, cache *rankCache, o *Options) ([]float64, error) {
	cache.release(one, other)
	var ratios []float64
	for turn := range o.turns.compared {
		order := []int{one, other}
		if turn%2 == 1 {
			slices.Reverse(order)
		}
		speed := map[int]float64{}
		for _, at := range order {
			rank, err := cache.of(at)
			if err != nil {
				return nil, err
			}
			t, err := rank.Measure(o.Pairs)
			if err != nil {
				return nil, err
			}
			row := &r.Results[at]
			speed[at] = float64(row.FluidCells) / t.Best / 1e6
			row.MLUPS = max(row.MLUPS, speed[at])
		}
		ratios = append(ratios, speed[one]/speed[other])
	}
	return ratios, nil
}
