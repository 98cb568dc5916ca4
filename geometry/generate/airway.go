package generate

import (
	"fmt"

	"carina/geometry"
	"carina/internal/quantity"

	"gonum.org/v1/gonum/spatial/r3"
)

// MaxGenerations is the largest number of generations below the trachea that
// Airway makes: 2¹¹ ends if none had to be left out.
const MaxGenerations = 11

// AirwayOptions says what airway to make. The zero value is an adult's.
type AirwayOptions struct {
	// Rule is the branching model, Weibel by default.
	Rule Rule
	// Generations is the number of generations below the trachea, 1 to
	// MaxGenerations; 4 by default, which gives 16 ends.
	Generations int
	// Seed chooses the flow shares of the Kitaoka rule.
	Seed uint64
	// Diameter of the trachea in metres, 18 mm by default. All other
	// dimensions but the trachea's length are in proportion to it.
	Diameter float64
	// Length of the trachea in metres, 120 mm by default, in proportion to
	// Diameter.
	Length float64
	// Segments is the number of edges around the trachea, 64 by default.
	// Thinner branches have fewer, but 16 at least unless Segments is less.
	Segments int
}

// withDefaults fills in what is zero and checks the rest.
func (o AirwayOptions) withDefaults() (AirwayOptions, error) {
	if o.Rule == "" {
		o.Rule = Weibel
	}
	if o.Generations == 0 {
		o.Generations = 4
	}
	if o.Diameter == 0 {
		o.Diameter = weibelA[0].diameter
	}
	if o.Length == 0 {
		o.Length = weibelA[0].length * o.Diameter / weibelA[0].diameter
	}
	if o.Segments == 0 {
		o.Segments = defaultSegments
	}
	if o.Rule != Weibel && o.Rule != Kitaoka {
		return o, fmt.Errorf("unknown rule %q: use one of %s", o.Rule, quantity.Either(Rules))
	}
	if o.Generations < 1 || o.Generations > MaxGenerations {
		return o, fmt.Errorf("%d generations: choose 1 to %d", o.Generations, MaxGenerations)
	}
	if o.Length < o.Diameter {
		return o, fmt.Errorf("a trachea of %s is shorter than it is wide, %s: make it longer", quantity.FormatLength(o.Length), quantity.FormatLength(o.Diameter))
	}
	return o, checkTube(o.Diameter, o.Length, o.Segments)
}

// Airway makes a tree of airways that begins with a trachea and divides
// Generations times. The trachea runs down the z axis and divides at the
// origin, to both sides along x; the branching planes are turned by 90° from
// one generation to the next. Where a branch would run into another one or
// leave no room for the next generation, the plane is turned otherwise, the
// angle changed or the branches are shortened; where nothing helps, the parent
// ends. A branch too short to part from its sibling is lengthened: in Weibel's
// model that is generation 3, from 7.6 mm to 9.7 mm.
//
// It returns the closed surface and its ends: the inlet at the trachea first,
// then the outlets, the largest first. The names of the surface's solids are
// "wall" and those of the openings.
func Airway(options AirwayOptions) (*geometry.Surface, []geometry.Opening, error) {
	o, err := options.withDefaults()
	if err != nil {
		return nil, nil, fmt.Errorf("cannot generate an airway: %w", err)
	}
	trunk, err := grow(o)
	if err != nil {
		return nil, nil, fmt.Errorf("cannot generate an airway: %w", err)
	}
	return sweep(trunk)
}

// trachea returns a trunk that ends at the origin, coming down the z axis.
func trachea(diameter, length float64, res resolution) *branch {
	f := frame{
		origin: r3.Vec{Z: length},
		side:   r3.Vec{X: 1},
		across: r3.Vec{Y: -1},
		along:  r3.Vec{Z: -1},
	}
	return newTrunk(f, diameter/2, length, res)
}
