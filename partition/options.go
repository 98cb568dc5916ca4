package partition

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"time"

	"carina/internal/quantity"
	"carina/partition/graph"
)

// Preset chooses between speed and quality.
type Preset int

// The presets, from fastest to best. See [Options.TimeLimit] for the memetic
// search beyond Strong. On small graphs of equal vertices Eco does as Strong.
const (
	Fast Preset = iota
	Eco
	Strong
)

var presetNames = []string{"fast", "eco", "strong"}

// String returns the preset's name on the command line.
func (p Preset) String() string {
	if p < 0 || int(p) >= len(presetNames) {
		return fmt.Sprintf("preset(%d)", int(p))
	}
	return presetNames[p]
}

// PresetNames returns the names that ParsePreset knows.
func PresetNames() []string { return slices.Clone(presetNames) }

// ParsePreset returns the preset called name.
func ParsePreset(name string) (Preset, error) {
	for i, n := range presetNames {
		if n == name {
			return Preset(i), nil
		}
	}
	return 0, fmt.Errorf("unknown preset %q; use one of %s", name, strings.Join(presetNames, ", "))
}

// LargestMigrationCost bounds [Options.MigrationCosts].
const LargestMigrationCost = 1 << 40

// DefaultImbalance is the usual tolerance of the literature, 3 %.
const DefaultImbalance = 0.03

// Options says what partition is wanted. The zero value of every field but
// Parts is usable.
type Options struct {
	// Parts is the number of parts, at least 1.
	Parts int
	// Imbalance ε ≥ 0 bounds every part's weight by ⌈(1+ε)·target⌉ with
	// target = fraction · total weight. Zero asks for parts as equal as whole
	// units allow; [DefaultImbalance] is usual.
	Imbalance float64
	// Preset is Fast unless given.
	Preset Preset
	// Seed chooses one of the possible results; equal seeds give equal
	// results whatever the number of workers, unless TimeLimit is set.
	Seed uint64
	// Targets holds one positive share per part, of any sum; nil means equal
	// shares.
	Targets []float64
	// Fixed holds for each vertex the part it must be in, or -1; nil means
	// none is fixed.
	Fixed []int32
	// Objective is EdgeCut unless given.
	Objective Objective
	// VertexSizes holds how much each vertex sends to every other part that it
	// touches, for the volumes; nil means one unit each.
	VertexSizes []int64
	// Distances between parts, for MappingCost: symmetric, zero from a part to
	// itself. See [Hierarchy].
	Distances [][]int64
	// Previous, if given, holds the part each vertex is in now, or -1 for new
	// vertices, and is where the search starts.
	Previous []int32
	// MigrationCosts holds what it costs to move each vertex out of its
	// Previous part, in units of edge weight; nil means nothing.
	MigrationCosts []int64
	// Contiguous asks for parts that are connected within themselves. Balance
	// and fixed vertices go first: where they leave no connected parts, or none
	// is found, and where the graph itself is disconnected so that parts must
	// take from several components, parts have as few pieces as could be had
	// ([Result.DisconnectedParts]).
	Contiguous bool
	// TimeLimit, if positive, goes on combining partitions (memetic search)
	// until that much time has passed since the call.
	TimeLimit time.Duration
	// Clock, if set, is what TimeLimit is measured by instead of the time that
	// passes: it returns a duration that never shrinks, such as the processor
	// time used so far. It is called from several goroutines.
	Clock func() time.Duration
	// Workers is the number of goroutines that may compute; 0 means
	// GOMAXPROCS. It does not change the result.
	Workers int
	// Progress, if set, is called from time to time, never concurrently.
	Progress func(Progress)
}

// Progress tells how far a run is.
type Progress struct {
	// Stage names the current work in a word or two.
	Stage string
	// Done is the fraction of the work done, 0 to 1.
	Done float64
	// Objective is the best value so far; -1 while there is none.
	Objective int64
}

func (o *Options) workers() int {
	if o.Workers > 0 {
		return o.Workers
	}
	return runtime.GOMAXPROCS(0)
}

// clock returns the Clock given or the time that passes.
func (o *Options) clock() func() time.Duration {
	if o.Clock != nil {
		return o.Clock
	}
	begin := time.Now()
	return func() time.Duration { return time.Since(begin) }
}

