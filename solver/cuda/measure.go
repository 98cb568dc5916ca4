package cuda

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"carina/solver/airflow"
)

// Timing is what a step costs on the device, in seconds.
type Timing struct {
	// Even and Odd are the medians of the two kinds of steps, Step the mean of
	// many in a row.
	Even, Odd, Step float64
	// Check is a check for divergence over all cells.
	Check float64
	// Phases is the time line of a step: of each phase the median over the
	// steps, on the rank where that is longest. All zero on one rank.
	Phases Phases
}

// Measure times steps on the device after a warm-up. The flow goes on
// meanwhile.
func (s *Solver) Measure(steps int) (Timing, error) {
	if err := s.warmUp(); err != nil {
		return Timing{}, err
	}
	var t Timing
	pairs := max(1, steps/2)
	all, err := s.elapsed(func() error {
		for range 2 * pairs {
			if err := s.Step(); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return t, err
	}
	t.Step = all / float64(2*pairs)
	// Medians need fewer.
	const most = 60
	singles := min(2*pairs, most)
	var kinds [2][]float64
	for i := range singles {
		seconds, err := s.elapsed(s.Step)
		if err != nil {
			return t, err
		}
		kinds[i%2] = append(kinds[i%2], seconds)
	}
	t.Even, t.Odd = median(kinds[0]), median(kinds[1])
	if err := s.timedCheck(); err != nil { // compiles the kernel
		return t, err
	}
	if t.Check, err = s.elapsed(s.timedCheck); err != nil {
		return t, err
	}
	t.Phases, err = s.phases(singles)
	return t, err
}

// timedCheck checks for divergence and does not mind it.
func (s *Solver) timedCheck() error {
	_, err := s.check()
	if diverged := new(airflow.DivergedError); errors.As(err, &diverged) {
		return nil
	}
	return err
}

// phases measures the time line of steps in a row.
func (s *Solver) phases(steps int) (longest Phases, err error) {
	var all []*timeline
	for range steps {
		for _, p := range s.parts {
			p.timeline = new(timeline)
			all = append(all, p.timeline)
		}
		if err := s.Step(); err != nil {
			return longest, err
		}
	}
	for _, p := range s.parts {
		p.timeline = nil
	}
	if err := s.synchronize(); err != nil {
		return longest, err
	}
	for i, p := range s.parts {
		if p.subdomain.border == 0 {
			continue
		}
		var values [phaseCount][]float64
		for step := range steps {
			phases, err := all[step*len(s.parts)+i].phases(p.device)
			if err != nil {
				return longest, err
			}
			for k, v := range phases.list() {
				values[k] = append(values[k], *v)
			}
		}
		for k, v := range longest.list() {
			*v = max(*v, median(values[k]))
		}
	}
	return longest, nil
}

// elapsed measures the time that work takes on the devices: on the device
// where there is one, until all are done where there are several.
func (s *Solver) elapsed(f func() error) (float64, error) {
	if len(s.parts) == 1 {
		return s.parts[0].device.elapsed(f)
	}
	if err := s.synchronize(); err != nil {
		return 0, err
	}
	begin := time.Now()
	if err := f(); err != nil {
		return 0, err
	}
	err := s.synchronize()
	return time.Since(begin).Seconds(), err
}

// warmUp computes until the device runs at its full clock rate.
func (s *Solver) warmUp() error {
	const enough, portion = time.Second, 10
	for begin := time.Now(); time.Since(begin) < enough || s.steps%2 == 1; {
		for range portion + s.steps%2 {
			if err := s.Step(); err != nil {
				return err
			}
		}
		if err := s.synchronize(); err != nil {
			return err
		}
	}
	return nil
}

func median(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}

// TileShare is the part of the cells of all tiles that are fluid.
func (s *Solver) TileShare() float64 {
	return float64(s.tiles.cells()) / float64(tileCells*len(s.tiles.position))
}

// Scramble fills the populations with small random values: measured on a
// fluid at rest, memory and arithmetic units may be faster than on any flow.
func (s *Solver) Scramble(seed uint64) error {
	const block = 1 << 24
	random := rand.New(rand.NewPCG(seed, 1))
	content := make([]byte, block)
	for i := 0; i < block; i += s.bits / 8 {
		value := random.Uint64()
		switch s.bits {
		case 16:
			// A half between 2⁻³ and 2 of either sign: up to 6·10⁻⁵ unscaled.
			binary.LittleEndian.PutUint16(content[i:], uint16(value&0x8000|0x3000+value&0xfff))
		case 32:
			binary.LittleEndian.PutUint32(content[i:], math.Float32bits((float32(value>>40)/(1<<24)-0.5)*1e-4))
		default:
			binary.LittleEndian.PutUint64(content[i:], math.Float64bits((float64(value>>11)/(1<<53)-0.5)*1e-4))
		}
	}
	for _, p := range s.parts {
		total := int64(len(p.tiles)) * s.tileBytes()
		for at := int64(0); at < total; at += block {
			if err := p.device.upload(p.populations+address(at), content[:min(block, total-at)]); err != nil {
				return fmt.Errorf("filling the populations: %w", err)
			}
		}
	}
	return nil
}
