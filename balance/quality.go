package balance

import (
	"cmp"
	"math"
	"slices"

	"carina/cuboid"
)

// RankQuality says what one rank has to do in a step.
type RankQuality struct {
	Cuboids  int   `json:"cuboids"`
	Fluid    int64 `json:"fluid_cells"`
	Boundary int64 `json:"boundary_cells"`
	Empty    int64 `json:"empty_cells"`
	// Work is the time for its cells, in seconds, at the rank's speed.
	Work float64 `json:"work_s"`
	// HaloCells is the number of fluid cells of other ranks next to its own.
	HaloCells int64 `json:"halo_cells"`
	// Bytes is what it sends to other ranks; it receives as much.
	Bytes int64 `json:"bytes"`
	// Neighbours is the number of ranks it exchanges with.
	Neighbours int `json:"neighbours"`
	// Exchange is the predicted time of its messages, in seconds.
	Exchange float64 `json:"exchange_s"`
	// Step is the predicted time of a step, in seconds: work, copies between
	// its own cuboids, and messages.
	Step float64 `json:"step_s"`
}

// Quality says how good a partition is.
type Quality struct {
	// FluidCells and KeptCells are those of all cuboids; KeptCells includes the
	// empty ones.
	FluidCells int64 `json:"fluid_cells"`
	KeptCells  int64 `json:"kept_cells"`
	// WorkMaxOverMean is the largest work of a rank over its fair share.
	WorkMaxOverMean float64 `json:"work_max_over_mean"`
	// BytesTotal is what all ranks send in a step: the cut of the graph.
	// BytesMax is what the busiest sends.
	BytesTotal int64 `json:"bytes_total"`
	BytesMax   int64 `json:"bytes_max"`
	// NeighboursMax is the largest number of ranks one rank exchanges with.
	NeighboursMax int `json:"neighbours_max"`
	// EmptyRanks is the number of ranks without fluid.
	EmptyRanks int `json:"empty_ranks"`
	// PredictedStep is the time of a step, that of the slowest rank, and
	// PredictedSpeedUp how much shorter it is than on one rank of speed 1 that
	// keeps the same cells.
	PredictedStep    float64 `json:"predicted_step_seconds"`
	PredictedSpeedUp float64 `json:"predicted_speed_up"`
	// Ranks has one entry per rank.
	Ranks []RankQuality `json:"ranks"`
}

// exchange is what one rank sends to another, as bytes per step.
type exchange struct {
	from, to int32
	bytes    int64
}

// exchanges adds up crossings by pairs of ranks, ordered by sender and
// receiver, and the bytes copied between cuboids of one rank.
func exchanges(cost *Cost, crossings []cuboid.Crossing, owners []int32, ranks int) ([]exchange, []int64) {
	copied := make([]int64, ranks)
	var list []exchange
	for _, c := range crossings {
		p, q, bytes := owners[c.A], owners[c.B], cost.Bytes(c)/2
		if p == q {
			copied[p] += 2 * bytes
			continue
		}
		list = append(list, exchange{p, q, bytes}, exchange{q, p, bytes})
	}
	slices.SortFunc(list, func(a, b exchange) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to))
	})
	merged := list[:0]
	for _, e := range list {
		if n := len(merged); n > 0 && merged[n-1].from == e.from && merged[n-1].to == e.to {
			merged[n-1].bytes += e.bytes
			continue
		}
		merged = append(merged, e)
	}
	return merged, copied
}

// measureQuality works out the quality of a partition. Halo cells are counted
// where segments are given.
func measureQuality(cost *Cost, ranks []Rank, counts []cuboid.Counts, crossings []cuboid.Crossing, owners []int32, segments []cuboid.Segment) Quality {
	q := Quality{Ranks: make([]RankQuality, len(ranks))}
	alone := 0.0
	for i, n := range counts {
		r := &q.Ranks[owners[i]]
		r.Cuboids++
		r.Fluid += n.Fluid
		r.Boundary += n.Boundary
		r.Empty += n.Empty
		seconds := cost.Seconds(n)
		r.Work += seconds / ranks[owners[i]].Speed
		alone += seconds
		q.FluidCells += n.Fluid
		q.KeptCells += n.Fluid + n.Empty
	}
	sent, copied := exchanges(cost, crossings, owners, len(ranks))
	for i := range q.Ranks {
		q.Ranks[i].Step = q.Ranks[i].Work + float64(copied[i])*cost.CopyPerByte/ranks[i].Speed
	}
	for _, c := range copied {
		alone += float64(c) * cost.CopyPerByte
	}
	latency := make([]float64, len(ranks))
	for _, e := range sent {
		latency[e.from] = math.Max(latency[e.from], cost.network(ranks, e.from, e.to).Latency)
		r := &q.Ranks[e.from]
		r.Bytes += e.bytes
		r.Neighbours++
		r.Exchange += cost.network(ranks, e.from, e.to).message(e.bytes)
		q.BytesTotal += e.bytes
		if cost.CopyPerByte > 0 {
			alone += float64(e.bytes) * cost.CopyPerByte
		}
	}
	if segments != nil {
		for r, cells := range cuboid.HaloCells(segments, owners, len(ranks), cost.neighbours()) {
			q.Ranks[r].HaloCells = cells
		}
	}
	for i := range q.Ranks {
		q.Ranks[i].Exchange += latency[i]
		q.Ranks[i].Step += q.Ranks[i].Exchange
	}
	q.summarise(ranks, alone)
	return q
}

// network returns what connects two ranks.
func (c *Cost) network(ranks []Rank, from, to int32) *Network {
	if ranks[from].Host != ranks[to].Host {
		return &c.Between
	}
	return &c.Inside
}

// message returns the time of one message besides the latency; both ends are
// busy with it.
func (n *Network) message(bytes int64) float64 {
	return n.Overhead + float64(bytes)*n.SecondsPerByte
}

func (q *Quality) summarise(ranks []Rank, alone float64) {
	var work, speed float64
	for i, r := range q.Ranks {
		work += r.Work * ranks[i].Speed
		speed += ranks[i].Speed
	}
	for _, r := range q.Ranks {
		q.WorkMaxOverMean = math.Max(q.WorkMaxOverMean, r.Work/(work/speed))
		q.BytesMax = max(q.BytesMax, r.Bytes)
		q.NeighboursMax = max(q.NeighboursMax, r.Neighbours)
		q.PredictedStep = math.Max(q.PredictedStep, r.Step)
		if r.Fluid == 0 {
			q.EmptyRanks++
		}
	}
	q.PredictedSpeedUp = alone / q.PredictedStep
}
