package rebalance

import (
	"math"
	"slices"
)

const (
	// jump is the least relative change of a rank's speed that is taken for one at
	// once, and not for noise; jumpNoise the same in units of the noise.
	jump, jumpNoise = 0.06, 5
	// doubted is the change, in units of the noise, that waits for the next look, and
	// seenTwice that of two looks together that is no noise.
	doubted, seenTwice = 2, 3
	// smoothing is over how many looks the speed of a rank is averaged.
	smoothing = 8
	// assumedLifetime is for how many looks a speed is taken to last at first.
	assumedLifetime = 3
	// assumedNoise is that of a measured speed where ranks do not tell theirs, leastNoise
	// the least where they do.
	assumedNoise, leastNoise = 0.01, 0.001
	// remembered is for how many looks changes are, and spreads of ranks.
	remembered, spreadsRemembered = 6, 3
)

// speeds is what is known of the speeds of ranks and of the costs of cells.
type speeds struct {
	problem *Problem
	// factors correct the work of every kind, see Parts; seconds is what follows.
	factors []Parts
	seconds [][]float64
	speed   []float64   // of every rank
	looks   []int       // for how many a rank has had its speed; 0: never measured
	waits   []float64   // a change of the last look that is doubted, in logarithms
	spreads [][]float64 // that the last looks of each rank had
	noise   float64     // relative, of a measured speed
	changes [][]float64 // of the last looks, as far as not all ranks have them
	// lifetime is for how many looks speeds have lasted; assumed at first.
	lifetime float64
	samples  []sample
	// since is what vertices have cost since the last look, by kind, where that is another
	// than now; nil where it is not.
	since   [][]Parts
	settled bool // the costs of cells are known as well as they can be
}

func newSpeeds(p *Problem) *speeds {
	n := len(p.Ranks)
	s := &speeds{factors: make([]Parts, len(p.Kinds)), speed: make([]float64, n), looks: make([]int, n),
		waits: make([]float64, n), spreads: make([][]float64, n), noise: assumedNoise, lifetime: assumedLifetime}
	for k := range p.Kinds {
		s.factors[k] = Parts{1, 1, 1}
	}
	for r := range p.Ranks {
		s.speed[r] = p.Ranks[r].Speed
	}
	s.of(p)
	return s
}

// of makes them those of a problem.
func (s *speeds) of(p *Problem) {
	s.problem, s.since = p, nil
	s.weigh()
}

// weigh works out what vertices cost. What was worked out before may still be in use.
func (s *speeds) weigh() {
	s.seconds = make([][]float64, len(s.problem.Kinds))
	for k := range s.problem.Kinds {
		for _, parts := range s.problem.Kinds[k].Work {
			s.seconds[k] = append(s.seconds[k], parts.times(s.factors[k]))
		}
	}
}

func (p Parts) times(by Parts) float64 { return p[0]*by[0] + p[1]*by[1] + p[2]*by[2] }

// lasts is for how many looks more a rank is taken to have its present speed: as
// many as it has had it, or as speeds have lasted so far.
func (s *speeds) lasts(rank int32) float64 {
	return math.Min(mostLooks, math.Max(float64(s.looks[rank]), s.lifetime))
}

// noiseOf is that of a rank's speed in a look, relative.
func (s *speeds) noiseOf(rank int32) float64 {
	if len(s.spreads[rank]) == 0 {
		return s.noise
	}
	own := lowerMedian(s.spreads[rank])
	if len(s.changes) >= remembered/2 {
		own /= 2 // what looks differ by tells more
	}
	return math.Max(s.noise, own)
}

// uncertainty is that of a rank's speed, relative.
func (s *speeds) uncertainty(rank int32) float64 {
	return s.noiseOf(rank) / math.Sqrt(float64(max(1, min(s.looks[rank], smoothing))))
}

// Part is a part of the time between two looks: the seconds of a step, and how many there
// were.
type Part struct {
	Seconds float64
	Steps   int64
}

// Mean returns the mean time of a step in the parts of a look, and its relative error. Each
// part weighs as much as it has steps. On a busy machine times that follow each other are
// alike: many tell no more than one.
func Mean(parts []Part) (mean, spread float64) {
	var steps, squares float64
	for _, p := range parts {
		n := float64(p.Steps)
		steps, squares, mean = steps+n, squares+n*n, mean+n*p.Seconds
	}
	if mean /= steps; len(parts) < 2 || !(mean > 0) {
		return mean, 0
	}
	for _, p := range parts {
		spread += float64(p.Steps) * (p.Seconds - mean) * (p.Seconds - mean) / (steps - squares/steps)
	}
	return mean, math.Sqrt(spread) / mean
}

// lowerMedian is the middle one of some numbers, or the lower of two.
func lowerMedian(list []float64) float64 {
	list = slices.Clone(list)
	slices.Sort(list)
	return list[(len(list)-1)/2]
}

// hasMoved tells that ranks hold other cells: that tells more of what cells cost.
func (s *speeds) hasMoved() { s.settled = false }

