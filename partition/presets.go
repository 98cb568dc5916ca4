package partition

import (
	"math"

	"carina/partition/graph"
)

// levelConfig sets how one kind of multilevel pass works: bisections, or the
// whole into k parts.
type levelConfig struct {
	// coarsest is the number of vertices per part at which coarsening ends, and
	// smallest that of all vertices.
	coarsest, smallest int
	tries              int // initial partitions
	rounds             int // of FM per level
	patience           int // moves without improvement that end one FM search
	flows              int // rounds of flow refinement per level
	// reach is the share of a part that a flow network may hold; initialReach
	// the same on the coarsest graph of a bisection, where 0 means no flows.
	reach, initialReach float64
}

// config is what a preset stands for. Which of its numbers count depends on
// what is asked for ([task.search]):
//
//	asked for                         one run is                              sized by
//	3 parts or more                   the best of some starts, improved by    starts, weightedStarts, renewals,
//	                                  rounds of groups, then annealed         annealings
//	2 parts                           a population, of which pairs are        pairPopulation, weightedPairPopulation,
//	                                  combined                                pairCombinations, pairCoarsest
//	mapping, repartitioning           a population, of which pairs are        population, combinations
//	                                  combined
//	connected parts                   each member the best of a population    connectedPopulation, connectedCombinations,
//	                                  on a coarse graph, improved by rounds   connectedRenewals, connectedAnnealings,
//	                                  of groups, then annealed                connectedTries
//	3 or 4 connected parts            a population of annealed partitions,    fewPopulation, fewCombinations,
//	                                  of which pairs are combined             connectedAnnealings, connectedTries
//
// Pairs of numbers are for 2 and for 64 parts; see [at].
type config struct {
	bisection, kway levelConfig

	starts         int // partitions of which the best is improved further
	weightedStarts int // the same where vertex weights differ
	// renewals is how many rounds of partitioning groups of parts anew there
	// are ([task.renew]); many make up for few initial partitions.
	renewals   [2]float64
	annealings int // rounds of annealing at most

	population, combinations [2]float64

	pairPopulation         int
	weightedPairPopulation int // where vertex weights differ, if not the same
	pairCombinations       int
	pairCoarsest           int // vertices per part down to which graphs are coarsened

	connectedPopulation, connectedCombinations [2]float64
	connectedRenewals                          [2]float64 // on graphs that are not large
	connectedAnnealings, connectedTries        int        // rounds at most, and tries of one

	fewPopulation, fewCombinations int
}

// at returns the value for k parts of a quantity given for 2 and 64: between
// and beyond these it goes with the logarithm.
func at(ends [2]float64, k int) int {
	share := (math.Log2(float64(k)) - 1) / 5
	return int(math.Round(ends[0] + (ends[1]-ends[0])*min(share, 1.5)))
}

// effortFor returns what the preset stands for on a graph. On small ones whose
// vertices weigh the same Eco can do what Strong does in half a second, which
// is worth up to a tenth of the cut; to connect parts and to map them takes longer.
func effortFor(g *graph.Graph, opt *Options) config {
	const small = 400
	alike := g.Heaviest()*int64(g.Vertices()) == g.TotalVertexWeight()
	plain := !opt.Contiguous && opt.Objective != MappingCost && opt.TimeLimit == 0
	if opt.Preset == Eco && g.Vertices() <= small && alike && plain {
		return presets[Strong]
	}
	return presets[opt.Preset]
}

var presets = [...]config{
	Fast: {
		bisection:             levelConfig{coarsest: 30, smallest: 80, tries: 2, rounds: 2, patience: 30, flows: 1, reach: 0.25, initialReach: 0.6},
		kway:                  levelConfig{coarsest: 60, smallest: 300, tries: 1, rounds: 3, patience: 30, flows: 2, reach: 0.15},
		population:            [2]float64{1, 1},
		pairPopulation:        2,
		pairCoarsest:          40,
		connectedPopulation:   [2]float64{10, 2},
		connectedCombinations: [2]float64{8, 1},
	},
	Eco: {
		bisection:             levelConfig{coarsest: 30, smallest: 80, tries: 1, rounds: 3, patience: 40, flows: 2, reach: 0.15, initialReach: 0.8},
		kway:                  levelConfig{coarsest: 60, smallest: 300, tries: 1, rounds: 4, patience: 40, flows: 4, reach: 0.25},
		population:            [2]float64{1.3, 3},
		combinations:          [2]float64{0, 6},
		renewals:              [2]float64{2.6, 7},
		starts:                1,
		pairPopulation:        3,
		pairCoarsest:          20,
		connectedPopulation:   [2]float64{28, 4},
		connectedCombinations: [2]float64{40, 4},
		fewPopulation:         24,
		fewCombinations:       96,
		connectedRenewals:     [2]float64{30, 60},
		connectedAnnealings:   4,
		connectedTries:        4_000_000,
	},
	Strong: {
		bisection:              levelConfig{coarsest: 30, smallest: 80, tries: 1, rounds: 3, patience: 40, flows: 2, reach: 0.15, initialReach: 0.8},
		kway:                   levelConfig{coarsest: 60, smallest: 300, tries: 1, rounds: 4, patience: 40, flows: 6, reach: 0.3},
		population:             [2]float64{3, 5},
		combinations:           [2]float64{2, 20},
		renewals:               [2]float64{14, 36},
		starts:                 3,
		weightedStarts:         12,
		pairPopulation:         8,
		weightedPairPopulation: 24,
		pairCombinations:       4,
		pairCoarsest:           20,
		connectedPopulation:    [2]float64{40, 6},
		connectedCombinations:  [2]float64{80, 8},
		fewPopulation:          40,
		fewCombinations:        240,
		connectedRenewals:      [2]float64{60, 150},
		annealings:             2,
		connectedAnnealings:    8,
		connectedTries:         16_000_000,
	},
}
