package partition

import (
	"math"
	"math/big"
	"sort"
	"strconv"

	"carina/partition/graph"
)

// limits holds what every part may weigh.
type limits struct {
	// stated is ⌈(1+ε)·target⌉ for every part.
	stated []int64
	// effective is stated, raised where a vertex alone is heavier than its
	// part, or where whole vertices cannot be packed any tighter.
	effective []int64
	// own holds for each vertex that needs a part for itself that part; nil
	// if there is none.
	own map[int32]int32
}

// decimal returns x as the decimal fraction a person would have typed, so
// that 1.03·100 is 103 and not a little more.
func decimal(x float64) *big.Rat {
	r, ok := new(big.Rat).SetString(strconv.FormatFloat(x, 'g', -1, 64))
	if !ok {
		return new(big.Rat)
	}
	return r
}

func ceiling(r *big.Rat) int64 {
	q := new(big.Int).Add(r.Num(), r.Denom())
	q.Sub(q, big.NewInt(1))
	q.Quo(q, r.Denom())
	if !q.IsInt64() {
		return math.MaxInt64 / 2
	}
	return min(q.Int64(), math.MaxInt64/2)
}

// statedLimits returns ⌈(1+ε)·t_p·W⌉ in exact arithmetic.
func statedLimits(total int64, opt *Options) []int64 {
	factor := new(big.Rat).Add(decimal(opt.Imbalance), big.NewRat(1, 1))
	factor.Mul(factor, new(big.Rat).SetInt64(total))
	result := make([]int64, opt.Parts)
	if opt.Targets == nil {
		limit := ceiling(factor.Quo(factor, big.NewRat(int64(opt.Parts), 1)))
		for p := range result {
			result[p] = limit
		}
		return result
	}
	sum := new(big.Rat)
	for _, t := range opt.Targets {
		sum.Add(sum, decimal(t))
	}
	factor.Quo(factor, sum)
	for p, t := range opt.Targets {
		result[p] = ceiling(new(big.Rat).Mul(factor, decimal(t)))
	}
	return result
}

// newLimits works out stated and effective limits of g. When stopped, the
// effective ones may be higher than need be.
func newLimits(g *graph.Graph, opt *Options, stop func() bool) *limits {
	l := &limits{stated: statedLimits(g.TotalVertexWeight(), opt)}
	l.effective = append([]int64(nil), l.stated...)
	if opt.Parts > 1 {
		l.peelHeavyVertices(g, opt)
		l.raiseForFixed(g, opt)
		l.raiseForPacking(g, opt, stop)
	}
	return l
}

// peelHeavyVertices gives a part of its own to every vertex that is heavier
// than the largest part still free: such a part is then exactly that vertex,
// and the others keep their limits.
func (l *limits) peelHeavyVertices(g *graph.Graph, opt *Options) {
	parts := graph.Numbers(opt.Parts)
	sort.SliceStable(parts, func(i, j int) bool { return l.stated[parts[i]] > l.stated[parts[j]] })
	if opt.Fixed != nil {
		return
	}
	heavy := make([]int32, 0)
	smallest := l.stated[parts[len(parts)-1]]
	for v := int32(0); int(v) < g.Vertices(); v++ {
		if g.VertexWeight(v) > smallest {
			heavy = append(heavy, v)
		}
	}
	sort.SliceStable(heavy, func(i, j int) bool { return g.VertexWeight(heavy[i]) > g.VertexWeight(heavy[j]) })
	for i, v := range heavy {
		if i >= len(parts)-1 || g.VertexWeight(v) <= l.stated[parts[i]] {
			break
		}
		if l.own == nil {
			l.own = make(map[int32]int32)
		}
		l.own[v] = parts[i]
		l.effective[parts[i]] = g.VertexWeight(v)
	}
}

// raiseForFixed raises the limits of parts whose fixed vertices already weigh
// more.
func (l *limits) raiseForFixed(g *graph.Graph, opt *Options) {
	if opt.Fixed == nil {
		return
	}
	weight := make([]int64, opt.Parts)
	for v, p := range opt.Fixed {
		if p >= 0 {
			weight[p] += g.VertexWeight(int32(v))
		}
	}
	for p, w := range weight {
		l.effective[p] = max(l.effective[p], w)
	}
}

// raiseForPacking makes sure that whole vertices can be packed at all: where
// neither heaviest-first packing fits, the limits it needed become the
// effective ones.
func (l *limits) raiseForPacking(g *graph.Graph, opt *Options, stop func() bool) {
	if opt.Fixed == nil && l.own == nil && l.packsEasily(g) {
		return
	}
	packing := packVertices(g, opt.Fixed, l, stop)
	for p, w := range packing.weight {
		l.effective[p] = max(l.effective[p], w)
	}
}

// packsEasily tells whether packing into the part with the most room cannot
// fail: what is left of the limits after all vertices is at least the heaviest
// vertex for each part, so until the last vertex some part has room for it.
func (l *limits) packsEasily(g *graph.Graph) bool {
	var heaviest int64
	for v := range g.Vertices() {
		heaviest = max(heaviest, g.VertexWeight(int32(v)))
	}
	spare := -float64(g.TotalVertexWeight())
	for _, limit := range l.effective {
		spare += float64(limit)
	}
	// A little more than needed, for sums that floating point rounds.
	return spare > 1.01*float64(heaviest)*float64(len(l.effective))
}
