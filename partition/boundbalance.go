package partition

// sideSet is the vertices on side 1.
type sideSet struct {
	in          []bool
	weight, cut int64
}

func (s *boundSearch) measure(in []bool) sideSet {
	g, set := s.g, sideSet{in: in}
	for v, inside := range in {
		if !inside {
			continue
		}
		set.weight += g.VertexWeights[v]
		for e := g.Offsets[v]; e < g.Offsets[v+1]; e++ {
			if !in[g.Neighbours[e]] {
				set.cut += g.EdgeWeights[e]
			}
		}
	}
	return set
}

// leastCuts returns the smallest and the largest set that cost least.
func (s *boundSearch) leastCuts(n *boundNetwork) (lightest, heaviest sideSet) {
	within, without := n.reached(1), n.reached(0)
	for v := range without {
		without[v] = !without[v]
	}
	return s.measure(within), s.measure(without)
}

// wanted returns between which weights a set that costs least must lie if no
// other price gives a better bound.
func (s *boundSearch) wanted(price int64) (least, most int64) {
	least, most = s.total-s.limits[0], s.limits[1]
	switch {
	case price > 0:
		return least, least
	case price < 0:
		return most, most
	}
	return least, most
}

// balance looks for the price that gives the best bound, from the one of the
// best network so far: the bound is a concave function of the price, and the
// sets that cost least at two prices tell between them where to look next (the
// Lagrangian dual of the limit; its cuts are those of a parametric flow, Gallo,
// Grigoriadis and Tarjan 1989, here computed one by one). The networks of the
// best prices are kept, since what is good after the next vertex is unknown.
func (s *boundSearch) balance(n *boundNode) {
	const mostPrices = 30
	light, heavy := make([]bool, len(n.side)), make([]bool, len(n.side))
	for v, p := range n.side {
		light[v], heavy[v] = p == 1, p != 0
	}
	lower, upper := s.measure(light), s.measure(heavy)
	n.light, n.heavy = nil, nil
	at := map[int64]*boundNetwork{}
	for _, w := range n.networks {
		at[w.price] = w
	}
	tried := map[int64]bool{}
	for current := n.best(); s.gap(current) > 0 && len(tried) < mostPrices && s.ctx.Err() == nil; {
		tried[current.price] = true
		lightest, heaviest := s.leastCuts(current)
		least, most := s.wanted(current.price)
		switch {
		case heaviest.weight < least:
			lower, n.light = heaviest, heaviest.in
		case lightest.weight > most:
			upper, n.heavy = lightest, lightest.in
		default:
			n.light, n.heavy = lightest.in, heaviest.in
		}
		next, better := s.nextPrice(current.price, heaviest.weight < least, lower, upper)
		if !better || tried[next] || heaviest.weight >= least && lightest.weight <= most {
			break
		}
		if current = at[next]; current == nil {
			current = s.network(n.side, next)
			at[next] = current
			n.networks = append(n.networks, current)
		}
	}
	s.rank(n)
	s.forget(n)
}

// nextPrice returns the price at which a lighter and a heavier set cost the
// same; past zero, where the bound has a kink, it returns that first.
func (s *boundSearch) nextPrice(price int64, up bool, lower, upper sideSet) (next int64, better bool) {
	if upper.weight <= lower.weight {
		return 0, false
	}
	next = s.scale * (upper.cut - lower.cut) / (upper.weight - lower.weight)
	if up && price < 0 && next > 0 || !up && price > 0 && next < 0 {
		next = 0
	}
	return max(-s.steepest, min(s.steepest, next)), true
}

// forget drops all but a few networks, of which one is without a price.
func (s *boundSearch) forget(n *boundNode) {
	const kept = 4
	for i := kept; i < len(n.networks); i++ {
		if n.networks[i].price == 0 {
			n.networks[kept-1] = n.networks[i]
		}
	}
	n.networks = n.networks[:min(kept, len(n.networks))]
}
