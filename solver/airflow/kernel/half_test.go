package kernel

import (
	"math"
	"math/rand/v2"
	"sort"
	"testing"

	"carina/solver/airflow/collision"

	"pgregory.net/rapid"
)

// halfValue is the value of a 16-bit number by IEEE 754, table 3.5.
func halfValue(h uint16) float64 {
	sign, exponent, fraction := 1-2*float64(h>>15), int(h>>10&31), float64(h&0x3ff)
	switch exponent {
	case 0:
		return sign * math.Ldexp(fraction, -24)
	case 31:
		if fraction != 0 {
			return math.NaN()
		}
		return sign * math.Inf(1)
	}
	return sign * math.Ldexp(1024+fraction, exponent-25)
}

// Every number has the value that the standard says, and is that value's own.
func TestFloat16Values(t *testing.T) {
	for h := range 1 << 16 {
		want := halfValue(uint16(h)) / collision.Scale
		got := Float16(h).Value()
		if math.IsNaN(want) {
			if got == got || Float16(0x7e00)&NewFloat16(got) != 0x7e00 {
				t.Fatalf("%#x is %g", h, got)
			}
			continue
		}
		if float64(got) != want || math.Signbit(float64(got)) != math.Signbit(want) {
			t.Fatalf("%#x is %g, want %g", h, got, want)
		}
		if back := NewFloat16(got); back != Float16(h) {
			t.Fatalf("%#x comes back as %#x", h, back)
		}
	}
}

// Rounding finds the nearest number, of two the even one.
func TestFloat16Rounding(t *testing.T) {
	var finite []float64
	for h := range 31 << 10 {
		finite = append(finite, halfValue(uint16(h))/collision.Scale)
	}
	largest := len(finite) - 1
	rapid.Check(t, func(t *rapid.T) {
		i := rapid.IntRange(0, largest-1).Draw(t, "below")
		// A value in the gap, often its middle or next to it.
		middle := float32((finite[i] + finite[i+1]) / 2)
		v := rapid.SampledFrom([]float32{middle, math.Nextafter32(middle, 0), math.Nextafter32(middle, 1),
			float32(finite[i] + (finite[i+1]-finite[i])*rapid.Float64Range(0, 1).Draw(t, "part"))}).Draw(t, "value")
		j := sort.SearchFloat64s(finite, float64(v))
		want := j
		if below := j - 1; below >= 0 {
			down, up := float64(v)-finite[below], finite[j]-float64(v)
			if down < up || down == up && below%2 == 0 {
				want = below
			}
		}
		if got := NewFloat16(v); got != Float16(want) {
			t.Fatalf("%g becomes %#x, want %#x", v, got, want)
		}
		if got := NewFloat16(-v); got != Float16(want)|0x8000 {
			t.Fatalf("%g becomes %#x, want %#x", -v, got, want|0x8000)
		}
	})
	for _, v := range []float32{2, 5, math.MaxFloat32, float32(math.Inf(1))} {
		if NewFloat16(v) != 0x7c00 || NewFloat16(-v) != 0xfc00 {
			t.Errorf("%g becomes %#x", v, NewFloat16(v))
		}
	}
}

// Many numbers at once are converted as one at a time.
func TestFloat16Slices(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for n := range 40 {
		values, halves := make([]float32, n), make([]Float16, n)
		for i := range values {
			values[i] = float32(math.Ldexp(random.NormFloat64(), -random.IntN(40)))
		}
		EncodeFloat16(halves, values)
		back := make([]float32, n)
		DecodeFloat16(back, halves)
		for i, v := range values {
			if halves[i] != NewFloat16(v) || back[i] != halves[i].Value() {
				t.Fatalf("number %d of %d, %g, becomes %#x and %g", i, n, v, halves[i], back[i])
			}
		}
	}
}
