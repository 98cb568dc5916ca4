package balance

import (
	"math"
	"slices"
)

// savingPasses bounds the passes of improveAndSave.
const savingPasses = 4

// saveAll moves or swaps the cuboids of every rank as long as that makes all
// ranks concerned together faster and the slowest of them no slower than it was
// or than the mean. It returns the number of moves.
func (m *improver) saveAll() int {
	mean := 0.0
	for r := range m.load {
		mean += m.load[r].step(m.cost) / float64(len(m.load))
	}
	moves := 0
	for p := range m.members {
		if len(m.members[p]) > fewMembers {
			continue
		}
		for _, u := range slices.Clone(m.members[p]) {
			if m.save(u, mean) {
				moves++
			}
		}
	}
	return moves
}

// save makes the move or swap of a cuboid that saves most, if one does.
func (m *improver) save(u int32, mean float64) bool {
	p := m.owners[u]
	saved := mean * lowers
	to, swap := int32(nothing), int32(nothing)
	for _, q := range m.receivers(u, m.mates(p)) {
		if len(m.members[p]) > 1 {
			if gain := m.saving(u, nothing, q, mean); gain > saved {
				saved, to, swap = gain, q, nothing
			}
		}
		if len(m.members[q]) > fewMembers {
			continue
		}
		for _, w := range slices.Clone(m.members[q]) {
			// What one rank gets more must fit into the room there is.
			if room := math.Max(mean, math.Max(m.load[p].step(m.cost), m.load[q].step(m.cost))); math.Abs(m.seconds[u]-m.seconds[w]) > room/10 {
				continue
			}
			if gain := m.saving(u, w, q, mean); gain > saved {
				saved, to, swap = gain, q, w
			}
		}
	}
	if to == nothing {
		return false
	}
	m.move(u, to)
	if swap != nothing {
		m.move(swap, p)
	}
	return true
}

// mates returns the other ranks of a rank's host, if they are few.
func (m *improver) mates(p int32) []int32 {
	host := m.hosts[m.ranks[p].Host]
	if len(host) > fewRanks {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(host), func(r int32) bool { return r == p })
}

// saving returns how much faster the ranks concerned become together if cuboid
// u moves to rank q and w, if any, the other way; nothing if one gets slower
// than the slowest was and than the mean.
func (m *improver) saving(u, w, q int32, mean float64) float64 {
	var loads []touched
	if w == nothing {
		m.first = m.after(m.first[:0], u, q)
		loads = m.first
	} else {
		loads = m.afterSwap(u, w)
	}
	saved, before, after := 0.0, mean, 0.0
	for i := range loads {
		was, now := m.load[loads[i].rank].step(m.cost), loads[i].load.step(m.cost)
		saved += was - now
		before, after = math.Max(before, was), math.Max(after, now)
	}
	if after > before {
		return 0
	}
	return saved
}