// held is the work of every rank by what its cells are.
func (s *speeds) held(owners []int32) []Parts {
	held := make([]Parts, len(s.problem.Ranks))
	for v, r := range owners {
		kind := s.problem.Ranks[r].Kind
		work := s.problem.Kinds[kind].Work
		if s.since != nil {
			work = s.since[kind]
		}
		for i, x := range work[v] {
			held[r][i] += x
		}
	}
	return held
}

// observe takes over what ranks have measured, with these owners.
func (s *speeds) observe(owners []int32, m Measured) {
	held := s.held(owners)
	for r, spread := range m.Spread {
		if spread > 0 {
			s.spreads[r] = append(s.spreads[r], spread)
			s.spreads[r] = s.spreads[r][max(0, len(s.spreads[r])-spreadsRemembered):]
		}
	}
	s.hear(nil)
	s.fit(held, m.Busy)
	measured := make([]float64, len(m.Busy)) // 0 where nothing is
	changes := make([]float64, len(m.Busy))
	var known []float64
	for r, seconds := range m.Busy {
		work := held[r].times(s.factors[s.problem.Ranks[r].Kind])
		if !(seconds > 0) || !(work > 0) {
			continue
		}
		measured[r] = work / seconds
		if s.looks[r] > 0 {
			changes[r] = math.Log(measured[r] / s.speed[r])
			known = append(known, changes[r])
		}
	}
	// What all ranks have in common is the machine's, and moves nothing.
	common := inCommon(known)
	for r := range s.speed {
		if measured[r] > 0 && s.looks[r] > 0 {
			changes[r] -= common
			s.speed[r] *= math.Exp(common)
		}
	}
	var ended, others []float64
	for r := range s.speed {
		if measured[r] == 0 {
			continue
		}
		if s.looks[r] == 0 {
			s.speed[r], s.looks[r] = measured[r], 1
			continue
		}
		switch {
		case len(known) > 2:
			others = append(others, math.Abs(changes[r]))
		case changes[r] != 0: // of two, one has what they have in common
			others = append(others, math.Abs(changes[r])/math.Sqrt2)
		}
		if lasted := s.change(int32(r), changes[r]); lasted > 0 {
			ended = append(ended, float64(min(mostLooks, lasted)))
		}
	}
	if len(ended) > 0 {
		s.lifetime += (median(ended) - s.lifetime) / 4
	}
	s.hear(others)
}

// inCommon is the change that ranks have in common: the middle one, of two in the middle
// that nearer to none.
func inCommon(changes []float64) float64 {
	n := len(changes)
	if n == 0 {
		return 0
	}
	list := slices.Clone(changes)
	slices.Sort(list)
	low, high := list[(n-1)/2], list[n/2]
	if math.Abs(low) < math.Abs(high) {
		return low
	}
	return high
}

// change takes over by how much a rank's speed differs from the one it had; it returns
// for how many looks it had that one, where it has another now.
func (s *speeds) change(r int32, by float64) (lasted int) {
	noise := s.noiseOf(r) * math.Sqrt(1+1/float64(min(s.looks[r], smoothing))) // of both speeds
	first := s.waits[r]
	s.waits[r] = 0
	switch {
	case math.Abs(by) > math.Max(jump, jumpNoise*noise):
		lasted, s.looks[r] = s.looks[r], 1
		s.speed[r] *= math.Exp(by)
	case first*by > 0 && math.Abs(first+by) > math.Sqrt2*math.Max(jump, seenTwice*noise):
		lasted, s.looks[r] = s.looks[r], 2
		s.speed[r] *= math.Exp((first + by) / 2)
	case first == 0 && s.looks[r] > 1 && math.Abs(by) > math.Max(jump, doubted*noise):
		s.waits[r] = by
	default:
		seen := []float64{first, by}
		if first == 0 {
			seen = seen[1:]
		}
		for _, x := range seen {
			s.looks[r]++
			s.speed[r] *= math.Exp(x / float64(min(s.looks[r], smoothing)))
		}
	}
	return lasted
}

// hear learns the noise of measurements from how ranks' speeds change and from what ranks
// tell themselves. Few change their speed at a time: the middle of all changes is noise.
func (s *speeds) hear(changes []float64) {
	if len(changes) > 0 {
		s.changes = append(s.changes, changes)
		s.changes = s.changes[max(0, len(s.changes)-remembered):]
	}
	var told, all []float64
	for _, list := range s.spreads {
		if len(list) > 0 {
			told = append(told, lowerMedian(list))
		}
	}
	least := assumedNoise
	if len(told) > 0 {
		least = math.Max(leastNoise, lowerMedian(told))
	}
	for _, list := range s.changes {
		all = append(all, list...)
	}
	// Two more of the least: a first change of one of two ranks is no noise.
	const normal = 1.48 // standard deviations in a median deviation
	all = append(all, least/normal, least/normal)
	s.noise = normal * lowerMedian(all)
}
