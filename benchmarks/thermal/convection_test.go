package thermalbench

import (
	"context"
	"math"
	"testing"

	"carina/internal/race"
	"carina/solver/thermal/arithmetic"
)

// Rolls begin to grow near the critical Rayleigh number: with 24 rows 5 % above it, which
// falls with the square of the rows, as the suite's higher layers show.
func TestOnset(t *testing.T) {
	race.SkipArithmetic(t)
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	l := Layer{Height: 24, Width: 48, Tau: 0.545, Difference: 0.1, Collision: arithmetic.Regularized}
	got, err := l.Onset(context.Background())
	if err != nil || !(math.Abs(got/Critical-1) < 0.06) {
		t.Errorf("critical Rayleigh number %g (%v), want %g", got, err, Critical)
	}
}

// What falls with the square of the rows is left out.
func TestExtrapolate(t *testing.T) {
	row := func(rows int32) Row { return Row{Rows: rows, Value: 3 + 7/float64(rows*rows)} }
	if got := Extrapolate(row(10), row(15)); math.Abs(got.Value-3) > 1e-12 {
		t.Errorf("%g, want 3", got.Value)
	}
}

// Steady rolls carry the heat of a spectral solution.
func TestConvection(t *testing.T) {
	race.SkipArithmetic(t)
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	want, err := Nusselt(2500, 1, math.Pi, 16, 4)
	if err != nil {
		t.Fatal(err)
	}
	l := Layer{Rayleigh: 2500, Width: 48, Height: 24, Tau: 0.57, Difference: 0.2, Collision: arithmetic.Regularized}
	got, err := l.Steady(context.Background())
	if err != nil || !(math.Abs(got/want-1) < 0.04) {
		t.Errorf("Nusselt number %g (%v), want %g", got, err, want)
	}
}
