package main

import (
	"fmt"
	"slices"

	"carina/solver/airflow/collision"
	"carina/solver/expression"
)

// dithered is the register of what is stored in 16 bits.
const dithered = "Z31"

// ditherSlots are the last spilled values: a cell's dither and what opposite populations
// get.
const ditherSlots = 2

var ditherConstants = []constant{
	{"DITHER_AT", (scratchSlots - ditherSlots) * 64},
	{"DITHER_FACTOR", collision.DitherFactor}, {"DITHER_SHIFT", collision.DitherShift}, {"DITHER_MASK", collision.DitherMask},
}

// dither makes bodies derive a cell's dither from what arrives, and add it to what is
// stored.
func (t target) dither(a *expression.Assembler) {
	load, store := a.Load, a.Store
	seeds := 0
	a.Load = func(i int, register string) string {
		lines := load(i, register)
		if !slices.Contains(collision.DitherSeeds[:], i) {
			return lines
		}
		seeds++
		name := "SEED"
		switch seeds {
		case 1:
			name = "FIRST_SEED"
		case len(collision.DitherSeeds):
			name = "LAST_SEED"
		}
		return fmt.Sprintf("%s%s%s(%s)", lines, expression.NewLine, name, register)
	}
	a.Store = func(i int, register string) string {
		name := "DITHER"
		if collision.DithersOpposite(i) {
			name = "DITHER_OPPOSITE"
		}
		return fmt.Sprintf("%s(%s)%s%s", name, register, expression.NewLine, store(i, dithered))
	}
}
