package kernel

import (
	"math"
	"math/rand/v2"
	"testing"

	"carina/solver/airflow/collision"
	"carina/solver/lattice"
)

// What is a 16-bit number already stays it, whatever the dither.
func TestDitherKeepsFloat16(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for h := range 1 << 16 {
		b := math.Float32bits(Float16(h).Value() * collision.Scale)
		if math.IsNaN(float64(Float16(h).Value())) || h&0x7fff == 0x7c00 {
			continue
		}
		for _, dither := range []uint32{0, random.Uint32N(collision.DitherMask + 1), collision.DitherMask} {
			if got := cutFloat16(b + dither); got != Float16(h) {
				t.Fatalf("%#x becomes %#x with dither %d", h, got, dither)
			}
		}
	}
}

// Over all dithers, which are equally likely, the mean of what a number becomes is that
// number.
func TestDitherChangesNoMean(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	for range 300 {
		v := float32(math.Ldexp(random.Float64()-0.5, -random.IntN(14)))
		var sum float64
		for dither := range uint32(collision.DitherMask + 1) {
			sum += float64(cutFloat16(math.Float32bits(v*collision.Scale) + dither).Value())
		}
		if mean := sum / (collision.DitherMask + 1); mean != float64(v) {
			t.Fatalf("%g becomes %g on average", v, mean)
		}
	}
}

// Those that diverge do not come back.
func TestDitherOfWhatDiverges(t *testing.T) {
	for _, dither := range []uint32{0, 1, collision.DitherMask} {
		for _, v := range []float32{float32(math.NaN()), float32(math.Inf(1))} {
			if got := cutFloat16(math.Float32bits(v) + dither); got&0x7c00 != 0x7c00 {
				t.Errorf("%g becomes %#x", v, got)
			}
		}
		for _, v := range []float32{7e4, 1e30} {
			if got := cutFloat16(math.Float32bits(v) + dither); got != 0x7bff {
				t.Errorf("%g becomes %#x", v, got)
			}
		}
	}
}

// The populations of a window are dithered as one at a time, opposite ones by dithers that
// add up to all bits; and the dithers of random cells are spread evenly.
func TestDitherEncode(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 10))
	const parts, times = 16, 4000
	var count [parts]int
	for _, set := range []*lattice.Set{lattice.D3Q19, lattice.D3Q27} {
		for range times {
			var d Dither
			arriving, left := make([]float32, set.Q*WindowCells), make([]float32, set.Q*WindowCells)
			packed := make([]Float16, len(left))
			for i := range left {
				arriving[i] = NewFloat16(float32(random.NormFloat64() * 0.01)).Value()
				left[i] = float32(math.Ldexp(random.NormFloat64(), -random.IntN(45)))
			}
			d.Seed(arriving)
			d.Encode(packed, left)
			for i, v := range left {
				dither := d[i%WindowCells]
				if p := lattice.Opposite(i / WindowCells); p%2 == 1 {
					dither = collision.DitherMask - dither
				}
				if want := cutFloat16(math.Float32bits(v*collision.Scale) + dither); packed[i] != want {
					t.Fatalf("number %d, %g, becomes %#x, want %#x", i, v, packed[i], want)
				}
			}
			for _, dither := range d {
				count[dither*parts/(collision.DitherMask+1)]++
			}
		}
	}
	const expected = 2 * times * WindowCells / parts
	for part, n := range count {
		if math.Abs(float64(n)-expected) > 6*math.Sqrt(expected) {
			t.Errorf("part %d of all dithers has %d, want about %d", part, n, expected)
		}
	}
}
