package partition

import (
	"math"

	"carina/internal/random"
	"carina/partition/coarsen"
)

// mapped builds a partition for a machine in layers: first among the groups of
// parts that are farthest from each other, with all the effort of a preset,
// then within each (multisection, Schulz and Träff 2017); then all parts are
// refined together by the mapping cost. It takes the better of that and a
// partition by recursive bisection whose parts exchange places, which is all
// there is for distances that form no layers.
func (t *task) mapped(l *coarsen.Level, limit []int64, c levelConfig, r *random.Source) []int32 {
	whole := &piece{l: l, limit: limit, alike: 1}
	for q := range limit {
		whole.parts = append(whole.parts, int32(q))
	}
	bisected := t.multilevel(l, limit, c, r)
	if !t.layered(whole.parts) || t.stopped() {
		return bisected
	}
	part := make([]int32, l.Graph.Vertices())
	t.multisect(whole, r, part)
	if t.stopped() {
		return bisected
	}
	t.refine(l, part, limit, &c, r)
	candidates := []*individual{t.measure(l, bisected, limit), t.measure(l, part, limit)}
	if !t.stopped() {
		top := &coarsen.Level{Graph: l.Graph, Fixed: l.Fixed, Label: part}
		candidates = append(candidates, t.measure(l, t.descend(top, part, limit, c, r), limit))
	}
	return bestOf(candidates).part
}

// groups cuts consecutive parts wherever the distance to the next is the
// largest there is between neighbours in the list, and returns the first part
// of every group and their end.
func (t *task) groups(parts []int32) []int {
	farthest := int64(0)
	for i := 1; i < len(parts); i++ {
		farthest = max(farthest, t.distance[parts[i-1]][parts[i]])
	}
	begin := []int{0}
	for i := 1; i < len(parts); i++ {
		if t.distance[parts[i-1]][parts[i]] == farthest {
			begin = append(begin, i)
		}
	}
	return append(begin, len(parts))
}

// layered tells whether the distances form a hierarchy: any two parts of
// different groups equally far apart, and so on within the groups.
func (t *task) layered(parts []int32) bool {
	if len(parts) < 2 {
		return true
	}
	begin := t.groups(parts)
	apart := t.distance[parts[0]][parts[begin[1]%len(parts)]]
	for i := 0; i+1 < len(begin); i++ {
		for _, p := range parts[begin[i]:begin[i+1]] {
			for _, q := range parts[begin[i+1]:] {
				if t.distance[p][q] != apart {
					return false
				}
			}
		}
		if !t.layered(parts[begin[i]:begin[i+1]]) {
			return false
		}
	}
	return true
}

// layers counts the layers among parts.
func (t *task) layers(parts []int32) int {
	if len(parts) < 2 {
		return 0
	}
	begin := t.groups(parts)
	return 1 + t.layers(parts[begin[0]:begin[1]])
}

// multisect divides p layer by layer and writes the parts of the vertices into
// result, unless stopped.
func (t *task) multisect(p *piece, r *random.Source, result []int32) {
	if len(p.parts) == 1 {
		for v := range p.l.Graph.Vertices() {
			result[p.rootOf(int32(v))] = p.parts[0]
		}
		return
	}
	begin := t.groups(p.parts)
	groups := len(begin) - 1
	level := &coarsen.Level{Graph: p.l.Graph, Fixed: p.groupsFixed(begin)}
	limit := t.groupLimits(p, begin)
	inner := t.derived(t.contiguous)
	inner.c, inner.distance = t.c, nil
	if t.layers(p.parts) > 1 {
		inner.c = t.thorough(p.l.Graph.Vertices())
	}
	division := inner.search(level, limit, r)
	seeds := r.Seeds(groups)
	t.workers.Each(groups, func(i int) {
		if t.stopped() {
			return
		}
		t.multisect(p.extract(division, int32(i), begin[i], begin[i+1]), random.New(seeds[i]), result)
	})
}

// groupsFixed translates fixed parts to fixed groups.
func (p *piece) groupsFixed(begin []int) []int32 {
	if p.l.Fixed == nil {
		return nil
	}
	group := make(map[int32]int32, len(p.parts))
	for i := range len(begin) - 1 {
		for _, q := range p.parts[begin[i]:begin[i+1]] {
			group[q] = int32(i)
		}
	}
	fixed := make([]int32, len(p.l.Fixed))
	for v, q := range p.l.Fixed {
		fixed[v] = -1
		if q >= 0 {
			fixed[v] = group[q]
		}
	}
	return fixed
}

// groupLimits shares the slack between total weight and total limit evenly, in
// ratio, over the layers still to come.
func (t *task) groupLimits(p *piece, begin []int) []int64 {
	limit := make([]int64, len(begin)-1)
	var all int64
	for i := range limit {
		for _, x := range p.limit[begin[i]:begin[i+1]] {
			limit[i] += x
		}
		all += limit[i]
	}
	ratio := float64(all) / math.Max(float64(p.l.Graph.TotalVertexWeight()), 1)
	if layers := float64(t.layers(p.parts)); ratio > 1 && layers > 1 {
		keep := math.Pow(ratio, (layers-1)/layers)
		for i := range limit {
			limit[i] = min(limit[i], int64(math.Ceil(float64(limit[i])/keep)))
		}
	}
	return limit
}

// thorough returns the preset for outer layers: few parts and long distances
// are worth more effort than the many cheap cuts within.
func (t *task) thorough(vertices int) config {
	const large = 200_000
	switch {
	case !t.fast:
		return presets[Strong]
	case vertices <= large:
		return presets[Eco]
	}
	return t.c
}
