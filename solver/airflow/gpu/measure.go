package gpu

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"carina/solver/airflow"
	"carina/solver/cuda/device"
	"carina/solver/cuda/tiles"
	"carina/solver/cuda/tiling"
	"carina/solver/transport"
)

// Timing is what a step costs on the device, in seconds: on the rank where it costs
// most.
type Timing struct {
	// Even and Odd are the medians of the two kinds of steps, Step the mean of
	// many in a row.
	Even, Odd, Step float64
	// Check is a check for divergence over all cells.
	Check float64
	// Phases is the time line of a step: of each phase the median over the
	// steps, on the rank where that is longest. All zero on one rank.
	Phases tiles.Phases
}

// measured is a rank on a GPU that is measured.
type measured struct {
	*bound
	rank      *airflow.Rank
	transport transport.Transport
}

var errNotOnGPU = errors.New("only ranks on GPUs are measured")

func newMeasured(r *airflow.Rank) (*measured, error) {
	s, ok := r.Kernel().(*bound)
	if !ok {
		return nil, errNotOnGPU
	}
	return &measured{s, r, r.Engine().Transport()}, nil
}

// Measure times steps on the device after a warm-up. The flow goes on
// meanwhile. Call it on all ranks; all get the same.
func Measure(r *airflow.Rank, steps int) (t Timing, err error) {
	m, err := newMeasured(r)
	if err != nil {
		return t, err
	}
	if err := m.warmUp(); err != nil {
		return t, err
	}
	pairs := max(1, steps/2)
	all, err := m.elapsed(func() error { return m.step(2 * pairs) })
	if err != nil {
		return t, err
	}
	t.Step = all / float64(2*pairs)
	// Medians need fewer.
	const most = 60
	singles := min(2*pairs, most)
	var kinds [2][]float64
	for i := range singles {
		seconds, err := m.elapsed(func() error { return m.step(1) })
		if err != nil {
			return t, err
		}
		kinds[i%2] = append(kinds[i%2], seconds)
	}
	t.Even, t.Odd = median(kinds[0]), median(kinds[1])
	check := func() error {
		_, _, err := m.CheckAll()
		return err
	}
	if err := check(); err != nil { // compiles the kernel
		return t, err
	}
	if t.Check, err = m.elapsed(check); err != nil {
		return t, err
	}
	if t.Phases, err = m.phases(singles); err != nil {
		return t, err
	}
	phases := t.Phases.List()
	return t, m.largest(append([]*float64{&t.Even, &t.Odd, &t.Step, &t.Check}, phases[:]...))
}

// step does so many steps.
func (m *measured) step(n int) error {
	for range n {
		if err := m.rank.Engine().Step(); err != nil {
			return err
		}
	}
	return nil
}

// largest gives all ranks the largest of every number, none of them negative.
func (m *measured) largest(numbers []*float64) error {
	bits := make([]int64, len(numbers))
	for i, v := range numbers {
		bits[i] = int64(math.Float64bits(*v))
	}
	if err := m.transport.Reduce(transport.Max, bits); err != nil {
		return fmt.Errorf("comparing the times of the ranks: %w", err)
	}
	for i, v := range numbers {
		*v = math.Float64frombits(uint64(bits[i]))
	}
	return nil
}

// phases measures the time line of steps in a row.
func (m *measured) phases(steps int) (medians tiles.Phases, err error) {
	p := m.part
	all := make([]*tiles.Timeline, steps)
	defer func() { p.Timeline = nil }()
	for i := range all {
		all[i] = new(tiles.Timeline)
		p.Timeline = all[i]
		if err := m.step(1); err != nil {
			return medians, err
		}
	}
	if err := p.Device.Synchronize(); err != nil || p.Subdomain.Border == 0 {
		return medians, err
	}
	var values [tiles.PhaseCount][]float64
	for _, line := range all {
		phases, err := line.Phases(p.Device)
		if err != nil {
			return medians, err
		}
		for k, v := range phases.List() {
			values[k] = append(values[k], *v)
		}
	}
	for k, v := range medians.List() {
		*v = median(values[k])
	}
	return medians, nil
}

// elapsed measures the time that work takes: on the device where there is one
// rank, from when all begin to the end where there are several.
func (m *measured) elapsed(f func() error) (float64, error) {
	if m.transport.Size() == 1 {
		return m.part.Device.Elapsed(f)
	}
	if err := m.part.Device.Synchronize(); err != nil {
		return 0, err
	}
	if err := m.transport.Reduce(transport.Sum, []int64{0}); err != nil {
		return 0, err
	}
	begin := time.Now()
	if err := f(); err != nil {
		return 0, err
	}
	err := m.part.Device.Synchronize()
	return time.Since(begin).Seconds(), err
}

// warmUp computes until the device runs at its full clock rate.
func (m *measured) warmUp() error {
	const enough, portion = time.Second, 10
	for begin := time.Now(); ; {
		if err := m.step(portion + int(m.steps%2)); err != nil {
			return err
		}
		if err := m.part.Device.Synchronize(); err != nil {
			return err
		}
		cold := []int64{0}
		if time.Since(begin) < enough {
			cold[0] = 1
		}
		if err := m.transport.Reduce(transport.Max, cold); err != nil || cold[0] == 0 {
			return err
		}
	}
}

func median(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}

// TileShare is the part of the cells of the tiles of a rank on a GPU that are fluid.
func TileShare(r *airflow.Rank) float64 {
	s, ok := r.Kernel().(*bound)
	if !ok {
		return 0
	}
	return float64(s.layout.Fluid) / float64(tiling.Cells*len(s.part.Numbers))
}

// Scramble fills the populations of a rank on a GPU with small random values:
// measured on a fluid at rest, memory and arithmetic units may be faster than on any
// flow.
func Scramble(r *airflow.Rank, seed uint64) error {
	s, ok := r.Kernel().(*bound)
	if !ok {
		return errNotOnGPU
	}
	const block = 1 << 24
	random := rand.New(rand.NewPCG(seed, 1))
	content := make([]byte, block)
	for i := 0; i < block; i += s.Bits / 8 {
		value := random.Uint64()
		switch s.Bits {
		case 16:
			// A half between 2⁻³ and 2 of either sign: up to 6·10⁻⁵ unscaled.
			binary.LittleEndian.PutUint16(content[i:], uint16(value&0x8000|0x3000+value&0xfff))
		case 32:
			binary.LittleEndian.PutUint32(content[i:], math.Float32bits((float32(value>>40)/(1<<24)-0.5)*1e-4))
		default:
			binary.LittleEndian.PutUint64(content[i:], math.Float64bits((float64(value>>11)/(1<<53)-0.5)*1e-4))
		}
	}
	p := s.part
	total := int64(len(p.Numbers)) * s.TileBytes()
	for at := int64(0); at < total; at += block {
		if err := p.Device.Upload(p.Populations+device.Address(at), content[:min(block, total-at)]); err != nil {
			return fmt.Errorf("filling the populations: %w", err)
		}
	}
	return nil
}
