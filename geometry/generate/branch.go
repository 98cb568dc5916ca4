package generate

import (
	"math"

	"gonum.org/v1/gonum/spatial/r3"
)

// A branch is one tube of a tree: from where its parent ends to where its
// daughters begin, or to a flat end.
type branch struct {
	generation int    // 0 for the trunk
	path       uint64 // 1 for the trunk, 2p and 2p+1 for the daughters of p
	segments   int    // edges around the tube
	line       centerline
	base       frame // of the centreline
	parent     *branch
	junction   *junction // where the daughters begin; nil at a flat end
	daughters  [2]*branch
}

// A daughterPlan says what one of the two branches of a division is to be.
type daughterPlan struct {
	radius float64 // m
	length float64 // along the axis, from the parent's end to its own, m
	angle  float64 // between its axis and the parent's, rad
}

// newTrunk returns the first branch, which begins with a flat end in f.
func newTrunk(f frame, radius, length float64, res resolution) *branch {
	n := res.segments(radius)
	r := radius * roundness(n)
	return &branch{
		path:     1,
		segments: n,
		base:     f,
		line:     centerline{bend: r, from: r, to: r, length: length},
	}
}

// A division is the shape of a place where a branch divides, before it is
// known in which plane.
type division struct {
	junction *junction
	segments [2]int // edges around the daughters
}

// newDivision shapes the division of b into the planned daughters, with the
// widest bends that their lengths leave room for. Those too short to part even
// with the narrowest are lengthened.
func (b *branch) newDivision(plans [2]daughterPlan, res resolution) (*division, error) {
	var counts [2]int
	for d, plan := range plans {
		counts[d] = res.segments(plan.radius)
	}
	from := b.nominalRadius() * roundness(counts[0]+counts[1])
	var j *junction
	for _, bend := range bendRatios {
		var lines [2]centerline
		for d, plan := range plans {
			lines[d] = centerline{
				bend:   bend * from,
				angle:  plan.angle,
				from:   from,
				to:     plan.radius * roundness(counts[d]),
				taper:  bend*from + thinTaper*max(0, plans[1-d].radius-plan.radius),
				length: plan.length,
			}
		}
		var err error
		if j, err = newJunction(lines); err != nil {
			return nil, err
		}
		if !j.lengthen() {
			break
		}
	}
	return &division{j, counts}, nil
}

// divide gives b the two daughters of a division, in the plane that is turned
// by turn from the plane of b's own bend.
func (b *branch) divide(shape *division, turn float64) {
	end := b.end().turned(turn)
	b.junction = shape.junction
	for d := range b.daughters {
		b.daughters[d] = &branch{
			generation: b.generation + 1,
			path:       2*b.path + uint64(d),
			segments:   shape.segments[d],
			line:       shape.junction.lines[d],
			base:       end.turned(float64(d) * math.Pi),
			parent:     b,
		}
	}
}

// cut makes b's end a flat one again.
func (b *branch) cut() {
	b.junction, b.daughters = nil, [2]*branch{}
}

// end returns the frame at the branch's end.
func (b *branch) end() frame { return b.base.after(&b.line, b.line.length) }

// axis returns the place of station s.
func (b *branch) axis(s float64) r3.Vec {
	x, z, _ := b.line.at(s)
	return b.base.world(r3.Vec{X: x, Z: z})
}

// nominalRadius is the radius of the circle whose area the branch's
// cross-section has.
func (b *branch) nominalRadius() float64 { return b.line.to / roundness(b.segments) }

// walk calls visit for b and all branches below it, parents first.
func (b *branch) walk(visit func(*branch) error) error {
	if err := visit(b); err != nil {
		return err
	}
	for _, d := range b.daughters {
		if d == nil {
			continue
		}
		if err := d.walk(visit); err != nil {
			return err
		}
	}
	return nil
}

// A resolution says by how many edges a circle is drawn.
type resolution struct {
	trunkSegments int     // around the trunk
	trunkRadius   float64 // m
}

// Limits of the number of edges around a branch.
const (
	defaultSegments = 64
	leastSegments   = 16
)

// segments returns the number of edges around a branch: even, falling with
// the square root of the radius, so that thin branches have fewer edges than
// thick ones but finer ones.
func (r resolution) segments(radius float64) int {
	n := float64(r.trunkSegments) * math.Sqrt(radius/r.trunkRadius)
	return max(2*int(math.Round(n/2)), min(leastSegments, r.trunkSegments))
}

// roundness returns the radius of the corners of a regular polygon with n
// edges over the radius of the circle of the same area.
func roundness(n int) float64 {
	step := 2 * math.Pi / float64(n)
	return math.Sqrt(step / math.Sin(step))
}
