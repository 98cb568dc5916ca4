package moments

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"unsafe"

	"carina/solver"
)

// What the engine keeps of a phase.
const (
	savedName = "statistics of phase %d of %d"
	headBytes = 24
)

var errOther = errors.New("what the state keeps beside the flow is not what flows keep")

// bytesOf are the bytes of values in memory.
func bytesOf(values []float32) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(values))), 4*len(values))
}

// Beside is what the engine keeps of them: a value of all numbers for each cell and phase.
func (s *Statistics) Beside() (list []solver.Beside, err error) {
	for i := range s.phases {
		p, err := s.onHost(i)
		if err != nil {
			return nil, fmt.Errorf("fetching the statistics: %w", err)
		}
		head := binary.LittleEndian.AppendUint64(nil, uint64(p.count))
		head = binary.LittleEndian.AppendUint64(head, uint64(s.from))
		head = binary.LittleEndian.AppendUint64(head, math.Float64bits(p.ambient))
		values := make([]float32, numbers*s.cells)
		for k, of := range p.numbers {
			for cell, v := range of {
				values[numbers*cell+k] = v
			}
		}
		list = append(list, solver.Beside{Name: fmt.Sprintf(savedName, i, len(s.phases)), Every: 1, Bytes: CellBytes, Head: head, Values: bytesOf(values)})
	}
	return list, nil
}

// LoadBeside takes over those among what the engine has kept, and returns the rest.
func (s *Statistics) LoadBeside(list []solver.Beside) (rest []solver.Beside, err error) {
	var own []solver.Beside
	for _, b := range list {
		var number, phases int
		if n, _ := fmt.Sscanf(b.Name, savedName, &number, &phases); n != 2 {
			rest = append(rest, b)
			continue
		}
		if own = append(own, b); number != len(own)-1 || b.Every != 1 || b.Bytes != CellBytes || len(b.Head) != headBytes || len(b.Values) != len(own[0].Values) {
			return nil, errOther
		}
	}
	if s.phases = nil; len(own) == 0 {
		return rest, nil
	}
	if own[0].Name != fmt.Sprintf(savedName, 0, len(own)) {
		return nil, errOther
	}
	if err := s.make(len(own), len(own[0].Values)/CellBytes); err != nil {
		return nil, err
	}
	for number, b := range own {
		if err := s.load(number, b); err != nil {
			return nil, err
		}
	}
	return rest, nil
}

// load takes over a phase.
func (s *Statistics) load(number int, b solver.Beside) error {
	p := &s.phases[number]
	p.count, s.from = int64(binary.LittleEndian.Uint64(b.Head)), int64(binary.LittleEndian.Uint64(b.Head[8:]))
	p.ambient = math.Float64frombits(binary.LittleEndian.Uint64(b.Head[16:]))
	if math.IsNaN(p.ambient) || p.count < 0 || s.from < 0 {
		return errOther
	}
	values := make([]float32, len(b.Values)/4)
	copy(bytesOf(values), b.Values)
	to := p.numbers
	if s.sampled {
		to = NewNumbers(s.cells)
	}
	for k, of := range to {
		for cell := range of {
			of[cell] = values[numbers*cell+k]
		}
	}
	if s.sampled {
		return s.Sampler.Put(number, to)
	}
	return nil
}
