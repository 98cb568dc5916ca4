package steadiness

import (
	"encoding/binary"
	"errors"
	"math"
)

// mostBlocks bounds a series: when it is full, blocks are merged in pairs.
const mostBlocks = 64

// series is what is remembered of a flow to tell whether it is still: means over
// blocks of time of the pressure drop, the inflow, and what flows through each
// opening, in lattice units. All ranks have the same.
type series struct {
	// period is that of the waveform in steps, 0 without: then blocks are cycles.
	period float64
	// width is how many numbers a block has: the pressure drop, the inflow, the flows.
	width int
	// interval is how many steps lie between samples, without a period.
	interval float64
	// perBlock is how many samples a block has, or how many cycles.
	perBlock int64
	// taken is how many samples are in the block under way.
	taken int64
	// cycle is the number of the block under way, at the step of the sample before, and
	// whole tells whether it was seen from its beginning.
	cycle, at int64
	whole     bool
	before    []float64 // the last sample
	sums      []float64 // of the block under way
	blocks    []float64 // width numbers a block
	sample    []float64 // room for one
	// The largest difference of inflow and outflow and the largest inflow, in the
	// cycles under way and in the last ones.
	mismatch, largest, lastMismatch, lastLargest float64
}

// newSeries is that of so many openings, with a sample every so many steps.
func newSeries(openings int, period, interval float64) *series {
	width := 2 + openings
	s := &series{period: period, width: width, interval: interval, perBlock: 1, sums: make([]float64, width), before: make([]float64, width), sample: make([]float64, width), blocks: make([]float64, 0, mostBlocks*width)}
	const fewest = 8 // samples in a cycle
	if period > 0 {
		s.perBlock = max(1, int64(math.Ceil(fewest*interval/period)))
	}
	return s
}

// add adds a sample after so many steps: the pressure drop, and what enters through
// each opening. It tells whether a block has ended.
func (s *series) add(steps int64, drop float64, flows []float64) (ended bool) {
	v := s.sample
	var in, all float64
	for i, q := range flows {
		in, all = in+max(0, q), all+q
		if s.period > 0 {
			q = math.Abs(q)
		}
		v[2+i] = q
	}
	if s.period > 0 {
		drop *= drop
	}
	v[0], v[1] = drop, in
	s.mismatch, s.largest = max(s.mismatch, math.Abs(all)), max(s.largest, in)
	if s.period > 0 {
		return s.addToCycle(steps, v)
	}
	for i, x := range v {
		s.sums[i] += x
	}
	if s.taken++; s.taken < s.perBlock {
		return false
	}
	return s.end(float64(s.taken))
}

// addToCycle integrates over time along straight lines between samples, and splits
// those in which a block ends.
func (s *series) addToCycle(steps int64, v []float64) (ended bool) {
	if s.taken == 0 {
		s.cycle = int64(float64(steps) / s.blockSteps())
		s.whole, s.taken = float64(steps) <= s.interval, 1
	} else {
		from, to := float64(s.at), float64(steps)
		middle := min(to, float64(s.cycle+1)*s.blockSteps())
		part := (middle - from) / (to - from)
		for i, x := range v {
			between := s.before[i] + part*(x-s.before[i])
			s.sums[i] += (s.before[i] + between) / 2 * (middle - from)
			s.before[i] = between
		}
		if middle < to {
			ended = s.end(s.blockSteps())
			// Blocks that were merged on the way may leave half of one before the next.
			number := middle / s.blockSteps()
			s.cycle, s.taken = int64(number+0.25), 1
			s.whole = math.Abs(number-math.Round(number)) < 0.25
			for i, x := range v {
				s.sums[i] = (s.before[i] + x) / 2 * (to - middle)
			}
		}
	}
	copy(s.before, v)
	s.at = steps
	return ended
}

