package geometry

import (
	"fmt"
	"strconv"
	"strings"

	"carina/geometry/opening"
	"carina/internal/quantity"

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
	// Doubt is from 0 to 1 how unsure it is that the lumen ends here, 0 for openings
	// that were open, that the file names or that were placed by hand.
	Doubt float64
}

// Doubtful reports whether an opening may be none: a flat spot of a wall, or an
// end too worn to be told from one.
func (o *Opening) Doubtful() bool { return 1-o.Doubt < opening.Sure }

// DoubtWords says which of some openings are doubtful, how sure they are and what
// to do, in one line; empty where none is.
func DoubtWords(openings []Opening) string {
	var doubtful []int
	var sure []string
	for i := range openings {
		if o := &openings[i]; o.Doubtful() {
			doubtful, sure = append(doubtful, o.Number), append(sure, fmt.Sprintf("%.0f", 100*(1-o.Doubt)))
		}
	}
	if len(doubtful) == 0 {
		return ""
	}
	const most = 8
	listed := make([]string, len(doubtful))
	for i, n := range doubtful {
		listed[i] = strconv.Itoa(n)
	}
	if len(sure) > most {
		sure = append(sure[:most], "…")
	}
	are, ends := "is", "the end of a tube"
	if len(doubtful) > 1 {
		are, ends = "are", "ends of tubes"
	}
	return fmt.Sprintf("%s %s %s doubtful, %s %% sure to be %s: look there with carina inspect --picture, leave out with --drop-opening %s "+
		"what is none, and name an end that is missing with --opening x,y,z,radius,name",
		quantity.Plural(len(doubtful), "opening"), numbers(doubtful), are, strings.Join(sure, ", "), ends, strings.Join(listed, ","))
}
