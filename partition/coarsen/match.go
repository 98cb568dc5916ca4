package coarsen

import (
	"math"

	"carina/internal/parallel"
	"carina/internal/random"
)

// ratedEdge is an edge with its rating and the key it is sorted by.
type ratedEdge struct {
	rating float32
	key    uint32
	u, v   int32
}

// Match finds a matching by the global path algorithm (Maue and
// Sanders 2007): edges, best rating first, are joined to paths and even
// cycles, each of which is then matched optimally by dynamic programming.
func Match(l *Level, heaviest int64, r *random.Source, stop func() bool) ([]int32, int) {
	g := l.Graph
	n := g.Vertices()
	edges := ratedEdges(l, heaviest, r, stop)
	p := &pathSet{next: make([][2]int32, n), rate: make([][2]float64, n), end: make([]int32, n), length: make([]int32, n), mate: make([]int32, n)}
	for v := range p.next {
		p.next[v] = [2]int32{-1, -1}
		p.end[v] = int32(v)
		p.mate[v] = -1
	}
	for _, e := range edges {
		p.join(e.u, e.v, float64(e.rating))
	}
	for v := int32(0); int(v) < n; v++ {
		if p.end[v] >= 0 && p.next[v][1] < 0 && p.next[v][0] >= 0 && p.mate[v] == -1 {
			p.matchFrom(v)
		}
	}
	for v := int32(0); int(v) < n; v++ {
		if p.mate[v] == -1 && p.next[v][0] >= 0 {
			p.matchCycle(v)
		}
	}
	for v := range p.mate {
		if p.mate[v] < 0 {
			p.mate[v] = int32(v)
		}
	}
	return numberPairs(p.mate)
}

// ratedEdges lists the edges that may be contracted, best rating first, those
// of nearly equal rating in random order.
func ratedEdges(l *Level, heaviest int64, r *random.Source, stop func() bool) []ratedEdge {
	g := l.Graph
	edges := make([]ratedEdge, 0, len(g.Neighbours)/2)
	for v := int32(0); int(v) < g.Vertices(); v++ {
		if v%parallel.CheckEvery == 0 && stop() {
			break
		}
		weight := g.VertexWeights[v]
		for e := g.Offsets[v]; e < g.Offsets[v+1]; e++ {
			u := g.Neighbours[e]
			if u <= v || weight+g.VertexWeights[u] > heaviest || !l.mayMerge(u, v) {
				continue
			}
			rating := float32(expansion(g.EdgeWeights[e], weight, g.VertexWeights[u]))
			edges = append(edges, ratedEdge{rating, ratingKey(rating, uint32(r.Next())), v, u})
		}
	}
	if stop() {
		return nil
	}
	return sortByKey(edges)
}

// ratingKey orders ratings, largest first, by their exponent and the first
// eight bits of their mantissa (differences below 0.4 % do not matter), then
// by the tie.
func ratingKey(rating float32, tie uint32) uint32 {
	return ^(math.Float32bits(rating) >> 15 << 16) ^ tie&0xffff
}

// sortByKey sorts by key in three stable passes (radix sort).
func sortByKey(edges []ratedEdge) []ratedEdge {
	const digits = 11
	other := make([]ratedEdge, len(edges))
	start := make([]int32, 1<<digits)
	for shift := 0; shift < 32; shift += digits {
		clear(start)
		for i := range edges {
			start[edges[i].key>>shift&(1<<digits-1)]++
		}
		next := int32(0)
		for d, count := range start {
			start[d] = next
			next += count
		}
		for i := range edges {
			d := edges[i].key >> shift & (1<<digits - 1)
			other[start[d]] = edges[i]
			start[d]++
		}
		edges, other = other, edges
	}
	return edges
}

// pathSet is a set of disjoint paths and even cycles.
type pathSet struct {
	next [][2]int32   // up to two path neighbours, -1 where none
	rate [][2]float64 // ratings of the edges to them
	// end and length (in edges) are valid at the ends of a path: the other
	// end; -1 for all of a cycle's last two ends.
	end    []int32
	length []int32
	mate   []int32 // -1 undecided, -2 left single
	walk   []int32
	gain   []float64
}

// join adds the edge if both ends have room and it does not close an odd
// cycle.
func (p *pathSet) join(u, v int32, rating float64) {
	if p.next[u][1] >= 0 || p.next[v][1] >= 0 {
		return
	}
	a, b := p.end[u], p.end[v]
	if a == v {
		if p.length[u]%2 == 0 || p.length[u] < 3 {
			return
		}
		p.end[u], p.end[v] = -1, -1
	} else {
		length := p.length[u] + p.length[v] + 1
		p.end[a], p.end[b] = b, a
		p.length[a], p.length[b] = length, length
	}
	p.attach(u, v, rating)
	p.attach(v, u, rating)
}

func (p *pathSet) attach(u, v int32, rating float64) {
	at := 0
	if p.next[u][0] >= 0 {
		at = 1
	}
	p.next[u][at], p.rate[u][at] = v, rating
}

// collect walks the path from v and fills walk and gain with its vertices and
// the ratings between them; a cycle ends before its start is met again.
func (p *pathSet) collect(v int32) {
	p.walk, p.gain = append(p.walk[:0], v), p.gain[:0]
	start, previous := v, int32(-1)
	for {
		next, rating := p.next[v][0], p.rate[v][0]
		if next == previous || next < 0 {
			next, rating = p.next[v][1], p.rate[v][1]
		}
		if next < 0 {
			return
		}
		p.gain = append(p.gain, rating)
		if next == start {
			return
		}
		p.walk = append(p.walk, next)
		previous, v = v, next
	}
}

// matchFrom matches the path that ends in v.
func (p *pathSet) matchFrom(v int32) {
	p.collect(v)
	p.single()
	for _, i := range bestOnPath(p.gain) {
		p.pair(p.walk[i], p.walk[i+1])
	}
}

// matchCycle matches the cycle through v: either without its first or without
// its last edge.
func (p *pathSet) matchCycle(v int32) {
	p.collect(v)
	p.single()
	n := len(p.gain)
	without := bestOnPath(p.gain[:n-1])
	with := bestOnPath(p.gain[1:])
	if total(p.gain[:n-1], without) >= total(p.gain[1:], with) {
		for _, i := range without {
			p.pair(p.walk[i], p.walk[i+1])
		}
		return
	}
	for _, i := range with {
		p.pair(p.walk[i+1], p.walk[(i+2)%n])
	}
}

func (p *pathSet) single() {
	for _, v := range p.walk {
		p.mate[v] = -2
	}
}

func (p *pathSet) pair(u, v int32) { p.mate[u], p.mate[v] = v, u }

func total(gain []float64, chosen []int) float64 {
	sum := 0.0
	for _, i := range chosen {
		sum += gain[i]
	}
	return sum
}

// bestOnPath chooses edges of a path, no two adjacent, of largest total gain.
func bestOnPath(gain []float64) []int {
	best := make([]float64, len(gain)+2) // best[i+2]: the first i+1 edges
	for i, w := range gain {
		best[i+2] = max(best[i+1], best[i]+w)
	}
	var chosen []int
	for i := len(gain) - 1; i >= 0; {
		if best[i+2] > best[i+1] {
			chosen = append(chosen, i)
			i -= 2
		} else {
			i--
		}
	}
	return chosen
}
