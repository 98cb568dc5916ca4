package generate

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/spatial/r3"
	"pgregory.net/rapid"
)

// drawLines draws the centrelines of a division as a Kitaoka airway has them,
// with one of the alternative angles and bends.
func drawLines(t *rapid.T) [2]centerline {
	share := rapid.Float64Range(leastFlowShare, 0.5).Draw(t, "share")
	factor := rapid.SampledFrom(anglesTried[:]).Draw(t, "angle factor")
	bend := rapid.SampledFrom(bendRatios[:]).Draw(t, "bend")
	var radii [2]float64
	for d, q := range [2]float64{share, 1 - share} {
		radii[d] = math.Pow(q, 1/diameterExponent)
	}
	var lines [2]centerline
	for d, q := range [2]float64{share, 1 - share} {
		lines[d] = centerline{
			bend:   bend,
			angle:  factor * kitaokaAngle(q),
			from:   1,
			to:     radii[d],
			taper:  bend + thinTaper*max(0, radii[1-d]-radii[d]),
			length: 10,
		}
	}
	return lines
}

// TestProjectInvertsRay checks that a point on a ray from station s projects
// back to station s, at its distance.
func TestProjectInvertsRay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line := drawLines(t)[0]
		s := rapid.Float64Range(-2, 10).Draw(t, "station")
		psi := rapid.Float64Range(-math.Pi, math.Pi).Draw(t, "angle")
		distance := rapid.Float64Range(0, 1.5).Draw(t, "distance")
		p := line.ray(s, psi).at(distance)
		station, offset := line.project(p.X, p.Z)
		if math.Abs(station-s) > 1e-9 || math.Abs(offset-distance*math.Cos(psi)) > 1e-9 {
			t.Fatalf("the point at station %g, offset %g projects to station %g, offset %g",
				s, distance*math.Cos(psi), station, offset)
		}
	})
}

// TestCrotch checks that every division that an airway can have separates,
// and that the points of its crotch lie on both daughters at the stations and
// angles given, equally far from both tubes.
func TestCrotch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		j, err := newJunction(drawLines(t))
		if err != nil {
			t.Fatal(err)
		}
		points, err := j.crotch(rapid.Float64Range(0.05, 0.5).Draw(t, "step"))
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range points {
			quarter := j.blend(p.place) / 4
			for d := range 2 {
				if off := math.Abs(j.distance(d, p.place) - quarter); off > 1e-6 {
					t.Fatalf("point %v is %g from where daughter %d has it", p.place, off, d)
				}
				angle := p.angle[d]
				if d == 1 {
					angle = -angle
				}
				r := j.lines[d].radius(p.station[d]) + quarter
				if off := r3.Norm(r3.Sub(j.ray(d, p.station[d], angle).at(r), p.place)); off > 1e-5 {
					t.Fatalf("station and angle on daughter %d are %g off point %v", d, off, p.place)
				}
			}
		}
		tip := points[len(points)-1]
		if math.Abs(tip.place.Y) > 1e-12 {
			t.Fatalf("the tip of the carina is %g off the plane of the division", tip.place.Y)
		}
	})
}

// TestSurface checks points of a junction's wall against the implicit
// function that defines it, and that the wall is that of the plain tube where
// the other daughter is far.
func TestSurface(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		j, err := newJunction(drawLines(t))
		if err != nil {
			t.Fatal(err)
		}
		d := rapid.IntRange(0, 1).Draw(t, "daughter")
		s := rapid.Float64Range(0, 8).Draw(t, "station")
		psi := rapid.Float64Range(-math.Pi/2, math.Pi/2).Draw(t, "angle")
		wall := j.surface(d, s, psi)
		p := j.ray(d, s, psi).at(wall)
		own, other := j.distance(d, p), j.distance(1-d, p)
		if other < own {
			t.Skip("on the other daughter's side")
		}
		k := j.blend(p)
		if value := smoothMin(own, other, k); math.Abs(value) > 1e-9 {
			t.Fatalf("the implicit function is %g on the wall", value)
		}
		if other-own > k && math.Abs(wall-j.lines[d].radius(s)) > 1e-9 {
			t.Fatalf("wall at %g, radius %g", wall, j.lines[d].radius(s))
		}
	})
}

// The thicker daughter's radius changes over the radius of its bend, the thinner
// one's over more, so that it leaves the thicker one.
func TestTapersOfDivisions(t *testing.T) {
	res := resolution{trunkSegments: 64, trunkRadius: 1}
	trunk := newTrunk(frame{}, 1, 5, res)
	for _, share := range []float64{leastFlowShare, 0.35, 0.5} {
		var plans [2]daughterPlan
		for d, q := range [2]float64{share, 1 - share} {
			plans[d] = daughterPlan{radius: math.Pow(q, 1/diameterExponent), length: 10, angle: kitaokaAngle(q)}
		}
		division, err := trunk.newDivision(plans, res)
		if err != nil {
			t.Fatal(err)
		}
		thin, thick := division.junction.lines[0], division.junction.lines[1]
		if math.Abs(thick.taper-thick.bend) > 1e-12 || (thin.taper > thick.taper) != (share < 0.5) {
			t.Errorf("share %g: tapers over %g and %g, bends of %g and %g", share, thin.taper, thick.taper, thin.bend, thick.bend)
		}
	}
}

func TestInseparable(t *testing.T) {
	straight := centerline{bend: 2, from: 1, to: 1, length: 10}
	inside := centerline{bend: 2, from: 1, to: 0.5, taper: 2, length: 10}
	for _, lines := range [][2]centerline{{straight, inside}, {inside, straight}} {
		if _, err := newJunction(lines); err == nil {
			t.Error("a tube inside another one separated from it")
		}
	}
}

// TestKitaokaAngle compares with the angles that Kitaoka et al. (1999) give
// for symmetric division, 35°, and with the thinner daughter turning more.
func TestKitaokaAngle(t *testing.T) {
	degrees := func(share float64) float64 { return kitaokaAngle(share) * 180 / math.Pi }
	if a := degrees(0.5); math.Abs(a-35) > 0.5 {
		t.Errorf("symmetric division turns by %g°, want 35°", a)
	}
	if thin, thick := degrees(0.3), degrees(0.7); thin <= 35 || thick >= 35 {
		t.Errorf("angles of %g° and %g° for shares of 0.3 and 0.7", thin, thick)
	}
}