// end ends a block of so many samples or steps. Cycles that were not seen as a whole
// are left out.
func (s *series) end(count float64) bool {
	kept := s.period == 0 || s.whole
	if kept {
		for i, sum := range s.sums {
			v := sum / count
			if i == 0 && s.period > 0 {
				v = math.Sqrt(v)
			}
			s.blocks = append(s.blocks, v)
		}
		s.lastMismatch, s.lastLargest = s.mismatch, s.largest
	}
	clear(s.sums)
	s.taken, s.mismatch, s.largest = 0, 0, 0
	if s.count() == mostBlocks {
		s.merge()
	}
	return kept
}

// merge merges blocks in pairs.
func (s *series) merge() {
	for b := range mostBlocks / 2 {
		for i := range s.width {
			s.blocks[b*s.width+i] = (s.blocks[2*b*s.width+i] + s.blocks[(2*b+1)*s.width+i]) / 2
		}
	}
	s.blocks = s.blocks[:mostBlocks/2*s.width]
	s.perBlock *= 2
}

// count is how many blocks there are.
func (s *series) count() int { return len(s.blocks) / s.width }

// blockSteps is how many steps a block has.
func (s *series) blockSteps() float64 {
	if s.period > 0 {
		return s.period * float64(s.perBlock)
	}
	return s.interval * float64(s.perBlock)
}

// inflow is that of the last block, 0 without one.
func (s *series) inflow() float64 {
	if s.count() == 0 {
		return 0
	}
	return s.blocks[len(s.blocks)-s.width+1]
}

// of lists quantity i of all blocks: the pressure drop, the inflow, or the shares of
// openings.
func (s *series) of(i int, into []float64) []float64 {
	into = into[:0]
	for b := 0; b < len(s.blocks); b += s.width {
		v := s.blocks[b+i]
		if i > 1 {
			if v = math.Abs(v); v > 0 {
				v /= s.blocks[b+1]
			}
		}
		into = append(into, v)
	}
	return into
}

// save returns the series in bytes, load takes it over.
func (s *series) save() []byte {
	whole := int64(0)
	if s.whole {
		whole = 1
	}
	var data []byte
	for _, v := range []int64{int64(s.width), s.perBlock, s.taken, s.at, s.cycle, whole} {
		data = binary.LittleEndian.AppendUint64(data, uint64(v))
	}
	for _, list := range [][]float64{{s.mismatch, s.largest, s.lastMismatch, s.lastLargest}, s.sums, s.before, s.blocks} {
		for _, v := range list {
			data = binary.LittleEndian.AppendUint64(data, math.Float64bits(v))
		}
	}
	return data
}

// errOtherSeries tells that a series in bytes is not of this flow.
var errOtherSeries = errors.New("what was remembered of the flow to tell whether it is still does not fit its openings")

func (s *series) load(data []byte) error {
	const whole, reals = 6, 4
	var words []uint64
	for ; len(data) >= 8; data = data[8:] {
		words = append(words, binary.LittleEndian.Uint64(data))
	}
	rest := len(words) - whole - reals - 2*s.width
	if len(data) > 0 || rest < 0 || words[0] != uint64(s.width) || rest%s.width != 0 || rest >= mostBlocks*s.width || int64(words[1]) < 1 || int64(words[2]) < 0 {
		return errOtherSeries
	}
	s.perBlock, s.taken, s.at, s.cycle, s.whole = int64(words[1]), int64(words[2]), int64(words[3]), int64(words[4]), words[5] == 1
	real := func(i int) float64 { return math.Float64frombits(words[whole+i]) }
	s.mismatch, s.largest, s.lastMismatch, s.lastLargest = real(0), real(1), real(2), real(3)
	for i := range s.sums {
		s.sums[i], s.before[i] = real(reals+i), real(reals+s.width+i)
	}
	s.blocks = s.blocks[:0]
	for i := range rest {
		s.blocks = append(s.blocks, real(reals+2*s.width+i))
	}
	return nil
}
