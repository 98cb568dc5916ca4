package generate

import (
	"fmt"
	"math"

	"carina/geometry"
)

// BifurcationOptions says what bifurcation to make. The zero value has the
// dimensions of an adult.
type BifurcationOptions struct {
	// Diameter of the trachea in metres, 18 mm by default. All other
	// dimensions are in proportion to it.
	Diameter float64
	// Segments is the number of edges around the trachea, 64 by default.
	Segments int
}

// Bifurcation makes the idealised trachea and two main bronchi: generations
// 0 and 1 of Weibel's model A (Weibel 1963), symmetrically divided. The
// trachea runs down the z axis and divides at the origin, to both sides along
// x. It returns the closed surface and its three ends, the inlet at the
// trachea first.
func Bifurcation(o BifurcationOptions) (*geometry.Surface, []geometry.Opening, error) {
	s, openings, err := Airway(AirwayOptions{Rule: Weibel, Generations: 1, Diameter: o.Diameter, Segments: o.Segments})
	if err != nil {
		return nil, nil, fmt.Errorf("bifurcation: %w", err)
	}
	return s, openings, nil
}

// Dimensions of BifurcationLarge in diameters of the trachea, and its
// branching angles in degrees. The diameters are those of Weibel's model A.
// Lengths and angles are not printed anywhere; they are chosen so that the
// bounding box has the proportions of the grids that Fietz used (428×66×503,
// 599×92×703 and 684×105×802 cells) and an octree of it as many leaves as
// reported there.
var (
	largeLengths = [4]float64{3.72, 2.975, 1.50, 1.80}
	largeAngles  = [3]float64{45, 40, 40}
)

// BifurcationLarge makes the larger test case of J. Fietz, Performance
// optimization of parallel lattice Boltzmann fluid flow simulations on complex
// geometries (2011), section 5.1.2: of the two main bronchi one is divided
// again, and of its two branches the outer one once more, all in the x–z
// plane. It returns the closed surface and its five ends: the inlet at the
// trachea, the undivided main bronchus, the undivided branch of the second
// generation and the two of the third.
func BifurcationLarge(o BifurcationOptions) (*geometry.Surface, []geometry.Opening, error) {
	trunk, err := largeTree(o)
	if err != nil {
		return nil, nil, fmt.Errorf("cannot generate the large bifurcation: %w", err)
	}
	return sweep(trunk)
}

func largeTree(o BifurcationOptions) (*branch, error) {
	if o.Diameter == 0 {
		o.Diameter = weibelA[0].diameter
	}
	if o.Segments == 0 {
		o.Segments = defaultSegments
	}
	length := largeLengths[0] * o.Diameter
	if err := checkTube(o.Diameter, length, o.Segments); err != nil {
		return nil, err
	}
	res := resolution{trunkSegments: o.Segments, trunkRadius: o.Diameter / 2}
	trunk := trachea(o.Diameter, length, res)
	b := trunk
	for i, angle := range largeAngles {
		plan := daughterPlan{
			radius: o.Diameter / 2 * weibelA[i+1].diameter / weibelA[0].diameter,
			length: o.Diameter * largeLengths[i+1],
			angle:  angle * math.Pi / 180,
		}
		d, err := b.newDivision([2]daughterPlan{plan, plan}, res)
		if err != nil {
			return nil, err
		}
		b.divide(d, 0)
		b = b.daughters[largeDivided[i]]
	}
	return trunk, nil
}

// largeDivided says which daughter of each division is divided again.
var largeDivided = [3]int{1, 0, 0}
