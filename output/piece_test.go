package output

import (
	"strings"
	"testing"

	"carina/geometry"

	"gonum.org/v1/gonum/spatial/r3"
)

// pieceOf is a sound piece with the given runs in a frame of 4×3×2 cells.
func pieceOf(runs ...geometry.Run) *Piece {
	p := &Piece{Frame: Frame{Spacing: 1, Size: [3]int32{4, 3, 2}}, Ranks: 1, Runs: runs}
	for _, r := range runs {
		for range max(r.X1-r.X0, 0) {
			p.Pressure, p.Velocity = append(p.Pressure, 0), append(p.Velocity, [3]float32{})
		}
	}
	return p
}

func run(x0, x1, y, z int32) geometry.Run { return geometry.Run{X0: x0, X1: x1, Y: y, Z: z} }

func TestCheckPiece(t *testing.T) {
	for _, c := range []struct {
		name string
		p    *Piece
		want string // part of the error, or "" if sound
	}{
		{"no cells", pieceOf(), ""},
		{"full rows", pieceOf(run(0, 4, 0, 0), run(0, 4, 2, 1)), ""},
		{"runs that touch", pieceOf(run(0, 2, 1, 0), run(2, 4, 1, 0)), ""},
		{"rows in order, x is not", pieceOf(run(2, 4, 0, 0), run(0, 1, 1, 0)), ""},
		{"layers in order, y is not", pieceOf(run(0, 1, 2, 0), run(0, 1, 0, 1)), ""},
		{"runs that overlap", pieceOf(run(0, 3, 1, 0), run(2, 4, 1, 0)), "not ordered"},
		{"rows out of order", pieceOf(run(0, 1, 1, 0), run(0, 1, 0, 0)), "not ordered"},
		{"layers out of order", pieceOf(run(0, 1, 0, 1), run(0, 1, 1, 0)), "not ordered"},
		{"empty run", pieceOf(run(2, 2, 0, 0)), "does not lie"},
		{"x too large", pieceOf(run(0, 5, 0, 0)), "does not lie"},
		{"x negative", pieceOf(run(-1, 1, 0, 0)), "does not lie"},
		{"y too large", pieceOf(run(0, 1, 3, 0)), "does not lie"},
		{"z too large", pieceOf(run(0, 1, 0, 2)), "does not lie"},
		{"rank too large", &Piece{Frame: Frame{Spacing: 1, Size: [3]int32{1, 1, 1}}, Rank: 2, Ranks: 2}, "rank 2 of 2"},
		{"empty frame", &Piece{Frame: Frame{Spacing: 1, Size: [3]int32{1, 0, 1}}, Ranks: 1}, "empty"},
		{"fields too short", &Piece{Frame: Frame{Spacing: 1, Size: [3]int32{4, 1, 1}}, Ranks: 1, Runs: []geometry.Run{run(0, 4, 0, 0)}}, "4 cells but 0 pressures"},
	} {
		err := c.p.Check()
		if (c.want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
	}
}

// PieceOf has the cells and fields of the whole grid.
func TestPieceOf(t *testing.T) {
	g := &geometry.Grid{Origin: r3.Vec{X: 1}, Spacing: 0.5, Size: [3]int32{4, 3, 2}, Runs: []geometry.Run{run(1, 3, 0, 0), run(0, 1, 2, 1)}}
	f := &Fields{Time: 7, Pressure: []float32{1, 2, 3}, Velocity: [3][]float32{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}}}
	p := PieceOf(g, f)
	if err := p.Check(); err != nil || p.Cells() != 3 || p.Time != 7 || p.Frame != FrameOf(g) {
		t.Errorf("%+v, error %v", p, err)
	}
	if p.Velocity[1] != [3]float32{2, 5, 8} {
		t.Errorf("velocities %v", p.Velocity)
	}
}
