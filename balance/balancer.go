package balance

import (
	"context"
	"fmt"
	"strings"
	"time"

	"carina/cuboid"
	"carina/internal/quantity"
	"carina/partition/graph"
)

// Rank is a processor that takes part: a CPU process or a GPU.
type Rank struct {
	// Speed is relative to the other ranks; a rank of speed 2 does the same
	// work in half the time.
	Speed float64 `json:"speed"`
	// Host is the number of the computer it belongs to, from 0.
	Host int `json:"host"`
	// Device is what it computes on, where the partition was made for that.
	Device string `json:"device,omitempty"`
}

// Problem is what a balancer solves: give every cuboid an owner so that the
// work of each rank is in proportion to its speed.
type Problem struct {
	// Graph has one vertex per cuboid, weighted by work, and edges weighted
	// by bytes (see Graph).
	Graph *graph.Graph
	// Cuboids say where the vertices lie.
	Cuboids []cuboid.Cuboid
	// Ranks are at most as many as cuboids.
	Ranks []Rank
	// Imbalance is how far the heaviest rank may exceed its share, such as
	// 0.03. Balancers that cannot choose ignore it.
	Imbalance float64
	// Inside and Between are what messages cost inside a host and between
	// hosts.
	Inside, Between Network
	// Seed chooses one of several possible results.
	Seed uint64
	// Preset is the effort of the graph partitioner: fast, eco or strong; chosen
	// by the number of cuboids if empty.
	Preset string
	// TimeLimit, if positive, lets the graph partitioner go on improving for so
	// long; the result then depends on the machine.
	TimeLimit time.Duration
	// Progress, if set, is told the stage and the share done, 0 to 1.
	Progress func(stage string, done float64)
}

// Balancer distributes cuboids over ranks.
type Balancer interface {
	// Balance returns the owner of every cuboid. The same problem gives the
	// same owners.
	Balance(ctx context.Context, p *Problem) ([]int32, error)
}

// BalancerFunc is a function that is a Balancer.
type BalancerFunc func(ctx context.Context, p *Problem) ([]int32, error)

// Balance calls f.
func (f BalancerFunc) Balance(ctx context.Context, p *Problem) ([]int32, error) { return f(ctx, p) }

// balancers lists the balancers by their names on the command line.
var balancers = []struct {
	name     string
	balancer Balancer
}{
	{"linear", BalancerFunc(linear)},
	{"lpt", BalancerFunc(lpt)},
	{"graph", BalancerFunc(multilevel)},
	{"sfc", BalancerFunc(hilbert)},
	{"hilbert", BalancerFunc(hilbert)},
	{"morton", BalancerFunc(morton)},
	{"rcb", BalancerFunc(rcb)},
}

// BalancerNames returns the names that NewBalancer knows.
func BalancerNames() []string {
	names := make([]string, len(balancers))
	for i, b := range balancers {
		names[i] = b.name
	}
	return names
}

// NewBalancer returns the balancer of a name: linear, lpt, graph, sfc (also
// called hilbert), morton or rcb. Whatever it does, no rank stays empty as long
// as there are enough cuboids.
func NewBalancer(name string) (Balancer, error) {
	for _, b := range balancers {
		if b.name == name {
			return BalancerFunc(func(ctx context.Context, p *Problem) ([]int32, error) {
				return checked(ctx, b.balancer, p)
			}), nil
		}
	}
	return nil, fmt.Errorf("unknown balancer %q: use one of %s", name, strings.Join(BalancerNames(), ", "))
}

// checked refuses problems without a solution and fills ranks left empty.
func checked(ctx context.Context, b Balancer, p *Problem) ([]int32, error) {
	n := len(p.Graph.VertexWeights)
	if len(p.Ranks) < 1 {
		return nil, fmt.Errorf("%d ranks asked for: ask for at least one", len(p.Ranks))
	}
	if n < len(p.Ranks) {
		return nil, fmt.Errorf("%s cannot occupy %s: split them further or use fewer ranks", quantity.Count(n, "cuboid"), quantity.Count(len(p.Ranks), "rank"))
	}
	if err := checkSpeeds(p.Ranks); err != nil {
		return nil, err
	}
	owners, err := b.Balance(ctx, p)
	if err != nil {
		return nil, err
	}
	occupy(p, owners)
	return owners, nil
}

