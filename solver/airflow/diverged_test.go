package airflow

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"carina/geometry"
	"carina/internal/race"
	"carina/solver"

	"gonum.org/v1/gonum/spatial/r3"
)

// placedPipe is a straight pipe along x whose openings have their centres.
func placedPipe(across, length int32) *geometry.Grid {
	g := pipe(0, across, length, float64(across)*1e-4)
	middle := float64(across) / 2 * g.Spacing
	g.Openings[0].Center = r3.Vec{X: 0, Y: middle, Z: middle}
	g.Openings[1].Center = r3.Vec{X: float64(length) * g.Spacing, Y: middle, Z: middle}
	return g
}

// A cell of a straight pipe lies as far from the wall and from the openings, and
// sees as many cells across, as geometry says, beside openings as well. Distances
// from the wall are along 26 directions, hence up to 8 % too long in a plane.
func TestSurroundings(t *testing.T) {
	race.SkipArithmetic(t)
	for _, across := range []int32{4, 9, 15} {
		const length = 40
		g := placedPipe(across, length)
		for _, run := range g.Runs {
			for x := run.X0 + (run.Y+run.Z)%across; x < run.X1; x += across {
				s := surroundingsOf(solver.WholeDomain(g), [3]int32{x, run.Y, run.Z})
				y, z := float64(run.Y)+0.5-float64(across)/2, float64(run.Z)+0.5-float64(across)/2
				wall := float64(across)/2 - math.Hypot(y, z)
				if s.ToWall < wall-1e-3 || s.ToWall > 1.09*wall+1e-3 {
					t.Fatalf("pipe of %d: cell (%d, %d, %d) is %.3g cells from the wall, want %.3g", across, x, run.Y, run.Z, s.ToWall, wall)
				}
				if a := float64(across); s.Across < a-1.5 || s.Across > 1.09*a {
					t.Fatalf("pipe of %d: cell (%d, %d, %d) sees %.3g cells across", across, x, run.Y, run.Z, s.Across)
				}
				want, opening := float64(x)+0.5, "opening 1 (inlet)"
				if x >= length/2 {
					want, opening = length-want, "opening 2 (outlet)"
				}
				if s.Opening != opening || math.Abs(s.ToOpening-want) > 1e-6 {
					t.Fatalf("cell (%d, %d, %d) is %.3g cells from %s, want %.3g from %s", x, run.Y, run.Z, s.ToOpening, s.Opening, want, opening)
				}
			}
		}
	}
}

// The error of a flow that has diverged says where that was and what helps, and
// the same on all ranks and devices.
func TestDivergedWords(t *testing.T) {
	g := placedPipe(6, 30)
	s := caveSettings(g)
	s.FlowRate, s.LatticeVelocity, s.Collision = 1e-5, 0.2, BGK
	keep := Plan{Steps: 20000, Diverged: func(*Rank, *Fields) error { return nil }}
	var speeds []float64
	for _, d := range []*solver.Domain{solver.WholeDomain(g), scattered(g, 4, 3, 1, [3]bool{})} {
		_, err := RunInProcess(context.Background(), d, s, keep)
		var diverged *DivergedError
		if !errors.As(err, &diverged) {
			t.Fatalf("got %v, want a DivergedError", err)
		}
		t.Log(err)
		for _, words := range []string{" mm, ", "cells from opening ", "cells from the wall", "cells across", "air moved at", "leave the collision to auto, which takes recursive", "refine the spacing of "} {
			if !strings.Contains(err.Error(), words) {
				t.Errorf("says nothing of %q: %v", words, err)
			}
		}
		if strings.Contains(err.Error(), "lattice velocity") {
			t.Errorf("advises a lattice velocity: %v", err)
		}
		speeds = append(speeds, diverged.Speed)
	}
	if speeds[0] <= 0 || speeds[0] != speeds[1] {
		t.Errorf("the speed was %v by the number of ranks", speeds)
	}
}

// Each cause has its advice, and advice that would not help is not given.
func TestAdvice(t *testing.T) {
	units := Units{Spacing: 1e-4, TimeStep: 1e-6, Density: 1.2, KinematicViscosity: 1.5e-5}
	well := DivergedError{Mach: 0.1, Surroundings: Surroundings{Across: 20, ToWall: 5, Opening: "opening 2 (left)", ToOpening: 50}, units: units,
		planned: 5, operator: Recursive, automatic: Recursive}
	for name, c := range map[string]struct {
		change func(*DivergedError)
		want   string
	}{
		"nothing known": {func(*DivergedError) {}, "refine the spacing of 0.1 mm"},
		"width unknown": {func(e *DivergedError) { e.Across = 0 }, "refine the spacing of 0.1 mm"},
		"fast enough":   {func(e *DivergedError) { e.Mach = largestMach }, "refine the spacing of 0.1 mm"},
		"fast":          {func(e *DivergedError) { e.Mach = 0.6 }, "reduce the time step below 500 ns"},
		"narrow":        {func(e *DivergedError) { e.Across = 4 }, "refine the spacing of 0.1 mm to 50 µm"},
		"coarse":        {func(e *DivergedError) { e.planned = 30 }, "refine the spacing of 0.1 mm to 50 µm"},
		"slower there":  {func(e *DivergedError) { e.planned, e.Speed = 60, 30 }, "refine the spacing of 0.1 mm to 25 µm"},
		"far too few":   {func(e *DivergedError) { e.planned = 3000 }, "refine the spacing of 0.1 mm to 25 µm or finer: to resolve it all would take 0.5 µm"},
		"none planned":  {func(e *DivergedError) { e.planned, e.Speed = 0, 30 }, "refine the spacing of 0.1 mm to 50 µm"},
		"operator":      {func(e *DivergedError) { e.operator = TRT }, "leave the collision to auto, which takes recursive here instead of trt"},
		"opening":       {func(e *DivergedError) { e.Across, e.ToOpening = 4, 3 }, "refine the spacing of 0.1 mm to 50 µm; cut opening 2 (left) where the lumen is wider or straighter, or impose something else there"},
	} {
		e := well
		c.change(&e)
		if got := e.advice(); !strings.EqualFold(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// The fields give the speed near a cell.
func TestSpeedNear(t *testing.T) {
	g := placedPipe(6, 30)
	fields := NewFields(int(g.Cells()))
	i := 0
	var pieces []Piece
	for _, run := range g.Runs {
		pieces = append(pieces, Piece{Run: run, Global: int64(i), Local: i})
		for x := run.X0; x < run.X1; x++ {
			switch {
			case x == 12 && run.Y == 3 && run.Z == 3:
				fields.Velocity[0][i], fields.Velocity[2][i] = 3, 4
			case x == 13 && run.Y == 3 && run.Z == 3:
				fields.Velocity[0][i] = 100 // three cells away
			}
			i++
		}
	}
	if speed := speedNear(pieces, fields, [3]int32{10, 2, 3}); speed != 5 {
		t.Errorf("the speed was %g, want 5", speed)
	}
}
