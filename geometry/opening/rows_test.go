package opening

import (
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/spatial/r3"
)

// No point of a row near a patch is left out, and most of those far away are.
func TestRowsLeaveOutNoPointNearby(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 53))
	vec := func() r3.Vec { return r3.Vec{X: rng.NormFloat64(), Y: rng.NormFloat64(), Z: rng.NormFloat64()} }
	all, left := 0, 0
	for round := range 20000 {
		p := &Patch{Center: r3.Scale(float64(round%3)*1e3, vec()), Normal: r3.Unit(vec()), Area: rng.ExpFloat64()}
		v := (&Finder{}).view(p)
		start, way := r3.Add(p.Center, vec()), r3.Scale(20*rng.Float64(), vec())
		switch round % 5 {
		case 1: // along the axis
			way = r3.Scale(10*rng.NormFloat64(), p.Normal)
		case 2: // in the plane
			way = r3.Add(r3.Scale(rng.NormFloat64(), v.e1), r3.Scale(rng.NormFloat64(), v.e2))
		case 3: // touching the circle
			start = r3.Add(p.Center, r3.Add(r3.Scale(wallWide*v.radius, v.e1), r3.Scale(-3, v.e2)))
			way = r3.Scale(6, v.e2)
		}
		parts := 5 + rng.IntN(mostPoints-4)
		count := 1 + rng.IntN(parts)
		from, to := v.rowWithin(start, way, parts, count)
		if from < 0 || to > count {
			t.Fatalf("the range from %d to %d is not within %d points", from, to, count)
		}
		for j := range count {
			if j >= from && j < to {
				continue
			}
			left++
			if v.addPoint(r3.Add(start, r3.Scale((float64(j)+1./3)/float64(parts), way)), r3.Vec{}, false, 1) {
				t.Fatalf("point %d of %d, from %v along %v, is near %v, but outside of %d to %d", j, parts, start, way, p.Center, from, to)
			}
		}
		all += count
	}
	if left < all/3 {
		t.Errorf("%d of %d points are left out", left, all)
	}
}
