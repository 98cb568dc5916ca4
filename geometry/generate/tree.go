package generate

import (
	"math"

	"gonum.org/v1/gonum/spatial/r3"
)

// Branch is a branch as it was made: what finding it in the surface should return.
// Lengths are in metres.
type Branch struct {
	Generation int
	// Parent is the index of the branch before it, −1 for the trachea.
	Parent int
	// Opening is the number of the opening at its end, 0 where it divides.
	Opening int
	// From is where it leaves its parent's centre line, To where its daughters leave its
	// own, or its flat end.
	From, To r3.Vec
	// Length is along the axis, Angle between its axis and its parent's, in radians.
	Length, Diameter, Angle float64
}

// AirwayBranches returns the branches of the airway that Airway makes.
func AirwayBranches(options AirwayOptions) ([]Branch, error) {
	o, err := options.withDefaults()
	if err != nil {
		return nil, err
	}
	trunk, err := grow(o)
	if err != nil {
		return nil, err
	}
	opening := map[*branch]int{}
	for i, b := range listEnds(trunk) {
		opening[b] = i + 2
	}
	index := map[*branch]int{nil: -1}
	var all []Branch
	_ = trunk.walk(func(b *branch) error {
		index[b] = len(all)
		all = append(all, Branch{
			Generation: b.generation, Parent: index[b.parent], Opening: opening[b], From: b.axis(0), To: b.axis(b.line.length),
			Length: b.line.length, Diameter: 2 * b.nominalRadius(), Angle: math.Abs(b.line.angle),
		})
		return nil
	})
	return all, nil
}
