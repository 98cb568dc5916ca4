package airflow

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The grain is that of brute force over all cells, and known for waves: for one
// of length 2 it is two, for a long one small.
func TestGrain(t *testing.T) {
	g := cave(4, [3]bool{})
	random := rand.New(rand.NewPCG(1, 2))
	f := newFields(int(g.Cells()))
	for a := range 3 {
		for i := range f.Velocity[a] {
			f.Velocity[a][i] = float32(random.NormFloat64())
		}
	}
	find := newCellFinder(g)
	var first, second float64
	cell := 0
	for _, r := range g.Runs {
		for x := r.X0; x < r.X1; x++ {
			for a := range 3 {
				var step [3]int32
				step[a] = 1
				low, high := find.number(x-step[0], r.Y-step[1], r.Z-step[2]), find.number(x+step[0], r.Y+step[1], r.Z+step[2])
				if low < 0 || high < 0 {
					continue
				}
				for b := range 3 {
					u := f.Velocity[b]
					down, up := float64(u[cell]-u[low]), float64(u[high]-u[cell])
					first += (down*down + up*up) / 2
					second += (up - down) * (up - down)
				}
			}
			cell++
		}
	}
	if got, want := Grain(g, f), math.Sqrt(second/first); math.Abs(got-want) > 1e-12*want {
		t.Errorf("the grain of noise is %g, want %g", got, want)
	}
	wave := func(length float64) float64 {
		i := 0
		for _, r := range g.Runs {
			for x := r.X0; x < r.X1; x++ {
				for a := range 3 {
					f.Velocity[a][i] = 0
				}
				f.Velocity[1][i] = float32(math.Cos(2 * math.Pi * float64(x) / length))
				i++
			}
		}
		return Grain(g, f)
	}
	if short := wave(2); math.Abs(short-2) > 1e-6 {
		t.Errorf("the grain of a wave of two cells is %g, want 2", short)
	}
	if long := wave(32); long > 0.25 {
		t.Errorf("the grain of a wave of 32 cells is %g", long)
	}
}
