package geometry

import (
	"carina/geometry/opening"

	"gonum.org/v1/gonum/spatial/r3"
)

// Role is what an opening is used for.
type Role string

// The roles of an opening.
const (
	Inlet  Role = "inlet"
	Outlet Role = "outlet"
)

// Evidence says how much an opening looks like the end of a tube.
type Evidence struct {
	Number int `json:"number"`
	opening.Evidence
}

// Opening is a flat end of the lumen through which air enters or leaves.
type Opening struct {
	// Number counts from 1, the largest opening first unless named otherwise.
	Number int
	// Name is the name of the solid in the surface file, or one made from the
	// role and number.
	Name string
	// Role is Inlet for one opening by default, the largest.
	Role Role
	// Center is the centroid of the opening, in metres.
	Center r3.Vec
	// Normal is the unit normal, pointing out of the lumen.
	Normal r3.Vec
	// Area is what the opening's outline encloses, seen along Normal, in square
	// metres: a bevel around it counts by its projection.
	Area float64
}
