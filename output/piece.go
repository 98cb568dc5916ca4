package output

import (
	"fmt"
	"math"

	"carina/geometry"
	"carina/internal/quantity"

	"gonum.org/v1/gonum/spatial/r3"
)

// Frame is the box of cells that all pieces of a run share. Cell (i, j, k) has
// its lowest corner at Origin + (i, j, k)·Spacing.
type Frame struct {
	// Origin is the lowest corner of cell (0, 0, 0), in metres.
	Origin r3.Vec
	// Spacing is the side of a cell, in metres.
	Spacing float64
	// Size is the number of cells along x, y and z.
	Size [3]int32
	// Axes say where x, y and z point in the patient, where that is known.
	Axes geometry.Axes
}

// FrameOf returns the frame of a grid.
func FrameOf(g *geometry.Grid) Frame {
	return Frame{Origin: g.Origin, Spacing: g.Spacing, Size: g.Size}
}

// Check reports what makes the frame unusable: that it is empty or not finite.
func (f Frame) Check() error {
	o := f.Origin
	for _, v := range []float64{o.X, o.Y, o.Z, f.Spacing} {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("output: frame with origin %v and spacing %v m is not finite", o, f.Spacing)
		}
	}
	if f.Spacing <= 0 || f.Size[0] <= 0 || f.Size[1] <= 0 || f.Size[2] <= 0 {
		return fmt.Errorf("output: frame of %v cells of side %v m is empty", f.Size, f.Spacing)
	}
	return nil
}

// Piece is the cells of one rank and the fields on them.
type Piece struct {
	Frame
	// Rank is the owner of the cells, 0 ≤ Rank < Ranks.
	Rank, Ranks int
	// Runs are the rank's fluid cells, ordered by Z, then Y, then X0. Runs
	// of one row do not overlap; they may touch.
	Runs []geometry.Run
	// Pressure is the gauge pressure in Pa, one value a cell in run order.
	Pressure []float32
	// Velocity is in m/s, one vector a cell in run order.
	Velocity [][3]float32
	// Time is the simulated time of the fields, in seconds.
	Time float64
	// Further are more fields.
	Further []Array
}

// Array is a field of so many components a cell, in run order.
type Array struct {
	Name       string
	Components int
	Values     []float32
}

// Cells returns the number of cells of the piece.
func (p *Piece) Cells() int64 {
	var n int64
	for _, r := range p.Runs {
		n += int64(r.X1 - r.X0)
	}
	return n
}

// Check reports the first thing that makes the piece unusable: runs out of
// order or outside the frame, fields whose length is not the number of cells.
func (p *Piece) Check() error {
	if err := p.Frame.Check(); err != nil {
		return err
	}
	if p.Ranks < 1 || p.Rank < 0 || p.Rank >= p.Ranks {
		return fmt.Errorf("output: a piece cannot belong to rank %d of %d", p.Rank, p.Ranks)
	}
	for i, r := range p.Runs {
		if r.X0 < 0 || r.X0 >= r.X1 || r.X1 > p.Size[0] || r.Y < 0 || r.Y >= p.Size[1] || r.Z < 0 || r.Z >= p.Size[2] {
			return fmt.Errorf("output: run %d of rank %d (x %d to %d, y %d, z %d) does not lie in the %v cells of the grid",
				i, p.Rank, r.X0, r.X1, r.Y, r.Z, p.Size)
		}
		if i > 0 && !before(p.Runs[i-1], r) {
			return fmt.Errorf("output: run %d of rank %d is not ordered by z, y, x", i, p.Rank)
		}
	}
	if n := p.Cells(); int64(len(p.Pressure)) != n || int64(len(p.Velocity)) != n {
		return fmt.Errorf("output: rank %d has %s but %d pressures and %d velocities",
			p.Rank, quantity.Count(n, "cell"), len(p.Pressure), len(p.Velocity))
	}
	for _, a := range p.Further {
		if int64(len(a.Values)) != p.Cells()*int64(a.Components) {
			return fmt.Errorf("output: rank %d has %s but %d values of %s", p.Rank, quantity.Count(p.Cells(), "cell"), len(a.Values), a.Name)
		}
	}
	return nil
}

// before reports whether run a ends before run b begins.
func before(a, b geometry.Run) bool {
	if a.Z != b.Z {
		return a.Z < b.Z
	}
	if a.Y != b.Y {
		return a.Y < b.Y
	}
	return a.X1 <= b.X0
}

// Fields are the flow in all cells of a grid, in the order of its runs.
type Fields struct {
	// Time is the simulated time, in seconds.
	Time float64
	// Pressure is the gauge pressure in Pa.
	Pressure []float32
	// Velocity has the components x, y and z, in m/s.
	Velocity [3][]float32
}

// PieceOf makes a piece of all cells of a grid, as if one rank owned them.
func PieceOf(g *geometry.Grid, f *Fields) *Piece {
	p := &Piece{Frame: FrameOf(g), Ranks: 1, Runs: g.Runs, Pressure: f.Pressure, Time: f.Time}
	for i := range min(len(f.Velocity[0]), len(f.Velocity[1]), len(f.Velocity[2])) {
		p.Velocity = append(p.Velocity, [3]float32{f.Velocity[0][i], f.Velocity[1][i], f.Velocity[2][i]})
	}
	return p
}
