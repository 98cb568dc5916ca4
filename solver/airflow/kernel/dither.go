package kernel

import (
	"math"

	"carina/solver/airflow/collision"
	"carina/solver/lattice"
)

// Dither is what package collision says is added to the populations that leave the cells
// of a window, before they are cut to 16 bits.
type Dither [WindowCells]uint32

// Seed derives the dither from what arrives in a window.
func (d *Dither) Seed(arriving []float32) {
	for lane := range d {
		var seed uint32
		for _, i := range collision.DitherSeeds {
			seed += math.Float32bits(arriving[i*WindowCells+lane] * collision.Scale)
		}
		d[lane] = seed * collision.DitherFactor >> collision.DitherShift
	}
}

// Encode dithers what has left the cells, each population where the opposite one has
// arrived, and cuts it.
func (d *Dither) Encode(to []Float16, from []float32) {
	to = to[:len(from)]
	if ditherVector(to, from, d) {
		return
	}
	for i, v := range from {
		dither := d[i%WindowCells]
		if collision.DithersOpposite(lattice.Opposite(i / WindowCells)) {
			dither ^= collision.DitherMask
		}
		to[i] = cutFloat16(math.Float32bits(v*collision.Scale) + dither)
	}
}

// cutFloat16 rounds a scaled number, given as its bits, towards zero.
func cutFloat16(b uint32) Float16 {
	sign, magnitude := Float16(b>>16&0x8000), b&0x7fffffff
	switch {
	case magnitude > floatInfinity:
		return sign | notANumber(magnitude)
	case magnitude == floatInfinity:
		return sign | 0x7c00
	case magnitude >= overHalves:
		return sign | 0x7bff
	case magnitude < smallestHalf:
		return sign | Float16(math.Float32frombits(magnitude)*(1<<24))
	}
	return sign | Float16((magnitude-halfBias)>>13)
}
