package run

import (
	"context"
	"sync"
	"testing"

	"carina/cuboid"
	"carina/geometry"
	"carina/geometry/generate"
	"carina/solver"
	"carina/solver/airflow"
)

// shared is a lump of balls whose bricks go to three ranks in turn.
func shared(t *testing.T) *solver.Domain {
	t.Helper()
	balls := generate.BallsGrid([3]int32{17, 13, 11}, 4, 5)
	halfway := func(_, _, _ int32, _ geometry.Offset) (fraction float64, opening int) { return 0.5, 0 }
	grid := generate.LinkedGrid(balls.Size, balls.Spacing, [3]bool{}, balls.Contains, halfway, nil)
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
	return domain
}

// The pieces of all ranks hold every cell once, with its pressure and velocity.
func TestPiecesOfRanksHoldEveryCellOnce(t *testing.T) {
	domain := shared(t)
	settings := airflow.DefaultSettings()
	settings.BodyForce = [3]float64{1, 2, 3}
	type cell struct{ x, y, z int32 }
	pieces := map[cell][4]float32{}
	var all *airflow.Fields
	var lock sync.Mutex
	job := Job{Domain: domain, Settings: settings, Plan: airflow.Plan{Steps: 20}}
	_, err := job.Run(context.Background(), Hooks{Visit: func(v *View) error {
		fields, err := v.Fields()
		if err != nil {
			return err
		}
		gathered, err := v.Gather(fields)
		if err != nil {
			return err
		}
		piece := v.Piece(fields)
		if err := piece.Check(); err != nil {
			return err
		}
		lock.Lock()
		defer lock.Unlock()
		if v.Rank() == 0 {
			all = gathered
		}
		i := 0
		for _, r := range piece.Runs {
			for x := r.X0; x < r.X1; x++ {
				u := piece.Velocity[i]
				pieces[cell{x, r.Y, r.Z}] = [4]float32{piece.Pressure[i], u[0], u[1], u[2]}
				i++
			}
		}
		if v.Step() != 20 || i != len(piece.Pressure) {
			t.Errorf("rank %d has %d of %d cells in runs after step %d", v.Rank(), i, len(piece.Pressure), v.Step())
		}
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	i := 0
	for _, r := range domain.Grid.Runs {
		for x := r.X0; x < r.X1; x++ {
			want := [4]float32{all.Pressure[i], all.Velocity[0][i], all.Velocity[1][i], all.Velocity[2][i]}
			if got, ok := pieces[cell{x, r.Y, r.Z}]; !ok || got != want {
				t.Fatalf("cell (%d, %d, %d) is in a piece: %v, with %v, want %v", x, r.Y, r.Z, ok, got, want)
			}
			i++
		}
	}
	if len(pieces) != i {
		t.Errorf("%d cells in pieces, want %d", len(pieces), i)
	}
}