// check returns an error that says which option is wrong for a graph of n
// vertices.
func (o *Options) check(n int) error {
	switch {
	case o.Parts < 1:
		return fmt.Errorf("%d parts asked for; ask for at least 1", o.Parts)
	case o.Parts > math.MaxInt32/2:
		return fmt.Errorf("%d parts asked for; at most %d are possible", o.Parts, math.MaxInt32/2)
	case !(o.Imbalance >= 0) || o.Imbalance > 1e6:
		return fmt.Errorf("imbalance %v; give a number ≥ 0 such as 0.03", o.Imbalance)
	case o.Preset < Fast || o.Preset > Strong:
		return fmt.Errorf("unknown preset %d; use Fast, Eco or Strong", int(o.Preset))
	case o.Objective < EdgeCut || o.Objective > MappingCost:
		return fmt.Errorf("unknown objective %d", int(o.Objective))
	case o.Targets != nil && len(o.Targets) != o.Parts:
		return fmt.Errorf("%s for %s; give one share per part", quantity.Count(len(o.Targets), "target"), quantity.Count(o.Parts, "part"))
	case o.Fixed != nil && len(o.Fixed) != n:
		return fmt.Errorf("%s in Fixed for %s; give one per vertex, -1 where free", quantity.Count(len(o.Fixed), "entry"), quantity.Count(n, "vertex"))
	}
	if o.Objective == MappingCost {
		if err := checkDistances(o.Distances, o.Parts); err != nil {
			return err
		}
	}
	if err := o.checkPrevious(n); err != nil {
		return err
	}
	for p, t := range o.Targets {
		if !(t > 0) || math.IsInf(t, 1) {
			return fmt.Errorf("target of part %d is %v; shares must be positive", p, t)
		}
	}
	for v, p := range o.Fixed {
		if p < -1 || int(p) >= o.Parts {
			return fmt.Errorf("vertex %d is fixed to part %d; parts run from 0 to %d, -1 is free", v, p, o.Parts-1)
		}
	}
	return nil
}

// checkSizes tells what is wrong with VertexSizes for a graph.
func (o *Options) checkSizes(g *graph.Graph) error {
	if o.VertexSizes == nil {
		return nil
	}
	if n := g.Vertices(); len(o.VertexSizes) != n {
		return fmt.Errorf("%s in VertexSizes for %s; give one per vertex", quantity.Count(len(o.VertexSizes), "entry"), quantity.Count(n, "vertex"))
	}
	room := int64(math.MaxInt64 / 8)
	for v, size := range o.VertexSizes {
		degree := g.Offsets[v+1] - g.Offsets[v]
		if size < 0 {
			return fmt.Errorf("vertex %d has the size %d; sizes must not be negative", v, size)
		}
		if degree > 0 && size > room/degree {
			return fmt.Errorf("the sizes of vertices, each for all its neighbours, sum to more than 2^60; divide them by a common factor")
		}
		room -= size * degree
	}
	return nil
}

// searched is the graph that is searched for a partition: with its weights stored,
// and where volumes of vertices of several sizes are asked for, with what its ends
// may send over each edge instead of its weight.
func (o *Options) searched(g *graph.Graph) *graph.Graph {
	w := g.Weighted()
	if o.VertexSizes == nil || o.Objective != CommunicationVolume && o.Objective != BottleneckVolume {
		return w
	}
	w.EdgeWeights = make([]int64, len(g.Neighbours))
	for v := range o.VertexSizes {
		for e := g.Offsets[v]; e < g.Offsets[v+1]; e++ {
			w.EdgeWeights[e] = max(1, o.VertexSizes[v]+o.VertexSizes[g.Neighbours[e]])
		}
	}
	return w
}

// checkPrevious tells what is wrong with Previous and MigrationCosts.
func (o *Options) checkPrevious(n int) error {
	if o.Previous != nil && len(o.Previous) != n {
		return fmt.Errorf("%s in Previous for %s; give one per vertex, -1 where new", quantity.Count(len(o.Previous), "entry"), quantity.Count(n, "vertex"))
	}
	for v, p := range o.Previous {
		if p < -1 || int(p) >= o.Parts {
			return fmt.Errorf("vertex %d was in part %d; parts run from 0 to %d, -1 is new", v, p, o.Parts-1)
		}
	}
	if o.MigrationCosts == nil {
		return nil
	}
	if o.Previous == nil || len(o.MigrationCosts) != n {
		return fmt.Errorf("%s for %s; give one per vertex, and Previous with them", quantity.Count(len(o.MigrationCosts), "migration cost"), quantity.Count(n, "vertex"))
	}
	for v, c := range o.MigrationCosts {
		if c < 0 || c > LargestMigrationCost {
			return fmt.Errorf("migration cost of vertex %d is %d; costs must be 0 to %d", v, c, int64(LargestMigrationCost))
		}
	}
	return nil
}
