package balance

import (
	"context"
	"fmt"
	"math"

	"carina/internal/quantity"
	"carina/partition"
	"carina/partition/graph"
)

// multilevel partitions the graph so that few bytes cross between ranks while the
// work stays within the imbalance (Fietz 2011, section 4.1). Where there are
// several hosts of several ranks it looks for a partition in which little
// crosses between hosts (Fietz 2011, section 4.1.3). Where a division by
// coordinates or along a curve, refined on the graph, is as balanced and cuts
// less, as wide tubes of bricks sometimes allow, it is taken.
func multilevel(ctx context.Context, p *Problem) ([]int32, error) {
	best, err := graphBySpeeds(ctx, p)
	if err != nil {
		return nil, err
	}
	c := contest{p: p, best: best, cut: partition.EdgeCutOf(p.Graph, best), time: exchangeTime(p, best)}
	c.limit = math.Max(p.Imbalance, imbalance(p.Graph.VertexWeights, best, p.Ranks))
	for _, simple := range []BalancerFunc{rcb, hilbert} {
		owners, err := simple(ctx, p)
		if err != nil {
			return nil, err
		}
		occupy(p, owners)
		refineCut(p, owners)
		if near := c.enter(owners); !near || len(owners) > severalVertices || !equalSpeeds(p.Ranks) {
			continue
		}
		if owners, err = continueFrom(ctx, p, owners); err != nil {
			return nil, err
		}
		occupy(p, owners)
		c.enter(owners)
	}
	return c.best, nil
}

// contest keeps the best of several partitions of a problem.
type contest struct {
	p     *Problem
	best  []int32
	limit float64 // the imbalance allowed
	cut   int64
	time  float64
}

// enter takes a partition if it is balanced, cuts less and exchanges faster
// than the best, and reports whether it cuts nearly as little. One that does
// but is not balanced, the partitioner may balance.
func (c *contest) enter(owners []int32) (near bool) {
	const factor = 1.1
	cut, time := partition.EdgeCutOf(c.p.Graph, owners), exchangeTime(c.p, owners)
	if cut < c.cut && time < c.time && imbalance(c.p.Graph.VertexWeights, owners, c.p.Ranks) <= c.limit {
		c.best, c.cut, c.time = owners, cut, time
	}
	return float64(cut) <= factor*float64(c.cut)
}

// severalVertices is the size of graphs that are partitioned from several
// starts.
const severalVertices = 50_000

// continueFrom improves a partition by the multilevel partitioner.
func continueFrom(ctx context.Context, p *Problem, owners []int32) ([]int32, error) {
	result, err := partition.Partition(ctx, p.Graph, partition.Options{
		Parts: len(p.Ranks), Imbalance: p.Imbalance, Preset: partition.Fast, Seed: p.Seed, Targets: targets(p.Ranks), Previous: owners,
	})
	if err != nil {
		return nil, fmt.Errorf("improving a partition of %s: %w", quantity.Count(len(owners), "cuboid"), err)
	}
	return result.Parts, nil
}

// graphBySpeeds partitions until ranks of different speed get their shares.
func graphBySpeeds(ctx context.Context, p *Problem) ([]int32, error) {
	owners, err := graphByHosts(ctx, p)
	if err != nil || equalSpeeds(p.Ranks) {
		return owners, err
	}
	// The partitioner bounds parts from above only; slow ranks go short where
	// the fast ones use their room. Give them less until none does.
	best, least := owners, imbalance(p.Graph.VertexWeights, owners, p.Ranks)
	tighter := *p
	for try := 0; try < 4 && least > p.Imbalance; try++ {
		tighter.Imbalance /= 2
		if owners, err = graphByHosts(ctx, &tighter); err != nil {
			return nil, err
		}
		if i := imbalance(p.Graph.VertexWeights, owners, p.Ranks); i < least {
			best, least = owners, i
		}
	}
	return best, nil
}

// fewVertices is the size of graphs that are given more effort than the least
// unless the user chooses.
const fewVertices = 10_000

// partitionGraph calls the multilevel partitioner.
func partitionGraph(ctx context.Context, p *Problem, g *graph.Graph, targets []float64, imbalance float64) ([]int32, error) {
	preset := partition.Eco
	if len(g.VertexWeights) > fewVertices {
		preset = partition.Fast
	}
	if p.Preset != "" {
		var err error
		if preset, err = partition.ParsePreset(p.Preset); err != nil {
			return nil, err
		}
	}
	opt := partition.Options{
		Parts: len(targets), Imbalance: imbalance, Preset: preset, Seed: p.Seed, Targets: targets,
		TimeLimit: p.TimeLimit,
	}
	if p.Progress != nil {
		opt.Progress = func(s partition.Progress) { p.Progress(s.Stage, s.Done) }
	}
	result, err := partition.Partition(ctx, g, opt)
	if err != nil {
		return nil, fmt.Errorf("partitioning the graph of %s into %s: %w", quantity.Count(len(g.VertexWeights), "cuboid"), quantity.Count(len(targets), "part"), err)
	}
	return result.Parts, nil
}

// CheckPreset refuses a name that no effort of the graph balancer has.
func CheckPreset(name string) error {
	_, err := partition.ParsePreset(name)
	return err
}
