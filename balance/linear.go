package balance

import "context"

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
