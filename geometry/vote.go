package geometry

import (
	"context"
	"math/bits"
	"slices"
)

// along returns the lattice with its axes exchanged, so that its rows run
// along the given one: x' is that axis, y' and z' the others in order.
func (l *lattice) along(axis int) *lattice {
	order := [3]int{axis, (axis + 1) % 3, (axis + 2) % 3}
	slices.Sort(order[1:])
	out := &lattice{triangles: l.triangles, opening: l.opening, thickness: l.thickness, rounding: l.rounding, within: l.within}
	for i, a := range order {
		out.size[i] = l.size[a]
	}
	out.points = make([][3]float64, len(l.points))
	for i, p := range l.points {
		out.points[i] = [3]float64{p[order[0]], p[order[1]], p[order[2]]}
	}
	out.binTriangles()
	return out
}

// fillVote returns the cells that at least two of the three axes' parities
// call inside.
func (l *lattice) fillVote(ctx context.Context, workers int, progress func(float64)) ([]Run, error) {
	var votes [3][]Run
	for axis := range votes {
		share := func(done float64) {
			if progress != nil {
				progress((float64(axis) + done) / 3)
			}
		}
		var err error
		if votes[axis], _, err = l.along(axis).fillRows(ctx, parity, workers, share); err != nil {
			return nil, err
		}
	}
	return majority(votes, l.size), nil
}

// bitLayer is a layer of cells, one bit each, rows padded to whole words.
type bitLayer struct {
	words int
	bits  []uint64
}

func newBitLayer(size [3]int32) *bitLayer {
	words := (int(size[0]) + 63) / 64
	return &bitLayer{words: words, bits: make([]uint64, words*int(size[1]))}
}

func (b *bitLayer) flip(x, y int32) { b.bits[int(y)*b.words+int(x)/64] ^= 1 << (x % 64) }

// majority joins the runs along x, y and z. Rows along y come by (z, x), rows
// along z by (y, x).
func majority(votes [3][]Run, size [3]int32) []Run {
	type event struct{ x, y, z int32 }
	events := make([]event, 0, 2*len(votes[2]))
	for _, r := range votes[2] {
		events = append(events, event{r.Y, r.Z, r.X0}, event{r.Y, r.Z, r.X1})
	}
	slices.SortFunc(events, func(a, b event) int { return int(a.z) - int(b.z) })
	alongX, alongY, alongZ := newBitLayer(size), newBitLayer(size), newBitLayer(size)
	var out []Run
	for z := int32(0); z < size[2]; z++ {
		clear(alongX.bits)
		clear(alongY.bits)
		for ; len(votes[0]) > 0 && votes[0][0].Z == z; votes[0] = votes[0][1:] {
			for r, x := votes[0][0], votes[0][0].X0; x < r.X1; x++ {
				alongX.flip(x, r.Y)
			}
		}
		for ; len(votes[1]) > 0 && votes[1][0].Z == z; votes[1] = votes[1][1:] {
			for r, y := votes[1][0], votes[1][0].X0; y < r.X1; y++ {
				alongY.flip(r.Y, y)
			}
		}
		for ; len(events) > 0 && events[0].z == z; events = events[1:] {
			alongZ.flip(events[0].x, events[0].y)
		}
		for i, x := range alongX.bits {
			y, z := alongY.bits[i], alongZ.bits[i]
			alongX.bits[i] = x&y | y&z | z&x
		}
		out = alongX.appendRuns(z, size, out)
	}
	return out
}

// appendRuns appends the runs of the layer's set bits.
func (b *bitLayer) appendRuns(z int32, size [3]int32, runs []Run) []Run {
	for y := int32(0); y < size[1]; y++ {
		row := b.bits[int(y)*b.words : (int(y)+1)*b.words]
		for w, word := range row {
			for word != 0 {
				from := bits.TrailingZeros64(word)
				length := bits.TrailingZeros64(^(word >> from))
				runs = appendRun(runs, Run{X0: int32(64*w + from), X1: int32(64*w + from + length), Y: y, Z: z})
				if from+length >= 64 {
					break
				}
				word &^= 1<<(from+length) - 1
			}
		}
	}
	return runs
}
