package balance

import (
	"context"

	"carina/partition"
)

// graph partitions the graph so that few bytes cross between ranks while the
// work stays within the imbalance (Fietz 2011, section 4.1).
func graph(ctx context.Context, p *Problem) ([]int32, error) {
	preset := partition.Eco
	if p.Preset != "" {
		var err error
		if preset, err = partition.ParsePreset(p.Preset); err != nil {
			return nil, err
		}
	}
	opt := partition.Options{
		Parts: len(p.Ranks), Imbalance: p.Imbalance, Preset: preset, Seed: p.Seed, Targets: shares(p.Ranks),
	}
	if p.Progress != nil {
		opt.Progress = func(s partition.Progress) { p.Progress(s.Stage, s.Done) }
	}
	result, err := partition.Partition(ctx, p.Graph, opt)
	if err != nil {
		return nil, err
	}
	return result.Parts, nil
}
