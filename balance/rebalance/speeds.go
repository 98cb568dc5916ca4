package rebalance

import (
	"math"
	"slices"
)

const (
	// jump is the least relative change of a rank's speed that is taken for one at
	// once, and not for noise; jumpNoise the same in units of the noise.
	jump, jumpNoise = 0.06, 5
	// smoothing is over how many looks the speed of a rank is averaged.
	smoothing = 8
	// assumedLifetime is for how many looks a speed is taken to last at first.
	assumedLifetime = 3
)

// speeds is what is known of the speeds of ranks and of the costs of cells.
type speeds struct {
	problem *Problem
	// factors correct the work of every kind, see Parts; seconds is what follows.
	factors []Parts
	seconds [][]float64
	speed   []float64 // of every rank
	looks   []int     // for how many a rank has had its speed; 0: never measured
	noise   float64   // relative, of a measured speed; assumed at first
	noises  int       // how often it was measured
	// lifetime is for how many looks speeds have lasted; assumed at first.
	lifetime float64
	samples  []sample
	// since is what vertices have cost since the last look, by kind, where that is another
	// than now; nil where it is not.
	since   [][]Parts
	settled bool // the costs of cells are known as well as they can be
}

func newSpeeds(p *Problem) *speeds {
	s := &speeds{problem: p, factors: make([]Parts, len(p.Kinds)),
		speed: make([]float64, len(p.Ranks)), looks: make([]int, len(p.Ranks)), noise: 0.01, lifetime: assumedLifetime}
	for k := range p.Kinds {
		s.factors[k] = Parts{1, 1, 1}
	}
	for r := range p.Ranks {
		s.speed[r] = p.Ranks[r].Speed
	}
	s.weigh()
	return s
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

// uncertainty is that of a rank's speed, relative.
func (s *speeds) uncertainty(rank int32) float64 {
	return s.noise / math.Sqrt(float64(max(1, min(s.looks[rank], smoothing))))
}

// hasMoved tells that ranks hold other cells: that tells more of what cells cost.
func (s *speeds) hasMoved() { s.settled = false }

// observe takes over what ranks have measured, with these owners.
func (s *speeds) observe(owners []int32, busy []float64) {
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
	s.fit(held, busy)
	var changes, ended []float64
	for r, seconds := range busy {
		work := held[r].times(s.factors[s.problem.Ranks[r].Kind])
		if !(seconds > 0) || !(work > 0) {
			continue
		}
		measured := work / seconds
		change := math.Log(measured / s.speed[r])
		if s.looks[r] > 0 {
			changes = append(changes, math.Abs(change))
		}
		if s.looks[r] == 0 || math.Abs(change) > math.Max(jump, jumpNoise*s.noise) {
			if s.looks[r] > 0 {
				ended = append(ended, float64(min(mostLooks, s.looks[r])))
			}
			s.speed[r], s.looks[r] = measured, 1
			continue
		}
		s.looks[r]++
		s.speed[r] *= math.Exp(change / float64(min(s.looks[r], smoothing)))
	}
	if len(ended) > 0 {
		s.lifetime += (median(ended) - s.lifetime) / 4
	}
	if len(changes) > 0 {
		// Few change their speed at a time: the median is noise.
		slices.Sort(changes)
		now := math.Min(1.48*changes[(len(changes)-1)/2], jump/2)
		if s.noises++; s.noises == 1 {
			s.noise = now
		}
		s.noise += (now - s.noise) / 4
	}
}
