package generate

import (
	"fmt"

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
// 0 and 1 of Weibel's model A (Weibel 1963), divided symmetrically. Like all trees it has
// its trachea on the z axis and divides at the origin, along x.
func Bifurcation(o BifurcationOptions) (*geometry.Surface, []geometry.Opening, error) {
	s, openings, err := Airway(AirwayOptions{Rule: Weibel, Generations: 1, Diameter: o.Diameter, Segments: o.Segments})
	if err != nil {
		return nil, nil, fmt.Errorf("bifurcation: %w", err)
	}
	return s, openings, nil
}
