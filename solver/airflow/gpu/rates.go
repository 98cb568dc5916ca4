package gpu

import (
	"carina/solver/cuda/device"
	"carina/solver/expression"
)

// operator is that of the steps.
func (s *bound) operator() operator {
	return operator{name: string(s.flow.Operator), set: s.flow.Set, largeEddy: s.flow.Settings.Smagorinsky > 0}
}

// plainNumbers are those of struct Rates of kernels/flow.h before the table.
const plainNumbers = 6

// ratesNow is struct Rates for the next step.
func (s *bound) ratesNow() []uint64 {
	f, scale := s.flow, s.scale()
	numbers := []float64{f.OmegaPlus, f.OmegaMinus, f.Force[0] * scale, f.Force[1] * scale, f.Force[2] * scale, 0}
	if o := s.operator(); o.generated() {
		program := o.variant(f.Forced(), s.Bits).Program()
		if s.Bits == 64 {
			numbers = append(numbers, expression.EvaluateTable[float64](program, f.Parameters())...)
		} else {
			for _, v := range expression.EvaluateTable[float32](program, f.Parameters()) {
				numbers = append(numbers, float64(v))
			}
		}
	}
	return s.reals(numbers...)
}

// plainRates are the rates for kernels that update nothing.
func (s *bound) plainRates() []uint64 { return s.rates[:plainNumbers*realBytes(s.Bits)/8] }

// reals packs numbers in the precision that is computed with into words.
func (s *bound) reals(numbers ...float64) []uint64 {
	list := appendReals(nil, s.Bits, numbers...)
	for len(list)%8 != 0 {
		list = append(list, 0)
	}
	return device.WordsOf(list)
}
