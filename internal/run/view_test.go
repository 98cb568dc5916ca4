package run

import (
	"testing"

	"carina/cuboid"
	"carina/geometry/generate"
	"carina/solver"
	"carina/solver/airflow"
)

func TestPiecesOfRanksHoldEveryCellOnce(t *testing.T) {
	grid := generate.BallsGrid([3]int32{17, 13, 11}, 4, 5)
	bricks, err := cuboid.Bricks(grid, [3]int32{4, 4, 4})
	if err != nil {
		t.Fatal(err)
	}
	segments, err := cuboid.Label(grid, bricks)
	if err != nil {
		t.Fatal(err)
	}
	const ranks = 3
	domain := &solver.Domain{Grid: grid, Segments: segments, Ranks: ranks}
	for i := range bricks {
		domain.Owners = append(domain.Owners, int32(i%ranks))
	}
	n := grid.Cells()
	fields := &airflow.Fields{Pressure: make([]float32, n)}
	for axis := range fields.Velocity {
		fields.Velocity[axis] = make([]float32, n)
	}
	for i := range n {
		fields.Pressure[i], fields.Velocity[2][i] = float32(i), float32(2*i)
	}
	seen := make([]bool, n)
	for rank := range ranks {
		piece := pieceOf(domain, fields, rank, 0)
		if err := piece.Check(); err != nil {
			t.Fatalf("rank %d: %v", rank, err)
		}
		for i, p := range piece.Pressure {
			if seen[int(p)] || piece.Velocity[i][2] != 2*p {
				t.Fatalf("rank %d: cell %g is there twice or has another one's velocity", rank, p)
			}
			seen[int(p)] = true
		}
	}
	for i, s := range seen {
		if !s {
			t.Fatalf("cell %d belongs to no piece", i)
		}
	}
}
