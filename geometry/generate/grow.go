package generate

import (
	"iter"
	"math"
)

// roomAhead is the length that a branch reserves for its daughters, its own
// included, over its own. Without it, branches end close to others, and
// nothing can grow on.
const roomAhead = 2.5

// grow divides the trachea, generation by generation.
func grow(o AirwayOptions) (*branch, error) {
	res := resolution{trunkSegments: o.Segments, trunkRadius: o.Diameter / 2}
	trunk := trachea(o.Diameter, o.Length, res)
	taken := newSpace()
	taken.insert(trunk, 1)
	scale := o.Diameter / weibelA[0].diameter
	queue := []*branch{trunk}
	for len(queue) > 0 {
		b := queue[0]
		queue = queue[1:]
		if b.generation == o.Generations {
			continue
		}
		room := roomAhead
		if b.generation == o.Generations-1 {
			room = 1
		}
		plans, err := o.Rule.plan(b, scale, o.Seed)
		if err != nil {
			return nil, err
		}
		if !taken.place(b, plans, room, res) {
			continue
		}
		for _, d := range b.daughters {
			taken.insert(d, room)
			queue = append(queue, d)
		}
	}
	return trunk, nil
}

// place divides b so that its daughters keep clear of all branches in the
// space and, if possible, have room ahead. It reports whether that was
// possible; if not, b has a flat end.
func (s *space) place(b *branch, plans [2]daughterPlan, room float64, res resolution) bool {
	var tight *division
	var tightTurn float64
	for shape, turn := range b.alternatives(plans, res) {
		b.divide(shape, turn)
		if s.roomy(b.daughters[0], room) && s.roomy(b.daughters[1], room) {
			return true
		}
		if tight == nil && s.free(b.daughters[0]) && s.free(b.daughters[1]) {
			tight, tightTurn = shape, turn
		}
	}
	b.cut()
	if tight == nil {
		return false
	}
	b.divide(tight, tightTurn)
	return true
}

// Alternatives for a division that would run into another branch, in the
// order in which they are tried.
var (
	// turnsTried are added to the turn of the branching plane, in degrees.
	turnsTried = [...]float64{0, 15, -15, 30, -30, 45, -45, 60, -60, 75, -75, 90}
	// anglesTried are factors on the branching angles.
	anglesTried = [...]float64{1, 0.85, 1.15, 0.7}
	// lengthsTried are factors on the lengths.
	lengthsTried = [...]float64{1, 0.85, 0.7, 0.55}
)

// alternatives yields the ways in which b may divide, the planned one first,
// with the turn of the branching plane.
func (b *branch) alternatives(plans [2]daughterPlan, res resolution) iter.Seq2[*division, float64] {
	quarter := math.Pi / 2
	if b.parent == nil {
		quarter = 0
	}
	return func(yield func(*division, float64) bool) {
		for _, lengthFactor := range lengthsTried {
			for _, angleFactor := range anglesTried {
				tried := plans
				for d := range tried {
					tried[d].length *= lengthFactor
					tried[d].angle *= angleFactor
				}
				shape, err := b.newDivision(tried, res)
				if err != nil {
					continue
				}
				for _, turn := range turnsTried {
					if !yield(shape, quarter+turn*math.Pi/180) {
						return
					}
				}
			}
		}
	}
}
