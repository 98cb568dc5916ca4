package geometry

import (
	"fmt"
	"math"

	"carina/internal/machine"
	"carina/internal/quantity"
)

// MemoryEstimate returns how many bytes voxelizing a surface of the given
// area takes at the given spacing, with links in 18 directions, for a box of
// the given numbers of cells.
//
// A plane cuts 5.7 links of the 18 directions per cell area, averaged over its
// orientation, and 1.5 cells have a link. The sum is raised by what the
// collector of garbage keeps besides (measured: 1.5 times at 10^8 cells).
func MemoryEstimate(area, spacing float64, box [3]float64) int64 {
	faces := area / (spacing * spacing)
	runs := faces / 4
	const kept = 1.6
	bytes := kept * (runs*(2*16+2*4) + // runs, twice while they are joined; parts
		faces/2*8*0.2 + // crossings of the slabs under work
		faces*1.5*(8+4+8) + faces*5.7*2 + // links
		box[1]*box[2]*4) // rows
	return int64(min(bytes, math.MaxInt64/2))
}

// checkMemory refuses grids that would not fit.
func checkMemory(p *Prepared, spacing float64, box [3]float64, limit int64) error {
	for _, n := range box {
		if n > maxCells {
			return fmt.Errorf("a spacing of %s means %.3g cells along one side, more than the %d possible: choose a larger spacing",
				quantity.FormatLength(spacing), n, maxCells)
		}
	}
	if limit == 0 {
		limit = machine.AvailableMemory()
	}
	need := MemoryEstimate(p.Area, spacing, box)
	if limit > 0 && need > limit {
		return fmt.Errorf("a spacing of %s (about %.2g fluid cells) needs some %.1f GiB for the voxel grid alone, %.1f GiB are free: choose a larger spacing or fewer cells",
			quantity.FormatLength(spacing), p.Volume/(spacing*spacing*spacing), gib(need), gib(limit))
	}
	return nil
}

func gib(bytes int64) float64 { return float64(bytes) / (1 << 30) }
