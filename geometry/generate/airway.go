package generate

import (
	"fmt"
	"math"

	"carina/geometry"

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
		return o, fmt.Errorf("unknown rule %q: use %q or %q", o.Rule, Weibel, Kitaoka)
	}
	if o.Generations < 1 || o.Generations > MaxGenerations {
		return o, fmt.Errorf("%d generations: choose 1 to %d", o.Generations, MaxGenerations)
	}
	return o, checkTube(o.Diameter, o.Length, o.Segments)
}

// Airway makes a tree of airways that begins with a trachea and divides
// Generations times. Branching planes are turned by 90° from one generation
// to the next; where a branch would run into another one, the plane is turned
// otherwise, the division narrowed or its branches shortened, and where
// nothing helps the parent ends. The trachea runs down the z axis and divides
// at the origin, first to both sides along x.
//
// It returns the closed surface and its ends: the inlet at the trachea first,
// then the outlets, the largest first.
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

// grow divides the trachea, generation by generation.
func grow(o AirwayOptions) (*branch, error) {
	res := resolution{trunkSegments: o.Segments, trunkRadius: o.Diameter / 2}
	trunk := trachea(o.Diameter, o.Length, res)
	taken := newSpace()
	taken.insert(trunk)
	scale := o.Diameter / weibelA[0].diameter
	queue := []*branch{trunk}
	for len(queue) > 0 {
		b := queue[0]
		queue = queue[1:]
		if b.generation == o.Generations {
			continue
		}
		plans, err := o.Rule.plan(b, scale, o.Seed)
		if err != nil {
			return nil, err
		}
		if !taken.place(b, plans, res) {
			continue
		}
		for _, d := range b.daughters {
			taken.insert(d)
			queue = append(queue, d)
		}
	}
	return trunk, nil
}

// Alternatives for a division that would run into another branch, in the
// order in which they are tried.
var (
	turnsTried  = [...]float64{0, 15, -15, 30, -30, 45, -45, 60, -60, 75, -75, 90} // degrees added to the turn of the plane
	anglesTried = [...]float64{1, 0.85, 1.15, 0.7}                                 // factors on the branching angles
	lengthTried = [...]float64{1, 0.85, 0.7, 0.55}                                 // factors on the lengths
)

// place divides b so that its daughters keep clear of all branches in the
// space. It reports whether that was possible; if not, b has a flat end.
func (s *space) place(b *branch, plans [2]daughterPlan, res resolution) bool {
	quarter := math.Pi / 2
	if b.parent == nil {
		quarter = 0
	}
	for _, lengthFactor := range lengthTried {
		for _, angleFactor := range anglesTried {
			for _, turn := range turnsTried {
				tried := plans
				for d := range tried {
					tried[d].length *= lengthFactor
					tried[d].angle *= angleFactor
				}
				if err := b.divide(quarter+turn*math.Pi/180, tried, res); err != nil {
					continue
				}
				if s.free(b.daughters[0]) && s.free(b.daughters[1]) {
					return true
				}
			}
		}
	}
	b.cut()
	return false
}
