package kernel

import (
	"math"

	"carina/solver/airflow/collision"
)

// Float16 is a 16-bit number of IEEE 754 that stands for a population
// multiplied by collision.Scale.
type Float16 uint16

// Value is the population.
func (h Float16) Value() float32 {
	const (
		bias     = (127 - 15 - 15) << 23 // of the exponents, and the scale
		infinity = 255 << 23
		unit     = 1. / (1 << 24) / collision.Scale // of subnormal numbers
	)
	sign, magnitude := uint32(h)>>15<<31, uint32(h)&0x7fff<<13
	switch {
	case magnitude >= 31<<23:
		magnitude += infinity - 31<<23
	case magnitude >= 1<<23:
		magnitude += bias
	default:
		magnitude = math.Float32bits(float32(h&0x3ff) * unit)
	}
	return math.Float32frombits(sign | magnitude)
}

// Limits of 32-bit numbers that are made of populations, scaled.
const (
	floatInfinity = 255 << 23
	smallestHalf  = (127 - 14) << 23 // normal
	overHalves    = (127 + 16) << 23
	halfBias      = (127 - 15) << 23
)

// NewFloat16 rounds a population to the nearest number, of two equally near to
// the even one.
func NewFloat16(v float32) Float16 {
	b := math.Float32bits(v * collision.Scale)
	sign, magnitude := Float16(b>>16&0x8000), b&0x7fffffff
	const tooLarge = (127+15)<<23 | 0x7ff<<12
	switch {
	case magnitude > floatInfinity:
		return sign | notANumber(magnitude)
	case magnitude >= tooLarge:
		return sign | 0x7c00
	case magnitude < smallestHalf:
		// Adding ½ leaves the multiples of 2⁻²⁴ in the last bits.
		rounded := math.Float32bits(math.Float32frombits(magnitude) + 0.5)
		return sign | Float16(rounded-math.Float32bits(0.5))
	}
	return sign | Float16((magnitude-halfBias+0xfff+magnitude>>13&1)>>13)
}

// notANumber is one with the first bits of another.
func notANumber(magnitude uint32) Float16 { return 0x7e00 | Float16(magnitude>>13&0x1ff) }

// DecodeFloat16 converts numbers to populations.
func DecodeFloat16(to []float32, from []Float16) {
	to = to[:len(from)]
	done := decodeVector(to, from)
	for i, h := range from[done:] {
		to[done+i] = h.Value()
	}
}

// EncodeFloat16 rounds populations as NewFloat16 does.
func EncodeFloat16(to []Float16, from []float32) {
	to = to[:len(from)]
	done := encodeVector(to, from)
	for i, v := range from[done:] {
		to[done+i] = NewFloat16(v)
	}
}