// widestSpeeds is how many times faster one rank may be than another: beyond,
// the slow one's share is no cell.
const widestSpeeds = 1e6

// checkSpeeds refuses speeds that cannot be meant.
func checkSpeeds(ranks []Rank) error {
	fastest := 0
	for i, r := range ranks {
		if !(r.Speed >= 1e-12) || r.Speed > 1e12 {
			return fmt.Errorf("rank %d has speed %v: give every rank one from 1e-12 to 1e12, such as 1", i, r.Speed)
		}
		if r.Speed > ranks[fastest].Speed {
			fastest = i
		}
	}
	for i, r := range ranks {
		if r.Speed*widestSpeeds < ranks[fastest].Speed {
			return fmt.Errorf("rank %d has speed %v, less than a millionth of rank %d's %v: leave it out", i, r.Speed, fastest, ranks[fastest].Speed)
		}
	}
	return nil
}

// targets returns the fraction of all work that each rank should get; the sum is 1.
func targets(ranks []Rank) []float64 {
	var sum float64
	for _, r := range ranks {
		sum += r.Speed
	}
	list := make([]float64, len(ranks))
	for i, r := range ranks {
		list[i] = r.Speed / sum
	}
	return list
}

// loads returns the weight that each rank owns.
func loads(p *Problem, owners []int32) []int64 {
	return p.Graph.PartWeights(owners, len(p.Ranks))
}

// occupy gives every rank without a cuboid the lightest one of the busiest
// rank that has several.
func occupy(p *Problem, owners []int32) {
	owned := make([][]int32, len(p.Ranks))
	for v, o := range owners {
		owned[o] = append(owned[o], int32(v))
	}
	load := loads(p, owners)
	for r := range owned {
		if len(owned[r]) > 0 {
			continue
		}
		donor := -1
		for d := range owned {
			if len(owned[d]) > 1 && (donor < 0 || float64(load[d])/p.Ranks[d].Speed > float64(load[donor])/p.Ranks[donor].Speed) {
				donor = d
			}
		}
		if donor < 0 {
			return
		}
		least := 0
		for i, v := range owned[donor] {
			if p.Graph.VertexWeights[v] < p.Graph.VertexWeights[owned[donor][least]] {
				least = i
			}
		}
		v := owned[donor][least]
		owned[donor] = append(owned[donor][:least], owned[donor][least+1:]...)
		owned[r] = []int32{v}
		owners[v] = int32(r)
		load[donor] -= p.Graph.VertexWeights[v]
		load[r] += p.Graph.VertexWeights[v]
	}
}

// linear hands out the cuboids in their order: every rank gets ⌊nC/n⌋ or one
// more (the traditional balancer, Fietz 2011, chapter 3). Ranks of different
// speed get numbers of cuboids in proportion.
func linear(_ context.Context, p *Problem) ([]int32, error) {
	n := len(p.Graph.VertexWeights)
	owners := make([]int32, n)
	equal := equalSpeeds(p.Ranks)
	var before float64 // sum of the targets so far
	from := 0
	for r, target := range targets(p.Ranks) {
		before += target
		// Every rank gets one cuboid at least and leaves one for each that
		// follows. Equal speeds are divided in whole numbers.
		to := int(before*float64(n) + 0.5)
		if equal {
			to = n * (r + 1) / len(p.Ranks)
		}
		to = min(max(to, from+1), n-(len(p.Ranks)-1-r))
		if r == len(p.Ranks)-1 {
			to = n
		}
		for ; from < to; from++ {
			owners[from] = int32(r)
		}
	}
	return owners, nil
}

func equalSpeeds(ranks []Rank) bool {
	for _, r := range ranks {
		if r.Speed != ranks[0].Speed {
			return false
		}
	}
	return true
}
